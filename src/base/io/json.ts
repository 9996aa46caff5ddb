/**
 * Maximum nesting depth of objects and arrays. Real records reach 20 levels. Walking a value, and `JSON.stringify`, use
 * one stack frame per level: the parser rejects anything deeper, so code behind it need not check.
 */
export const MAX_DEPTH = 256;

export class TooDeep extends Error {
  constructor() {
    super("nested too deep");
    this.name = "TooDeep";
  }
}

/** Like `JSON.parse`, for untrusted text. Throws `TooDeep` for values nested deeper than `most`. */
export function parseJson(text: string, most: number = MAX_DEPTH): unknown {
  const value: unknown = JSON.parse(text);
  // Every level needs at least two characters, so most lines are accepted by their length alone.
  if (text.length > 2 * most && isDeeper(value, most)) throw new TooDeep();
  return value;
}

/** Recurses no deeper than `most` levels itself. */
export function isDeeper(value: unknown, most: number = MAX_DEPTH): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (most === 0) return true;
  if (Array.isArray(value)) {
    for (const item of value as unknown[])
      if (typeof item === "object" && item !== null && isDeeper(item, most - 1)) return true;
    return false;
  }
  for (const key in value) {
    const item = (value as Record<string, unknown>)[key];
    if (typeof item === "object" && item !== null && isDeeper(item, most - 1)) return true;
  }
  return false;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The fields of an object; any other value has none. */
export function fieldsOf(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {};
}
