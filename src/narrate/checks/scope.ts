import type { Commit } from "../../views/facts/facts.ts";
import type { EvidenceCall, EvidenceLine, FileEvidence, TurnEvidence } from "../turn-evidence.ts";

/** What a statement is based on: the lines it cites, and what Daybook itself knows about their turns. */
export interface Scope {
  turns: readonly TurnEvidence[];
  /** The cited lines, file by file. Not a list: the texts of a day are read from disk again on each pass. */
  parts(): Iterable<ScopePart>;
  /** Calls that ended within the cited lines. */
  calls: readonly EvidenceCall[];
  commits: readonly Commit[];
}

/** The cited part of one file: the session's, or a sub-agent's. */
export interface ScopePart {
  lines: readonly EvidenceLine[];
  calls: readonly EvidenceCall[];
}

/** Lines of the session, or of one of its sub-agents. */
export interface LineSpan {
  agent: string | null;
  first: number;
  last: number;
}

/** `"12-18"`, or `"A1:3-9"` in the file of a sub-agent; null for everything else. */
export function spanOf(text: string): LineSpan | null {
  const [, agent = null, from, to] = /^(?:(A\d{1,4}):)?(\d{1,9})-(\d{1,9})$/.exec(text) ?? [];
  if (from === undefined || to === undefined) return null;
  const [first, last] = [Number(from), Number(to)];
  return first >= 1 && first <= last ? { agent, first, last } : null;
}

/** The file a span is in; null when the turn has no such sub-agent. */
export function fileOf(turn: TurnEvidence, agent: string | null): FileEvidence | null {
  return agent === null ? turn : (turn.agents.find(({ ref }) => ref === agent) ?? null);
}

/** The scope of some lines of one turn and its sub-agents. */
export function scopeOfSpans(turn: TurnEvidence, spans: readonly LineSpan[]): Scope {
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
  };
}

/** A commit is named by the line of its call; the proof is where the call ended. */
function endOf(file: FileEvidence, line: number): number | null {
  return file.calls.find((call) => call.line === line)?.end_line ?? null;
}

function endedCalls({ calls }: FileEvidence): EvidenceCall[] {
  return calls.filter(({ end_line }) => end_line !== null);
}

/** The scope of whole turns with their sub-agents. */
export function scopeOfTurns(turns: readonly TurnEvidence[]): Scope {
  const files = turns.flatMap((turn): FileEvidence[] => [turn, ...turn.agents]);
  return {
    turns,
    *parts() {
      for (const file of files) yield { lines: file.lines, calls: endedCalls(file) };
    },
    calls: files.flatMap(endedCalls),
    commits: files.flatMap(({ commits }) => commits),
  };
}

/** Collapses whitespace: a quote may be wrapped differently. */
export function collapseSpace(text: string): string {
  return text.replace(/\s+/gu, " ").trim();
}

/** Whether the cited lines of a file, with collapsed whitespace, satisfy `holds`. */
export function someTextHolds(scope: Scope, holds: (text: string) => boolean): boolean {
  for (const text of textsOf(scope)) if (holds(text)) return true;
  return false;
}

/** The text of the cited lines of each file. */
function* textsOf(scope: Scope): Generator<string, void, undefined> {
  for (const { lines } of scope.parts()) yield collapsedText(lines);
}

const collapsedCache = new WeakMap<readonly EvidenceLine[], string>();

/** Cached as long as the lines are in memory. */
function collapsedText(lines: readonly EvidenceLine[]): string {
  let text = collapsedCache.get(lines);
  if (text === undefined) collapsedCache.set(lines, (text = collapseSpace(lines.map((line) => line.text).join("\n"))));
  return text;
}
