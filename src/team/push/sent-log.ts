import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Level } from "../../answers/push-level.ts";

/** What left, where to and how much of it. */
export interface SentEntry {
  time: string;
  to: string;
  level: Level;
  machine_id: string;
  sessions: number;
  forgotten: number;
  rows: number;
  bytes: number;
  /** Those that left, as their agents call them. */
  session_ids: string[];
}

/** Lines are only added: what left stays on record, whatever becomes of the store. */
export function logSent(home: string, entry: SentEntry): void {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  appendFileSync(sentLog(home), `${JSON.stringify(entry)}\n`, { mode: 0o600 });
}

export function sentLog(home: string): string {
  return join(home, "pushed.jsonl");
}
