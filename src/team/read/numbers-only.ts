import type { Level } from "../../answers/push-level.ts";
import type { NotPushed } from "../../answers/not-pushed.ts";
import type { SessionView } from "../../answers/session-view.ts";
import type { ToolView } from "../../answers/tool-view.ts";
import type { ToolCounts, TurnView } from "../../answers/turn-view.ts";
import type { UsageView } from "../../answers/usage-sum.ts";

/** Rows of a store, of sessions whose finished answers were not pushed. */
export interface StoredSession {
  session_id: string;
  source: string;
  project: string;
  level: Level;
  started: Date | null;
  ended: Date | null;
  turns: number;
}

export interface StoredTurn {
  session_id: string;
  n: number;
  ts: Date | null;
  ended: Date | null;
  calls: number;
  failed: number;
  status: string;
  source: string;
  project: string;
  model: string;
}

export interface StoredCall {
  session_id: string;
  n: number;
  turn: number | null;
  ts: Date | null;
  took: string | null;
  trouble: number;
  status: string;
  name: string;
}

/** Nobody knows: a zero would be a lie. */
const UNKNOWN = null as unknown as number;

function isoOf(time: Date | null): string | null {
  return time === null ? null : time.toISOString();
}

export function refOf(n: number): string {
  return `T${String(n).padStart(4, "0")}`;
}

/** How calls ended is known of those that failed alone: the others may stand inside another call. */
function countsOf(total: number, failed: number): ToolCounts {
  return { total, failed, ok: UNKNOWN, interrupted: UNKNOWN, denied: UNKNOWN, pending: UNKNOWN };
}

const COUNTS = ["tools.ok", "tools.interrupted", "tools.denied", "tools.pending"];

function lacking(level: Level, fields: readonly string[]): { not_pushed: NotPushed } {
  return { not_pushed: { level, fields: [...fields] } };
}

/** A session of which only numbers were pushed. It is called by the name the store has for it. */
export function sessionOfNumbers(
  row: StoredSession,
  usage: UsageView,
  tools: { calls: number; failed: number },
): SessionView {
  const { session_id, source, project, level, started, ended, turns } = row;
  return {
    ...{ source, session_id, session_path: "", session_paths: [], project, project_key: project, cwd: null },
    ...{ title: null, title_source: "nothing_said", started_at: isoOf(started), ended_at: isoOf(ended) },
    ...{ models: usage.models, agent_version: null, kind: "root", role: null, parent: null, parent_turn: null },
    ...{ forked_from: null, turns, usage, tools: countsOf(tools.calls, tools.failed), marks: null },
    diagnostics: {
      ...{ corrupt_lines: UNKNOWN, unknown_records: UNKNOWN, duplicate_records: UNKNOWN },
      ...{ inherited_records: UNKNOWN, untimed_records: UNKNOWN, backward_times: UNKNOWN },
    },
    ...lacking(level, [
      ...["session_id", "session_path", "session_paths", "project", "cwd", "title", "agent_version", "kind", "role"],
      ...["parent", "parent_turn", "forked_from", "diagnostics", ...COUNTS],
    ]),
  };
}

export function turnOfNumbers(row: StoredTurn, level: Level, usage: UsageView): TurnView {
  const { session_id, source, project, n, ts, ended, status, model } = row;
  const [time, ended_at] = [isoOf(ts), isoOf(ended)];
  return {
    ...{ source, session_id, session_path: "", project, project_key: project, cwd: null, turn_ref: refOf(n) },
    native_turn_id: null,
    trigger: {
      time,
      line: UNKNOWN,
      echo_line: null,
      text: "",
      kind: "prompt",
      entry: "unknown",
      reason: "",
      attachments: UNKNOWN,
    },
    ...{ start_line: 0, end_line: 0, started_at: time, ended_at, duration_ms: null, final_text: "" },
    ...{ outcome: status as TurnView["outcome"], outcome_detail: null, taken_back: null },
    ...{ tools: countsOf(row.calls, row.failed), usage, usage_with_children: usage, children: [], files: [] },
    context: {
      ...{ model: model === "" ? null : model, effort: null, approval_policy: null, sandbox: null, network: null },
      ...{ sandbox_excludes: null, reasoning_summary: null, context_window: null, cwd: null, git_branch: null },
      ...{ git_commit: null, agent_version: null },
    },
    ...{ decisions: [], marks: null },
    ...lacking(level, [
      ...["session_id", "session_path", "project", "cwd", "native_turn_id", "trigger.text", "trigger.kind"],
      ...["trigger.entry", "trigger.reason", "trigger.line", "start_line", "end_line", "duration_ms", "final_text"],
      ...[
        "outcome_detail",
        "taken_back",
        "usage_with_children",
        "children",
        "files",
        "context",
        "decisions",
        ...COUNTS,
      ],
    ]),
  };
}

/** A call whose finished answer was not pushed. `session`: what is said of its session. */
export function callOfNumbers(
  row: StoredCall,
  level: Level,
  { source, session_id, session_path }: SessionView,
): ToolView {
  const { turn, ts, took, trouble, status, name } = row;
  return {
    ...{ source, session_id, session_path, turn_ref: turn === null ? null : refOf(turn), call_id: "" },
    ...{ parent_call_id: null, name, input: null, status: status as ToolView["status"], exit_code: null },
    ...(status === "failed" && trouble === 0 ? { expected_exit: true as const } : {}),
    ...{ duration_ms: took === null ? null : Number(took), started_at: isoOf(ts), start_line: 0, end_line: null },
    ...{ error: null, risks: [] },
    ...lacking(level, [
      ...["call_id", "parent_call_id", "input", "exit_code", "start_line", "end_line", "error", "risks"],
      ...(level === "totals" ? ["name"] : []),
    ]),
  };
}
