/**
 * How deep objects and lists may stand in one another. Genuine records reach 20 levels. Walks over a value, and the engine's own
 * way of writing it as JSON, take a frame of the stack for every level: what is deeper than this never gets past the parser, so
 * that no walk behind it has to think of it.
 */
export const DEEPEST = 256;

export class TooDeep extends Error {
  constructor() {
    super("nested too deep");
    this.name = "TooDeep";
  }
}

/** As `JSON.parse`, for text somebody else wrote. Throws `TooDeep` for what is nested deeper than `most`. */
export function parseJson(text: string, most: number = DEEPEST): unknown {
  const value: unknown = JSON.parse(text);
  // Every level needs two characters, so most lines are known by their length.
  if (text.length > 2 * most && isDeeper(value, most)) throw new TooDeep();
  return value;
}

/** Never goes deeper than `most` itself. */
export function isDeeper(value: unknown, most: number = DEEPEST): boolean {
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
