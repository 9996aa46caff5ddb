import type { Commit } from "../../report/facts.ts";
import type { EvidenceCall, EvidenceLine, TurnEvidence } from "../turn-evidence.ts";

/** What a statement rests on: the lines it cites, and what Daybook itself knows of their turns. */
export interface Scope {
  turns: readonly TurnEvidence[];
  /** The cited lines, those of one turn after the other: texts of a day are read again when they are looked at. */
  lines(): Iterable<readonly EvidenceLine[]>;
  /** Calls that ended within the cited lines. */
  calls: readonly EvidenceCall[];
  commits: readonly Commit[];
  /** The lines are what the human said: what the human claims may be told as asked. */
  isRequest: boolean;
}

export type Span = readonly [first: number, last: number];

/** `"12-18"`; null for everything else. */
export function spanOf(text: string): Span | null {
  const [, first, last] = /^(\d{1,9})-(\d{1,9})$/.exec(text) ?? [];
  if (first === undefined || last === undefined) return null;
  const span: Span = [Number(first), Number(last)];
  return span[0] >= 1 && span[0] <= span[1] ? span : null;
}

/** Lines of one turn. */
export function scopeOfSpans(turn: TurnEvidence, spans: readonly Span[], isRequest = false): Scope {
  const holds = (line: number | null): boolean =>
    line !== null && spans.some(([first, last]) => first <= line && line <= last);
  return {
    turns: [turn],
    lines: () => [turn.lines.filter(({ line }) => holds(line))],
    calls: turn.calls.filter((call) => holds(call.end_line)),
    commits: turn.commits.filter(({ line }) => holds(line) || holds(endOf(turn, line))),
    isRequest,
  };
}

/** A commit is named by the line of its call; the proof stands where the call ended. */
function endOf(turn: TurnEvidence, line: number): number | null {
  return turn.calls.find((call) => call.line === line)?.end_line ?? null;
}

/** Whole turns. */
export function scopeOfTurns(turns: readonly TurnEvidence[], isRequest = false): Scope {
  return {
    turns,
    *lines() {
      for (const turn of turns) yield turn.lines;
    },
    calls: turns.flatMap(({ calls }) => calls.filter(({ end_line }) => end_line !== null)),
    commits: turns.flatMap(({ commits }) => commits),
    isRequest,
  };
}

/** Space of any kind is one space: a quote may be broken into lines otherwise. */
export function flat(text: string): string {
  return text.replace(/\s+/gu, " ").trim();
}

/** Whether something is said in the cited lines, space of any kind being one space. */
export function isSaid(scope: Scope, holds: (text: string) => boolean): boolean {
  for (const text of textsOf(scope)) if (holds(text)) return true;
  return false;
}

/** What is said in the cited lines of each turn. */
function* textsOf(scope: Scope): Generator<string, void, undefined> {
  for (const lines of scope.lines()) yield flatOf(lines);
}

const flats = new WeakMap<readonly EvidenceLine[], string>();

/** As long as the lines are there, their text is. */
function flatOf(lines: readonly EvidenceLine[]): string {
  let text = flats.get(lines);
  if (text === undefined) flats.set(lines, (text = flat(lines.map((line) => line.text).join("\n"))));
  return text;
}
