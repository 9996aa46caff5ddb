import type { UserBody } from "../../format/record.ts";
import { isSummary } from "./actions.ts";
import { finishByItem, finishByOutput, isNotice, startCall, type Call, printedExit } from "./calls.ts";
import { linksInMail, linksInNotification, linksInOutput } from "./children.ts";
import { contentOf, plainText } from "./content.ts";
import { ghostBody } from "./context.ts";
import { rememberMessage, rememberSnapshot } from "./retained.ts";
import { fieldsOf, listOf, stringOf, wordOf } from "./fields.ts";
import { noteGoalCall } from "./goals.ts";
import { spokenInstructions } from "./instructions.ts";
import { fragmentOf } from "./markers.ts";
import { nativePath, nativeTurnId } from "./native.ts";
import { userMessage } from "./prompts.ts";
import {
  withInstructions,
  reaction,
  setup,
  unknownType,
  noteOutput,
  type ClassifyContext,
  type Verdict,
} from "./verdict.ts";
import { settlementOf } from "./settlement.ts";
import { speechItem } from "./speech.ts";

/** `response_item`: the conversation as the model sees it. */
export function responseItem(ctx: ClassifyContext): Verdict {
  const { record, state } = ctx;
  const { payload } = record;
  switch (record.kind) {
    case "message":
      return message(ctx);
    case "agent_message":
      return mail(ctx);
    case "reasoning":
      noteOutput(ctx);
      return speechItem(ctx, "thought");
    case "function_call":
      return call(ctx, stringOf(payload.name) ?? "function", payload.arguments);
    case "custom_tool_call":
      return call(ctx, stringOf(payload.name) ?? "custom", payload.input);
    case "local_shell_call":
      return call(ctx, "local_shell", payload.action);
    case "tool_search_call":
      return call(ctx, "tool_search", payload.arguments);
    case "function_call_output":
    case "custom_tool_call_output":
    case "local_shell_call_output":
    case "tool_search_output":
      return output(ctx);
    case "web_search_call":
      return selfSettling(ctx, "web_search", payload.action);
    case "image_generation_call":
      return selfSettling(ctx, "image_generation", payload.revised_prompt);
    case "ghost_snapshot": {
      const commit = ghostBody(payload);
      rememberSnapshot(state, payload);
      return reaction("codex.ghost_snapshot", ...(commit === null ? [] : [commit]));
    }
    case "compaction":
    case "compaction_summary":
    case "context_compaction":
    case "compaction_trigger":
      if (state.turn) state.turn.output = true;
      return reaction("codex.compaction.opaque");
    case "additional_tools":
      return setup("codex.tools");
    default:
      return unknownType(nativePath(record));
  }
}

function message(ctx: ClassifyContext): Verdict {
  const { record, state } = ctx;
  const role = stringOf(record.payload.role);
  if (role === "user") {
    rememberMessage(state, record.payload);
    return userMessage(ctx);
  }
  if (role === "assistant") {
    if (state.turn) state.turn.output = true;
    // The summary requested by a compaction; the `compacted` record reports it.
    if (record.metadata.compaction_output === true || state.turn?.compact === true || isSummary(ctx))
      return reaction("codex.compaction.output");
    state.last = "m";
    state.compacted = "";
    return speechItem(ctx, "said");
  }
  const text = contentOf(record.payload.content).texts.join("\n");
  const kind = fragmentOf(text);
  if (kind === "aborted") return reaction("codex.developer.aborted");
  if (kind === "notification") return reaction("codex.developer.notification", ...linksInNotification(state, text));
  return withInstructions(ctx, setup(role === "developer" ? "codex.developer" : "codex.system"), () =>
    spokenInstructions(ctx),
  );
}

/** Messages between agents. `encrypted_content` is kept only if it contains white space: then it is plain text. */
export function mail(ctx: ClassifyContext): Verdict {
  const { record, state } = ctx;
  const { payload } = record;
  const sealed = listOf(payload.content).flatMap((part) => wordOf(fieldsOf(part).encrypted_content) ?? []);
  const text = plainText(payload.content) + sealed.filter((part) => /\s/.test(part)).join("");
  const author = wordOf(payload.author);
  if (state.turn) state.turn.prompts++;
  state.mailed = true;
  const body: UserBody = { type: "user", author: "agent", text };
  const turnId = nativeTurnId(record);
  if (turnId !== null) body.native_turn_id = turnId;
  return reaction("codex.agent_mail", body, ...linksInMail(state, author, text));
}

function call(ctx: ClassifyContext, name: string, input: unknown): Verdict {
  const { record } = ctx;
  noteOutput(ctx);
  noteGoalCall(ctx, name, input);
  // No other record can settle a call without an id, so an id made from the line number is enough.
  const id = wordOf(record.payload.call_id) ?? wordOf(record.payload.id) ?? `line-${record.line}`;
  return reaction(
    "codex.tool.call",
    startCall(ctx, { id, name, input, turn: nativeTurnId(record) ?? ctx.state.turn?.id ?? null }),
  );
}

function output(ctx: ClassifyContext): Verdict {
  const { record, state } = ctx;
  const id = wordOf(record.payload.call_id);
  if (id === null) return reaction("codex.tool.output_without_call");
  noteOutput(ctx);
  const text = plainText(record.payload.output);
  if (isNotice(ctx, id, text)) return reaction("codex.tool.notice");
  const links = linksInOutput(state, id, text);
  return reaction("codex.tool.output", ...finishByOutput(ctx, id, text, printedExit(record.payload.output)), ...links);
}

function selfSettling(ctx: ClassifyContext, name: string, input: unknown): Verdict {
  const { record } = ctx;
  noteOutput(ctx);
  const id = wordOf(record.payload.call_id) ?? wordOf(record.payload.id) ?? `line-${record.line}`;
  const status = stringOf(record.payload.status);
  const started: Call = { id, name, input: input ?? null, turn: nativeTurnId(record) };
  const end = settlementOf(status === "failed" || status === "incomplete" ? "failed" : "ok");
  return reaction("codex.tool.self_settled", ...finishByItem(ctx, started, end));
}
