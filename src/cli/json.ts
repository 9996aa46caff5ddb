import type { Io } from "./io.ts";

const CHUNK = 256 * 1024;

/**
 * Prints what `JSON.stringify(value, null, 2)` gives, a few elements at a time: a long list is never one string, and need not be
 * there as a whole.
 */
export function printJson(io: Io, value: unknown): void {
  let text = "";
  for (const piece of pieces(value)) {
    text += piece;
    if (text.length < CHUNK) continue;
    io.out(text);
    text = "";
  }
  io.out(`${text}\n`);
}

function* pieces(value: unknown): Generator<string, void, undefined> {
  const fields = isRecord(value) ? Object.entries(value).filter(([, field]) => field !== undefined) : [];
  if (fields.length === 0) {
    yield pretty(value, 0);
    return;
  }
  yield "{";
  for (const [i, [key, field]] of fields.entries()) {
    yield `${i === 0 ? "" : ","}\n  ${JSON.stringify(key)}: `;
    if (isList(field)) yield* listed(field);
    else yield pretty(field, 2);
  }
  yield "\n}";
}

/** Elements are told some at a time, each batch as deep in a value of its own as it will stand: so it comes indented. */
function* listed(list: Iterable<unknown>): Generator<string, void, undefined> {
  let before = "[";
  for (const batch of batches(list)) {
    yield before + JSON.stringify({ "": batch }, null, 2).slice(AROUND.before.length, -AROUND.after.length);
    before = ",";
  }
  yield before === "[" ? "[]" : "\n  ]";
}

const BATCH = 32;
const AROUND = { before: '{\n  "": [', after: "\n  ]\n}" };

function* batches<T>(list: Iterable<T>): Generator<T[], void, undefined> {
  let batch: T[] = [];
  for (const element of list) {
    batch.push(element);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** Line breaks inside texts are escaped, so every one that is there may be indented. */
function pretty(value: unknown, indent: number): string {
  return (JSON.stringify(value, null, 2) ?? "null").replaceAll("\n", `\n${" ".repeat(indent)}`);
}

/** An array, or elements that are made one by one. */
function isList(value: unknown): value is Iterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.iterator in value;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
