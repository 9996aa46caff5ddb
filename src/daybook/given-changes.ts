import { createHash } from "node:crypto";
import type { OpenIndex } from "../store/open-index.ts";
import type { SessionChange } from "../store/tables/changes.ts";
import { refOf } from "../turns/session.ts";

/** By session, a digest of all that is said of it and of its turns. */
export type SessionDigests = ReadonlyMap<string, string>;

export function sessionDigests({ store, scope }: Pick<OpenIndex, "store" | "scope">): SessionDigests {
  const digests = new Map<string, string>();
  // One session at a time: the views of all turns together are most of what the index holds.
  for (const row of store.all("SELECT key, view FROM session ORDER BY key")) {
    const key = String(row["key"]);
    if (scope?.has(key) === false) continue;
    const digest = createHash("sha1").update(String(row["view"]));
    for (const turn of store.all("SELECT view FROM turn WHERE session = ? ORDER BY ref", key))
      digest.update("\n").update(String(turn["view"]));
    digests.set(key, digest.digest("base64"));
  }
  return digests;
}

/**
 * What became of sessions between two states of another store. Where it changed and no session did, it was something beside them, as what
 * calls gave back: nobody can say whose answers are different, so all may be.
 */
export function changesBetween(before: SessionDigests, after: SessionDigests): SessionChange[] {
  const changes: SessionChange[] = [];
  const note = (key: string, change: SessionChange["change"]): void => {
    const { source, session_id } = refOf(key);
    changes.push({ source, session_id, change });
  };
  for (const [key, digest] of after) {
    if (!before.has(key)) note(key, "appeared");
    else if (before.get(key) !== digest) note(key, "changed");
  }
  for (const key of before.keys()) if (!after.has(key)) note(key, "removed");
  if (changes.length === 0) for (const key of after.keys()) note(key, "changed");
  return changes;
}
