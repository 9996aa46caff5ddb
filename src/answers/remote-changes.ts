import type { WatchedChange } from "../index/tables/changes.ts";
import { parseSessionKey } from "../record/session-key.ts";

/**
 * What happened to sessions between two states of a team store, from digests of their views. If the store changed but no session did, something
 * else changed, such as tool outputs: which answers that affects is unknown, so all sessions count as changed.
 */
export function changesBetween(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): WatchedChange[] {
  const changes: WatchedChange[] = [];
  const note = (key: string, change: WatchedChange["change"]): void => {
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
