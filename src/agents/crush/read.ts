/** One pass over the rows of a session: what each is, and who wrote it. */
import type { Cursor, NativeRecord, ReadContext, Reading, SourceRef } from "../contract.ts";
import { recordIn, RecordLines } from "../kit/bundle.ts";
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
import { nonEmpty, num, obj, objects, str, type Native } from "../kit/native.ts";
import type { Say } from "../kit/say.ts";
import { inner, projectOf, rowsOf, seconds, SOURCE_ID } from "./native.ts";

/** Every rule of this reader, by the name `explain` and `audit` print, by what it makes of a record. See FORMAT.md. */
export const CLASSES = {
  trigger: "user user.shell",
  session: "session",
  reaction: ["assistant assistant.failed assistant.stopped assistant.unfinished results summary", "user.delegated"],
  unknown: "role.unknown",
} as const;

type Reason = ReasonOf<"crush", typeof CLASSES>;
interface ReaderState extends ChatState {
  /** The header was said. The row of the session stands behind its messages, because it changes with each. */
  begun: boolean;
}
type Scene = ChatScene<ReaderState>;
type Rule = ChatRule<ReaderState, Reason>;

/** The tool that starts a sub-agent. Its session is named after the message and the call. */
const TASK: ReadonlySet<string> = new Set(["agent", "agentic_fetch"]);

const CRUSH: Omit<Chat<ReaderState, Reason>, "open"> = {
  prefix: "crush",
  freshState: () => ({ ...freshChat(), begun: false }),
  sessionId: () => "",
  native: ({ role }) => str(role) ?? "(no role)",
  time: ({ created_at: created }) => seconds(created),
  identity: ({ role, id }) => (role === "session" ? null : str(id)),
  fields: fieldsByType(
    {
      session:
        "parent_session_id title message_count prompt_tokens completion_tokens cost summary_message_id todos estimated_usage is_busy",
      user: "",
      assistant: "",
      tool: "",
    },
    "rowid id session_id role parts model provider is_summary_message created_at updated_at finished_at".split(" "),
  ),
  classes: CLASSES,
  rules: {
    // Rewritten with every message, so it comes last and is read again with every change.
    session: { rule: "crush.session", open: true, says: header },
    user: asked,
    assistant: answered,
    tool: { rule: "crush.results", says: settled },
  },
  unknown: "crush.role.unknown",
  tools: {
    shell: ["bash"],
    writes: {
      write: { path: "file_path", does: "modified" },
      edit: { path: "file_path", does: "modified" },
      multiedit: { path: "file_path", does: "modified" },
    },
    words: {
      interrupted: /user cancel{1,2}ed|^Tool execution canceled by user|Command was aborted before completion/i,
      denied: /^(?:Permission denied|User denied permission)|^user denied permission/i,
    },
  },
};

export function readSession(ref: SourceRef, cursor: Cursor | null, ctx: ReadContext): Reading {
  const id = ref.key ?? "";
  const chat: Chat<ReaderState, Reason> = {
    ...CRUSH,
    freshState: () => ({ ...freshChat(id.includes("$$") ? "subagent" : "root"), begun: false }),
    sessionId: () => id,
    open: ({ path }, from) => new RecordLines(rowsOf(path, id), from),
  };
  return readChat(chat, ref, cursor, ctx);
}

export function recordAt({ path, key }: SourceRef, line: number): NativeRecord | null {
  return recordIn(rowsOf(path, key ?? ""), line);
}

/** Its tokens are those of the last request, and of a title on top: not read. */
function header(say: Say, { record, path, time }: Scene): void {
  const parent = nonEmpty(record["parent_session_id"]);
  say.header({
    cwd: projectOf(path),
    started_at: time === null ? null : new Date(time).toISOString(),
    title: nonEmpty(record["title"]),
    parent: parent === null ? null : { source: SOURCE_ID, session_id: parent },
  });
}

/** What decides how the first message is read. */
function begun(say: Say, { state, path }: Scene): Say {
  if (!state.begun) say.header({ cwd: projectOf(path) });
  state.begun = true;
  return say;
}

interface Part {
  type: string;
  data: Native;
}

function partsOf(record: Native): Part[] {
  return objects(record["parts"]).map(({ type, data }) => ({ type: str(type) ?? "", data: obj(data) ?? {} }));
}

function wordsIn(parts: readonly Part[]): string {
  return parts.flatMap(({ type, data }) => (type === "text" ? [str(data["text"]) ?? ""] : [])).join("\n");
}

function asked({ record, state }: Scene): Rule {
  const parts = partsOf(record);
  const text = wordsIn(parts);
  if (state.kind !== "root")
    return { rule: "crush.user.delegated", says: (say, scene) => begun(say, scene).note("agent", text) };
  const shell = parts.find(({ type }) => type === "shell_command")?.data;
  if (shell && text === "") return { rule: "crush.user.shell", says: (say, scene) => typed(say, shell, scene) };
  const attachments = parts.filter(({ type }) => type === "binary" || type === "image_url").length;
  return {
    rule: "crush.user",
    says: (say, scene) => begun(say, scene).prompt(text, { attachments, templates: scene.templates }),
  };
}

/** `!command`: run by the human; the model does not respond to it. */
function typed(say: Say, { command, output, exit_code: exit }: Native, scene: Scene): void {
  const { identity } = scene;
  begun(say, scene).prompt(`!${str(command) ?? ""}`, { kind: "shell", entry: "interactive" });
  say.call(identity, "bash", { command });
  say.result(identity, { text: str(output) ?? "", failed: null, exit: num(exit) });
  say.ends();
}

/** One answer of the model. A row is rewritten until it has a `finish` part. */
function answered({ record, lines }: Scene): Rule {
  const parts = partsOf(record);
  const finish = parts.find(({ type }) => type === "finish")?.data;
  if (num(record["is_summary_message"]) === 1)
    return { rule: "crush.summary", open: !finish, says: (say) => say.compacted("unknown", wordsIn(parts)) };
  const reason = str(finish?.["reason"]);
  const says = (say: Say): void => {
    say.reply(parts.map(blockOf), { id: str(record["id"]), model: str(record["model"]), finish: reason });
    for (const { type, data } of parts) {
      if (type === "tool_call" && TASK.has(str(data["name"]) ?? ""))
        say.child(`${str(record["id"]) ?? ""}$$${str(data["id"]) ?? ""}`, "spawned", { call: str(data["id"]) });
    }
    if (reason === "error") say.fails(nonEmpty(finish?.["details"]) ?? str(finish?.["message"]));
    else if (reason === "canceled" || reason === "permission_denied") say.interrupted();
    else if (reason !== null && reason !== "tool_use" && reason !== "unknown") say.ends(reason);
  };
  if (reason === "error") return { rule: "crush.assistant.failed", says };
  if (reason === "canceled" || reason === "permission_denied") return { rule: "crush.assistant.stopped", says };
  if (finish) return { rule: "crush.assistant", says };
  return { rule: "crush.assistant.unfinished", open: lines.peek() === null, says };
}

function blockOf({ type, data }: Part): Native & { type: string } {
  if (type === "tool_call") return { type, id: data["id"], name: data["name"], input: inner(data["input"]) };
  return type === "reasoning" ? { type, text: data["thinking"] } : { ...data, type };
}

/** How the text of a command that ended with another code than 0 ends, before the directory it ended in. */
const EXIT = /(?:^|\n)Exit code (\d+)\s*(?:<cwd>[^<]*<\/cwd>\s*)?$/;

function settled(say: Say, { record }: Scene): void {
  for (const { type, data } of partsOf(record)) {
    if (type !== "tool_result") continue;
    const text = str(data["content"]) ?? "";
    const metadata = obj(inner(data["metadata"])) ?? {};
    const [start, end] = [num(metadata["start_time"]), num(metadata["end_time"])];
    const code = EXIT.exec(text.slice(-600))?.[1];
    // A command that goes on in the background has an end as well, which is that of the call.
    const ran = end !== null && metadata["background"] !== true && !text.startsWith("Background shell ");
    const name = str(data["name"]);
    const exit = name !== "bash" ? null : code !== undefined ? Number(code) : ran ? 0 : null;
    const failed = data["is_error"] === true;
    say.result(str(data["tool_call_id"]) ?? "", {
      text,
      failed,
      exit: failed && exit === 0 ? null : exit,
      ms: start !== null && end !== null && end >= start ? end - start : null,
      name,
    });
  }
}
