import { parseJson } from "../../base/io/json.ts";

/** The JSON objects that a program printed, one per line; other output is ignored. */
export function printedEvents(printed: string): object[] {
  return printed.split("\n").flatMap((line) => {
    const event = line.startsWith("{") ? parseOrNull(line) : null;
    return typeof event === "object" && event !== null ? [event] : [];
  });
}

export function parseOrNull(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return null;
  }
}

/** A positive number; 0 for anything else. */
export function countOf(value: unknown): number {
  return typeof value === "number" && value > 0 ? value : 0;
}

export function nonEmptyString(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}
