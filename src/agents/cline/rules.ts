/** What each message is, and who wrote it; the names of all rules. */
import { blocksOf, textOf, type Block } from "../kit/blocks.ts";
import type { ChatState, Judge, Rule as ChatRule, Scene as ChatScene, ReasonOf } from "../kit/chat.ts";
import { nonEmpty, obj, objects, str, type Native } from "../kit/native.ts";
import type { ChatTools, Result, Say } from "../kit/say.ts";
import { parseRecord } from "../kit/sniff.ts";
import { tokensIn, type TokenFields } from "../kit/tokens.ts";
import { manifestOf, SOURCE_ID } from "./discover.ts";

/** Every rule of this reader, by the name `explain` and `audit` print, by what it makes of a record. See FORMAT.md. */
export const CLASSES = {
  trigger: "prompt",
  session: "document manifest.unwritten",
  reaction: "answer error injected manifest prompt.delegated result",
  inherited: "id.inherited",
  duplicate: "id.repeated",
  unknown: "role.unknown",
} as const;

export type Reason = ReasonOf<"cline", typeof CLASSES>;

export interface ReaderState extends ChatState {
  /** The last message left work to do. */
  working: boolean;
  /** The client wraps what a human types: a text without the wrapper is its own. Some clients wrap nothing. */
  wraps: boolean;
}

type Scene = ChatScene<ReaderState>;
type Rule = ChatRule<ReaderState, Reason>;

export const TOOLS: ChatTools = {
  shell: ["run_commands"],
  okIsZero: true,
  writes: { editor: { path: "path", does: "modified" } },
};

/** Of a response, and of the whole session. */
export const TOKENS: TokenFields = {
  input: "inputTokens",
  output: "outputTokens",
  cached: "cacheReadTokens",
  written: "cacheWriteTokens",
  inputHoldsCache: true,
};

export const RULES: Readonly<Record<string, Judge<ReaderState, Reason>>> = {
  document: { rule: "cline.document", says: header },
  user,
  assistant,
};

function header(say: Say, { record, path, beside }: Scene): void {
  const origin = obj(record["origin"]);
  const manifest = beside.json(manifestOf(path));
  const parent = nonEmpty(origin?.["parentThreadId"]);
  say.header({
    cwd: str(manifest?.["cwd"]),
    started_at: str(manifest?.["started_at"]),
    agent_version: str(origin?.["version"]),
    provider: str(manifest?.["provider"]),
    parent: parent === null ? null : { source: SOURCE_ID, session_id: parent },
  });
  say.settings({ model: str(manifest?.["model"]) });
  const prompt = str(record["system_prompt"]);
  if (prompt !== null) say.instructions([{ kind: "base", path: null, text: prompt }]);
}

/** What a human typed, as the client wraps it: behind a notice about the mode, before attached files. */
const TYPED =
  /^(?:<mode_notice>[^<]*<\/mode_notice>\s*)*<user_input mode="\w+">([\s\S]*)<\/user_input>(?:\s*<file_content [\s\S]*<\/file_content>)?\s*$/;
const COMMAND = /^\s*<user_command slash="([^"]+)">([\s\S]*)<\/user_command>\s*$/;
/** Texts that the client writes without marking them. */
const CONTINUES =
  /^(?:\[TASK RESUMPTION\]|The user approved switching to act mode\. Continue with the approved plan now\.$)/;

function user({ record, state, beside, path }: Scene): Rule {
  const { content, metadata } = record;
  const results = blocksOf(content).filter(({ type }) => type === "tool_result");
  const isAsked = beside.json(manifestOf(path))?.["interactive"] !== false;
  if (results.length > 0)
    return { rule: "cline.result", says: (say) => results.forEach((block) => settle(say, state, block, isAsked)) };
  const text = textOf(content);
  const typed = TYPED.exec(text)?.[1];
  if (state.kind !== "root") return { rule: "cline.prompt.delegated", says: (say) => say.note("agent", typed ?? text) };
  const { kind, displayRole } = obj(metadata) ?? {};
  const isOurs = typed === undefined && (state.wraps || str(kind) !== null || str(displayRole) !== null);
  if (isOurs || CONTINUES.test(typed ?? text))
    return { rule: "cline.injected", says: (say) => say.note("source", text) };
  return {
    rule: "cline.prompt",
    says(say, scene) {
      state.working = true;
      state.wraps ||= typed !== undefined;
      prompt(say, scene, typed ?? text);
    },
  };
}

function prompt(say: Say, { record, beside, path }: Scene, text: string): void {
  const { interactive, source } = beside.json(manifestOf(path)) ?? {};
  const [, command, expanded] = COMMAND.exec(text) ?? [];
  const entry =
    interactive === false ? "headless" : source === "cli" ? "interactive" : source === "vscode" ? "ide" : "unknown";
  const attachments = blocksOf(record["content"]).filter(({ type }) => type === "image" || type === "file").length;
  const kind = command === undefined ? "prompt" : "command";
  say.prompt(command === undefined ? text : `/${command}`, {
    kind,
    entry,
    attachments,
    sent: expanded?.trim() ?? null,
  });
}

/** An error of the API is stored as an answer that is only displayed. A response without calls ends the turn. */
function assistant({ record, state }: Scene): Rule {
  const { content, metadata, modelInfo, id } = record;
  const blocks = blocksOf(content);
  if (obj(metadata)?.["displayRole"] === "error")
    return {
      rule: "cline.error",
      says(say) {
        state.working = false;
        say.fails(textOf(content));
      },
    };
  return {
    rule: "cline.answer",
    says(say) {
      say.reply(blocks, { id: str(id), model: str(obj(modelInfo)?.["id"]) });
      state.working = blocks.some(({ type }) => type === "tool_use");
      if (!state.working) say.ends();
    },
  };
}

/** One result for every command or file, as a list or as the text of an object. */
function settle(say: Say, state: ReaderState, block: Block, isAsked: boolean): void {
  const { content, tool_use_id, is_error, name } = block;
  const id = str(tool_use_id) ?? "";
  const parsed = typeof content === "string" ? parseRecord(content) : null;
  const parts = parsed ? [parsed] : objects(content);
  const errors = parts.flatMap(({ success, error }) => (success === false ? (str(error) ?? "") : (str(error) ?? [])));
  const text = parts.length > 0 ? parts.map(saidBy).join("\n") : (str(content) ?? textOf(content));
  const result: Result = { text, failed: is_error === true || errors.length > 0, name: str(name) };
  const error = errors.join("\n") || text;
  const [code, aborted] = [/^Command exited with code (\d+)$/m.exec(error)?.[1], /Command was aborted$/m.test(error)];
  if (result.failed) {
    result.error = error;
    result.status = aborted ? "interrupted" : error.startsWith(REFUSED) ? "denied" : null;
    if (code !== undefined) result.exit = Number(code);
  }
  const path = state.calls.get(id)?.path ?? null;
  if (path !== null && CREATED.test(text)) result.files = [{ path, operation: "created" }];
  // It goes on, and how it ends is written to a file elsewhere.
  if (!result.failed && RUNS_ON.test(text)) result.status = "pending";
  // Without a terminal the agent takes the first option itself.
  if (!isAsked && name === "ask_question") result.structured = { nobody_asked: true };
  say.result(id, result);
  if (result.status !== "interrupted") return;
  state.working = false;
  say.interrupted();
}

const REFUSED = "This tool call was rejected by the user and not executed";
const CREATED = /^File created successfully at: /m;
const RUNS_ON = /^\[Command is still running\. Output will continue in /m;

function saidBy(part: Native): string {
  const texts = [part["result"], part["text"], part["error"]].map((text) => str(text) ?? "");
  return texts.filter((text) => text !== "").join("\n") || JSON.stringify(part);
}

/** The session's own facts: how the last turn ended if no message says so. */
export function manifest(say: Say, { status, metadata, model }: Native, { state }: Pick<Scene, "state">): void {
  if (state.kind !== "root") return;
  say.title(str(obj(metadata)?.["title"]), "agent");
  // Of responses that were refused or empty no message is kept.
  say.total(tokensIn(obj(obj(metadata)?.["usage"]), TOKENS), {
    model: str(model),
    unwritten: "cline.manifest.unwritten" satisfies Reason,
  });
  if (!state.working) return;
  if (status === "cancelled") say.interrupted();
  else if (status === "failed") say.fails(null);
}
