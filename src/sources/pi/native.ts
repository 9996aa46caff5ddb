/**
 * pi's session records as far as Daybook relies on them. Extensions and forks of pi add fields and types of their own, so
 * records stay `Record<string, unknown>` and are read through the accessors below.
 */
export type Native = Record<string, unknown>;

/** A content block of a message. */
export interface Block extends Native {
  type: string;
}

export function str(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

export function num(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

/** A token count: anything that is not a finite number of at least zero counts nothing. */
export function count(value: unknown): number {
  const n = num(value);
  return n !== null && n > 0 ? Math.trunc(n) : 0;
}

export function obj(value: unknown): Native | null {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Native) : null;
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

/** When the record was written. The message inside has a time of its own: when it was typed, or when the request began. */
export function timeOf(record: Native): number | null {
  const text = str(record["timestamp"]);
  const time = text === null ? Number.NaN : Date.parse(text);
  return Number.isNaN(time) ? num(messageOf(record)?.["timestamp"]) : time;
}
