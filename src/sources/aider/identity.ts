import { createHash } from "node:crypto";
import type { SourceRef } from "../contract.ts";

export const SOURCE_ID = "aider";
export const HISTORY = ".aider.chat.history.md";
export const INPUT_HISTORY = ".aider.input.history";

/**
 * Aider gives its runs no ids and writes all runs of a repository into one file. Only the position in that file
 * distinguishes them: the file only grows, so the n-th run stays the n-th.
 */
export function sessionIdOf(ref: Pick<SourceRef, "path" | "key">): string {
  const place = createHash("sha256").update(ref.path).digest("hex").slice(0, 8);
  return `${ref.key ?? "run-0001"}-${place}`;
}

export function runKey(index: number): string {
  return `run-${String(index).padStart(4, "0")}`;
}
