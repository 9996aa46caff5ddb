import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { SourceRef } from "../../agents/contract.ts";
import { appendLines } from "./append-lines.ts";
import { sessionKey, keyOfSession } from "../../record/session-key.ts";

/** A session that was removed from the book: its id, and none of its content. */
export interface ForgottenEntry {
  source: string;
  session_id: string;
  forgotten_at: string;
  /** Hashes of its file paths: a path may reveal a project. */
  files: string[];
}

type AllowedEntry = Pick<ForgottenEntry, "source" | "session_id"> & { allowed_at: string };

function listOf(home: string): string {
  return join(home, "book", "forgotten.jsonl");
}

/**
 * Sessions that must not be added to the book again while the agent's files still exist. The list is append-only and
 * the last line about a session wins; a line that a crash cut short is ignored.
 */
export class Forgotten {
  readonly #sessions = new Map<string, ForgottenEntry>();
  readonly #files = new Set<string>();

  constructor(home: string | undefined) {
    for (const line of home === undefined ? [] : linesOf(listOf(home))) {
      const key = sessionKey(line);
      if ("files" in line) this.#sessions.set(key, line);
      else this.#sessions.delete(key);
    }
    for (const { files } of this.#sessions.values()) for (const file of files) this.#files.add(file);
  }

  get all(): ForgottenEntry[] {
    return [...this.#sessions.values()];
  }

  get isEmpty(): boolean {
    return this.#sessions.size === 0;
  }

  has(source: string, sessionId: string): boolean {
    return this.#sessions.has(keyOfSession(source, sessionId));
  }

  hasFile(ref: Pick<SourceRef, "source" | "path" | "key">): boolean {
    return this.#files.size > 0 && this.#files.has(fileHash(ref));
  }
}

/** Identifies a file without revealing its path. */
export function fileHash({ source, path, key = "" }: Pick<SourceRef, "source" | "path" | "key">): string {
  return createHash("sha256").update(`${source}\t${path}\t${key}`).digest("hex").slice(0, 32);
}

/** Adds lines. Once they are on disk, any later sync can complete the removal. */
export function addForgotten(home: string, lines: readonly (ForgottenEntry | AllowedEntry)[]): void {
  appendLines(listOf(home), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
}

function linesOf(path: string): (ForgottenEntry | AllowedEntry)[] {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    return [];
  }
  return text.split("\n").flatMap((line): (ForgottenEntry | AllowedEntry)[] => {
    try {
      const { source, session_id, files, forgotten_at, allowed_at } = JSON.parse(line) as Record<string, unknown>;
      if (typeof source !== "string" || typeof session_id !== "string") return [];
      if (typeof allowed_at === "string") return [{ source, session_id, allowed_at }];
      const names = Array.isArray(files) ? files.filter((file) => typeof file === "string") : [];
      return typeof forgotten_at === "string" ? [{ source, session_id, forgotten_at, files: names }] : [];
    } catch {
      return [];
    }
  });
}
