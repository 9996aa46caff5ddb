import { compactionMarker, enteredReview, exitedReview } from "./actions.ts";
import { finishByItem, type Call } from "./calls.ts";
import { linksInActivity, linksInCollab, link } from "./children.ts";
import { stringOf, wordOf, type Fields } from "./fields.ts";
import { nativePath, nativeTurnId } from "./native.ts";
import { filesOfChanges } from "./patch.ts";
import { userEcho } from "./prompts.ts";
import { reaction, unknown, worked, type Scene, type Verdict } from "./scene.ts";
import { fromCommand, fromPatch, fromToolCall, settled } from "./settlement.ts";
import { commandText, shellFromCommand } from "./shell.ts";
import { copied } from "./speech.ts";

/** `item_completed`: what paginated files write instead of one event type per occasion. */
export function itemCompleted(scene: Scene): Verdict {
  const { record, state } = scene;
  const { item } = record;
  const thread = stringOf(record.payload.thread_id);
  if (state.review && thread !== null && thread !== state.sessionId && record.itemType !== "UserMessage") {
    // The reviewer's own file holds these; here they are only shown.
    return reaction("codex.review.forwarded", ...link(state, { child: thread, phase: "spawned", relation: "review" }));
  }
  switch (record.itemType) {
    case "UserMessage":
      return userEcho(scene);
    case "HookPrompt":
      return reaction("codex.item.hook_prompt");
    case "AgentMessage":
      return copied(scene, "said");
    case "Reasoning":
      return copied(scene, "thought");
    case "Plan":
      return reaction("codex.item.plan");
    case "CommandExecution":
      return commandEnded(scene, item, idOf(scene, item));
    case "FileChange":
      return patchEnded(scene, item, idOf(scene, item));
    case "McpToolCall":
    case "DynamicToolCall":
      return toolEnded(scene, item, idOf(scene, item), item);
    case "CollabAgentToolCall":
      return reaction("codex.item.collab", ...linksInCollab(state, item, stringOf(item.tool) ?? ""));
    case "SubAgentActivity":
      return reaction("codex.item.sub_agent", ...linksInActivity(state, item));
    case "EnteredReviewMode":
      return enteredReview(scene, item);
    case "ExitedReviewMode":
      return exitedReview(scene, item);
    case "ContextCompaction":
      return compactionMarker(scene);
    case "WebSearch":
      return selfSettled(scene, item, "web_search", "web_search_call");
    case "ImageGeneration":
      return selfSettled(scene, item, "image_generation", "image_generation_call");
    case "Extension":
      return selfSettled(scene, item, stringOf(item.kind) ?? "extension", "web_search_call");
    case "ImageView":
      return reaction("codex.item.image_view");
    default:
      return unknown(nativePath(record));
  }
}

export function idOf({ record }: Scene, item: Fields): string {
  return wordOf(item.call_id) ?? wordOf(item.id) ?? `line-${record.line}`;
}

/** `CommandExecution` items and `exec_command_end` events. */
export function commandEnded(scene: Scene, item: Fields, id: string): Verdict {
  if (item.source === "user_shell") return shellFromCommand(scene, item, id);
  worked(scene);
  const call: Call = {
    id,
    name: "exec_command",
    input: { command: commandText(item) },
    turn: nativeTurnId(scene.record),
  };
  const output = stringOf(item.aggregated_output) ?? stringOf(item.formatted_output) ?? stringOf(item.stdout);
  return reaction("codex.item.command", ...finishByItem(scene, call, fromCommand(item), { output, step: true }));
}

/** `FileChange` items and `patch_apply_end` events. */
export function patchEnded(scene: Scene, item: Fields, id: string): Verdict {
  worked(scene);
  const call: Call = { id, name: "apply_patch", input: null, turn: nativeTurnId(scene.record) };
  const output = stringOf(item.stdout);
  const files = filesOfChanges(item.changes);
  return reaction("codex.item.patch", ...finishByItem(scene, call, fromPatch(item), { files, output }));
}

/** Calls of MCP servers and client-side tools; `invocation` names the tool. */
export function toolEnded(scene: Scene, item: Fields, id: string, invocation: Fields): Verdict {
  worked(scene);
  const server = wordOf(invocation.server) ?? wordOf(invocation.namespace);
  const tool = wordOf(invocation.tool) ?? "tool";
  const call: Call = {
    id,
    name: server === null ? tool : `${server}.${tool}`,
    input: invocation.arguments ?? null,
    turn: nativeTurnId(scene.record),
  };
  return reaction("codex.item.tool", ...finishByItem(scene, call, fromToolCall(item), { step: true }));
}

/**
 * Searches and generated images settle themselves. The response item reports them; the event counts only when there is no
 * such item around it.
 */
export function selfSettled(scene: Scene, item: Fields, name: string, responseKind: string): Verdict {
  const { state } = scene;
  const id = idOf(scene, item);
  const near = [scene.ahead(0), scene.ahead(1), scene.ahead(2)].some((next) => next?.kind === responseKind);
  const known = Object.hasOwn(state.calls, id) || Object.values(state.calls).some((call) => call.name === name);
  worked(scene);
  if (near || known) return reaction("codex.item.echo");
  const call: Call = { id, name, input: item.action ?? item.query ?? null, turn: nativeTurnId(scene.record) };
  const status = stringOf(item.status);
  return reaction(
    "codex.item.self_settled",
    ...finishByItem(scene, call, settled(status === "failed" ? "failed" : "ok")),
  );
}
