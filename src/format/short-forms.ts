/** A JSON object nobody has checked. */
type Fields = Record<string, unknown>;

/** What a field is when it is left out: of every record, of those of one type, of a source named by a `context`. */
export const ENVELOPE_DEFAULTS: Readonly<Fields> = { origin: {}, time: null };
export const DEFAULTS: ReadonlyMap<unknown, Readonly<Fields>> = new Map([
  ["session_meta", { source: "unknown", kind: "root", cwd: null, started_at: null, agent_version: null }],
  ["user", { author: "human" }],
  ["tool_finished", { exit_code: null, duration_ms: null }],
]);
export const SOURCE_DEFAULTS: Readonly<Fields> = { path: null, hash: null, truncated: false };

/**
 * What a writer may leave out or say in short, said in full; the same object when it is in full already. Nothing else is
 * changed: what is wrong stays wrong, and is reported by whoever checks.
 */
export function inFull(record: Fields): Fields {
  const { type } = record;
  let full = withDefaults(record, ENVELOPE_DEFAULTS);
  if (type === "user" && full["author"] === undefined) full = asked(full);
  if (type === "tool_finished") full = settled(full);
  if (type === "context") full = sourced(full);
  const defaults = DEFAULTS.get(type);
  return defaults ? withDefaults(full, defaults) : full;
}

function withDefaults(record: Fields, defaults: Readonly<Fields>): Fields {
  // Every line of every log comes by here, and most leave nothing out.
  let full = record;
  for (const name in defaults) {
    if (record[name] !== undefined) continue;
    if (full === record) full = { ...record };
    full[name] = defaults[name];
  }
  return full;
}

/** A message without an author is a person's; where it belongs to a turn it is what the turn was asked for. */
function asked(record: Fields): Fields {
  return record["kind"] === undefined && record["turn_id"] !== undefined ? { ...record, kind: "prompt" } : record;
}

/** `skipped` is no end of a call of its own: it never ran. A result that is data has a text as well. */
function settled(record: Fields): Fields {
  const skipped = record["status"] === "skipped" ? { status: "interrupted", skipped: true } : {};
  const { output } = record;
  const isData = output !== undefined && output !== null && typeof output !== "string";
  if (!isData && record["status"] !== "skipped") return record;
  return { ...record, ...skipped, ...(isData ? { output: JSON.stringify(output), structured: output } : {}) };
}

function sourced(record: Fields): Fields {
  const { sources } = record;
  if (!Array.isArray(sources)) return record;
  const full = sources.map((one: unknown) =>
    typeof one === "object" && one !== null ? withDefaults(one as Fields, SOURCE_DEFAULTS) : one,
  );
  return full.every((one, i) => one === sources[i]) ? record : { ...record, sources: full };
}
