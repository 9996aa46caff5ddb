import type { LogRecord } from "./record.ts";

/** An unchecked JSON object. */
type Fields = Record<string, unknown>;

/** Defaults of omitted fields: of every record, of records of one type, of a source in a `context` record. */
export const ENVELOPE_DEFAULTS: Readonly<Fields> = { origin: {}, time: null };
/** ISO 8601 with any precision and an offset from UTC: what a writer may give instead of UTC with milliseconds. */
export const SHORT_TIME: RegExp = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/;
export const DEFAULTS: ReadonlyMap<unknown, Readonly<Fields>> = new Map([
  ["session_meta", { source: "unknown", kind: "root", cwd: null, started_at: null, agent_version: null }],
  ["user", { author: "human" }],
  ["tool_finished", { exit_code: null, duration_ms: null }],
  ["cancelled", { reason: "unknown" }],
  ["failed", { turn_ended: true }],
  ["session_renamed", { by: "human" }],
]);
export const SOURCE_DEFAULTS: Readonly<Fields> = { path: null, hash: null, truncated: false };

/**
 * Fills in the fields that a writer may omit and expands abbreviated ones; returns the same object when there is
 * nothing to do. Invalid fields stay as they are and are reported by the check that follows. `session`: the id that
 * the header states; only the header has to.
 */
export function expandShortForms(record: Fields, session: string | null = null): Fields {
  const { type } = record;
  let full = withDefaults(record, ENVELOPE_DEFAULTS);
  if (full["session_id"] === undefined && session !== null) full = { ...full, session_id: session };
  full = expandTime(full);
  if (type === "user" && full["author"] === undefined) full = expandUser(full);
  if (type === "tool_finished") full = expandToolFinished(full);
  if (type === "context") full = expandContext(full);
  const defaults = DEFAULTS.get(type);
  return defaults ? withDefaults(full, defaults) : full;
}

/** The same for a value that passes for a record although it may leave something out. */
export function expandRecord(record: LogRecord, session: string | null): LogRecord {
  return expandShortForms(record as unknown as Fields, session) as unknown as LogRecord;
}

function withDefaults(record: Fields, defaults: Readonly<Fields>): Fields {
  // Runs for every line of every log; most omit nothing, so the copy is made only when needed.
  let full = record;
  for (const name in defaults) {
    if (record[name] !== undefined) continue;
    if (full === record) full = { ...record };
    full[name] = defaults[name];
  }
  return full;
}

/** Times count in milliseconds: further digits are cut, missing ones are zero. */
function expandTime(record: Fields): Fields {
  const { time } = record;
  // A full time has 24 characters and ends in Z; whether it is valid is checked with the rest of the record.
  if (typeof time !== "string" || (time.length === 24 && time.endsWith("Z")) || !SHORT_TIME.test(time)) return record;
  const ms = Date.parse(time);
  return Number.isNaN(ms) ? record : { ...record, time: new Date(ms).toISOString() };
}

/** A message without an author is from a person; if it belongs to a turn, it is the prompt of that turn. */
function expandUser(record: Fields): Fields {
  return record["kind"] === undefined && record["turn_id"] !== undefined ? { ...record, kind: "prompt" } : record;
}

/** The status `skipped` stands for an interrupted call that never ran. Structured output also gets a text. */
function expandToolFinished(record: Fields): Fields {
  const skipped = record["status"] === "skipped" ? { status: "interrupted", skipped: true } : {};
  const { output } = record;
  const isData = output !== undefined && output !== null && typeof output !== "string";
  if (!isData && record["status"] !== "skipped") return record;
  return { ...record, ...skipped, ...(isData ? { output: JSON.stringify(output), structured: output } : {}) };
}

function expandContext(record: Fields): Fields {
  const { sources } = record;
  if (!Array.isArray(sources)) return record;
  const full = sources.map((one: unknown) =>
    typeof one === "object" && one !== null ? withDefaults(one as Fields, SOURCE_DEFAULTS) : one,
  );
  return full.every((one, i) => one === sources[i]) ? record : { ...record, sources: full };
}
