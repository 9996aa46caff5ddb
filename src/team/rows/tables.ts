export const TABLE_NAMES = [
  "turns",
  "tool_calls",
  "usage_responses",
  "decisions",
  "details",
  "facts",
  "texts",
] as const;
export type TableName = (typeof TABLE_NAMES)[number];

export interface Table {
  key: readonly string[];
  /** Name → type. */
  columns: Readonly<Record<string, string>>;
}

/**
 * The tables of a session's rows, with their columns besides owner and session, in the order of the row values.
 * `key`: what identifies a row within its session. The tables are created by the migrations.
 */
export const TABLES: Readonly<Record<TableName, Table>> = {
  turns: {
    key: ["n"],
    columns: {
      n: "int4",
      ts: "timestamptz",
      ended: "timestamptz",
      day: "date",
      calls: "int4",
      failed: "int4",
      pico: "int8",
      status: "text",
      source: "text",
      project: "text",
      model: "text",
      took: "float8",
      kind: "text",
      taken_back: "text",
      commits: "int4",
      children: "int4",
      unproven: "bool",
      hash: "bytea",
    },
  },
  tool_calls: {
    key: ["n"],
    columns: {
      n: "int4",
      turn: "int4",
      ts: "timestamptz",
      took: "float8",
      trouble: "int2",
      risky: "bool",
      status: "text",
      name: "text",
      nested: "bool",
      hash: "bytea",
    },
  },
  usage_responses: {
    key: ["response_id"],
    columns: {
      response_id: "uuid",
      ts: "timestamptz",
      day: "date",
      turn: "int4",
      source: "text",
      project: "text",
      model: "text",
      input: "int8",
      cached: "int8",
      written: "int8",
      written_1h: "int8",
      output: "int8",
      reasoning: "int8",
      pico: "int8",
    },
  },
  decisions: {
    key: ["n"],
    columns: {
      n: "int4",
      ts: "timestamptz",
      turn: "int4",
      tier: "text",
      options: "int4",
      answered: "bool",
      followed: "bool",
      hash: "bytea",
    },
  },
  details: { key: ["kind", "n"], columns: { kind: "int2", n: "int4", body: "text", hash: "bytea" } },
  facts: { key: ["n"], columns: { n: "int4", body: "text", hash: "bytea" } },
  texts: {
    key: ["n"],
    columns: {
      n: "int4",
      kind: "int2",
      ts: "timestamptz",
      turn: "int4",
      line: "int4",
      body: "text",
      terms: "tsvector",
      words: "int4",
      hash: "bytea",
    },
  },
};

/** Kinds of finished views, by their number in `details`. */
export const DETAIL_KINDS = ["session", "turn", "call", "decision"] as const;
export type DetailKind = (typeof DETAIL_KINDS)[number];

/** The day of rows without a time: a key must not be null. */
export const NO_DAY = "0001-01-01";

export type Cell = string | number | boolean | null;
/** For one table: the values of each column, in the order of the columns. */
export interface RowBatch {
  table: TableName;
  columns: Cell[][];
}

/** The row of the session as a whole. */
export interface HeadRow {
  session_id: string;
  source: string;
  project: string;
  started: string | null;
  ended: string | null;
  turns: number;
  lines: number;
  reader: number;
  level: number;
  /** Its kind, and the session that started it. */
  kind: string;
  parent: string | null;
  parent_turn: number | null;
  /** Of this and all rows, in hex. */
  hash: string;
}
