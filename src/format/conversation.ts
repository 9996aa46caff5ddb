import type { Attachment, LogRecord, Origin, ToolStatus } from "./record.ts";

/** One thing a model is given to go on with, in the order it was said. `seq` is that of the record that says it. */
export type Message =
  | { role: "user"; seq: number; author: "human" | "source" | "agent"; text: string; attached: Attachment[] }
  | { role: "reasoning"; seq: number; text: string }
  | { role: "assistant"; seq: number; message_id: string | null; text: string }
  | { role: "tool_call"; seq: number; call_id: string; name: string; input: unknown }
  | ToolResult
  | { role: "summary"; seq: number; text: string; retained: string[] };

export interface ToolResult {
  role: "tool_result";
  seq: number;
  call_id: string;
  status: ToolStatus;
  output: string | null;
  structured?: unknown;
  error: string | null;
  attached: Attachment[];
}

interface Said {
  message: Message;
  turn: string | null;
}

/** Collects what was said. What a compaction replaced and what was taken back is left out only when it is asked for: a session may go back behind either. */
export class Conversation {
  readonly #said: Said[] = [];
  /** Where the results of calls and the messages of native records stand: one told again takes its own place. */
  readonly #places = new Map<string, number>();

  take(record: LogRecord): void {
    const message = messageOf(record);
    if (!message) return;
    const name = nameOf(message, record.origin);
    const known = name === null || message.role === "tool_call" ? undefined : this.#places.get(name);
    this.#said[known ?? this.#said.length] = { message, turn: record.turn_id ?? null };
    if (name === null) return;
    // Ids local to a provider come again: the result that follows is another one.
    if (message.role === "tool_call") this.#places.delete(name);
    else this.#places.set(name, known ?? this.#said.length - 1);
  }

  /** `takenBack`: turns that were. */
  messages(takenBack: ReadonlySet<string>): Message[] {
    const standing = this.#said.filter(({ turn }) => turn === null || !takenBack.has(turn));
    const from = standing.findLastIndex(({ message }) => message.role === "summary");
    return standing.slice(Math.max(from, 0)).map(({ message }) => message);
  }
}

function messageOf(record: LogRecord): Message | null {
  const { seq } = record;
  switch (record.type) {
    case "user": {
      const { author, text, attached = [] } = record;
      return { role: "user", seq, author, text, attached };
    }
    case "reasoning_finished":
      return { role: "reasoning", seq, text: record.text };
    case "assistant_finished":
      if (record.text === "") return null;
      return { role: "assistant", seq, message_id: record.message_id ?? null, text: record.text };
    case "tool_started": {
      const { call_id, name, input } = record;
      return { role: "tool_call", seq, call_id, name, input };
    }
    case "tool_finished": {
      const { call_id, status, output = null, structured, error = null, attached = [] } = record;
      const data = structured === undefined ? {} : { structured };
      return { role: "tool_result", seq, call_id, status, output, ...data, error, attached };
    }
    case "compacted":
      if (typeof record.summary !== "string") return null;
      return { role: "summary", seq, text: record.summary, retained: record.retained ?? [] };
    default:
      return null;
  }
}

/** What a later record about the same thing has in common with it: a call's id, or the native record of a message. */
function nameOf({ role, ...message }: Message, { line, row, path }: Origin): string | null {
  if ("call_id" in message) return `call ${message.call_id}`;
  const native = line ?? row;
  if (role !== "assistant" || native === undefined || !("message_id" in message)) return null;
  return message.message_id === null ? null : `message ${JSON.stringify([message.message_id, native, path])}`;
}
