import type { IndexStore } from "../../tables/index-store.ts";
import { fold, phraseOf } from "../terms.ts";
import { newestOf, type DocRow } from "../text-rows.ts";
import { DOC_KINDS, kindAt, type DocKind } from "../text-kinds.ts";
import { findMatches, type Phrase, type Wanted } from "../../words/match.ts";
import { isKnownName } from "./words.ts";
import { spellingVariants } from "./spelling.ts";
import type { TurnPlaces, LineOwner } from "../turn-places.ts";
import type { Alternative, Concept, SearchedConcept } from "./question.ts";
import { turnKeyIn } from "../../../record/session-key.ts";
import { addTo } from "../../../base/maps.ts";

/** Concept index → how well it matches in one kind of a turn's texts. */
export type KindHits = Map<number, number>;

/** A turn, and its matches according to the index alone. */
export interface RecallCandidate extends LineOwner {
  kinds: Map<DocKind, KindHits>;
  docs: Map<number, { doc: DocRow; concepts: KindHits }>;
}

export interface RecallCandidates {
  /** The concepts of the question, with the weight of each alternative adjusted to how common it is. */
  concepts: SearchedConcept[];
  turns: Map<string, RecallCandidate>;
  /** How significant a match of each concept is: higher for rarer concepts. */
  rarity: number[];
  /** Number of turns in the index. */
  total: number;
}

/** With more matching texts than this, not all of them are looked at. */
const MANY = 800;
/** How many of the newest are looked at then. */
const NEWEST = 150;
/** Number of common concepts that are searched in combination: more would take longer than it helps. */
const TOGETHER = 4;

export function turnNameOf({ key, ref }: Pick<LineOwner, "key" | "ref">): string {
  return turnKeyIn(key, ref);
}

/** The index to search, and helpers for it. */
interface SearchContext {
  store: IndexStore;
  places: TurnPlaces;
  /** Number of turns in the index. */
  total: number;
}

/** Turns whose texts contain concepts of the question, in any of their records. */
export function findTurns(store: IndexStore, asked: readonly Concept[], places: TurnPlaces): RecallCandidates {
  const total = Number(store.get("SELECT count(*) AS n FROM turn")?.["n"] ?? 0);
  const searched: SearchContext = { store, places, total };
  const turns = new Map<string, RecallCandidate>();
  const rarity: number[] = [];
  const common = new Map<number, readonly Phrase[]>();
  const concepts = asked.map((concept, number) => {
    const tiers = tiersOf(concept).map((alternatives) => searchTier(searched, alternatives));
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
      // If a common word stands for a rare one, a match says as little as it does elsewhere.
      const scale = rare === 0 ? 1 : Math.min(1, tier.rarity / rare);
      alternatives.push(...tier.alternatives.map((one) => ({ ...one, weight: one.weight * scale })));
      for (const [doc, place] of tier.docs) addHit(turns, place, doc, number, tier.weight * scale);
    }
    return { ...concept, alternatives, isNowhere: tiers.every(({ isAbsent }) => isAbsent) };
  });
  addCombinedHits(store, { concepts, turns, rarity, total }, common, places);
  return { concepts, turns, rarity, total };
}

/**
 * For concepts that are too common on their own, only the newest texts were looked at: search for texts with several of
 * them.
 */
function addCombinedHits(
  store: IndexStore,
  { turns, rarity }: RecallCandidates,
  common: ReadonlyMap<number, readonly Phrase[]>,
  places: TurnPlaces,
): void {
  const chosen = [...common].toSorted(([a], [b]) => (rarity[b] ?? 0) - (rarity[a] ?? 0)).slice(0, TOGETHER);
  if (chosen.length < 2) return;
  for (const doc of docsWith(
    store,
    chosen.map(([, phrases]) => phrases),
  ).docs) {
    const place = places.turnAt(doc.file, doc.line);
    if (place) for (const [number] of chosen) addHit(turns, place, doc, number, 1);
  }
}

interface Tier {
  alternatives: readonly Alternative[];
  /** The same as words of texts. */
  match: readonly Phrase[];
  weight: number;
  docs: [DocRow, LineOwner][];
  /** Number of turns that contain it; an estimate if there were too many texts to look at. */
  spread: number;
  rarity: number;
  /** No text contains it. */
  isAbsent: boolean;
  /** There were too many texts to look at all. */
  isCut: boolean;
}

const MISSPELLED = 0.7;

/** A word that occurs nowhere and is no known name may be misspelled. */
function otherSpelling(searched: SearchContext, { word, importance }: Concept): Tier[] {
  const spellings = importance < 1 || isKnownName(word) ? [] : spellingVariants(fold(word));
  if (spellings.length === 0) return [];
  const alternatives = spellings.map((text): Alternative => ({
    text,
    how: "spelling",
    weight: MISSPELLED,
    isPrefix: false,
  }));
  return [searchTier(searched, alternatives)];
}

function searchTier({ store, places, total }: SearchContext, alternatives: readonly Alternative[]): Tier {
  const match = alternatives
    .map(({ text, isPrefix }) => phraseOf(text, isPrefix))
    .filter(({ words }) => words.length > 0);
  const { docs, isAll } = docsWith(store, [match]);
  const placed = docs.flatMap((doc): [DocRow, LineOwner][] => {
    const place = places.turnAt(doc.file, doc.line);
    return place ? [[doc, place]] : [];
  });
  const holders = new Set(placed.map(([, place]) => turnNameOf(place))).size;
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

/** Groups alternatives of equal quality, which are searched in one query: first the word itself with its forms. */
function tiersOf({ alternatives }: Concept): Alternative[][] {
  const by = new Map<string, Alternative[]>([["word", []]]);
  for (const one of alternatives) {
    const tier =
      one.how === "word" || one.how === "form" ? (one.weight > 0.8 ? "word" : "part") : `${one.how} ${one.weight}`;
    addTo(by, tier, one);
  }
  return [...by.values()].filter((tier) => tier.length > 0);
}

const PEOPLE = new Set((["prompt", "reply", "summary", "error"] as const).map((kind) => DOC_KINDS.indexOf(kind)));
const ALL = new Set(DOC_KINDS.keys());

/** All matching texts; if there are many, the newest that people wrote or read. */
function docsWith(store: IndexStore, wanted: Wanted): { docs: DocRow[]; isAll: boolean } {
  const matches = findMatches(store, wanted);
  const isAll = matches.count <= MANY;
  return {
    docs: isAll
      ? newestOf(store, matches.ids(ALL), [], MANY).toReversed()
      : newestOf(store, matches.ids(PEOPLE), [], NEWEST),
    isAll,
  };
}

/** What a sub-agent wrote counts a little less than what the turn itself contains. */
const BELOW = 0.7;

function addHit(
  turns: Map<string, RecallCandidate>,
  place: LineOwner,
  doc: DocRow,
  concept: number,
  weight: number,
): void {
  const name = turnNameOf(place);
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
