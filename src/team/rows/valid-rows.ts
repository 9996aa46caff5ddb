import { DaybookError } from "../../base/errors.ts";
import { isObject } from "../../base/io/json.ts";
import { TABLES, type Cell, type HeadRow, type RowBatch } from "./tables.ts";

/** What is wrong with a cell; null if nothing is. */
type Check = (cell: Cell) => string | null;

/** Bytes: three names are the key of a daily sum, for which the database has 2,700. */
const LONGEST_NAME = 800;
/** UTF-16 units. */
const LONGEST_TEXT = 16 * 1024 * 1024;
const MOST_VALUE = 2 ** 31 - 1;
/** Far above what one turn or response has, and far below what breaks a sum of millions of rows. */
const MOST_COUNT = 1_000_000;
const MOST_TOKENS = 1e11;
/** A million dollars. */
const MOST_PICO = 1e18;
/** 31 years, in ms. */
export const LONGEST_MS = 1e12;
/** A value nested deeper could be read, but not written again. */
const DEEPEST = 200;

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-](?:0\d|1[0-5]):[0-5]\d)$/;
const HASH = /^\\x[0-9a-f]{32}$/;
/** A word of up to 200 letters with its places, as senders write them: other forms may be refused by the database. */
const TERMS = /^(?:'[\p{L}\p{N}\p{M}\p{Co}]{1,200}':[1-9]\d{0,4}(?:,[1-9]\d{0,4}){0,254}(?: (?!$)|$))*$/u;
/** The database takes a megabyte of words and places. */
const LONGEST_TERMS = 2_000_000;

function whole(most: number): Check {
  return (cell) =>
    typeof cell === "number" && Number.isInteger(cell) && cell >= 0 && cell <= most
      ? null
      : `must be a whole number from 0 to ${most}`;
}

const isText: Check = (cell) => {
  if (typeof cell !== "string") return "must be a text";
  if (cell.length > LONGEST_TEXT) return `is longer than ${LONGEST_TEXT} characters`;
  return cell.includes("\0") || /\p{Surrogate}/u.test(cell) ? "contains a character that cannot be stored" : null;
};

const isName: Check = (cell) =>
  isText(cell) ?? (Buffer.byteLength(String(cell)) > LONGEST_NAME ? `is longer than ${LONGEST_NAME} bytes` : null);

function like(pattern: RegExp, what: string): Check {
  return (cell) => (typeof cell === "string" && pattern.test(cell) ? null : `must be ${what}`);
}

/** The database knows no year 0. */
const FIRST_MS = Date.parse("0001-01-01T00:00:00Z");

const isTime: Check = (cell) =>
  typeof cell === "string" && TIME.test(cell) && Date.parse(cell) >= FIRST_MS ? null : "must be a time";

/** February 31 changes when it is normalized. */
const isDay: Check = (cell) => {
  const at = typeof cell === "string" && /^\d{4}-\d{2}-\d{2}$/.test(cell) ? Date.parse(cell) : Number.NaN;
  return !Number.isNaN(at) && new Date(at).toISOString().slice(0, 10) === cell ? null : "must be a day";
};

const isDuration: Check = (cell) =>
  typeof cell === "number" && cell >= 0 && cell <= LONGEST_MS ? null : `must be a number from 0 to ${LONGEST_MS}`;

const isFlag: Check = (cell) => (typeof cell === "boolean" ? null : "must be true or false");

const isTerms: Check = (cell) => {
  if (typeof cell !== "string" || cell.length > LONGEST_TERMS) return "must be a list of words";
  return TERMS.test(cell) ? null : "must be a list of words";
};

/** An object, or nothing, because senders leave out what the store's retention would remove. */
const isJson: Check = (cell) =>
  isText(cell) ?? (cell === "" || isJsonObject(String(cell)) ? null : "must be a JSON object");

function isJsonObject(json: string): boolean {
  if (isTooDeep(json)) return false;
  try {
    return isObject(JSON.parse(json));
  } catch {
    return false;
  }
}

const [QUOTE, BACKSLASH] = [0x22, 0x5c];

function isTooDeep(json: string): boolean {
  let depth = 0;
  let isInText = false;
  for (let i = 0; i < json.length; i++) {
    const code = json.charCodeAt(i);
    if (code === BACKSLASH && isInText) i++;
    else if (code === QUOTE) isInText = !isInText;
    // `[` and `{`, `]` and `}`.
    else if (!isInText && (code === 0x5b || code === 0x7b) && ++depth > DEEPEST) return true;
    else if (!isInText && (code === 0x5d || code === 0x7d)) depth--;
  }
  return false;
}

const BY_TYPE: Readonly<Record<string, Check>> = {
  uuid: like(UUID, "a UUID in lower case"),
  bytea: like(HASH, "16 bytes in hex"),
  timestamptz: isTime,
  date: isDay,
  bool: isFlag,
  float8: isDuration,
  int2: whole(100),
  int4: whole(MOST_VALUE),
  int8: whole(MOST_TOKENS),
  text: isName,
  tsvector: isTerms,
};

/** Columns whose values have other bounds than their type. */
const BY_NAME: Readonly<Record<string, Check>> = {
  calls: whole(MOST_COUNT),
  failed: whole(MOST_COUNT),
  commits: whole(MOST_COUNT),
  children: whole(MOST_COUNT),
  options: whole(MOST_COUNT),
  pico: whole(MOST_PICO),
  "texts.body": isText,
  "details.body": isJson,
  "facts.body": isJson,
};

/** Columns that may be null, as in the migrations. */
const NULLABLE: ReadonlySet<string> = new Set(
  "ts ended took pico kind taken_back commits children unproven turn line followed".split(" "),
);
/** Also in tables that have it as a part of their key. */
const NEVER_NULL: ReadonlySet<string> = new Set(["details.kind", "texts.kind"]);

interface Column {
  name: string;
  check: Check;
  mayBeNull: boolean;
}

const columns = new Map<string, Column[]>();

function columnsOf(table: RowBatch["table"]): Column[] {
  let known = columns.get(table);
  if (known) return known;
  known = Object.entries(TABLES[table].columns).map(([name, type]) => ({
    name,
    check: BY_NAME[`${table}.${name}`] ?? BY_NAME[name] ?? BY_TYPE[type] ?? isName,
    mayBeNull: NULLABLE.has(name) && !NEVER_NULL.has(`${table}.${name}`),
  }));
  columns.set(table, known);
  return known;
}

/**
 * Passes batches on, and throws at the first row that a column does not allow. A value that the database would accept
 * can still break what is computed from it, for everybody whose totals include it.
 */
export async function* validRows(
  batches: Iterable<RowBatch> | AsyncIterable<RowBatch>,
): AsyncGenerator<RowBatch, void, undefined> {
  for await (const batch of batches) {
    const reason = problemIn(batch);
    if (reason !== null) throw refusedRow(reason);
    yield batch;
  }
}

/** What is wrong with the first row that is; null if all are valid. */
export function problemIn({ table, columns: given }: RowBatch): string | null {
  const known = columnsOf(table);
  for (const [i, { name, check, mayBeNull }] of known.entries())
    for (const [row, cell] of (given[i] ?? []).entries()) {
      const problem = cell === null ? (mayBeNull ? null : "must not be null") : check(cell);
      if (problem !== null) return `row ${row + 1} of ${table}: ${name} ${problem}`;
    }
  return repeatedKey(table, given);
}

/** One statement cannot write a row twice. */
function repeatedKey(table: RowBatch["table"], given: RowBatch["columns"]): string | null {
  const { key, columns: named } = TABLES[table];
  const parts = key.map((name) => given[Object.keys(named).indexOf(name)] ?? []);
  const seen = new Set<string>();
  for (const row of (parts[0] ?? []).keys()) {
    const id = parts.map((part) => String(part[row])).join(" ");
    if (seen.has(id)) return `row ${row + 1} of ${table}: its ${key.join(" and ")} is that of another row`;
    seen.add(id);
  }
  return null;
}

const HEAD: Readonly<Record<keyof HeadRow, Check>> = {
  session_id: like(UUID, "a UUID in lower case"),
  source: isName,
  project: isName,
  started: isTime,
  ended: isTime,
  turns: whole(MOST_VALUE),
  lines: whole(MOST_VALUE),
  reader: whole(MOST_VALUE),
  level: whole(2),
  kind: isName,
  parent: like(UUID, "a UUID in lower case"),
  parent_turn: whole(MOST_VALUE),
  hash: like(/^[0-9a-f]{32}$/, "16 bytes in hex"),
};

const NULLABLE_IN_HEAD: ReadonlySet<string> = new Set(["started", "ended", "parent", "parent_turn"]);

/** The same of a session's head. */
export function problemInHead(head: Readonly<Record<string, unknown>>): string | null {
  for (const [name, check] of Object.entries(HEAD)) {
    const cell = head[name];
    const isNull = cell === null && NULLABLE_IN_HEAD.has(name);
    const problem = isNull ? null : check((cell ?? null) as Cell);
    if (problem !== null) return `${name} ${problem}`;
  }
  return null;
}

function refusedRow(reason: string): DaybookError {
  return new DaybookError(`invalid push: ${reason}`, { code: "invalid", op: "push" });
}
