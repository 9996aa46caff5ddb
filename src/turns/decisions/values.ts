import { isObject, parseJson } from "../../base/io/json.ts";
/** Helpers for values whose shape is decided by an agent. */
export type Fields = Record<string, unknown>;

export function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

/** An object's fields; a text that contains a JSON object is parsed; any other value has none. */
export function fieldsOf(value: unknown): Fields {
  const found = typeof value === "string" ? parseJsonText(value) : value;
  return isObject(found) ? found : {};
}

const LARGEST = 4 << 20;

export function parseJsonText(text: string): unknown {
  if (text.length > LARGEST || !/^\s*[{[]/.test(text)) return undefined;
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** Only an own property, never an inherited one: keys come from session files. */
export function ownField(fields: Fields, key: string): unknown {
  return Object.hasOwn(fields, key) ? fields[key] : undefined;
}
