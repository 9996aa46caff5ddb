import type { Level } from "../../views/push-level.ts";
import type { NotPushed, RemovedDays } from "../../views/not-pushed.ts";
import type { SessionView } from "../../views/session-view.ts";
import type { ToolView } from "../../views/tool-view.ts";
import type { ToolCounts, TurnView } from "../../views/turn-view.ts";
import type { UsageView } from "../../views/usage-sum.ts";
import type { DecisionView } from "../../views/decision-view.ts";
import type { SessionRef } from "../../record/record.ts";
import { NO_SETTINGS } from "../../turns/settings.ts";

/** Stored rows of sessions whose finished views were not pushed. */
export interface StoredHead {
  session_id: string;
  source: string;
  project: string;
  level: Level;
  started: Date | null;
  ended: Date | null;
  turns: number;
  kind: SessionView["kind"] | null;
  parent: string | null;
  parent_turn: number | null;
}

export interface StoredRequest {
  session_id: string;
  n: number;
  ts: Date | null;
  ended: Date | null;
  status: string;
  source: string;
  project: string;
  took: number | null;
  kind: TurnView["trigger"]["kind"];
  taken_back: TurnView["taken_back"];
  commits: number | null;
  children: number | null;
  unproven: boolean | null;
}

export interface StoredCall {
  session_id: string;
  n: number;
  turn: number | null;
  ts: Date | null;
  took: number | null;
  trouble: number;
  risky: boolean;
  status: string;
  name: string;
  nested: boolean;
}

export interface StoredDecision {
  session_id: string;
  n: number;
  ts: Date | null;
  turn: number | null;
  tier: DecisionView["tier"];
  answered: boolean;
  followed: boolean | null;
}

function isoOf(time: Date | null): string | null {
  return time === null ? null : time.toISOString();
}

export function refOf(n: number): string {
  return `T${String(n).padStart(4, "0")}`;
}

/** `removed`: the fields were there, and retention removed them. */
function lacking(level: Level, fields: readonly string[], removed: RemovedDays | null): { not_pushed: NotPushed } {
  return { not_pushed: { level, ...(removed === null ? {} : { removed_before: removed }), fields: [...fields] } };
}

/** A session of which only numbers were pushed. Its id is that of the store. */
export function sessionOfNumbers(
  row: StoredHead,
  { usage, tools, parent }: { usage: UsageView; tools: ToolCounts; parent: SessionRef | null },
  removed: RemovedDays | null,
): SessionView {
  const { session_id, source, project, level, started, ended, turns, parent_turn } = row;
  return {
    source,
    session_id,
    session_path: null,
    session_paths: null,
    project,
    project_key: project,
    cwd: null,
    title: null,
    title_source: null,
    started_at: isoOf(started),
    ended_at: isoOf(ended),
    models: usage.models,
    agent_version: null,
    kind: row.kind ?? "root",
    role: null,
    parent,
    parent_turn: parent === null || parent_turn === null ? null : refOf(parent_turn),
    forked_from: null,
    turns,
    usage,
    tools,
    diagnostics: null,
    marks: null,
    ...lacking(
      level,
      [
        "session_id",
        "session_path",
        "session_paths",
        "project",
        "project_key",
        "cwd",
        "title",
        "title_source",
        "models",
        "agent_version",
        "role",
        "parent",
        "parent_turn",
        "forked_from",
        "diagnostics",
        ...(removed === null ? [] : ["tools"]),
      ],
      removed,
    ),
  };
}

export function turnOfNumbers(
  row: StoredRequest,
  level: Level,
  counted: Pick<TurnView, "tools" | "usage" | "usage_with_children"> & { model: string | null },
  removed: { days: RemovedDays | null; fields: readonly string[] },
): TurnView {
  const { session_id, source, project, n, ts, ended, status, took, kind, taken_back } = row;
  const { model, ...sums } = counted;
  const [time, ended_at] = [isoOf(ts), isoOf(ended)];
  return {
    source,
    session_id,
    session_path: null,
    project,
    project_key: project,
    cwd: null,
    turn_ref: refOf(n),
    native_turn_id: null,
    trigger: { time, line: null, echo_line: null, text: null, kind, entry: null, reason: null, attachments: null },
    start_line: null,
    end_line: null,
    started_at: time,
    ended_at,
    duration_ms: took,
    final_text: null,
    outcome: status as TurnView["outcome"],
    outcome_detail: null,
    taken_back,
    ...sums,
    children: null,
    files: null,
    context: { ...NO_SETTINGS, model },
    decisions: null,
    marks: null,
    ...lacking(
      level,
      [
        "session_id",
        "session_path",
        "project",
        "project_key",
        "cwd",
        "native_turn_id",
        "trigger.line",
        "trigger.echo_line",
        "trigger.text",
        "trigger.entry",
        "trigger.reason",
        "trigger.attachments",
        "start_line",
        "end_line",
        "final_text",
        "outcome_detail",
        "children",
        "files",
        "context",
        "decisions",
        ...removed.fields,
      ],
      removed.days,
    ),
  };
}

/** A call whose finished view was not pushed. Takes the view of its session. */
export function callOfNumbers(
  row: StoredCall,
  level: Level,
  { source, session_id }: SessionView,
  removed: RemovedDays | null,
): ToolView {
  const { turn, ts, took, trouble, status, name } = row;
  return {
    source,
    session_id,
    session_path: null,
    turn_ref: turn === null ? null : refOf(turn),
    call_id: null,
    parent_call_id: null,
    name: level === "totals" ? null : name,
    input: null,
    status: status as ToolView["status"],
    exit_code: null,
    ...(status === "failed" && trouble === 0 ? { expected_exit: true as const } : {}),
    duration_ms: took,
    started_at: isoOf(ts),
    start_line: null,
    end_line: null,
    error: null,
    risks: null,
    ...lacking(
      level,
      [
        ...(level === "totals" ? ["session_id", "name"] : []),
        "session_path",
        "call_id",
        "parent_call_id",
        "input",
        "exit_code",
        "start_line",
        "end_line",
        "error",
        "risks",
      ],
      removed,
    ),
  };
}

/** A question of which only numbers were pushed. */
export function decisionOfNumbers(
  row: StoredDecision,
  level: Level,
  { source, session_id, project }: SessionView,
  removed: RemovedDays | null,
): DecisionView {
  const { ts, turn, tier, answered, followed } = row;
  return {
    id: null,
    tier,
    question_id: null,
    title: null,
    options: null,
    recommended: null,
    choice: null,
    free_text: null,
    answered,
    followed_recommendation: followed,
    asked_line: null,
    answered_line: null,
    source,
    session_id,
    turn_ref: turn === null ? null : refOf(turn),
    project,
    time: isoOf(ts),
    ...lacking(
      level,
      [
        "id",
        "question_id",
        "title",
        "options",
        "recommended",
        "choice",
        "free_text",
        "asked_line",
        "answered_line",
        "session_id",
        "project",
      ],
      removed,
    ),
  };
}
