import { addIdentities, type DraftLoader, type RecordIdentity, type PartGroup } from "./parts.ts";
import type { FileDraft } from "./model.ts";
import { sessionKey, keyOfSession } from "../record/session-key.ts";
import { getOrAdd } from "../base/maps.ts";

/**
 * Forks, old-style resumes and background hand-overs write a new file that begins with a copy of another session. The
 * copy must not count. If the file names its origin, that is used; otherwise copies are recognised by equal trigger
 * identities.
 */
export function removeCopiedHistory(groups: PartGroup[], loader: DraftLoader): void {
  const byKey = new Map(groups.map((group) => [sessionKey(group), group]));
  const copies = removeWholeCopies(groups, byKey, loader);
  const owners = new Map<string, Set<PartGroup>>();
  for (const group of groups) {
    if (copies.has(group)) continue;
    for (const part of group.parts) {
      for (const turn of part.turns) {
        if (turn.identity === null || !loader.hasUniqueIdentities(group.source)) continue;
        getOrAdd(owners, turn.identity, () => new Set()).add(group);
      }
    }
  }
  const sharing = new Map<PartGroup, Set<PartGroup>>();
  const pair = (a: PartGroup, b: PartGroup): void => {
    if (a === b || a.source !== b.source || copies.has(a) || copies.has(b)) return;
    getOrAdd(sharing, a, () => new Set()).add(b);
    getOrAdd(sharing, b, () => new Set()).add(a);
  };
  for (const family of owners.values()) for (const a of family) for (const b of family) pair(a, b);
  for (const group of groups) {
    const origin = group.parts[0]?.meta.forked_from;
    const parent = origin ? byKey.get(keyOfSession(group.source, origin)) : undefined;
    if (parent) pair(group, parent);
  }
  for (const family of families(sharing)) untangle(family, byKey, loader);
}

/**
 * Handles sessions that were created from another one as a whole, possibly in another format: if the original is
 * present, nothing in the copy counts. A claim to be a copy of something that is itself a copy is ignored, so that two
 * sessions naming each other both count.
 */
function removeWholeCopies(
  groups: readonly PartGroup[],
  byKey: ReadonlyMap<string, PartGroup>,
  loader: DraftLoader,
): ReadonlySet<PartGroup> {
  const originOf = (group: PartGroup): PartGroup | undefined => {
    const named = group.parts[0]?.meta.copy_of;
    const origin = named && byKey.get(sessionKey(named));
    return origin === group ? undefined : origin;
  };
  const copies = new Map<PartGroup, PartGroup>();
  for (const group of groups) {
    const origin = originOf(group);
    if (origin && !originOf(origin)) copies.set(group, origin);
  }
  for (const [group, origin] of copies) {
    group.copied = true;
    group.parts = group.parts.map((part) => {
      const all = new Set<string>();
      addIdentities(all, loader.identities(part));
      return loader.readInherited(part, all);
    });
    const message = `a copy of ${sessionKey(origin)}, which is read from its own files; it counts there`;
    group.diagnostics.push(
      ...group.parts.map(({ source, path }) => ({ code: "file_duplicate" as const, source, path, message })),
    );
  }
  return new Set(copies.keys());
}

/** Connected groups of sessions that share records. */
function families(sharing: Map<PartGroup, Set<PartGroup>>): PartGroup[][] {
  const seen = new Set<PartGroup>();
  const out: PartGroup[][] = [];
  for (const start of sharing.keys()) {
    if (seen.has(start)) continue;
    const family: PartGroup[] = [];
    const queue = [start];
    seen.add(start);
    for (let next = queue.pop(); next; next = queue.pop()) {
      family.push(next);
      for (const other of sharing.get(next) ?? []) {
        if (seen.has(other)) continue;
        seen.add(other);
        queue.push(other);
      }
    }
    out.push(family);
  }
  return out;
}

/** Orders a family so that originals come before copies, then reads each later member knowing what the earlier ones hold. */
function untangle(family: PartGroup[], byKey: ReadonlyMap<string, PartGroup>, loader: DraftLoader): void {
  const records = new Map<PartGroup, RecordIdentity[]>();
  const holders = new Map<string, number>();
  for (const group of family) {
    const list = group.parts.flatMap((part) => loader.identities(part));
    records.set(group, list);
    for (const identity of new Set(list.map((at) => at.identity))) {
      if (identity !== null) holders.set(identity, (holders.get(identity) ?? 0) + 1);
    }
  }
  const age = new Map(family.map((group) => [group, ownBirth(records.get(group) ?? [], holders)]));
  const isOlder = (a: PartGroup, b: PartGroup): number =>
    (age.get(a) ?? 0) - (age.get(b) ?? 0) || (a.session_id < b.session_id ? -1 : 1);
  const { origins, refuted } = originsOf(family, byKey, isOlder);
  const depth = new Map(family.map((group) => [group, depthOf(group, origins)]));
  const ordered = family.toSorted((a, b) => (depth.get(a) ?? 0) - (depth.get(b) ?? 0) || isOlder(a, b));
  const known = new Set<string>();
  const owners = new Map<string, PartGroup>();
  for (const [i, group] of ordered.entries()) {
    const own = records.get(group) ?? [];
    // A first member that claims to be a copy was read as a copy; its history must count somewhere, so it is read
    // again.
    if (i > 0 || refuted.has(group)) {
      // The draft keeps this set for later rereads, so it must not grow by the session's own records.
      const earlier = new Set(known);
      const parent = refuted.has(group) ? null : parentOf(own, owners, origins.get(group), records);
      const copied = parent ? lastCopiedPrompt(own, parent) : null;
      group.parts = group.parts.map((part) => reread(part, earlier, loader, parent, copied));
      if (refuted.has(group)) disown(group);
    }
    addIdentities(known, own);
    for (const { identity } of own) if (identity !== null && !owners.has(identity)) owners.set(identity, group);
  }
}

function reread(
  part: FileDraft,
  known: ReadonlySet<string>,
  loader: DraftLoader,
  parent: PartGroup | null,
  copied: string | null,
): FileDraft {
  const fresh = loader.readInherited(part, known);
  if (fresh.records.inherited === 0 || !parent) return fresh;
  fresh.meta.forked_from = parent.session_id;
  if (copied !== null) fresh.meta.forked_after = copied;
  return fresh;
}

/** The identity of the last prompt that a copy shares with its parent. */
function lastCopiedPrompt(records: readonly RecordIdentity[], parent: PartGroup): string | null {
  const prompts = new Set(parent.parts.flatMap(({ turns }) => turns.map(({ identity }) => identity)));
  return records.findLast(({ identity }) => identity !== null && prompts.has(identity))?.identity ?? null;
}

/**
 * The session a copy was made from: the owner of the last shared record in the copy. In a fork of a fork the first
 * records appear in all sessions, the last ones only in its parent. An origin named by the file is used if it holds
 * that record as well.
 */
function parentOf(
  records: readonly RecordIdentity[],
  owners: ReadonlyMap<string, PartGroup>,
  named: PartGroup | undefined,
  all: ReadonlyMap<PartGroup, readonly RecordIdentity[]>,
): PartGroup | null {
  const last = records.findLast(({ identity }) => identity !== null && owners.has(identity))?.identity ?? null;
  if (last === null) return null;
  const holds = named && all.get(named)?.some(({ identity }) => identity === last);
  return holds ? named : (owners.get(last) ?? null);
}

/**
 * When the session itself began. Copied records keep their old times, so only records that no other file shares can
 * tell: the original wrote bookkeeping lines between its first prompts; the earliest own line of a copy dates from the
 * fork.
 */
function ownBirth(records: readonly RecordIdentity[], holders: ReadonlyMap<string, number>): number {
  let birth = Number.POSITIVE_INFINITY;
  for (const { identity, time } of records) {
    if (time === null || (identity !== null && (holders.get(identity) ?? 0) > 1)) continue;
    if (time < birth) birth = time;
  }
  return birth;
}

interface Origins {
  /** For each session of the family, the session it says it was created from. */
  origins: ReadonlyMap<PartGroup, PartGroup>;
  /** In a cycle of such claims, the session that came first: it cannot originate from a later one. */
  refuted: ReadonlySet<PartGroup>;
}

function originsOf(
  family: readonly PartGroup[],
  byKey: ReadonlyMap<string, PartGroup>,
  isOlder: (a: PartGroup, b: PartGroup) => number,
): Origins {
  const origins = new Map<PartGroup, PartGroup>();
  for (const group of family) {
    const named = group.parts[0]?.meta.forked_from ?? null;
    const origin = named === null ? undefined : byKey.get(keyOfSession(group.source, named));
    if (origin && origin !== group) origins.set(group, origin);
  }
  const refuted = new Set<PartGroup>();
  const settled = new Set<PartGroup>();
  for (const start of family) {
    const path: PartGroup[] = [];
    let at: PartGroup | undefined = start;
    while (at && !settled.has(at) && !path.includes(at)) {
      path.push(at);
      at = origins.get(at);
    }
    const circle = at && path.includes(at) ? path.slice(path.indexOf(at)) : [];
    const [first] = circle.toSorted(isOlder);
    if (first) {
      origins.delete(first);
      refuted.add(first);
    }
    for (const group of path) settled.add(group);
  }
  return { origins, refuted };
}

/** The number of origins above a session. */
function depthOf(group: PartGroup, origins: ReadonlyMap<PartGroup, PartGroup>): number {
  let depth = 0;
  for (let at = origins.get(group); at; at = origins.get(at)) depth++;
  return depth;
}

function disown(group: PartGroup): void {
  const [part] = group.parts;
  if (!part) return;
  const { source, path } = part;
  const message = `${group.session_id} says that it comes from ${part.meta.forked_from ?? "another"}, which says that it comes from it; it came first`;
  group.diagnostics.push({ code: "lineage_cycle", source, path, message });
  for (const one of group.parts) one.meta.forked_from = null;
}
