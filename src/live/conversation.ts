import type { Attachment, LogRecord, Origin, ToolStatus } from "../format/record.ts";

/** One thing a model is given to go on with, in the order it was said. `seq` is that of the record that says it. */
export type Message =
  | { role: "user"; seq: number; author: "human" | "source" | "agent"; text: string; attached: Attachment[] }
  | { role: "reasoning"; seq: number; text: string }
  | AssistantMessage
  | { role: "tool_call"; seq: number; call_id: string; name: string; input: unknown }
  | ToolResult
  | { role: "summary"; seq: number; text: string; retained: string[] };

export interface AssistantMessage {
  role: "assistant";
  seq: number;
  message_id: string | null;
  text: string;
}

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

/** Whose a message is: the place of the turn, or its name while it has not begun; null when it is nobody's. */
export type Speaker = number | string | null;

interface Said {
  message: Message;
  speaker: Speaker;
}

/** Collects what was said. What a compaction replaced and what was taken back is left out only when it is asked for: a session may go back behind either. */
export class Conversation {
  readonly #said: Said[] = [];
  /** Where the results of calls and the messages of native records stand: one reported again takes its own place. */
  readonly #places = new Map<string, number>();
  #answer: Said | null = null;

  take(record: LogRecord, speaker: Speaker): void {
    const message = messageOf(record);
    if (!message || this.#isQuoted(record, message, speaker)) return;
    const name = nameOf(message, record.origin);
    const known = name === null || message.role === "tool_call" ? undefined : this.#places.get(name);
    const said = { message, speaker };
    this.#said[known ?? this.#said.length] = said;
    if (message.role === "assistant") this.#answer = said;
    if (name === null) return;
    // Ids local to a provider come again: the result that follows is another one.
    if (message.role === "tool_call") this.#places.delete(name);
    else this.#places.set(name, known ?? this.#said.length - 1);
  }

  /** `stands`: whose messages were not taken back. */
  messages(stands: (speaker: Speaker) => boolean): Message[] {
    const standing = this.#said.filter(({ speaker }) => stands(speaker));
    const from = standing.findLastIndex(({ message }) => message.role === "summary");
    return standing.slice(Math.max(from, 0)).map(({ message }) => message);
  }

  /** What the agent said, and in which turn. */
  *answers(): Generator<[AssistantMessage, Speaker], void, undefined> {
    for (const { message, speaker } of this.#said) if (message.role === "assistant") yield [message, speaker];
  }

  /** The record that ends a turn may quote the answer that already stands there. */
  #isQuoted(record: LogRecord, message: Message, speaker: Speaker): boolean {
    if (record.type !== "assistant_finished" || !record.turn_ended || message.role !== "assistant") return false;
    const before = this.#answer;
    return before?.speaker === speaker && message.message_id === null && messageText(before) === message.text;
  }
}

function messageText({ message }: Said): string | null {
  return message.role === "assistant" ? message.text : null;
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
