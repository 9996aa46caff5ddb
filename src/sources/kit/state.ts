import type { Cursor } from "../contract.ts";
import { obj } from "./native.ts";
import { Recent, RecentMap, SavedMap } from "./recent.ts";

/**
 * The state a cursor carries, in the form of a fresh one: collections are filled again, fields it does not know keep their first
 * value. A cursor of another make starts afresh rather than half-understood.
 */
export function restored<State extends object>(fresh: State, cursor: Pick<Cursor, "state"> | null): State {
  const saved = obj(cursor?.state);
  if (!saved) return fresh;
  const out: Record<string, unknown> = { ...fresh, ...structuredClone(saved) };
  for (const [name, empty] of Object.entries(fresh)) {
    if (!(empty instanceof Recent || empty instanceof RecentMap || empty instanceof SavedMap)) continue;
    const items = out[name];
    if (!Array.isArray(items)) return fresh;
    out[name] = empty.filled(items);
  }
  return out as State;
}
