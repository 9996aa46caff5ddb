import type { AssistantFinishedBody, CancelledBody, RecordBody } from "../../format/record.ts";
import { compactsOnly } from "./actions.ts";
import { contextWindow } from "./context.ts";
import { fieldsOf, isFields, numberOf, stringOf, wordOf, type Fields } from "./fields.ts";
import { goalTask } from "./goals.ts";
import { noteMode } from "./plans.ts";
import { humanAction } from "./human-action.ts";
import { reaction, verdict, type ClassifyContext, type Verdict } from "./verdict.ts";

export function turnStarted(ctx: ClassifyContext): Verdict {
  const { state, record } = ctx;
  const id = wordOf(record.payload.turn_id);
  noteMode(state, record.payload.collaboration_mode_kind);
  const compact = state.kind === "root" && !state.review ? compactsOnly(ctx) : "no";
  const goal = compact === "yes" ? null : goalTask(ctx, id);
  const forGoal = goal !== null && goal !== "unknown";
  state.lifecycle = true;
  state.compacted = "";
  state.spoken = [];
  state.echoed = [];
  state.turn = {
    id,
    // The goal takes the place of the prompt.
    prompts: Number(forGoal),
    output: false,
    text: false,
    silent: state.review || compact === "yes",
    compact: compact === "yes",
    error: null,
    startedBy: startedBy(record.payload, id),
    goal: forGoal,
    named: forGoal,
  };
  if (compact === "yes") return humanAction(ctx, "/compact", "command", "codex.compaction.manual");
  const size = ctx.detailed ? contextWindow(record.payload.model_context_window, state) : [];
  if (forGoal && goal.request !== null) {
    const request = humanAction(ctx, goal.request.text, "command", "codex.goal.task", goal.request.turnId);
    return { ...request, records: [...request.records, ...size] };
  }
  const open = compact === "unknown" || goal === "unknown";
  return verdict("setup", "codex.turn.started", [...parentTurnRecords(ctx, id), ...size], open);
}

/**
 * Tasks state the turn of another agent that caused them and the human's turn at the top, which is the task itself if a
 * client started it (0.166 and later).
 */
function startedBy(task: Fields, id: string | null): "agent" | "client" | null {
  const attribution = fieldsOf(task.turn_attribution);
  if (wordOf(attribution.parent_turn_id) !== null) return "agent";
  const root = wordOf(attribution.root_turn_id);
  if (root === null || id === null) return null;
  return root === id ? "client" : "agent";
}

/** The turn of the parent that caused this session; only the session's first task states it. */
function parentTurnRecords({ state, record }: ClassifyContext, id: string | null): RecordBody[] {
  if (state.kind === "root" || state.header === null || state.header.parent_turn_id !== undefined) return [];
  let parentTurn = wordOf(fieldsOf(record.payload.turn_attribution).parent_turn_id);
  // In versions without attribution, a reviewer's own turn id is the only link: it is forwarded into the parent's file.
  if (parentTurn === null && state.kind === "review") parentTurn = id;
  if (parentTurn === null) return [];
  state.header.parent_turn_id = parentTurn;
  return [
    {
      type: "session_meta",
      source: "codex",
      kind: state.kind,
      cwd: stringOf(state.header.cwd),
      started_at: stringOf(state.header.started_at),
      agent_version: state.version,
      parent_turn_id: parentTurn,
    },
  ];
}

export function turnCompleted(ctx: ClassifyContext): Verdict {
  const { state, record } = ctx;
  const { payload } = record;
  const id = wordOf(payload.turn_id);
  const turn = state.turn;
  const mine = turn !== null && (id === null || turn.id === null || turn.id === id);
  state.turn = null;
  state.review = false;
  state.last = "m";
  const text = stringOf(payload.last_agent_message);
  const failure = failureOf(payload.error) ?? (mine && text === null ? turn.error : null);
  if (failure !== null) {
    const code = codeOf(fieldsOf(payload.error).codex_error_info);
    return reaction("codex.turn.failed", {
      type: "failed",
      message: failure,
      code,
      native_turn_id: id,
      turn_ended: true,
    });
  }
  // Versions without the `error` field record a failed request like this: no answer, no error, no output of the model.
  if (mine && text === null && turn.prompts > 0 && !turn.output && !turn.text && !turn.silent) {
    const message = "turn ended without an answer";
    return reaction("codex.turn.unanswered", { type: "failed", message, native_turn_id: id, turn_ended: true });
  }
  const body: AssistantFinishedBody = {
    type: "assistant_finished",
    native_turn_id: id,
    model: state.model,
    // Usually the answer was already reported by its own record; otherwise this is the only record of it.
    text: ctx.full && text !== null && mine && !turn.text ? text : "",
    turn_ended: true,
    duration_ms: numberOf(payload.duration_ms),
  };
  return reaction("codex.turn.completed", body);
}

function failureOf(error: unknown): string | null {
  if (typeof error === "string") return error;
  if (!isFields(error)) return null;
  return wordOf(error.message) ?? "unknown error";
}

/** `codex_error_info` is a string, or an object with one key. */
function codeOf(info: unknown): string | null {
  return stringOf(info) ?? Object.keys(fieldsOf(info))[0] ?? null;
}

const REASONS: Readonly<Record<string, CancelledBody["reason"]>> = {
  interrupted: "interrupted",
  user_interrupt: "interrupted",
  replaced: "replaced",
  review_ended: "review_ended",
  budget_limited: "budget_limited",
};

export function turnAborted(ctx: ClassifyContext): Verdict {
  const { state, record } = ctx;
  const body: CancelledBody = {
    type: "cancelled",
    reason: REASONS[stringOf(record.payload.reason) ?? ""] ?? "unknown",
    native_turn_id: wordOf(record.payload.turn_id),
    duration_ms: numberOf(record.payload.duration_ms),
  };
  state.turn = null;
  state.review = false;
  state.last = "m";
  return reaction("codex.turn.aborted", body);
}

export function rolledBack({ record, state }: ClassifyContext): Verdict {
  // The answer may be among what was taken back. If it is not, nothing waits for another one.
  if (state.plan) state.plan.open = true;
  const turns = numberOf(record.payload.num_turns) ?? 1;
  return reaction("codex.turn.rolled_back", { type: "cancelled", reason: "rolled_back", turns });
}

/** `error` and `stream_error` events, in versions that store them. */
export function failed(ctx: ClassifyContext, ends: boolean): Verdict {
  const { state, record } = ctx;
  const message = wordOf(record.payload.message) ?? "unknown error";
  const code = codeOf(record.payload.codex_error_info);
  if (ends && state.turn) state.turn.error = message;
  return reaction(ends ? "codex.turn.error" : "codex.turn.stream_error", {
    type: "failed",
    message,
    code,
    turn_ended: ends,
  });
}
