import { compactionMarker, countsForPrompt, enteredReview, exitedReview } from "./actions.ts";
import { linksInActivity, linksInCollab } from "./children.ts";
import { contextWindow, rateLimitsBody, settingsBody } from "./context.ts";
import { fieldsOf, stringOf } from "./fields.ts";
import { commandEnded, idOf, itemCompleted, patchEnded, selfSettled, toolEnded } from "./items.ts";
import { isKnownType } from "./known.ts";
import { nativePath } from "./native.ts";
import { userEcho } from "./prompts.ts";
import { answered, reaction, setup, unknown, verdict, type Scene, type Verdict } from "./scene.ts";
import { copied, endsImport } from "./speech.ts";
import { failed, rolledBack, turnAborted, turnCompleted, turnStarted } from "./turns.ts";
import { isBase, totalOf, usageOfCount } from "./usage.ts";

/** `event_msg`: what clients are told. Much of it repeats response items; the rest is the lifecycle of turns. */
export function event(scene: Scene): Verdict {
  const { record, state } = scene;
  const { payload } = record;
  switch (record.kind) {
    case "user_message":
      return userEcho(scene);
    case "agent_message":
      // Up to 0.99 the client says this after a compaction, in the model's place.
      if (payload.message === "Compact task completed") return reaction("compacted.notice");
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
      return reaction("sub_agent", ...linksInActivity(state, payload));
    case "thread_settings_applied":
      return setup("settings", settingsBody(fieldsOf(payload.thread_settings), null, state));
    case "thread_goal_updated":
      return setup("goal");
    case "thread_name_updated":
      return renamed(scene);
    case "error":
      return failed(scene, true);
    case "stream_error":
      return failed(scene, false);
    case "shutdown_complete":
      return verdict("session", "shutdown");
    default:
      if (record.kind.startsWith("collab_")) return reaction("collab", ...linksInCollab(state, payload, record.kind));
      return isKnownType(`event_msg/${record.kind}`) ? reaction(`event.${record.kind}`) : unknown(nativePath(record));
  }
}

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
  const total = scene.told && usage?.verdict === "counted" ? totalOf(state) : null;
  const context = scene.told ? rateLimitsBody(limits, record.time, state) : null;
  const size = scene.told ? contextWindow(fieldsOf(info).model_context_window, state) : [];
  const records = [...[usage, total, context].filter((body) => body !== null), ...size];
  const name = usage === null ? "usage.none" : `usage.${usage.verdict}`;
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
  return verdict("session", "renamed", [{ type: "session_renamed", title, by: "human" }]);
}
