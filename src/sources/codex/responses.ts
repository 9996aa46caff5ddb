import type { UserBody } from "../../format/record.ts";
import { finishByItem, finishByOutput, startCall, type Call, printedExit } from "./calls.ts";
import { linksInMail, linksInNotification, linksInOutput } from "./children.ts";
import { contentOf, plainText } from "./content.ts";
import { ghostBody } from "./context.ts";
import { keepMessage, keepSnapshot } from "./retained.ts";
import { fieldsOf, listOf, stringOf, wordOf } from "./fields.ts";
import { spokenInstructions } from "./instructions.ts";
import { fragmentOf } from "./markers.ts";
import { nativePath, nativeTurnId } from "./native.ts";
import { userMessage } from "./prompts.ts";
import { instructed, reaction, setup, unknown, worked, type Scene, type Verdict } from "./scene.ts";
import { settled } from "./settlement.ts";
import { spoken } from "./speech.ts";

/** `response_item`: the conversation as the model sees it. */
export function responseItem(scene: Scene): Verdict {
  const { record, state } = scene;
  const { payload } = record;
  switch (record.kind) {
    case "message":
      return message(scene);
    case "agent_message":
      return mail(scene);
    case "reasoning":
      worked(scene);
      return spoken(scene, "thought");
    case "function_call":
      return call(scene, stringOf(payload.name) ?? "function", payload.arguments);
    case "custom_tool_call":
      return call(scene, stringOf(payload.name) ?? "custom", payload.input);
    case "local_shell_call":
      return call(scene, "local_shell", payload.action);
    case "tool_search_call":
      return call(scene, "tool_search", payload.arguments);
    case "function_call_output":
    case "custom_tool_call_output":
    case "local_shell_call_output":
    case "tool_search_output":
      return output(scene);
    case "web_search_call":
      return selfSettling(scene, "web_search", payload.action);
    case "image_generation_call":
      return selfSettling(scene, "image_generation", payload.revised_prompt);
    case "ghost_snapshot": {
      const commit = ghostBody(payload);
      keepSnapshot(state, payload);
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
      return unknown(nativePath(record));
  }
}

function message(scene: Scene): Verdict {
  const { record, state } = scene;
  const role = stringOf(record.payload.role);
  if (role === "user") {
    keepMessage(state, record.payload);
    return userMessage(scene);
  }
  if (role === "assistant") {
    if (state.turn) state.turn.output = true;
    // The summary a compaction asked the model for; the `compacted` record tells it. 0.154 does not mark it.
    if (record.metadata.compaction_output === true || state.turn?.compact === true)
      return reaction("codex.compaction.output");
    state.last = "m";
    state.compacted = "";
    return spoken(scene, "said");
  }
  const text = contentOf(record.payload.content).texts.join("\n");
  const kind = fragmentOf(text);
  if (kind === "aborted") return reaction("codex.developer.aborted");
  if (kind === "notification") return reaction("codex.developer.notification", ...linksInNotification(state, text));
  return instructed(scene, setup(role === "developer" ? "codex.developer" : "codex.system"), () =>
    spokenInstructions(scene),
  );
}

/** Mail between agents. Encrypted parts are left out: what cannot be read is not text. */
export function mail(scene: Scene): Verdict {
  const { record, state } = scene;
  const { payload } = record;
  const sealed = listOf(payload.content).flatMap((part) => wordOf(fieldsOf(part).encrypted_content) ?? []);
  const text = plainText(payload.content) + sealed.filter((part) => /\s/.test(part)).join("");
  const author = wordOf(payload.author);
  if (state.turn) state.turn.prompts++;
  const body: UserBody = { type: "user", author: "agent", text };
  const turnId = nativeTurnId(record);
  if (turnId !== null) body.native_turn_id = turnId;
  return reaction("codex.agent_mail", body, ...linksInMail(state, author, text));
}

function call(scene: Scene, name: string, input: unknown): Verdict {
  const { record } = scene;
  worked(scene);
  // A call without an id cannot be settled by another record; its line names it.
  const id = wordOf(record.payload.call_id) ?? wordOf(record.payload.id) ?? `line-${record.line}`;
  return reaction(
    "codex.tool.call",
    startCall(scene, { id, name, input, turn: nativeTurnId(record) ?? scene.state.turn?.id ?? null }),
  );
}

function output(scene: Scene): Verdict {
  const { record, state } = scene;
  const id = wordOf(record.payload.call_id);
  if (id === null) return reaction("codex.tool.output_without_call");
  worked(scene);
  const text = plainText(record.payload.output);
  const links = linksInOutput(state, id, text);
  return reaction(
    "codex.tool.output",
    ...finishByOutput(scene, id, text, printedExit(record.payload.output)),
    ...links,
  );
}

function selfSettling(scene: Scene, name: string, input: unknown): Verdict {
  const { record } = scene;
  worked(scene);
  const id = wordOf(record.payload.call_id) ?? wordOf(record.payload.id) ?? `line-${record.line}`;
  const status = stringOf(record.payload.status);
  const started: Call = { id, name, input: input ?? null, turn: nativeTurnId(record) };
  const end = settled(status === "failed" || status === "incomplete" ? "failed" : "ok");
  return reaction("codex.tool.self_settled", ...finishByItem(scene, started, end));
}
