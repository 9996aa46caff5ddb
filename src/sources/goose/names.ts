import type { DatabaseSession } from "../kit/database-sessions.ts";
import type { DiscoverContext } from "../contract.ts";

/**
 * Goose counts its sessions from 1 each day, separately in every store: `20261114_1` is another session on another
 * machine. If two stores use an id for sessions that began at different times, one keeps it and the others get the time
 * of day appended.
 */
const COUNTED = /^\d{8}_\d{1,5}$/;
const APART = /^(\d{8}_\d{1,5})-\d{6}$/;

/** Goose's own id of a session. */
export function idOf(name: string): string {
  return APART.exec(name)?.[1] ?? name;
}

export function isDistinctName(name: string): boolean {
  return APART.test(name);
}

export function distinctId(id: string, begun: number | null): string {
  if (begun === null || !COUNTED.test(id)) return id;
  return `${id}-${new Date(begun).toISOString().slice(11, 19).replaceAll(":", "")}`;
}

export interface Store {
  path: string;
  sessions: readonly DatabaseSession[];
}

/** The note belongs to no particular path. */
const NOTE = "";

/**
 * Names for the sessions of all stores, by path. Existing names are kept; for the others, the oldest store comes first.
 */
export function nameSessions(
  ctx: Pick<DiscoverContext, "known" | "note" | "noted">,
  stores: readonly Store[],
): Map<string, Map<DatabaseSession, string>> {
  const noted = ctx.noted?.(NOTE) ?? null;
  const holders = new Map(noted === null ? [] : (JSON.parse(noted) as [string, number][]));
  const names = new Map<string, Map<DatabaseSession, string>>();
  const ordered = stores.toSorted((a, b) => oldest(a) - oldest(b) || (a.path < b.path ? -1 : 1));
  // If the note was lost, the refs read before still tell which session has the id.
  for (const { path, sessions } of ordered) {
    const known = new Set(ctx.known?.(path).map((ref) => ref.key));
    for (const { id, begun } of sessions) if (known.has(id)) claim(holders, id, begun ?? null);
  }
  for (const { path, sessions } of ordered)
    names.set(path, new Map(sessions.map((session) => [session, nameOf(holders, session)])));
  if (holders.size > 0) ctx.note?.(NOTE, JSON.stringify([...holders].toSorted(([a], [b]) => (a < b ? -1 : 1))));
  return names;
}

function nameOf(holders: Map<string, number>, { id, begun = null }: DatabaseSession): string {
  return claim(holders, id, begun) ? id : distinctId(id, begun);
}

/** True if the id is free, or was already given to this session. */
function claim(holders: Map<string, number>, id: string, begun: number | null): boolean {
  if (begun === null || !COUNTED.test(id)) return true;
  const second = Math.floor(begun / 1000);
  const holder = holders.get(id);
  if (holder === undefined) holders.set(id, second);
  return holder === undefined || holder === second;
}

function oldest({ sessions }: Store): number {
  return Math.min(...sessions.map((session) => session.begun ?? Number.POSITIVE_INFINITY));
}
