import { DaybookError } from "../../base/errors.ts";
import type { PreparedRows } from "../rows/prepared.ts";
import { TABLE_NAMES, TABLES, type Cell, type RowBatch, type HeadRow } from "../rows/tables.ts";
import { problemInHead } from "../rows/valid-rows.ts";
import type { Machine } from "./apply.ts";

/** Paths of a team's server, relative to its address. */
export const PUSH_PATHS = {
  state: "/api/team/push/state",
  session: "/api/team/push/session",
  forget: "/api/team/push/forget",
} as const;

/** A session as sent to a server: the head, its batches, and a last line that proves it is complete. */
export function* sessionLines(machine: Machine, { head, batches }: PreparedRows): Generator<string, void, undefined> {
  yield `${JSON.stringify({ machine, head })}\n`;
  for (const batch of batches()) yield `${JSON.stringify(batch)}\n`;
  yield `${JSON.stringify({ end: true })}\n`;
}

export interface ReceivedHead {
  machine: Machine;
  head: HeadRow;
  /** Throws if the lines end before the session does. */
  batches: AsyncIterable<RowBatch>;
}

/** Parses the received lines. The structure is validated here, the values when they are applied. */
export async function receiveSession(lines: AsyncIterable<string>): Promise<ReceivedHead> {
  const rest = lines[Symbol.asyncIterator]();
  const first = await rest.next();
  const { machine, head } = parsed(first.done === true ? "" : first.value);
  if (!isMachine(machine) || typeof head !== "object" || head === null)
    throw malformed("its first line is not the head of a session");
  const problem = problemInHead(head as Record<string, unknown>);
  if (problem !== null) throw malformed(problem);
  return { machine, head: head as HeadRow, batches: batchesIn({ [Symbol.asyncIterator]: () => rest }) };
}

async function* batchesIn(lines: AsyncIterable<string>): AsyncGenerator<RowBatch, void, undefined> {
  for await (const line of lines) {
    const value = parsed(line);
    if (value["end"] === true) return;
    if (!isBatch(value)) throw malformed("a line is not a batch of rows");
    yield value;
  }
  throw malformed("it is incomplete");
}

function parsed(line: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === "object" && value !== null) return value as Record<string, unknown>;
  } catch {
    // Treated like any other invalid line.
  }
  throw malformed("a line is not JSON");
}

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;

export function isUuid(value: unknown): value is string {
  return typeof value === "string" && UUID.test(value);
}

const LONGEST_LABEL = 200;

export function isMachine(value: unknown): value is Machine {
  if (typeof value !== "object" || value === null) return false;
  const { machine_id, label } = value as Record<string, unknown>;
  return isUuid(machine_id) && typeof label === "string" && label.length <= LONGEST_LABEL && !label.includes("\0");
}

function isBatch(value: Record<string, unknown>): value is Record<string, unknown> & RowBatch {
  const table = TABLE_NAMES.find((name) => name === value["table"]);
  const columns: unknown = value["columns"];
  if (table === undefined || !Array.isArray(columns)) return false;
  const rows: unknown = columns[0];
  if (columns.length !== Object.keys(TABLES[table].columns).length || !Array.isArray(rows)) return false;
  return columns.every(
    (column: unknown) => Array.isArray(column) && column.length === rows.length && column.every(isCell),
  );
}

function isCell(value: unknown): value is Cell {
  return value === null || typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

function malformed(why: string): DaybookError {
  return new DaybookError(`invalid push: ${why}`, { code: "invalid", op: "push" });
}
