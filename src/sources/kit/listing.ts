import { createHash } from "node:crypto";
import type { Row } from "../../io/sqlite.ts";
import { databaseFingerprint } from "../../io/sqlite-fingerprint.ts";
import type { DiscoverContext } from "../contract.ts";

/** A session as the database that holds it lists it. */
export interface ListedSession {
  id: string;
  /** Changes whenever a row of the session does. */
  stamp: string;
  updated: number;
  /** Of its documents, as they are stored. */
  bytes: number;
  /** When it began, where that is needed to know it from others. */
  begun?: number | null;
}

/**
 * The sessions of a database: as they were noted when it was looked at last and stood as it stands now, else listed anew. `list`
 * returns null for a database of somebody else's.
 */
export function listedSessions(
  ctx: Pick<DiscoverContext, "note" | "noted">,
  path: string,
  list: () => ListedSession[] | null,
): ListedSession[] | null {
  // Taken before the rows are looked at: what is committed meanwhile makes another print, and is looked for next time.
  const print = databaseFingerprint(path);
  const noted = print === null ? null : (ctx.noted?.(path) ?? null);
  const known = noted === null ? null : fromNote(noted, print);
  if (known) return known;
  const sessions = list();
  if (sessions && print !== null) ctx.note?.(path, toNote(print, sessions));
  return sessions;
}

/** What was asked of a session's rows, in few letters. */
export function stampOf(facts: readonly unknown[]): string {
  return createHash("sha256")
    .update(JSON.stringify(facts, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value)))
    .digest("base64url")
    .slice(0, 16);
}

/** Of a row as it is reported: letters of its texts, and eight for anything else. */
export function sizeOfRow(row: Row): number {
  return Object.values(row).reduce<number>((sum, value) => sum + (typeof value === "string" ? value.length : 8), 0);
}

/** Raised when stamps are made of other facts: what was noted before is void then. */
const VERSION = 3;

type Noted = [id: string, stamp: string, updated: number, bytes: number, begun?: number | null];

function toNote(print: string, sessions: readonly ListedSession[]): string {
  const rows = sessions.map(({ id, stamp, updated, bytes, begun }): Noted =>
    begun === undefined ? [id, stamp, updated, bytes] : [id, stamp, updated, bytes, begun],
  );
  return JSON.stringify([VERSION, print, rows]);
}

function fromNote(note: string, print: string | null): ListedSession[] | null {
  let parsed: [number, string, Noted[]];
  try {
    parsed = JSON.parse(note) as typeof parsed;
  } catch {
    // Only a help: what cannot be read is listed anew.
    return null;
  }
  const [version, stood, rows] = parsed;
  if (version !== VERSION || stood !== print) return null;
  return rows.map(([id, stamp, updated, bytes, begun]) =>
    begun === undefined ? { id, stamp, updated, bytes } : { id, stamp, updated, bytes, begun },
  );
}
