/** An unchecked JSON object. */
type Fields = Record<string, unknown>;

/** Defaults of omitted fields: of every record, of records of one type, of a source in a `context` record. */
export const ENVELOPE_DEFAULTS: Readonly<Fields> = { origin: {}, time: null };
export const DEFAULTS: ReadonlyMap<unknown, Readonly<Fields>> = new Map([
  ["session_meta", { source: "unknown", kind: "root", cwd: null, started_at: null, agent_version: null }],
  ["user", { author: "human" }],
  ["tool_finished", { exit_code: null, duration_ms: null }],
]);
export const SOURCE_DEFAULTS: Readonly<Fields> = { path: null, hash: null, truncated: false };

/**
 * Fills in the fields that a writer may omit and expands abbreviated ones; returns the same object when there is
 * nothing to do. Invalid fields stay as they are and are reported by the check that follows.
 */
export function expandShortForms(record: Fields): Fields {
  const { type } = record;
  let full = withDefaults(record, ENVELOPE_DEFAULTS);
  if (type === "user" && full["author"] === undefined) full = expandUser(full);
  if (type === "tool_finished") full = expandToolFinished(full);
  if (type === "context") full = expandContext(full);
  const defaults = DEFAULTS.get(type);
  return defaults ? withDefaults(full, defaults) : full;
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
