/** What each record of a session is, and who wrote it. */
import { instant } from "../../base/io/instant.ts";
import { parsedInput } from "../kit/blocks.ts";
import type { ChatState, Rule as ChatRule, Scene as ChatScene, ReasonOf } from "../kit/chat.ts";
import { iso, nonEmpty, num, obj, objects, str, type Native } from "../kit/native.ts";
import type { ChatTools, Result, Say } from "../kit/say.ts";
import { folderOf, pathOfUri } from "./discover.ts";
import { markdownIn } from "./records.ts";

/** Every rule of this reader, by the name `explain` and `audit` print, by what it makes of a record. See FORMAT.md. */
export const CLASSES = {
  trigger: "confirmed prompt",
  session: "document",
  reaction: "answer call edit end end.open part request.empty request.system thinking",
  unknown: "kind.unknown",
} as const;

export type Reason = ReasonOf<"vscode", typeof CLASSES>;

export interface ReaderState extends ChatState {
  /** The header was said: what is said of the whole session stands behind its requests. */
  begun: boolean;
  /** A tool was called since the last request: then edits are what it did. */
  called: boolean;
}

type Scene = ChatScene<ReaderState>;
type Rule = ChatRule<ReaderState, Reason>;

const EDIT = { path: "filePath", does: "modified" } as const;
const CREATE = { path: "filePath", does: "created" } as const;

export const TOOLS: ChatTools = {
  shell: ["run_in_terminal", "copilot_runInTerminal", "runInTerminal"],
  writes: {
    create_file: CREATE,
    copilot_createFile: CREATE,
    replace_string_in_file: EDIT,
    copilot_replaceString: EDIT,
    insert_edit_into_file: EDIT,
    copilot_insertEdit: EDIT,
    edit_notebook_file: EDIT,
    copilot_editNotebook: EDIT,
    textEditGroup: EDIT,
  },
};

/** Parts that say nothing of their own: marks for undo, progress, buttons, what is about to be called. */
const SILENT = [
  "clearToPreviousToolInvocation",
  "codeblockUri",
  "command",
  "confirmation",
  "disabledClaudeHooks",
  "elicitation",
  "elicitationSerialized",
  "extensions",
  "hook",
  "mcpServersStarting",
  "mcpAuthenticationRequired",
  "multiDiffData",
  "notebookEditGroup",
  "planReview",
  "prepareToolInvocation",
  "progressMessage",
  "progressTask",
  "progressTaskSerialized",
  "pullRequest",
  "questionCarousel",
  "systemNotification",
  "treeData",
  "undoStop",
  "usedContext",
  "warning",
  "workspaceEdit",
];

export const RULES: Readonly<Record<string, Rule | ((scene: Scene) => Rule)>> = {
  request: asked,
  text: { rule: "vscode.answer", says: (say, { record }) => spoken(say, str(record["text"]) ?? "") },
  thinking: {
    rule: "vscode.thinking",
    says(say, { record: { value } }) {
      const thoughts = Array.isArray(value) ? value.join("") : (str(value) ?? "");
      // An empty part only ends the one before it.
      if (thoughts !== "") say.thinking(thoughts);
    },
  },
  toolInvocationSerialized: { rule: "vscode.call", says: called },
  textEditGroup: { rule: "vscode.edit", says: edited },
  end,
  // Rewritten with every request, so it comes last and is read again with every change.
  document: { rule: "vscode.document", open: true, says: described },
  ...Object.fromEntries(SILENT.map((kind) => [kind, { rule: "vscode.part" } as const])),
};

function begun(say: Say, { state, path }: Scene): void {
  if (!state.begun) say.header({ cwd: folderOf(path) });
  state.begun = true;
}

function asked({ record }: Scene): Rule {
  const message = record["message"];
  // The first releases kept the text alone.
  const text = str(message) ?? str(obj(message)?.["text"]) ?? "";
  const images = objects(obj(record["variableData"])?.["variables"]).filter(({ kind }) => kind === "image").length;
  const says = (work: (say: Say) => void) => (say: Say, scene: Scene) => {
    begun(say, scene);
    scene.state.called = false;
    work(say);
  };
  if (record["isSystemInitiated"] === true)
    return { rule: "vscode.request.system", says: says((say) => say.note("source", text)) };
  if (text === "" && images === 0) return { rule: "vscode.request.empty", says: says(() => undefined) };
  // A button was pressed: the text is the editor's.
  if (nonEmpty(record["confirmation"]) !== null)
    return { rule: "vscode.confirmed", says: says((say) => say.prompt(text, { kind: "answer", entry: "ide" })) };
  const kind = obj(record["slashCommand"]) ? ("command" as const) : null;
  return { rule: "vscode.prompt", says: says((say) => say.prompt(text, { kind, entry: "ide", attachments: images })) };
}

/** `vendor/model`; `auto` is no model. */
export function modelIn(value: unknown): string | null {
  const name = nonEmpty(value);
  if (name === null) return null;
  const model = name.slice(name.indexOf("/") + 1);
  return model === "auto" || model === "" ? null : model;
}

/** A text may be the last of its turn: its end is stated behind it. */
function spoken(say: Say, text: string): void {
  if (text.trim() === "") return;
  say.started();
  say.text(text);
}

function called(say: Say, { record, state, identity }: Scene): void {
  state.called = true;
  const stated = obj(record["stated"]);
  const name = nonEmpty(stated?.["name"]) ?? nonEmpty(record["toolId"]) ?? "";
  const id = nonEmpty(record["toolCallId"]) ?? identity;
  say.call(id, name, inputOf(record, stated));
  const result = resultOf(record);
  if (result) say.result(id, { ...result, name });
}

function inputOf(record: Native, stated: Native | null): unknown {
  const given = parsedInput(stated?.["arguments"]);
  if (given !== undefined && given !== null && given !== "") return given;
  const data = obj(record["toolSpecificData"]);
  const command = commandIn(data);
  if (command !== null) return { command };
  if (data?.["kind"] === "input") return data["rawInput"] ?? null;
  const message = markdownIn(record["pastTenseMessage"]) ?? markdownIn(record["invocationMessage"]);
  return message === null ? null : { message };
}

/** What ran: a human may have changed the command before allowing it. */
function commandIn(data: Native | null): string | null {
  if (data?.["kind"] !== "terminal") return null;
  const line = obj(data["commandLine"]);
  return (
    nonEmpty(line?.["userEdited"]) ??
    nonEmpty(line?.["toolEdited"]) ??
    nonEmpty(line?.["original"]) ??
    nonEmpty(data["command"])
  );
}

/** How a call was allowed (`ToolConfirmKind`): denied by the human, or skipped, which lets the agent go on without it. */
const [DENIED, SKIPPED] = [0, 5];

/** How the extension words an error for the model. */
const ERROR = /^ERROR while calling tool: /;

function resultOf(record: Native): Result | null {
  const { isConfirmed, isComplete } = record;
  const data = obj(record["toolSpecificData"]);
  const details = obj(record["resultDetails"]);
  const text =
    toldIn(record["told"]) ?? nonEmpty(obj(data?.["terminalCommandOutput"])?.["text"]) ?? outputIn(details) ?? "";
  const how = isConfirmed === false ? DENIED : num(obj(isConfirmed)?.["type"]);
  if (how === DENIED || how === SKIPPED) return { text, failed: true, status: "denied" };
  if (isComplete !== true) return null;
  const state = obj(data?.["terminalCommandState"]);
  const ms = num(state?.["duration"]);
  const failed = details?.["isError"] === true || ERROR.test(text);
  return { text, failed, exit: num(state?.["exitCode"]), ms: ms !== null && ms >= 0 ? ms : null };
}

function outputIn(details: Native | null): string | null {
  const texts = objects(details?.["output"]).flatMap(({ value }) => (typeof value === "string" ? [value] : []));
  return texts.length > 0 ? texts.join("\n") : null;
}

/** The text that the model was told: strings, or trees of pieces that were laid out for it. */
function toldIn(told: unknown): string | null {
  const texts = objects(obj(told)?.["content"]).flatMap(({ value }) => piecesIn(value));
  return texts.length > 0 ? texts.join("\n") : null;
}

function piecesIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  const out: string[] = [];
  const waiting: unknown[] = [obj(value)?.["node"]];
  // Without recursion: a tree may be deep.
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    const { text, children } = obj(node) ?? {};
    if (typeof text === "string") out.push(text);
    waiting.push(...objects(children).reverse());
  }
  return out.length > 0 ? [out.join("")] : [];
}

/** Edits are what a tool did, except where the model was only asked to edit: then they are its only call. */
function edited(say: Say, { record, state, identity }: Scene): void {
  if (state.called) return;
  const uri = obj(record["uri"]);
  const filePath = nonEmpty(uri?.["fsPath"]) ?? nonEmpty(uri?.["path"]) ?? pathOfUri(str(record["uri"]) ?? "");
  if (filePath === null) return;
  say.call(identity, "textEditGroup", { filePath });
  if (record["done"] === true) say.result(identity, { failed: false });
}

/** `ResponseModelState`. */
const [PENDING, COMPLETE, CANCELLED, FAILED, NEEDS_INPUT] = [0, 1, 2, 3, 4];

export function endTime(record: Native): number | null {
  const at = num(obj(record["modelState"])?.["completedAt"]);
  if (at !== null) return instant(at);
  const [start, took] = [num(record["timestamp"]), num(obj(obj(record["result"])?.["timings"])?.["totalElapsed"])];
  return start === null || took === null || took < 0 ? null : instant(start + took);
}

function end({ record }: Scene): Rule {
  const state = num(obj(record["modelState"])?.["value"]);
  const result = obj(record["result"]);
  const error = obj(result?.["errorDetails"]);
  const goesOn =
    state === PENDING || state === NEEDS_INPUT || (state === null && !result && record["isCanceled"] !== true);
  if (goesOn) return { rule: "vscode.end.open", open: true };
  return {
    rule: "vscode.end",
    says(say) {
      if (state === CANCELLED || record["isCanceled"] === true) say.interrupted();
      else if (state === FAILED || error) say.fails(markdownIn(error?.["message"]));
      else say.ends(state === COMPLETE ? "complete" : undefined);
    },
  };
}

function described(say: Say, scene: Scene): void {
  const { record } = scene;
  begun(say, scene);
  const created = num(record["creationDate"]);
  say.header({ cwd: folderOf(scene.path), started_at: created === null ? null : iso(instant(created)) });
  say.title(str(record["customTitle"]), "agent");
}
