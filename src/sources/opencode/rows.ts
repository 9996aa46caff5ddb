import type { UsageBody } from "../../format/record.ts";
import type { SqlValue } from "../../io/sqlite.ts";
import { parseJson, TooDeep } from "../../io/json.ts";
import { obj, type Native } from "../kit/native.ts";

/** One native record: a database row, or a file of the older store. */
export interface NativeRow {
  id: string;
  /** When the store says the row was created; in copies made by a fork this is the time of the fork. */
  time: number | null;
  bytes: number;
  /** Null if the document cannot be parsed. */
  data: Native | null;
  /** Set if the document was not parsed because it is nested too deeply. */
  tooDeep?: true;
  /** Type column of the v2 projection; v1 rows name their type inside the document. */
  type?: string;
}

/** A message with its parts, in the order they were created. */
export interface Bundle {
  message: NativeRow;
  parts: readonly NativeRow[];
}

/** The rows of one session, independent of how they are stored. */
export interface SessionStore {
  /** The generation of the format the messages are in. */
  readonly flavour: "v1" | "v2" | "go";
  /** The session itself in the shape of `Session.Info`; null if the store no longer has it. */
  readonly session: NativeRow | null;
  readonly messages: number;
  /** The session's token totals, and the message they are reported with; they change with every request. */
  readonly total?: { index: number; usage: UsageBody } | null;
  message(index: number): NativeRow;
  parts(index: number): readonly NativeRow[];
  /** The number of parts of a message, without reading them. */
  partCount(index: number): number;
  close(): void;
}

export function rowOf(
  id: string,
  time: number | null,
  text: string,
  bytes: number = Buffer.byteLength(text),
): NativeRow {
  try {
    return { id, time, bytes, data: obj(parseJson(text)) };
  } catch (error) {
    return { id, time, bytes, data: null, ...(error instanceof TooDeep ? { tooDeep: true } : {}) };
  }
}

/** A column's value as text, whichever type it is stored as. */
export function textIn(value: SqlValue | undefined): string {
  if (typeof value === "string") return value;
  if (value instanceof Uint8Array) return Buffer.from(value).toString("utf8");
  return value === null || value === undefined ? "" : String(value);
}
