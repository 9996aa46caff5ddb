import { createHash } from "node:crypto";
import type { OpenIndex } from "../store/open-index.ts";
import type { SessionChange } from "../store/tables/changes.ts";
import { parseSessionKey } from "../format/session-key.ts";

/** By session, a digest of its view and those of its turns. */
export type SessionDigests = ReadonlyMap<string, string>;

export function sessionDigests({ store, scope }: Pick<OpenIndex, "store" | "scope">): SessionDigests {
  const digests = new Map<string, string>();
  // One session at a time: the views of all turns together are most of the index.
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
 * What happened to sessions between two states of a team store. If the store changed but no session did, something
 * else changed, such as tool outputs: which answers that affects is unknown, so all sessions count as changed.
 */
export function changesBetween(before: SessionDigests, after: SessionDigests): SessionChange[] {
  const changes: SessionChange[] = [];
  const note = (key: string, change: SessionChange["change"]): void => {
    const { source, session_id } = parseSessionKey(key);
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
