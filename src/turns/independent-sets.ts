import type { FileDraft } from "./model.ts";
import { sessionKey, keyOfSession } from "../record/session-key.ts";

/**
 * Splits the files into independent sets: no session, origin, parent, child, prompt or response named in one set is
 * named in another. An error while one set is assembled therefore cannot affect the others.
 */
export function independentSets(drafts: readonly FileDraft[]): FileDraft[][] {
  const above = drafts.map((_, place) => place);
  const rootOf = (place: number): number => {
    let at = place;
    for (let up = above[at] ?? at; up !== at; up = above[at] ?? at) {
      above[at] = above[up] ?? up;
      at = up;
    }
    return at;
  };
  const holders = new Map<string, number>();
  for (const [place, draft] of drafts.entries()) {
    for (const name of namesIn(draft)) {
      const holder = holders.get(name);
      if (holder === undefined) holders.set(name, place);
      else above[rootOf(place)] = rootOf(holder);
    }
  }
  const sets = new Map<number, FileDraft[]>();
  for (const [place, draft] of drafts.entries()) {
    const root = rootOf(place);
    const set = sets.get(root);
    if (set) set.push(draft);
    else sets.set(root, [draft]);
  }
  return [...sets.values()];
}

function* namesIn(draft: FileDraft): Generator<string, void, undefined> {
  const { source, session_id, meta, children, turns, usage } = draft;
  yield `session ${keyOfSession(source, session_id)}`;
  if (meta.forked_from !== null) yield `session ${keyOfSession(source, meta.forked_from)}`;
  if (meta.copy_of) yield `session ${sessionKey(meta.copy_of)}`;
  if (meta.parent) yield `session ${sessionKey(meta.parent)}`;
  for (const { child } of children) yield `session ${sessionKey(child)}`;
  for (const { identity } of turns) if (identity !== null) yield `prompt ${source}/${identity}`;
  for (const { response_id } of usage) yield `response ${source}/${response_id}`;
}
