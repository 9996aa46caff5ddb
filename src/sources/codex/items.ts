import { compactionMarker, enteredReview, exitedReview } from "./actions.ts";
import { finishByItem, type Call } from "./calls.ts";
import { linksInActivity, linksInCollab, link } from "./children.ts";
import { stringOf, wordOf, type Fields } from "./fields.ts";
import { nativePath, nativeTurnId } from "./native.ts";
import { filesOfChanges } from "./patch.ts";
import { planShown } from "./plans.ts";
import { userEcho } from "./prompts.ts";
import { reaction, unknownType, noteOutput, type ClassifyContext, type Verdict } from "./verdict.ts";
import { fromCommand, fromPatch, fromToolCall, settlementOf } from "./settlement.ts";
import { commandText, shellFromCommand } from "./shell.ts";
import { speechEvent } from "./speech.ts";

/** `item_completed`: used by paginated files instead of a separate event type per kind of item. */
export function itemCompleted(ctx: ClassifyContext): Verdict {
  const { record, state } = ctx;
  const { item } = record;
  const thread = stringOf(record.payload.thread_id);
  if (state.review && thread !== null && thread !== state.sessionId && record.itemType !== "UserMessage") {
    // These records belong to the reviewer's own file; here they are only forwarded.
    return reaction("codex.review.forwarded", ...link(state, { child: thread, phase: "spawned", relation: "review" }));
  }
  switch (record.itemType) {
    case "UserMessage":
      return userEcho(ctx);
    case "HookPrompt":
      return reaction("codex.item.hook_prompt");
    case "AgentMessage":
      return speechEvent(ctx, "said");
    case "Reasoning":
      return speechEvent(ctx, "thought");
    case "Plan":
      return planShown(ctx);
    case "CommandExecution":
      return commandEnded(ctx, item, callIdOf(ctx, item));
    case "FileChange":
      return patchEnded(ctx, item, callIdOf(ctx, item));
    case "McpToolCall":
    case "DynamicToolCall":
      return toolEnded(ctx, item, callIdOf(ctx, item), item);
    case "CollabAgentToolCall":
      return reaction("codex.item.collab", ...linksInCollab(state, item, stringOf(item.tool) ?? ""));
    case "SubAgentActivity":
      return reaction("codex.item.sub_agent", ...linksInActivity(state, item));
    case "EnteredReviewMode":
      return enteredReview(ctx, item);
    case "ExitedReviewMode":
      return exitedReview(ctx, item);
    case "ContextCompaction":
      return compactionMarker(ctx);
    case "WebSearch":
      return selfSettled(ctx, item, "web_search", "web_search_call");
    case "ImageGeneration":
      return selfSettled(ctx, item, "image_generation", "image_generation_call");
    case "Extension":
      return selfSettled(ctx, item, stringOf(item.kind) ?? "extension", "web_search_call");
    case "ImageView":
      return reaction("codex.item.image_view");
    default:
      return unknownType(nativePath(record));
  }
}

export function callIdOf({ record }: ClassifyContext, item: Fields): string {
  return wordOf(item.call_id) ?? wordOf(item.id) ?? `line-${record.line}`;
}

/** `CommandExecution` items and `exec_command_end` events. */
export function commandEnded(ctx: ClassifyContext, item: Fields, id: string): Verdict {
  if (item.source === "user_shell") return shellFromCommand(ctx, item, id);
  noteOutput(ctx);
  const call: Call = {
    id,
    name: "exec_command",
    input: { command: commandText(item) },
    turn: nativeTurnId(ctx.record),
  };
  const output = stringOf(item.aggregated_output) ?? stringOf(item.formatted_output) ?? stringOf(item.stdout);
  return reaction("codex.item.command", ...finishByItem(ctx, call, fromCommand(item), { output, step: true }));
}

/** `FileChange` items and `patch_apply_end` events. */
export function patchEnded(ctx: ClassifyContext, item: Fields, id: string): Verdict {
  noteOutput(ctx);
  const call: Call = { id, name: "apply_patch", input: null, turn: nativeTurnId(ctx.record) };
  const output = stringOf(item.stdout);
  const files = filesOfChanges(item.changes);
  return reaction("codex.item.patch", ...finishByItem(ctx, call, fromPatch(item), { files, output }));
}

/** Calls of MCP and client-side tools; `invocation` names the tool. */
export function toolEnded(ctx: ClassifyContext, item: Fields, id: string, invocation: Fields): Verdict {
  noteOutput(ctx);
  const server = wordOf(invocation.server) ?? wordOf(invocation.namespace);
  const tool = wordOf(invocation.tool) ?? "tool";
  const call: Call = {
    id,
    name: server === null ? tool : `${server}.${tool}`,
    input: invocation.arguments ?? null,
    turn: nativeTurnId(ctx.record),
  };
  return reaction("codex.item.tool", ...finishByItem(ctx, call, fromToolCall(item), { step: true }));
}

/**
 * Searches and generated images have no separate output record. The response item reports them; the event counts only
 * if there is no such item near it.
 */
export function selfSettled(ctx: ClassifyContext, item: Fields, name: string, responseKind: string): Verdict {
  const { state } = ctx;
  const id = callIdOf(ctx, item);
  const near = [ctx.ahead(0), ctx.ahead(1), ctx.ahead(2)].some((next) => next?.kind === responseKind);
  const known = Object.hasOwn(state.calls, id) || Object.values(state.calls).some((call) => call.name === name);
  noteOutput(ctx);
  if (near || known) return reaction("codex.item.echo");
  const call: Call = { id, name, input: item.action ?? item.query ?? null, turn: nativeTurnId(ctx.record) };
  const status = stringOf(item.status);
  return reaction(
    "codex.item.self_settled",
    ...finishByItem(ctx, call, settlementOf(status === "failed" ? "failed" : "ok")),
  );
}
