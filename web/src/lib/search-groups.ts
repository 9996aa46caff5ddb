import type { components } from "../api/types.d.ts";

type Hit = components["schemas"]["SearchHit"];

export interface HitGroup {
  key: string;
  first: Hit;
  /** In the order of the session; notes, which stand on no line, before. */
  hits: Hit[];
}

/** Hits by session: the session of the best one comes first. */
export function grouped(hits: readonly Hit[]): HitGroup[] {
  const groups = new Map<string, HitGroup>();
  for (const hit of hits) {
    const key = `${hit.source}/${hit.session_id}`;
    const known = groups.get(key);
    if (known) known.hits.push(hit);
    else groups.set(key, { key, first: hit, hits: [hit] });
  }
  for (const { hits: own } of groups.values()) own.sort((a, b) => (a.line ?? 0) - (b.line ?? 0));
  return [...groups.values()];
}
