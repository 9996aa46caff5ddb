import { parseJson } from "../../io/json.ts";

/** What a program printed as one JSON object per line; whatever else it printed between them is left. */
export function printedEvents(printed: string): object[] {
  return printed.split("\n").flatMap((line) => {
    const event = line.startsWith("{") ? parsedOrNull(line) : null;
    return typeof event === "object" && event !== null ? [event] : [];
  });
}

export function parsedOrNull(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return null;
  }
}

/** A number as programs state it; 0 where they state none. */
export function countOf(value: unknown): number {
  return typeof value === "number" && value > 0 ? value : 0;
}

export function wordsOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}
