import type { Attachment, LogRecord, Origin, ToolStatus } from "../../record/record.ts";

/** One message a model needs to continue, in the order of the conversation. `seq` is that of its record. */
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

/** The turn a message belongs to: its index, or its id if it has not begun; null if it belongs to none. */
export type MessageOwner = number | string | null;

interface SpokenMessage {
  message: Message;
  owner: MessageOwner;
}

/**
 * Collects the messages of a session. Messages that were compacted or taken back are filtered only on reading, because
 * a session may be rewound to a point before either.
 */
export class Conversation {
  readonly #said: SpokenMessage[] = [];
  /** Indexes of tool results and of messages of native records: one that is reported again replaces the earlier one. */
  readonly #places = new Map<string, number>();
  #answer: SpokenMessage | null = null;

  take(record: LogRecord, owner: MessageOwner): void {
    const message = messageOf(record);
    if (!message || this.#isQuoted(record, message, owner)) return;
    const name = nameOf(message, record.origin);
    const known = name === null || message.role === "tool_call" ? undefined : this.#places.get(name);
    const said = { message, owner };
    this.#said[known ?? this.#said.length] = said;
    if (message.role === "assistant") this.#answer = said;
    if (name === null) return;
    // Ids that are local to a provider are reused: the next result belongs to the new call.
    if (message.role === "tool_call") this.#places.delete(name);
    else this.#places.set(name, known ?? this.#said.length - 1);
  }

  /** `stands`: true for turns that were not taken back. */
  messages(stands: (owner: MessageOwner) => boolean): Message[] {
    const standing = this.#said.filter(({ owner }) => stands(owner));
    const from = standing.findLastIndex(({ message }) => message.role === "summary");
    return standing.slice(Math.max(from, 0)).map(({ message }) => message);
  }

  /** The agent's messages, with their turns. */
  *answers(): Generator<[AssistantMessage, MessageOwner], void, undefined> {
    for (const { message, owner } of this.#said) if (message.role === "assistant") yield [message, owner];
  }

  /** The record that ends a turn may repeat the answer that was recorded just before. */
  #isQuoted(record: LogRecord, message: Message, owner: MessageOwner): boolean {
    if (record.type !== "assistant_finished" || !record.turn_ended || message.role !== "assistant") return false;
    const before = this.#answer;
    return before?.owner === owner && message.message_id === null && messageText(before) === message.text;
  }
}

function messageText({ message }: SpokenMessage): string | null {
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

/** A key shared by later records about the same thing: the call's id, or the native record of a message. */
function nameOf({ role, ...message }: Message, { line, row, path }: Origin): string | null {
  if ("call_id" in message) return `call ${message.call_id}`;
  const native = line ?? row;
  if (role !== "assistant" || native === undefined || !("message_id" in message)) return null;
  return message.message_id === null ? null : `message ${JSON.stringify([message.message_id, native, path])}`;
}
