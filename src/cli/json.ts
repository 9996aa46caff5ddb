import type { Io } from "./io.ts";

const CHUNK = 256 * 1024;

/** Prints what `JSON.stringify(value, null, 2)` gives, element by element: a long list is never one string. */
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
    if (!Array.isArray(field) || field.length === 0) yield pretty(field, 2);
    else {
      yield "[";
      for (const [k, element] of field.entries()) yield `${k === 0 ? "" : ","}\n    ${pretty(element, 4)}`;
      yield "\n  ]";
    }
  }
  yield "\n}";
}

/** Line breaks inside texts are escaped, so every one that is there may be indented. */
function pretty(value: unknown, indent: number): string {
  return (JSON.stringify(value, null, 2) ?? "null").replaceAll("\n", `\n${" ".repeat(indent)}`);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
