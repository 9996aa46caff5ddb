import type { Io } from "./io.ts";

/** Separator between the elements of a list. */
export const JOINT = ",\n    ";

/** A value that is already JSON text; in a list, one or more elements joined by `JOINT`. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

const CHUNK = 256 * 1024;

/**
 * Prints a value indented, with the elements of its lists one per line, so that lines can be counted, cut and
 * searched. The output is streamed: it never exists as one string, and lists may be iterators.
 */
export function printJson(io: Io, value: unknown): void {
  const out = (text: string): void => printJsonText(io, text);
  let text = "";
  for (const piece of pieces(value)) {
    text += piece;
    if (text.length < CHUNK) continue;
    out(text);
    text = "";
  }
  out(`${text}\n`);
}

/** Prints text that is already JSON, or one line of it. */
export function printJsonText(io: Io, text: string): void {
  if (io.json) io.json(text);
  else io.out(text);
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

function* listed(list: Iterable<unknown>): Generator<string, void, undefined> {
  let before = "[";
  for (const element of list) {
    const text = element instanceof JsonText ? element.text : (JSON.stringify(element) ?? "null");
    yield `${before}\n    ${text}`;
    before = ",";
  }
  yield before === "[" ? "[]" : "\n  ]";
}

/** Line breaks inside strings are escaped, so every line break in the text may be indented. */
function pretty(value: unknown, indent: number): string {
  return (JSON.stringify(value, null, 2) ?? "null").replaceAll("\n", `\n${" ".repeat(indent)}`);
}

/** An array, or an iterator that produces the elements one by one. */
function isList(value: unknown): value is Iterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.iterator in value;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
