import type { IndexStore } from "../../tables/index-store.ts";
import { quotedTerm } from "../terms.ts";
import { DOC_KINDS, kindAt, type DocKind } from "../text-kinds.ts";
import type { Places, TurnPlace } from "./places.ts";
import type { Alternative, Concept } from "./question.ts";

/** A text that holds something the question speaks of. */
export interface FoundDoc {
  id: number;
  unit: number;
  line: number;
  at: number;
  bytes: number;
  time: number | null;
}

/** How well each thing the question speaks of is found in one kind of a turn's texts; by its number in the question. */
export type KindHits = Map<number, number>;

/** A turn, and what the index alone tells of it. */
export interface FoundTurn extends TurnPlace {
  kinds: Map<DocKind, KindHits>;
  docs: Map<number, { doc: FoundDoc; concepts: KindHits }>;
}

export interface Found {
  turns: Map<string, FoundTurn>;
  /** In how many turns each thing was found; an estimate where there were too many to look at. */
  spread: number[];
  /** How many turns there are. */
  total: number;
}

/** More texts than these are not looked at one by one. */
const MANY = 1500;
/** Of words in more texts than these not even the people's texts are looked for. */
const TOO_MANY = 20_000;

export function nameOf({ key, ref }: Pick<TurnPlace, "key" | "ref">): string {
  return `${key}/${ref}`;
}

/** Turns whose texts hold what the question speaks of, whatever records the words stand in. */
export function findTurns(store: IndexStore, concepts: readonly Concept[], places: Places): Found {
  const total = Number(store.get("SELECT count(*) AS n FROM turn")?.["n"] ?? 0);
  const turns = new Map<string, FoundTurn>();
  const spread = concepts.map((concept, number) => {
    const holders = new Set<string>();
    let isCut = false;
    for (const alternatives of tiers(concept)) {
      const { docs, isAll } = docsWith(store, expressionOf(alternatives));
      const weight = Math.max(...alternatives.map((one) => one.weight));
      for (const doc of docs) {
        const place = places.turnAt(doc.unit, doc.line);
        if (!place) continue;
        holders.add(nameOf(place));
        note(turns, place, doc, number, weight);
      }
      isCut ||= !isAll;
    }
    return isCut ? Math.max(holders.size, total / 4) : holders.size;
  });
  return { turns, spread, total };
}

/** What says the same equally well is asked for at once. */
function tiers({ alternatives }: Concept): Alternative[][] {
  const by = new Map<string, Alternative[]>();
  for (const one of alternatives) {
    const tier = one.how === "form" && one.weight > 0.9 ? "word" : `${one.how} ${one.weight}`;
    by.set(tier, [...(by.get(tier) ?? []), one]);
  }
  return [...by.values()];
}

function expressionOf(alternatives: readonly Alternative[]): string {
  return alternatives.map(({ text, isPrefix }) => quotedTerm(text, isPrefix)).join(" OR ");
}

const PEOPLE = `AND (text.rowid & ${DOC_KINDS.length - 1}) IN (${["prompt", "reply", "summary", "error"]
  .map((kind) => DOC_KINDS.indexOf(kind as DocKind))
  .join(", ")})`;

/** All texts that match; where these are many those of people, and where these are many too none. */
function docsWith(store: IndexStore, match: string): { docs: FoundDoc[]; isAll: boolean } {
  const count = Number(
    store.get("SELECT count(*) AS n FROM (SELECT 1 FROM text WHERE text MATCH ? LIMIT ?)", match, TOO_MANY + 1)?.["n"],
  );
  if (count > TOO_MANY) return { docs: [], isAll: false };
  const docs = listed(store, match, count > MANY ? PEOPLE : "");
  return { docs: docs.length > MANY ? [] : docs, isAll: count <= MANY };
}

function listed(store: IndexStore, match: string, where: string): FoundDoc[] {
  return store
    .list(
      `SELECT d.id, d.unit, d.line, d.at, d.bytes, d.time FROM text CROSS JOIN doc d ON d.id = text.rowid
       WHERE text MATCH ? ${where} LIMIT ${MANY + 1}`,
      match,
    )
    .map(([id, unit, line, at, bytes, time]) => ({
      ...{ id: Number(id), unit: Number(unit), line: Number(line), at: Number(at), bytes: Number(bytes) },
      time: time === null ? null : Number(time),
    }));
}

/** What a sub-agent said counts a little less for the turn than what was said in it. */
const BELOW = 0.7;

function note(turns: Map<string, FoundTurn>, place: TurnPlace, doc: FoundDoc, concept: number, weight: number): void {
  const name = nameOf(place);
  let turn = turns.get(name);
  if (!turn) turns.set(name, (turn = { ...place, kinds: new Map(), docs: new Map() }));
  const counted = place.isBelow ? weight * BELOW : weight;
  const kind = kindAt(doc.id);
  let hits = turn.kinds.get(kind);
  if (!hits) turn.kinds.set(kind, (hits = new Map()));
  hits.set(concept, Math.max(hits.get(concept) ?? 0, counted));
  let found = turn.docs.get(doc.id);
  if (!found) turn.docs.set(doc.id, (found = { doc, concepts: new Map() }));
  found.concepts.set(concept, Math.max(found.concepts.get(concept) ?? 0, counted));
}
