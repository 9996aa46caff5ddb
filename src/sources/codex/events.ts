import { compactionMarker, countsForCompaction, enteredReview, exitedReview } from "./actions.ts";
import { linksInActivity, linksInCollab } from "./children.ts";
import { contextWindow, rateLimitsBody, settingsBody } from "./context.ts";
import { fieldsOf, stringOf } from "./fields.ts";
import { goalUpdated } from "./goals.ts";
import { commandEnded, callIdOf, itemCompleted, patchEnded, selfSettled, toolEnded } from "./items.ts";
import { nativePath, type NativeRecord } from "./native.ts";
import { userEcho } from "./prompts.ts";
import type { Reason } from "./reasons.ts";
import { noteAnswer, reaction, setup, unknownType, verdict, type ClassifyContext, type Verdict } from "./verdict.ts";
import { speechEvent, endsImport } from "./speech.ts";
import { failed, rolledBack, turnAborted, turnCompleted, turnStarted } from "./turns.ts";
import { markTotalsInherited, totalOf, usageOfCount, type OwnUsage } from "./usage.ts";

/** `event_msg`: events for clients. Many of them repeat response items; the rest is the lifecycle of turns. */
export function event(ctx: ClassifyContext): Verdict {
  const { record, state } = ctx;
  const { payload } = record;
  switch (record.kind) {
    case "user_message":
      return userEcho(ctx);
    case "agent_message":
      // Up to 0.99 the client writes this message after a compaction, not the model.
      if (payload.message === "Compact task completed") return reaction("codex.compacted.notice");
      state.last = "m";
      return speechEvent(ctx, "said");
    case "agent_reasoning":
    case "agent_reasoning_raw_content":
      return speechEvent(ctx, "thought");
    case "token_count":
      return tokenCount(ctx);
    case "task_started":
    case "turn_started":
      return turnStarted(ctx);
    case "task_complete":
    case "turn_complete":
      return turnCompleted(ctx);
    case "turn_aborted":
      return turnAborted(ctx);
    case "thread_rolled_back":
      return rolledBack(ctx);
    case "item_completed":
      return itemCompleted(ctx);
    case "exec_command_end":
      return commandEnded(ctx, payload, callIdOf(ctx, payload));
    case "patch_apply_end":
      return patchEnded(ctx, payload, callIdOf(ctx, payload));
    case "mcp_tool_call_end":
      return toolEnded(ctx, payload, callIdOf(ctx, payload), fieldsOf(payload.invocation));
    case "dynamic_tool_call_response":
      return toolEnded(ctx, payload, callIdOf(ctx, payload), payload);
    case "web_search_end":
      return selfSettled(ctx, payload, "web_search", "web_search_call");
    case "image_generation_end":
      return selfSettled(ctx, payload, "image_generation", "image_generation_call");
    case "entered_review_mode":
      return enteredReview(ctx, payload);
    case "exited_review_mode":
      return exitedReview(ctx, payload);
    case "context_compacted":
      return compactionMarker(ctx);
    case "sub_agent_activity":
      return reaction("codex.sub_agent", ...linksInActivity(state, payload));
    case "thread_settings_applied":
      return setup("codex.settings", settingsBody(fieldsOf(payload.thread_settings), null, state));
    case "thread_goal_updated":
      return goalUpdated(ctx);
    case "thread_name_updated":
      return renamed(ctx);
    case "error":
      return failed(ctx, true);
    case "stream_error":
      return failed(ctx, false);
    case "shutdown_complete":
      return verdict("session", "codex.shutdown");
    default:
      if (record.kind.startsWith("collab_"))
        return reaction("codex.collab", ...linksInCollab(state, payload, record.kind));
      return noticeVerdict(record);
  }
}

/** Events for clients that carry no information needed here. */
const NOTICES: Readonly<Record<string, Reason>> = {
  agent_reasoning_section_break: "codex.event.agent_reasoning_section_break",
  background_event: "codex.event.background_event",
  deprecation_notice: "codex.event.deprecation_notice",
  dynamic_tool_call_request: "codex.event.dynamic_tool_call_request",
  exec_command_begin: "codex.event.exec_command_begin",
  guardian_assessment: "codex.event.guardian_assessment",
  guardian_warning: "codex.event.guardian_warning",
  hook_completed: "codex.event.hook_completed",
  hook_started: "codex.event.hook_started",
  image_generation_begin: "codex.event.image_generation_begin",
  item_started: "codex.event.item_started",
  mcp_tool_call_begin: "codex.event.mcp_tool_call_begin",
  model_reroute: "codex.event.model_reroute",
  patch_apply_begin: "codex.event.patch_apply_begin",
  plan_update: "codex.event.plan_update",
  request_user_input: "codex.event.request_user_input",
  turn_diff: "codex.event.turn_diff",
  undo_completed: "codex.event.undo_completed",
  undo_started: "codex.event.undo_started",
  view_image_tool_call: "codex.event.view_image_tool_call",
  warning: "codex.event.warning",
  web_search_begin: "codex.event.web_search_begin",
};

function noticeVerdict(record: NativeRecord): Verdict {
  const reason = Object.hasOwn(NOTICES, record.kind) ? NOTICES[record.kind] : undefined;
  return reason === undefined ? unknownType(nativePath(record)) : reaction(reason);
}

const USAGE: Readonly<Record<OwnUsage["verdict"] | "none", Reason>> = {
  counted: "codex.usage.counted",
  duplicate: "codex.usage.duplicate",
  estimate: "codex.usage.estimate",
  none: "codex.usage.none",
};

function tokenCount(ctx: ClassifyContext): Verdict {
  const { record, state } = ctx;
  const { info, rate_limits: limits } = record.payload;
  const usage = usageOfCount(info, state);
  // A session imported from another agent gets one made-up token count next to its closing message.
  if (usage?.verdict === "counted" && !state.lifecycle && (state.imported || importEnds(ctx))) {
    usage.verdict = "estimate";
    markTotalsInherited(state);
  }
  if (usage?.verdict === "counted") noteAnswer(ctx);
  const total = ctx.detailed && usage?.verdict === "counted" ? totalOf(state) : null;
  const context = ctx.detailed ? rateLimitsBody(limits, record.time, state) : null;
  const size = ctx.detailed ? contextWindow(fieldsOf(info).model_context_window, state) : [];
  const records = [...[usage, total, context].filter((body) => body !== null), ...size];
  const name = USAGE[usage?.verdict ?? "none"];
  const { early, tentative } = countsForCompaction(ctx);
  return verdict(early ? "early" : "reaction", name, records, tentative);
}

function importEnds(ctx: ClassifyContext): boolean {
  const [first, second] = [ctx.ahead(0), ctx.ahead(1)];
  return (first !== null && endsImport(first)) || (second !== null && endsImport(second));
}

function renamed({ record }: ClassifyContext): Verdict {
  const name = stringOf(record.payload.thread_name);
  const title = name === null || name.trim() === "" ? null : name;
  return verdict("session", "codex.renamed", [{ type: "session_renamed", title, by: "human" }]);
}
