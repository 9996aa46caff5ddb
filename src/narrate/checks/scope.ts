import type { Commit } from "../../report/facts.ts";
import type { EvidenceCall, EvidenceLine, TurnEvidence } from "../turn-evidence.ts";

/** What a statement rests on: the lines it cites, and what Daybook itself knows of their turns. */
export interface Scope {
  turns: readonly TurnEvidence[];
  lines: readonly EvidenceLine[];
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
    lines: turn.lines.filter(({ line }) => holds(line)),
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
    lines: turns.flatMap(({ lines }) => lines),
    calls: turns.flatMap(({ calls }) => calls.filter(({ end_line }) => end_line !== null)),
    commits: turns.flatMap(({ commits }) => commits),
    isRequest,
  };
}

/** Space of any kind is one space: a quote may be broken into lines otherwise. */
export function flat(text: string): string {
  return text.replace(/\s+/gu, " ").trim();
}

const texts = new WeakMap<Scope, string>();

/** All that is said in the cited lines. */
export function scopeText(scope: Scope): string {
  let text = texts.get(scope);
  if (text === undefined) texts.set(scope, (text = flat(scope.lines.map((line) => line.text).join("\n"))));
  return text;
}
