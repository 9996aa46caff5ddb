import type { Association } from "./children.ts";
import type { CopyResult } from "./copy.ts";
import type { PlannedRow, PlannedRequest } from "./layout.ts";

export interface TargetSubagent {
  session_file: string;
  source_session_id: string;
  agent_role: string | null;
  parent_spawn_line: number | null;
  parent_result_line: number | null;
  association: Association;
  /** Only when it differs from the parent's: one agent launched another. */
  source?: string;
}

export interface TargetLines {
  turn_ref: string;
  turn_start_line: number;
  turn_end_line: number;
  target_subagents: TargetSubagent[];
}

/** One line of `sessions.index.jsonl`: a copied session, and which of its lines belong to the day. */
export interface IndexRow {
  session_ref: string;
  source: string;
  source_session_id: string;
  session_path: string;
  /** Set when the source has no lines to copy: the file is a Daybook log, and line numbers refer to it. */
  session_format?: "daybook-log";
  target_start_line: number;
  target_end_line: number;
  subagent_path: string;
  turns: TargetLines[];
}

export function indexRow(row: PlannedRow, copied: CopyResult): IndexRow {
  const turns = row.turns.map((turn) => indexTurn(turn, row, copied));
  const { source, session_id } = row.file.session;
  return {
    session_ref: row.ref,
    source,
    source_session_id: session_id,
    session_path: row.copy.to,
    ...(copied.span === null ? {} : { session_format: "daybook-log" as const }),
    target_start_line: Math.min(...turns.map((turn) => turn.turn_start_line)),
    target_end_line: Math.max(...turns.map((turn) => turn.turn_end_line)),
    subagent_path: row.subagentPath,
    turns,
  };
}

function indexTurn({ ref, turn, children }: PlannedRequest, row: PlannedRow, { span }: CopyResult): TargetLines {
  const { start_line, end_line } = turn.draft;
  const [turn_start_line, turn_end_line] = span ? span(start_line, end_line) : [start_line, end_line];
  const lineOf = (line: number | null): number | null => (line === null || !span ? line : span(line, line)[0]);
  return {
    turn_ref: ref,
    turn_start_line,
    turn_end_line,
    target_subagents: children.map(({ child, file }) => ({
      session_file: file,
      source_session_id: child.session.session_id,
      agent_role: child.role,
      parent_spawn_line: lineOf(child.spawn_line),
      parent_result_line: lineOf(child.result_line),
      association: child.association,
      ...(child.session.source === row.file.session.source ? {} : { source: child.session.source }),
    })),
  };
}

/** Sorts keys, so that equal indexes are equal bytes. */
export function indexText(rows: readonly IndexRow[]): string {
  return rows.map((row) => `${JSON.stringify(sortKeys(row))}\n`).join("");
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, held]) => [key, sortKeys(held)]));
}
