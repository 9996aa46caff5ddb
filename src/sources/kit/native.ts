import { createHash } from "node:crypto";
import { instant } from "../../io/instant.ts";
import { tokenCountOf } from "./impossible-numbers.ts";

/** A JSON object as the agent wrote it; nothing is assumed about its fields. */
export type Native = Record<string, unknown>;

export function obj(value: unknown): Native | null {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Native) : null;
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The items of a list that are objects; all others are skipped. */
export function objects(value: unknown): Native[] {
  const out: Native[] = [];
  for (const item of list(value)) {
    const found = obj(item);
    if (found) out.push(found);
  }
  return out;
}

export function str(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

/** A non-empty text. */
export function nonEmpty(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

export function num(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

/** A token count: impossible values count as 0, fractions are cut off. */
export const count: (value: unknown) => number = tokenCountOf;

/** A non-negative integer; null for anything else. */
export function wholeCount(value: unknown): number | null {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 ? value : null;
}

export function millis(value: unknown): number | null {
  const text = str(value);
  return text === null ? null : instant(Date.parse(text));
}

export function iso(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString();
}

/** A short hash, enough to recognise a text when it occurs again. */
export function digest(text: string): string {
  return createHash("sha1").update(text).digest("base64url").slice(0, 12);
}
