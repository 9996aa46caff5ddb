import type { Commit } from "../../report/facts.ts";
import type { EvidenceCall, EvidenceLine, FileEvidence, TurnEvidence } from "../turn-evidence.ts";

/** What a statement rests on: the lines it cites, and what Daybook itself knows of their turns. */
export interface Scope {
  turns: readonly TurnEvidence[];
  /** The cited lines, those of one file after the other: texts of a day are read again when they are looked at. */
  parts(): Iterable<ScopePart>;
  /** Calls that ended within the cited lines. */
  calls: readonly EvidenceCall[];
  commits: readonly Commit[];
  /** The lines are what the human said: what the human claims may be reported as asked. */
  isRequest: boolean;
}

/** Of one file: that of the session, or of a sub-agent. */
export interface ScopePart {
  lines: readonly EvidenceLine[];
  calls: readonly EvidenceCall[];
}

/** Lines of the session, or of one of its sub-agents. */
export interface Span {
  agent: string | null;
  first: number;
  last: number;
}

/** `"12-18"`, or `"A1:3-9"` in the file of a sub-agent; null for everything else. */
export function spanOf(text: string): Span | null {
  const [, agent = null, from, to] = /^(?:(A\d{1,4}):)?(\d{1,9})-(\d{1,9})$/.exec(text) ?? [];
  if (from === undefined || to === undefined) return null;
  const [first, last] = [Number(from), Number(to)];
  return first >= 1 && first <= last ? { agent, first, last } : null;
}

/** The file a span is in; null where the turn has no such sub-agent. */
export function fileOf(turn: TurnEvidence, agent: string | null): FileEvidence | null {
  return agent === null ? turn : (turn.agents.find(({ ref }) => ref === agent) ?? null);
}

/** Lines of one turn and of those it started. */
export function scopeOfSpans(turn: TurnEvidence, spans: readonly Span[], isRequest = false): Scope {
  const files = [null, ...turn.agents.map(({ ref }) => ref)].flatMap((agent) => {
    const [file, own] = [fileOf(turn, agent), spans.filter((span) => span.agent === agent)];
    if (!file || own.length === 0) return [];
    const holds = (line: number | null): boolean =>
      line !== null && own.some(({ first, last }) => first <= line && line <= last);
    const calls = file.calls.filter((call) => holds(call.end_line));
    const commits = file.commits.filter(({ line }) => holds(line) || holds(endOf(file, line)));
    return [{ file, holds, calls, commits }];
  });
  const parts = files.map(({ file, holds, calls }) => ({ lines: file.lines.filter(({ line }) => holds(line)), calls }));
  return {
    turns: [turn],
    parts: () => parts,
    calls: files.flatMap(({ calls }) => calls),
    commits: files.flatMap(({ commits }) => commits),
    isRequest,
  };
}

/** A commit is named by the line of its call; the proof stands where the call ended. */
function endOf(file: FileEvidence, line: number): number | null {
  return file.calls.find((call) => call.line === line)?.end_line ?? null;
}

function ended({ calls }: FileEvidence): EvidenceCall[] {
  return calls.filter(({ end_line }) => end_line !== null);
}

/** Whole turns, with all they started. */
export function scopeOfTurns(turns: readonly TurnEvidence[], isRequest = false): Scope {
  const files = turns.flatMap((turn): FileEvidence[] => [turn, ...turn.agents]);
  return {
    turns,
    *parts() {
      for (const file of files) yield { lines: file.lines, calls: ended(file) };
    },
    calls: files.flatMap(ended),
    commits: files.flatMap(({ commits }) => commits),
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

/** What is said in the cited lines of each file. */
function* textsOf(scope: Scope): Generator<string, void, undefined> {
  for (const { lines } of scope.parts()) yield flatOf(lines);
}

const flats = new WeakMap<readonly EvidenceLine[], string>();

/** As long as the lines are there, their text is. */
function flatOf(lines: readonly EvidenceLine[]): string {
  let text = flats.get(lines);
  if (text === undefined) flats.set(lines, (text = flat(lines.map((line) => line.text).join("\n"))));
  return text;
}
