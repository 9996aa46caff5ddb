import { parseJson } from "../io/json.ts";
/** Reading of values whose shape an agent decides. */
export type Fields = Record<string, unknown>;

export function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

/** An object's fields; text that holds a JSON object is taken apart; anything else has none. */
export function fieldsOf(value: unknown): Fields {
  const found = typeof value === "string" ? parsed(value) : value;
  return typeof found === "object" && found !== null && !Array.isArray(found) ? (found as Fields) : {};
}

const LARGEST = 4 << 20;

export function parsed(text: string): unknown {
  if (text.length > LARGEST || !/^\s*[{[]/.test(text)) return undefined;
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** The field itself, never what every object inherits: keys come from session files. */
export function own(fields: Fields, key: string): unknown {
  return Object.hasOwn(fields, key) ? fields[key] : undefined;
}
