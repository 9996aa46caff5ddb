import type { IndexStore } from "../tables/index-store.ts";
import { kindAt, type DocKind } from "./text-kinds.ts";
import type { TurnPlaces } from "./turn-places.ts";
import { turnKeyIn } from "../../record/session-key.ts";

/** A row of `doc`: one indexed text. */
export interface DocRow {
  id: number;
  file: number;
  line: number;
  time: number | null;
  at: number;
  bytes: number;
}

interface Choice {
  places: TurnPlaces;
  /** SQL condition on the records to search; `d` is their table. */
  where: string;
  /** Which kind of text shows best what the turn is about. */
  weightOf: (kind: DocKind) => number;
}

/** For a term in more records than this, only the newest are considered. */
const MAX_RECORDS = 5000;

/** Turns that contain all of these terms, in any of their records, each with the record that shows it best. */
export function turnsWithAll(
  store: IndexStore,
  terms: readonly string[],
  { places, where, weightOf }: Choice,
): { name: string; doc: DocRow }[] {
  if (terms.length < 2) return [];
  let holders: Map<string, DocRow> | null = null;
  for (const term of terms) {
    const next = new Map<string, DocRow>();
    for (const doc of docsWith(store, term, where)) {
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

function docsWith(store: IndexStore, term: string, where: string): DocRow[] {
  return store
    .list(
      `SELECT d.id, d.file, d.line, d.time, d.at, d.bytes FROM text CROSS JOIN doc d ON d.id = text.rowid
       WHERE text MATCH ? AND ${where} ORDER BY text.rowid DESC LIMIT ${MAX_RECORDS}`,
      term,
    )
    .map(([id, file, line, time, at, bytes]) => ({
      id: Number(id),
      file: Number(file),
      line: Number(line),
      at: Number(at),
      bytes: Number(bytes),
      time: time === null ? null : Number(time),
    }));
}
