import { findMatches, type Phrase } from "../words/match.ts";
import { newestOf, type DocRow } from "./text-rows.ts";
import type { IndexStore } from "../tables/index-store.ts";
import { kindAt, type DocKind } from "./text-kinds.ts";
import type { TurnPlaces } from "./turn-places.ts";
import { turnKeyIn } from "../../record/session-key.ts";

interface Choice {
  places: TurnPlaces;
  /** Kinds of records to search, by their place among all. */
  kinds: ReadonlySet<number>;
  /** SQL conditions on them; `d` is their table. */
  where: readonly string[];
  /** Which kind of text shows best what the turn is about. */
  weightOf: (kind: DocKind) => number;
}

/** For a term in more records than this, only the newest are considered. */
const MAX_RECORDS = 5000;

/** Turns that contain all of these terms, in any of their records, each with the record that shows it best. */
export function turnsWithAll(
  store: IndexStore,
  terms: readonly Phrase[],
  { places, kinds, where, weightOf }: Choice,
): { name: string; doc: DocRow }[] {
  if (terms.length < 2) return [];
  let holders: Map<string, DocRow> | null = null;
  for (const term of terms) {
    const next = new Map<string, DocRow>();
    for (const doc of newestOf(store, findMatches(store, [[term]]).ids(kinds), where, MAX_RECORDS)) {
      const place = places.turnAt(doc.file, doc.line);
      const name = place && turnKeyIn(place.key, place.ref);
      // What a sub-agent wrote is in a file of its own and would be shown as part of its own session.
      if (name === null || place?.isBelow !== false || (holders && !holders.has(name))) continue;
      next.set(name, better(better(next.get(name), doc, weightOf), holders?.get(name) ?? doc, weightOf));
    }
    holders = next;
    if (holders.size === 0) return [];
  }
  return [...(holders ?? [])].map(([name, doc]) => ({ name, doc }));
}

function better(one: DocRow | undefined, other: DocRow, weightOf: Choice["weightOf"]): DocRow {
  if (!one) return other;
  const more = weightOf(kindAt(other.id)) - weightOf(kindAt(one.id)) || one.line - other.line || one.at - other.at;
  return more > 0 ? other : one;
}
