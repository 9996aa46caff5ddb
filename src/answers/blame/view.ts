import type { TurnView } from "../../views/turn-view.ts";
import type { BlamedLine } from "./blame.ts";
import type { LineCommit } from "./in-git.ts";
import type { EditEvent, UnknownReason } from "./model.ts";
import { turnKey } from "../../record/session-key.ts";

/** Which request wrote each line of a file. */
export interface BlameView {
  path: string;
  /** Every path the file had, the newest first. */
  names: string[];
  /** The commit asked about; null for the file as it is. */
  revision: string | null;
  /** The requested lines. */
  lines: BlameLine[];
  /** The turns that wrote them; lines refer to them by name. */
  turns: BlameTurn[];
  /** Counts of the requested lines. */
  counts: { lines: number; attributed: number; unknown: number };
}

export interface BlameLine {
  line: number;
  text: string;
  /** The turn that wrote it, `SOURCE/SESSION/T0001`; null when that cannot be proven. */
  turn: string | null;
  /** Where the change is recorded. */
  recorded: RecordedAt | null;
  /** Why it is not known who wrote it. */
  unknown: UnknownReason | null;
  /** As `git blame` reports it; null when the line is not committed. */
  commit: { hash: string; author: string; time: string; subject: string } | null;
}

export interface RecordedAt {
  /** The session that made the change: the turn's own, or one it caused. */
  session_id: string;
  session_path: string;
  line: number;
  call_id: string;
  time: string;
}

export interface BlameTurn {
  /** Name of the turn, as used by the lines. */
  turn: string;
  source: string;
  session_id: string;
  session_path: string;
  turn_ref: string;
  time: string | null;
  model: string | null;
  project: string;
  request: string;
  /** Line of the request. */
  request_line: number;
  /** What the turn and everything it caused cost. */
  cost_usd: number | null;
  /** Number of the requested lines that it wrote. */
  lines: number;
}

export interface BlameViewInput {
  path: string;
  names: string[];
  revision: string | null;
  lines: readonly BlamedLine[];
  /** First and last line, counted from 1; null for all. */
  range: readonly [first: number, last: number] | null;
  /** The human turn that is responsible for a change; null when there is none. */
  turnOf: (event: EditEvent) => TurnView | null;
}

export function blameView({ lines, range, turnOf, ...about }: BlameViewInput): BlameView {
  const turns = new Map<string, BlameTurn>();
  const [first, last] = range ?? [1, lines.length];
  const views = lines.slice(first - 1, last).map((line, i) => lineView(line, first + i, turnOf, turns));
  const attributed = views.filter(({ turn }) => turn !== null).length;
  const counts = { lines: views.length, attributed, unknown: views.length - attributed };
  return { ...about, lines: views, turns: [...turns.values()], counts };
}

function lineView(
  { text, origin, commit }: BlamedLine,
  line: number,
  turnOf: BlameViewInput["turnOf"],
  turns: Map<string, BlameTurn>,
): BlameLine {
  const event = origin.by;
  const view = event && turnOf(event);
  const said = { line, text, commit: commit && commitView(commit) };
  if (!event || !view)
    return { ...said, turn: null, recorded: null, unknown: origin.by === null ? origin.reason : "not_recorded" };
  const turn = turnKey(view);
  const known = turns.get(turn) ?? turnOfBlame(turn, view);
  turns.set(turn, { ...known, lines: known.lines + 1 });
  const { session_id, session_path, line: at, call_id, time } = event;
  const recorded = { session_id, session_path, line: at, call_id, time: new Date(time).toISOString() };
  return { ...said, turn, recorded, unknown: null };
}

function turnOfBlame(turn: string, view: TurnView): BlameTurn {
  const { source, session_id, session_path, turn_ref, trigger, context, project, usage_with_children } = view;
  return {
    turn,
    source,
    session_id,
    session_path: session_path ?? "",
    turn_ref,
    project,
    time: trigger.time,
    model: context.model,
    request: trigger.text ?? "",
    request_line: trigger.line ?? 0,
    cost_usd: usage_with_children.cost_usd,
    lines: 0,
  };
}

function commitView({ hash, author, time, subject }: LineCommit): BlameLine["commit"] {
  return { hash, author, time: new Date(time).toISOString(), subject };
}
