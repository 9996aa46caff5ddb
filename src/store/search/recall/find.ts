import { turnKeyIn } from "../../../turns/session.ts";
import type { IndexStore } from "../../tables/index-store.ts";
import { fold, quotedTerm } from "../terms.ts";
import { DOC_KINDS, kindAt, type DocKind } from "../text-kinds.ts";
import { isKnownName } from "./names.ts";
import { respelled } from "./spelling.ts";
import type { Places, TurnPlace } from "../turn-places.ts";
import type { Alternative, Concept, SoughtConcept } from "./question.ts";
import { Vocabulary } from "./vocabulary.ts";

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
  /** As they were asked for, weighed by how common each way to say them is. */
  concepts: SoughtConcept[];
  turns: Map<string, FoundTurn>;
  /** How much it says that a turn holds a thing: the more, the fewer do. */
  rarity: number[];
  /** How many turns there are. */
  total: number;
}

/** More texts than these are not looked at one by one. */
const MANY = 800;
/** Of those only so many of the newest are. */
const NEWEST = 150;
/** Common things that are looked for together: to ask for more takes longer than it helps. */
const TOGETHER = 4;

export function nameOf({ key, ref }: Pick<TurnPlace, "key" | "ref">): string {
  return turnKeyIn(key, ref);
}

/** Where is looked. */
interface Searched {
  store: IndexStore;
  vocabulary: Vocabulary;
  places: Places;
  /** How many turns there are. */
  total: number;
}

/** Turns whose texts hold what the question speaks of, whatever records the words stand in. */
export function findTurns(store: IndexStore, asked: readonly Concept[], places: Places): Found {
  const total = Number(store.get("SELECT count(*) AS n FROM turn")?.["n"] ?? 0);
  const searched: Searched = { store, vocabulary: Vocabulary.of(store), places, total };
  const turns = new Map<string, FoundTurn>();
  const rarity: number[] = [];
  const common = new Map<number, string>();
  const concepts = asked.map((concept, number) => {
    const tiers = tiersOf(concept).map((alternatives) => lookFor(searched, alternatives));
    if (tiers.every(({ isAbsent }) => isAbsent)) tiers.push(...otherSpelling(searched, concept));
    const [own] = tiers;
    if (own?.isCut === true) common.set(number, own.match);
    const rare =
      own && own.spread > 0
        ? own.rarity
        : Math.max(...tiers.filter(({ spread }) => spread > 0).map((tier) => tier.rarity), 0);
    rarity.push((rare || rarityOf(0, total)) * concept.importance);
    const alternatives: Alternative[] = [];
    for (const tier of tiers) {
      // A common word that may stand for a rare one says as little as it says anywhere.
      const scale = rare === 0 ? 1 : Math.min(1, tier.rarity / rare);
      alternatives.push(...tier.alternatives.map((one) => ({ ...one, weight: one.weight * scale })));
      for (const [doc, place] of tier.docs) note(turns, place, doc, number, tier.weight * scale);
    }
    return { ...concept, alternatives, isNowhere: tiers.every(({ isAbsent }) => isAbsent) };
  });
  noteTogether(store, { concepts, turns, rarity, total }, common, places);
  return { concepts, turns, rarity, total };
}

/** Each alone is everywhere, and the newest that hold one were looked at: those that hold several are looked for together. */
function noteTogether(
  store: IndexStore,
  { turns, rarity }: Found,
  common: ReadonlyMap<number, string>,
  places: Places,
): void {
  const chosen = [...common].toSorted(([a], [b]) => (rarity[b] ?? 0) - (rarity[a] ?? 0)).slice(0, TOGETHER);
  if (chosen.length < 2) return;
  const match = chosen.map(([, expression]) => `(${expression})`).join(" AND ");
  for (const doc of docsWith(store, match).docs) {
    const place = places.turnAt(doc.unit, doc.line);
    if (place) for (const [number] of chosen) note(turns, place, doc, number, 1);
  }
}

interface Tier {
  alternatives: readonly Alternative[];
  /** As they were asked for. */
  match: string;
  weight: number;
  docs: [FoundDoc, TurnPlace][];
  /** In how many turns it was found; an estimate where there were too many texts to look at. */
  spread: number;
  rarity: number;
  /** No text of anybody holds it. */
  isAbsent: boolean;
  /** There were too many texts to look at all. */
  isCut: boolean;
}

const MISSPELLED = 0.7;

/** A word that stands nowhere, and that nobody is called by, may be mistyped. */
function otherSpelling(searched: Searched, { word, importance }: Concept): Tier[] {
  const spellings = importance < 1 || isKnownName(word) ? [] : respelled(fold(word));
  if (spellings.length === 0) return [];
  const alternatives = spellings.map((text): Alternative => ({
    text,
    how: "spelling",
    weight: MISSPELLED,
    isPrefix: false,
  }));
  return [lookFor(searched, alternatives)];
}

function lookFor({ store, vocabulary, places, total }: Searched, alternatives: readonly Alternative[]): Tier {
  const match = expressionOf(vocabulary, alternatives);
  const { docs, isAll } = docsWith(store, match);
  const placed = docs.flatMap((doc): [FoundDoc, TurnPlace][] => {
    const place = places.turnAt(doc.unit, doc.line);
    return place ? [[doc, place]] : [];
  });
  const holders = new Set(placed.map(([, place]) => nameOf(place))).size;
  const spread = isAll ? holders : Math.max(holders, total / 4);
  const weight = Math.max(...alternatives.map((one) => one.weight));
  return {
    alternatives,
    match,
    weight,
    docs: placed,
    spread,
    rarity: rarityOf(spread, total),
    isAbsent: docs.length === 0,
    isCut: !isAll,
  };
}

function rarityOf(spread: number, total: number): number {
  return Math.log(1 + (total - spread + 0.5) / (spread + 0.5));
}

/** What says the same equally well is asked for at once, the word itself with its forms first. */
function tiersOf({ alternatives }: Concept): Alternative[][] {
  const by = new Map<string, Alternative[]>([["word", []]]);
  for (const one of alternatives) {
    const tier =
      one.how === "word" || one.how === "form" ? (one.weight > 0.8 ? "word" : "part") : `${one.how} ${one.weight}`;
    by.set(tier, [...(by.get(tier) ?? []), one]);
  }
  return [...by.values()].filter((tier) => tier.length > 0);
}

/** Empty where no text can hold any of them. */
function expressionOf(vocabulary: Vocabulary, alternatives: readonly Alternative[]): string {
  const ways = alternatives.map(({ text, isPrefix }) =>
    isPrefix ? vocabulary.beginning(text) : quotedTerm(text, false),
  );
  return ways.filter((way) => way !== null).join(" OR ");
}

const PEOPLE = `AND (text.rowid & ${DOC_KINDS.length - 1}) IN (${["prompt", "reply", "summary", "error"]
  .map((kind) => DOC_KINDS.indexOf(kind as DocKind))
  .join(", ")})`;

/** All texts that match; where these are many the newest that people wrote or read. */
function docsWith(store: IndexStore, match: string): { docs: FoundDoc[]; isAll: boolean } {
  if (match === "") return { docs: [], isAll: true };
  // Most words are either in no text or in too many, and to count them costs little.
  const counted = store.get(
    `SELECT count(*) AS n FROM (SELECT 1 FROM text WHERE text MATCH ? LIMIT ${MANY + 1})`,
    match,
  );
  const count = Number(counted?.["n"]);
  if (count === 0) return { docs: [], isAll: true };
  if (count <= MANY) return { docs: listed(store, match, ""), isAll: true };
  return { docs: listed(store, match, `${PEOPLE} ORDER BY text.rowid DESC LIMIT ${NEWEST}`), isAll: false };
}

function listed(store: IndexStore, match: string, chosen: string): FoundDoc[] {
  return store
    .list(
      `SELECT d.id, d.unit, d.line, d.at, d.bytes, d.time FROM text CROSS JOIN doc d ON d.id = text.rowid
       WHERE text MATCH ? ${chosen}`,
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
