import { createHash } from "node:crypto";
import { parseJson, TooDeep } from "../../io/json.ts";
import { nonEmpty, list, num, obj, parseOrUndefined, timestampOf, str, type Native } from "./native.ts";

/** A message of a conversation, from a database row or a line of an old file. */
export interface GooseMessage {
  /** The agent's id, or a fallback in rows that have none. */
  id: string;
  role: string;
  time: number | null;
  /** Null if the row cannot be parsed. */
  content: readonly Native[] | null;
  /** Set if the content was not parsed because it is nested too deeply. */
  tooDeep?: true;
  userVisible: boolean;
  agentVisible: boolean;
  metadata: Native | null;
  bytes: number;
  identity: string;
}

/** Type of content that is not an object. */
const STRANGE = "(not an object)";

/** Fields of a message, as stored. */
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
  const metadata = obj(typeof fields.metadata === "string" ? parseOrUndefined(fields.metadata) : fields.metadata);
  const nodes = Array.isArray(content) ? content.map((value): Native => obj(value) ?? { type: STRANGE }) : null;
  const message: Omit<GooseMessage, "identity"> = {
    id: nonEmpty(fields.id) ?? fields.fallbackId,
    role: str(fields.role) ?? "",
    time: timestampOf(fields.created),
    content: nodes,
    ...(tooDeep ? { tooDeep } : {}),
    userVisible: metadata?.["userVisible"] !== false,
    agentVisible: metadata?.["agentVisible"] !== false,
    metadata,
    bytes: fields.bytes,
  };
  return { ...message, identity: identityOf(message, nonEmpty(fields.id)) };
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
 * Copies of a session keep message ids, times and contents. Ids alone are not sufficient: rows migrated to schema 7
 * derived theirs from the session id, which restarts on every machine.
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

export function hasContent(message: GooseMessage, type: string): boolean {
  return message.content?.some((node) => node["type"] === type) ?? false;
}

/** Content a human can write: text or an image, and no tool result (which Goose also stores under the role `user`). */
export function isPromptShaped(message: GooseMessage): boolean {
  if (message.role !== "user" || hasContent(message, "toolResponse")) return false;
  return textOf(message) !== "" || hasContent(message, "image");
}

export function imagesIn(message: GooseMessage): number {
  return list(message.content).filter((node) => obj(node)?.["type"] === "image").length;
}

/** Exit code of a command, if the tool states it. */
export function exitOf(result: Native | null): number | null {
  return num(obj(result?.["structuredContent"])?.["exit_code"]);
}
