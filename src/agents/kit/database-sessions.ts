import { createHash } from "node:crypto";
import type { Row } from "../../base/io/sqlite.ts";
import { databaseFingerprint } from "../../base/io/sqlite-fingerprint.ts";
import type { DiscoverContext } from "../contract.ts";

/** A session listed by the database that holds it. */
export interface ListedRow {
  id: string;
  /** Changes whenever a row of the session does. */
  stamp: string;
  updated: number;
  /** Stored size of its documents. */
  bytes: number;
  /** Start time, for sources that need it to tell sessions apart. */
  begun?: number | null;
}

/**
 * The sessions of a database: from the note of the last discovery if the database has not changed since, else from
 * `list`, which returns null for a database of another program.
 */
export function listDatabaseSessions(
  ctx: Pick<DiscoverContext, "note" | "noted">,
  path: string,
  list: () => ListedRow[] | null,
): ListedRow[] | null {
  // Taken before the rows are read: a commit in between changes the fingerprint, so the next discovery lists again.
  const fingerprint = databaseFingerprint(path);
  const note = fingerprint === null ? null : (ctx.noted?.(path) ?? null);
  const known = note === null ? null : fromNote(note, fingerprint);
  if (known) return known;
  const sessions = list();
  if (sessions && fingerprint !== null) ctx.note?.(path, toNote(fingerprint, sessions));
  return sessions;
}

/** A short hash of facts queried from a session's rows. */
export function stampOf(facts: readonly unknown[]): string {
  return createHash("sha256")
    .update(JSON.stringify(facts, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value)))
    .digest("base64url")
    .slice(0, 16);
}

/** Approximate size of a row: the length of its texts, and eight bytes for every other value. */
export function sizeOfRow(row: Row): number {
  return Object.values(row).reduce<number>((sum, value) => sum + (typeof value === "string" ? value.length : 8), 0);
}

/** To be raised when stamps are made from other facts: older notes are then ignored. */
const VERSION = 3;

type NotedRow = [id: string, stamp: string, updated: number, bytes: number, begun?: number | null];

function toNote(fingerprint: string, sessions: readonly ListedRow[]): string {
  const rows = sessions.map(({ id, stamp, updated, bytes, begun }): NotedRow =>
    begun === undefined ? [id, stamp, updated, bytes] : [id, stamp, updated, bytes, begun],
  );
  return JSON.stringify([VERSION, fingerprint, rows]);
}

function fromNote(note: string, fingerprint: string | null): ListedRow[] | null {
  let parsed: [number, string, NotedRow[]];
  try {
    parsed = JSON.parse(note) as typeof parsed;
  } catch {
    // The note is only an optimisation: if it cannot be parsed, the sessions are listed again.
    return null;
  }
  const [version, noted, rows] = parsed;
  if (version !== VERSION || noted !== fingerprint) return null;
  return rows.map(([id, stamp, updated, bytes, begun]) =>
    begun === undefined ? { id, stamp, updated, bytes } : { id, stamp, updated, bytes, begun },
  );
}
