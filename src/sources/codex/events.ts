import { compactionMarker, countsForPrompt, enteredReview, exitedReview } from "./actions.ts";
import { linksInActivity, linksInCollab } from "./children.ts";
import { contextWindow, rateLimitsBody, settingsBody } from "./context.ts";
import { fieldsOf, stringOf } from "./fields.ts";
import { commandEnded, idOf, itemCompleted, patchEnded, selfSettled, toolEnded } from "./items.ts";
import { nativePath, type NativeRecord } from "./native.ts";
import { userEcho } from "./prompts.ts";
import type { Reason } from "./reasons.ts";
import { answered, reaction, setup, unknown, verdict, type Scene, type Verdict } from "./scene.ts";
import { copied, endsImport } from "./speech.ts";
import { failed, rolledBack, turnAborted, turnCompleted, turnStarted } from "./turns.ts";
import { isBase, totalOf, usageOfCount, type OwnUsage } from "./usage.ts";

/** `event_msg`: what clients are sent. Much of it repeats response items; the rest is the lifecycle of turns. */
export function event(scene: Scene): Verdict {
  const { record, state } = scene;
  const { payload } = record;
  switch (record.kind) {
    case "user_message":
      return userEcho(scene);
    case "agent_message":
      // Up to 0.99 the client says this after a compaction, in the model's place.
      if (payload.message === "Compact task completed") return reaction("codex.compacted.notice");
      state.last = "m";
      return copied(scene, "said");
    case "agent_reasoning":
    case "agent_reasoning_raw_content":
      return copied(scene, "thought");
    case "token_count":
      return tokenCount(scene);
    case "task_started":
    case "turn_started":
      return turnStarted(scene);
    case "task_complete":
    case "turn_complete":
      return turnCompleted(scene);
    case "turn_aborted":
      return turnAborted(scene);
    case "thread_rolled_back":
      return rolledBack(scene);
    case "item_completed":
      return itemCompleted(scene);
    case "exec_command_end":
      return commandEnded(scene, payload, idOf(scene, payload));
    case "patch_apply_end":
      return patchEnded(scene, payload, idOf(scene, payload));
    case "mcp_tool_call_end":
      return toolEnded(scene, payload, idOf(scene, payload), fieldsOf(payload.invocation));
    case "dynamic_tool_call_response":
      return toolEnded(scene, payload, idOf(scene, payload), payload);
    case "web_search_end":
      return selfSettled(scene, payload, "web_search", "web_search_call");
    case "image_generation_end":
      return selfSettled(scene, payload, "image_generation", "image_generation_call");
    case "entered_review_mode":
      return enteredReview(scene, payload);
    case "exited_review_mode":
      return exitedReview(scene, payload);
    case "context_compacted":
      return compactionMarker(scene);
    case "sub_agent_activity":
      return reaction("codex.sub_agent", ...linksInActivity(state, payload));
    case "thread_settings_applied":
      return setup("codex.settings", settingsBody(fieldsOf(payload.thread_settings), null, state));
    case "thread_goal_updated":
      return setup("codex.goal");
    case "thread_name_updated":
      return renamed(scene);
    case "error":
      return failed(scene, true);
    case "stream_error":
      return failed(scene, false);
    case "shutdown_complete":
      return verdict("session", "codex.shutdown");
    default:
      if (record.kind.startsWith("collab_"))
        return reaction("codex.collab", ...linksInCollab(state, payload, record.kind));
      return noticed(record);
  }
}

/** What clients are sent and what says nothing here. */
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

function noticed(record: NativeRecord): Verdict {
  const reason = Object.hasOwn(NOTICES, record.kind) ? NOTICES[record.kind] : undefined;
  return reason === undefined ? unknown(nativePath(record)) : reaction(reason);
}

const USAGE: Readonly<Record<OwnUsage["verdict"] | "none", Reason>> = {
  counted: "codex.usage.counted",
  duplicate: "codex.usage.duplicate",
  estimate: "codex.usage.estimate",
  none: "codex.usage.none",
};

function tokenCount(scene: Scene): Verdict {
  const { record, state } = scene;
  const { info, rate_limits: limits } = record.payload;
  const usage = usageOfCount(info, state);
  // A session taken over from another agent gets one made-up count beside its closing words.
  if (usage?.verdict === "counted" && !state.lifecycle && (state.imported || importEnds(scene))) {
    usage.verdict = "estimate";
    isBase(state);
  }
  if (usage?.verdict === "counted") answered(scene);
  const total = scene.detailed && usage?.verdict === "counted" ? totalOf(state) : null;
  const context = scene.detailed ? rateLimitsBody(limits, record.time, state) : null;
  const size = scene.detailed ? contextWindow(fieldsOf(info).model_context_window, state) : [];
  const records = [...[usage, total, context].filter((body) => body !== null), ...size];
  const name = USAGE[usage?.verdict ?? "none"];
  const early = usage === null ? "no" : countsForPrompt(scene);
  return verdict(early === "yes" ? "early" : "reaction", name, records, early === "unknown");
}

function importEnds(scene: Scene): boolean {
  const [first, second] = [scene.ahead(0), scene.ahead(1)];
  return (first !== null && endsImport(first)) || (second !== null && endsImport(second));
}

function renamed({ record }: Scene): Verdict {
  const name = stringOf(record.payload.thread_name);
  const title = name === null || name.trim() === "" ? null : name;
  return verdict("session", "codex.renamed", [{ type: "session_renamed", title, by: "human" }]);
}
