import type { IndexStore } from "../tables/index-store.ts";

/**
 * Groups of sessions that affect one another: segments and copies, parents and children, forks, and sessions that
 * contain the same response. Given changed sessions, returns all that may change with them.
 */
export function familiesOf(store: IndexStore, changed: Iterable<string>): string[][] {
  const seen = new Set<string>();
  const families: string[][] = [];
  for (const start of changed) {
    if (seen.has(start)) continue;
    const family: string[] = [];
    const queue = [start];
    seen.add(start);
    for (let key = queue.pop(); key !== undefined; key = queue.pop()) {
      family.push(key);
      for (const near of neighbours(store, key)) {
        if (seen.has(near)) continue;
        seen.add(near);
        queue.push(near);
      }
    }
    families.push(family.toSorted());
  }
  return families;
}

function neighbours(store: IndexStore, key: string): string[] {
  const linked = store.all("SELECT b AS k FROM link WHERE a = ?", key);
  const copies = store.all(
    "SELECT DISTINCT o.session AS k FROM identity i JOIN identity o ON o.identity = i.identity WHERE i.session = ? AND o.session <> i.session",
    key,
  );
  return [...linked, ...copies].map((row) => String(row["k"]));
}
