import type { RecordBody, TriggerKind, UserBody } from "../../format/record.ts";
import { childOfNotification } from "./children.ts";
import { attachmentsIn, kindOf, partsOf, textOf, typedText } from "./content.ts";
import { expandedBody, expansionText } from "../kit/expansion.ts";
import { obj, str, type Native } from "../kit/native.ts";
import type { Reason } from "./reasons.ts";
import { settle } from "./settlement.ts";
import { nonTriggerBody, verdict } from "../kit/verdict.ts";
import type { ClassifyContext, Verdict } from "./verdict.ts";

/** Subtypes of `user` records that no human typed. */
const INJECTED: ReadonlyMap<string | null, Reason> = new Map([
  ["cron", "qwen.user.cron"],
  ["goal_runtime", "qwen.user.goal_runtime"],
]);

/** A `user` record: a human's prompt, or something Qwen Code writes in the user's name. */
export function classifyUser(record: Native, ctx: ClassifyContext): Verdict {
  const { state, full } = ctx;
  const parts = partsOf(record);
  const text = textOf(parts);
  const subtype = str(record["subtype"]);
  // Versions before `tool_result` records sent results back as plain user records.
  if (text.trim() === "" && parts.some((part) => obj(part["functionResponse"]) !== null)) {
    return verdict("reaction", "qwen.user.tool_result", () => {
      state.responded = false;
      return settle(record, state, full);
    });
  }
  if (subtype === "notification") {
    return verdict("reaction", "qwen.user.notification", () => {
      state.responded = false;
      return [nonTriggerBody("source", text, full), ...childOfNotification(record, text, state)];
    });
  }
  const provenance = str(record["provenance"]);
  const note = (): RecordBody[] => [nonTriggerBody("source", text, full)];
  const injected = INJECTED.get(subtype);
  if (injected !== undefined) return verdict("reaction", injected, note);
  if (state.kind !== "root") return classifyTask(record, text, ctx);
  if (provenance !== null && provenance !== "real_user") return verdict("reaction", "qwen.user.generated", note);
  const queued = subtype === "mid_turn_user_message";
  return classifyPrompt(record, parts, queued, ctx);
}

function classifyPrompt(record: Native, parts: readonly Native[], queued: boolean, ctx: ClassifyContext): Verdict {
  const { state } = ctx;
  const command = queued ? null : state.command;
  const typed = kindOf(command ?? typedText(record, parts));
  const expansion = command === null && typed.kind === "prompt" ? ctx.templates.expansion(typed.text) : null;
  const text = expansion ? expansionText(expansion) : typed.text;
  const isCommand = command !== null || expansion !== null;
  const kind: TriggerKind = queued ? "queued" : isCommand ? "command" : typed.kind;
  const reason = queued ? "qwen.user.mid_turn" : isCommand ? "qwen.user.expanded_command" : "qwen.user.prompt";
  return verdict("trigger", reason, () => {
    state.command = null;
    state.responded = false;
    state.triggers += 1;
    state.branches.set(str(record["parentUuid"]) ?? "", [ctx.line, state.follows]);
    // Nothing in a plain prompt distinguishes a terminal from `qwen -p`.
    const entry = kind === "shell" || kind === "queued" || command !== null ? "interactive" : "unknown";
    const body: UserBody = { type: "user", author: "human", text, kind, entry };
    const attachments = attachmentsIn(parts);
    if (attachments > 0) body.attachments = attachments;
    return expansion ? [body, expandedBody(typed.text, ctx.full)] : [body];
  });
}

/** In a subagent's file the first message is its task; later ones come from the parent agent or from the client. */
function classifyTask(record: Native, text: string, ctx: ClassifyContext): Verdict {
  const { state, full } = ctx;
  const external = str(record["externalInputKind"]);
  if (state.tasked && external !== "message") {
    return verdict("reaction", "qwen.subagent.injected", () => [nonTriggerBody("source", text, full)]);
  }
  return verdict("reaction", state.tasked ? "qwen.subagent.message" : "qwen.subagent.task", () => {
    state.tasked = true;
    state.responded = false;
    return [nonTriggerBody("agent", text, full)];
  });
}
