/** One pass over a conversation: what each message is, and who wrote it. */
import { dirname, join } from "node:path";
import { parseJson } from "../../base/io/json.ts";
import { readText } from "../../base/io/regular-file.ts";
import type { Cursor, ReadContext, Reading, SourceRef } from "../contract.ts";
import { parsedInput } from "../kit/blocks.ts";
import {
  freshChat,
  readChat,
  type Chat,
  type ChatState,
  type Rule as ChatRule,
  type Scene as ChatScene,
  type ReasonOf,
} from "../kit/chat.ts";
import { fieldsByType } from "../kit/drift.ts";
import { list, millis, obj, str, type Native } from "../kit/native.ts";
import type { Say } from "../kit/say.ts";
import { tokensIn } from "../kit/tokens.ts";
import { sessionIdOf } from "./discover.ts";

/** Every rule of this reader, by the name `explain` and `audit` print, by what it makes of a record. See FORMAT.md. */
export const CLASSES = {
  trigger: "user user.skill",
  setup: "system",
  reaction: "assistant system.error system.result user.injected",
  unknown: "role.unknown",
} as const;

type Reason = ReasonOf<"gptme", typeof CLASSES>;
type Scene = ChatScene<ReaderState>;
type Rule = ChatRule<ReaderState, Reason>;

interface ReaderState extends ChatState {
  /** The header was said. */
  begun: boolean;
}

const GPTME: Chat<ReaderState, Reason> = {
  prefix: "gptme",
  freshState: () => ({ ...freshChat(), begun: false }),
  sessionId: sessionIdOf,
  native: ({ role }) => str(role) ?? "(no role)",
  time: ({ timestamp }) => millis(timestamp),
  fields: fieldsByType(
    { system: "", user: "", assistant: "" },
    "role content timestamp files file_hashes call_id pinned hide quiet ui_only ephemeral_ttl metadata".split(" "),
  ),
  classes: CLASSES,
  rules: { system, user, assistant: { rule: "gptme.assistant", says: answered } },
  unknown: "gptme.role.unknown",
  // Only `shell` says how it ended.
  tools: {
    shell: ["shell", "ipython", "tmux"],
    writes: {
      save: { path: "path", does: "modified" },
      append: { path: "path", does: "modified" },
      patch: { path: "path", does: "modified" },
      morph: { path: "path", does: "modified" },
    },
  },
  usage: (record) => {
    const metadata = obj(record["metadata"]);
    // Early releases stated the tokens beside the model.
    const tokens = tokensIn(obj(metadata?.["usage"]) ?? metadata, {
      input: "input_tokens",
      output: "output_tokens",
      cached: "cache_read_tokens",
      written: "cache_creation_tokens",
      reasoning: "reasoning_tokens",
    });
    return { tokens, model: modelOf(metadata) };
  },
};

export function readSession(ref: SourceRef, cursor: Cursor | null, ctx: ReadContext): Reading {
  return readChat(GPTME, ref, cursor, ctx);
}

/** As the provider named it, else as gptme does: behind the provider. */
function modelOf(metadata: Native | null): string | null {
  return (str(metadata?.["served_model"]) ?? str(metadata?.["model"]))?.replace(/^.*\//, "") ?? null;
}

/** Files, instructions and the date before the first prompt; results and reminders behind it. */
function system({ record, state }: Scene): Rule {
  const call = str(record["call_id"]);
  if (call !== null && state.calls.get(call)) return { rule: "gptme.system.result", says: settled };
  const text = str(record["content"]) ?? "";
  const [, error] = /^(?:error: \w+\n|LLM request failed:\s*)([\s\S]+)/.exec(text) ?? [];
  if (error !== undefined) return { rule: "gptme.system.error", says: (say) => say.fails(error) };
  return {
    rule: "gptme.system",
    says(say, { path, time }) {
      if (!state.begun) begin(say, path, time, state);
      if (record["pinned"] === true) say.instructions([{ kind: "base", path: null, text }]);
      else say.note("source", text);
    },
  };
}

/** The client talks to the model in the role of the user when nobody is there. */
const INJECTED = /^<system>[\s\S]*<\/system>\s*$/;

function user({ record, state, templates }: Scene): Rule {
  const text = str(record["content"]) ?? "";
  const metadata = obj(record["metadata"]) ?? {};
  if (INJECTED.test(text) || "compaction_checkpoint_view" in metadata)
    return { rule: "gptme.user.injected", says: (say) => say.note("source", text) };
  const skill = str(metadata["skill_invocation_id"]) !== null;
  return {
    rule: skill ? "gptme.user.skill" : "gptme.user",
    says(say, { path, time }) {
      if (!state.begun) begin(say, path, time, state);
      say.prompt(text, { kind: skill ? "command" : null, attachments: list(record["files"]).length, templates });
    },
  };
}

function begin(say: Say, path: string, time: number | null, state: ReaderState): void {
  state.begun = true;
  say.header({ cwd: workspaceOf(path), started_at: time === null ? null : new Date(time).toISOString() });
}

/** `workspace = "…"` in the settings of the conversation, which are written before its first message. */
function workspaceOf(path: string): string | null {
  try {
    const [, text] = /^workspace = ("(?:[^"\\]|\\.)*")\s*$/m.exec(readText(join(dirname(path), "config.toml"))) ?? [];
    return text === undefined ? null : str(parseJson(text));
  } catch {
    // Conversations of early releases have no settings.
    return null;
  }
}

/** A call in the tool format, on lines of its own: the name, the id, and the input as JSON. */
const CALL = /^@(\w+)\(([\w\-:.]+)\):\s*(\{.*)$/gm;

/** Calls are in the text. An answer without any ends the turn, unless the client asks for more. */
function answered(say: Say, { record }: Scene): void {
  const text = str(record["content"]) ?? "";
  const calls = [...text.matchAll(CALL)];
  const stated = { model: modelOf(obj(record["metadata"])) };
  const first = calls[0]?.index ?? text.length;
  const thought = /^\s*<think(?:ing)?>([\s\S]*?)<\/think(?:ing)?>/.exec(text.slice(0, first));
  say.started(stated);
  if (thought) say.thinking(thought[1]?.trim() ?? "");
  say.text(text.slice(thought?.[0].length ?? 0, first).trim(), stated);
  for (const [, name = "", id = "", input = ""] of calls) say.call(id, name, parsedInput(input.trim()));
  if (calls.length === 0) say.ends();
}

/** The status line of a command, behind its output, which stands in quotes or between fences. */
const CODE = /(?:```|`|No output)\n+Return code: (-?\d+)\n?(?=\s*$|\n\nNote: |\n\nWorkspace )/;

/** There is no field for the end of a call: its first line says how it went, and an exit code other than 0 is stated. */
function settled(say: Say, { record, state }: Scene): void {
  const text = str(record["content"]) ?? "";
  const id = str(record["call_id"]) ?? "";
  const isCommand = state.calls.get(id)?.name === "shell" && /^Ran (?:allowlisted )?command\b/.test(text);
  const stopped = /^(?:Interrupted by user$|Command interrupted\b|Tool '\w+' was not executed \(interrupted\))/.test(
    text,
  );
  const refused =
    /^(?:Execution declined by user|Operation aborted: user chose not to run|\w+ aborted: user refused )/.test(text);
  say.result(id, {
    text,
    failed: /^(?:Error(?: executing tool\b| during execution:|:)|Command (?:timed out|killed)\b)/.test(text),
    status: stopped ? "interrupted" : refused ? "denied" : null,
    exit: isCommand ? Number(CODE.exec(text)?.[1] ?? 0) : null,
  });
}
