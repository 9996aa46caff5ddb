import { createHash } from "node:crypto";
import { parseJson, TooDeep } from "../../io/json.ts";
import { filled, list, num, obj, parsed, stamp, str, type Native } from "./native.ts";

/** A message of a conversation, from a database row or a line of an old file. */
export interface GooseMessage {
  /** The agent's id, or what stands in for it in rows that have none. */
  id: string;
  role: string;
  time: number | null;
  /** Null when the row cannot be read. */
  content: readonly Native[] | null;
  /** That is why. */
  tooDeep?: true;
  userVisible: boolean;
  agentVisible: boolean;
  metadata: Native | null;
  bytes: number;
  identity: string;
}

/** Type given to what is no object at all. */
const STRANGE = "(not an object)";

/** Fields of a message as the store names them. */
export interface MessageFields {
  id: unknown;
  fallbackId: string;
  role: unknown;
  created: unknown;
  content: unknown;
  metadata: unknown;
  bytes: number;
}

export function messageOf(fields: MessageFields): GooseMessage {
  const { content, tooDeep } = contentOf(fields.content);
  const metadata = obj(typeof fields.metadata === "string" ? parsed(fields.metadata) : fields.metadata);
  const nodes = Array.isArray(content) ? content.map((value): Native => obj(value) ?? { type: STRANGE }) : null;
  const message: Omit<GooseMessage, "identity"> = {
    id: filled(fields.id) ?? fields.fallbackId,
    role: str(fields.role) ?? "",
    time: stamp(fields.created),
    content: nodes,
    ...(tooDeep ? { tooDeep } : {}),
    userVisible: metadata?.["userVisible"] !== false,
    agentVisible: metadata?.["agentVisible"] !== false,
    metadata,
    bytes: fields.bytes,
  };
  return { ...message, identity: identityOf(message, filled(fields.id)) };
}

function contentOf(value: unknown): { content: unknown; tooDeep?: true } {
  if (typeof value !== "string") return { content: value };
  try {
    return { content: parseJson(value) };
  } catch (error) {
    return error instanceof TooDeep ? { content: null, tooDeep: true } : { content: null };
  }
}

/**
 * Copies of a session keep message ids, times and contents. Ids alone do not do: rows migrated to schema 7 got theirs from
 * the session's id, which starts over on every machine.
 */
function identityOf(message: Omit<GooseMessage, "identity">, id: string | null): string {
  const hash = createHash("sha1").update(JSON.stringify([id, message.role, message.time]));
  for (const node of message.content ?? []) {
    const text = str(node["text"]);
    hash.update(JSON.stringify([str(node["type"]), str(node["id"]), text === null ? null : text.slice(0, 400)]));
  }
  return hash.digest("hex").slice(0, 24);
}

export function textOf(message: GooseMessage): string {
  return (message.content ?? [])
    .flatMap((node) => (node["type"] === "text" ? [str(node["text"]) ?? ""] : []))
    .join("\n");
}

export function has(message: GooseMessage, type: string): boolean {
  return message.content?.some((node) => node["type"] === type) ?? false;
}

/** Something a human can write: text or a picture, and no tool result (which Goose also keeps under the role `user`). */
export function isPromptShaped(message: GooseMessage): boolean {
  if (message.role !== "user" || has(message, "toolResponse")) return false;
  return textOf(message) !== "" || has(message, "image");
}

export function imagesIn(message: GooseMessage): number {
  return list(message.content).filter((node) => obj(node)?.["type"] === "image").length;
}

/** Exit code of a command, where the tool states it. */
export function exitOf(result: Native | null): number | null {
  return num(obj(result?.["structuredContent"])?.["exit_code"]);
}
