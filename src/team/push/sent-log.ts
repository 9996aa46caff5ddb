import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Level } from "../../views/push-level.ts";

/** What was sent, where to, and how much. */
export interface SentEntry {
  time: string;
  to: string;
  level: Level;
  machine_id: string;
  sessions: number;
  forgotten: number;
  rows: number;
  bytes: number;
  /** The ids of the sent sessions, as their agents call them. */
  session_ids: string[];
}

/** Append-only: what was sent stays on record, whatever happens to the store. */
export function logSent(home: string, entry: SentEntry): void {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  appendFileSync(sentLog(home), `${JSON.stringify(entry)}\n`, { mode: 0o600 });
}

export function sentLog(home: string): string {
  return join(home, "pushed.jsonl");
}
