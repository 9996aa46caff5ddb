import type { components } from "../api/types.d.ts";
import { sessionKey } from "./session-key.ts";

type Hit = components["schemas"]["SearchHit"];

export interface HitGroup {
  key: string;
  first: Hit;
  /** By line; notes, which have no line, come first. */
  hits: Hit[];
}

/** Groups hits by session, in the order of each session's best hit. */
export function groupBySession(hits: readonly Hit[]): HitGroup[] {
  const groups = new Map<string, HitGroup>();
  for (const hit of hits) {
    const key = sessionKey(hit);
    const known = groups.get(key);
    if (known) known.hits.push(hit);
    else groups.set(key, { key, first: hit, hits: [hit] });
  }
  for (const { hits: own } of groups.values()) own.sort((a, b) => (a.line ?? 0) - (b.line ?? 0));
  return [...groups.values()];
}
