import type { UsageBody } from "../../format/record.ts";
import type { SqlValue } from "../../io/sqlite.ts";
import { parseJson, TooDeep } from "../../io/json.ts";
import { obj, type Native } from "../kit/native.ts";

/** One native record: a database row, or a file of the older store. */
export interface NativeRow {
  id: string;
  /** When the store says the row was made; copies made by a fork have the time of the fork here. */
  time: number | null;
  bytes: number;
  /** Null when the document cannot be read. */
  data: Native | null;
  /** That is why. */
  tooDeep?: true;
  /** Type column of the v2 projection; the v1 rows name their type inside the document. */
  type?: string;
}

/** A message with its parts, in the order they were made. */
export interface Bundle {
  message: NativeRow;
  parts: readonly NativeRow[];
}

/** The rows of one session, whatever holds them. */
export interface SessionStore {
  /** Which generation of the format the messages are in. */
  readonly flavour: "v1" | "v2" | "go";
  /** The session itself in the shape of `Session.Info`; null when the store no longer has it. */
  readonly session: NativeRow | null;
  readonly messages: number;
  /** What the session states of its tokens as a whole, and the message it is reported with; it changes with every request. */
  readonly total?: { index: number; usage: UsageBody } | null;
  message(index: number): NativeRow;
  parts(index: number): readonly NativeRow[];
  /** How many parts a message has, without reading them. */
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

/** What a column says, whichever way it is stored. */
export function textIn(value: SqlValue | undefined): string {
  if (typeof value === "string") return value;
  if (value instanceof Uint8Array) return Buffer.from(value).toString("utf8");
  return value === null || value === undefined ? "" : String(value);
}
