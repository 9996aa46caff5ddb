import { createHash } from "node:crypto";
import { instant } from "../../io/instant.ts";
import { tokensOf } from "./impossible.ts";

/** A JSON object as the agent wrote it: nothing about its fields is taken for granted. */
export type Native = Record<string, unknown>;

export function obj(value: unknown): Native | null {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Native) : null;
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The items that are objects; whatever else stands in the list is passed over. */
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

export function num(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

/** A token count: anything that cannot be one counts nothing, nor does a part of a token. */
export const count: (value: unknown) => number = tokensOf;

/** A whole number from 0 on; anything else is no count. */
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

/** Short stand-in for a text that only has to be recognised again. */
export function digest(text: string): string {
  return createHash("sha1").update(text).digest("base64url").slice(0, 12);
}
