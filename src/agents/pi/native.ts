import { type Native, num, obj, str } from "../kit/native.ts";
import { instant } from "../../base/io/instant.ts";

/**
 * pi's session records as far as Daybook relies on them. Extensions and forks of pi add fields and types of their own,
 * so records stay `Record<string, unknown>` and are read through accessors.
 */

/** A content block of a message. */
export interface Block extends Native {
  type: string;
}

/** The content blocks of a message; a bare string is one text block. */
export function blocksOf(content: unknown): readonly Block[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  const out: Block[] = [];
  for (const item of Array.isArray(content) ? (content as unknown[]) : []) {
    const block = obj(item);
    if (block && typeof block["type"] === "string") out.push(block as Block);
  }
  return out;
}

export function textOf(content: unknown): string {
  return blocksOf(content)
    .filter((block) => block.type === "text")
    .map((block) => str(block["text"]) ?? "")
    .join("\n");
}

/** The message of a `message` record; null for every other record. */
export function messageOf(record: Native): Native | null {
  return record["type"] === "message" ? obj(record["message"]) : null;
}

export function roleOf(record: Native): string | null {
  return str(messageOf(record)?.["role"]);
}

/** `type` or `message/role`: the name used in reasons, drift reports and `explain`. */
export function nativeType(record: Native): string {
  const type = str(record["type"]);
  if (type === null) return "(untyped)";
  return type === "message" ? `message/${roleOf(record) ?? "(no role)"}` : type;
}

/** When the record was written. The message inside has its own time: when it was typed, or when the request began. */
export function timeOf(record: Native): number | null {
  const text = str(record["timestamp"]);
  const time = text === null ? null : instant(Date.parse(text));
  return time ?? instant(num(messageOf(record)?.["timestamp"]) ?? Number.NaN);
}
