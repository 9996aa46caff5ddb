import { addKnown, type DraftLoader, type IdentityAt, type PartGroup } from "./parts.ts";
import type { FileDraft } from "./model.ts";

/**
 * Forks, old-style resumes and background hand-overs write a new file that begins with a copy of another session. The copy
 * must count for nothing. Where the file names its origin that is believed; otherwise equal trigger identities give it away.
 */
export function removeCopiedHistory(groups: PartGroup[], loader: DraftLoader): void {
  const byKey = new Map(groups.map((group) => [`${group.source}/${group.session_id}`, group]));
  const owners = new Map<string, PartGroup[]>();
  for (const group of groups) {
    for (const part of group.parts) {
      for (const turn of part.turns) {
        if (turn.identity === null || !loader.identifies(group.source)) continue;
        const known = owners.get(turn.identity);
        if (!known) owners.set(turn.identity, [group]);
        else if (!known.includes(group)) known.push(group);
      }
    }
  }
  const sharing = new Map<PartGroup, Set<PartGroup>>();
  const pair = (a: PartGroup, b: PartGroup): void => {
    if (a === b || a.source !== b.source) return;
    sharing.set(a, (sharing.get(a) ?? new Set()).add(b));
    sharing.set(b, (sharing.get(b) ?? new Set()).add(a));
  };
  for (const family of owners.values()) for (const a of family) for (const b of family) pair(a, b);
  for (const group of groups) {
    const origin = group.parts[0]?.meta.forked_from;
    const parent = origin ? byKey.get(`${group.source}/${origin}`) : undefined;
    if (parent) pair(group, parent);
  }
  for (const family of families(sharing)) untangle(family, byKey, loader);
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
  const records = new Map<PartGroup, IdentityAt[]>();
  const holders = new Map<string, number>();
  for (const group of family) {
    const list = group.parts.flatMap((part) => loader.identities(part));
    records.set(group, list);
    for (const identity of new Set(list.map((at) => at.identity))) {
      if (identity !== null) holders.set(identity, (holders.get(identity) ?? 0) + 1);
    }
  }
  const age = new Map(family.map((group) => [group, ownBirth(records.get(group) ?? [], holders)]));
  const depth = new Map(family.map((group) => [group, ancestry(group, byKey)]));
  const ordered = family.toSorted(
    (a, b) =>
      (depth.get(a) ?? 0) - (depth.get(b) ?? 0) ||
      (age.get(a) ?? 0) - (age.get(b) ?? 0) ||
      (a.session_id < b.session_id ? -1 : 1),
  );
  const known = new Set<string>();
  for (const [i, group] of ordered.entries()) {
    if (i > 0) {
      // Kept with the draft for reading it again, so it must not grow by the session's own records.
      const earlier = new Set(known);
      group.parts = group.parts.map((part) => reread(part, earlier, loader, ordered));
    }
    addKnown(known, records.get(group) ?? []);
  }
}

function reread(part: FileDraft, known: ReadonlySet<string>, loader: DraftLoader, family: PartGroup[]): FileDraft {
  const fresh = loader.readInherited(part, known);
  if (fresh.records.inherited > 0 && fresh.meta.forked_from === null && family[0]?.session_id !== fresh.session_id) {
    fresh.meta.forked_from = family[0]?.session_id ?? null;
  }
  return fresh;
}

/**
 * When the session itself began. Copied records keep their old times, so only records that no other file shares can tell:
 * the original wrote bookkeeping lines between its first prompts, a copy's earliest own line is from the time of the fork.
 */
function ownBirth(records: readonly IdentityAt[], holders: ReadonlyMap<string, number>): number {
  let birth = Number.POSITIVE_INFINITY;
  for (const { identity, time } of records) {
    if (time === null || (identity !== null && (holders.get(identity) ?? 0) > 1)) continue;
    if (time < birth) birth = time;
  }
  return birth;
}

/** How many declared ancestors stand above a session; a cycle counts as none. */
function ancestry(group: PartGroup, byKey: ReadonlyMap<string, PartGroup>): number {
  const seen = new Set<PartGroup>();
  let at: PartGroup | undefined = group;
  while (at && !seen.has(at)) {
    seen.add(at);
    const origin: string | null = at.parts[0]?.meta.forked_from ?? null;
    at = origin === null ? undefined : byKey.get(`${at.source}/${origin}`);
    if (at && seen.has(at)) return 0;
  }
  return seen.size - 1;
}
