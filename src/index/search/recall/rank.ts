import type { TurnPlaces } from "../turn-places.ts";
import type { SessionView } from "../../../views/session-view.ts";
import type { ReadViews } from "../../../views/not-pushed.ts";
import { turnIndexOf, turnRef } from "../../../turns/session.ts";
import { parseRow } from "../../tables/damaged-index.ts";
import type { IndexStore } from "../../tables/index-store.ts";
import type { DocKind } from "../text-kinds.ts";
import { turnNameOf, type RecallCandidates, type RecallCandidate } from "./find.ts";
import { writtenForm, Matcher, type MatchedText } from "./matcher.ts";
import type { TimeGain } from "./asked-time.ts";
import type { RecallField, RecallLikeness } from "./model.ts";
import type { Concept } from "./question.ts";
import { addTo } from "../../../base/maps.ts";

/** A turn with its own texts, and how well they match. */
export interface RankedCandidate {
  turn: RecallCandidate;
  view: ReadViews["turn"];
  score: number;
  /** The score as a share of what a turn would have that matches the whole question at once. */
  fit: number;
  /** Computed on demand, for turns that are shown. */
  why: () => Reason[];
  /** How well each concept matches in the turn itself or its neighbours, up to 1 each. */
  held: number[];
}

/** Where a concept was found. `hit`: how it is written there; null when only the index was consulted. */
export interface Reason {
  concept: number;
  word: string;
  field: RecallField;
  hit: FoundWord | null;
}

export interface FoundWord {
  how: RecallLikeness;
  /** As written there. */
  found: string;
}

/** Fields of a turn itself. */
type OwnField = Exclude<RecallField, "session">;

/** Requests and answers count more than what happened in between. */
const WEIGHTS: Readonly<Record<OwnField, number>> = {
  prompt: 2.6,
  reply: 1.8,
  summary: 0.6,
  error: 1.2,
  input: 0.8,
  reasoning: 0.7,
  output: 0.5,
  injected: 0.2,
  file: 0.8,
  title: 1.6,
  project: 0.8,
};
/** For replies before the final one. */
const ON_THE_WAY = 0.6;
/** Saturation: above this, more matches of the same concept add little. */
const ENOUGH = 1.2;
/** Words of an average text: longer texts contain more of everything. */
const USUAL = 80;
const LENGTH = 0.3;
/** A synonym in a machine-written text usually matches by chance. */
const BY_CHANCE = 0.3;
/** For concepts that occur close together. */
const TOGETHER = 0.5;
/** A request this short is meaningless without the turn before, which then counts almost as its own text. */
const FEW = 6;
const BEFORE = 0.6;
/** For matches in neighbouring turns. */
const BESIDE = 0.5;
/** Rarity is partly chance: the rarest word of a question must not outweigh several others. */
const DAMPENED = 0.7;
/** For turns of the user's current project. */
const AT_HOME = 1.5;
/** Number of turns that are read and compared. */
const READ = 100;
/** The factor of a turn that holds all of the question; one that holds next to nothing of it has one less. */
const MOST_COVERED = 1.5;
/** For this many of the best turns their neighbours are compared too: what was meant is often said one turn earlier. */
const SURROUNDED = 25;

export interface Preference {
  preferred: string | undefined;
  /** The factor for a turn's time; null where the question does not mention time. */
  when: TimeGain | null;
  isMeant: (view: ReadViews["turn"]) => boolean;
}

export function rankTurns(
  store: IndexStore,
  found: RecallCandidates,
  { places, preferred, when, isMeant }: Preference & { places: TurnPlaces },
): RankedCandidate[] {
  const { concepts, rarity } = found;
  const worth = rarity.map((one) => one ** DAMPENED);
  const matcher = new Matcher(concepts);
  const read = candidates(found, worth).flatMap((turn) => {
    const view = viewOf(store, turn);
    return view ? [matchTurn(turn, view, matcher, places)] : [];
  });
  const bySession = new Map<string, MatchedCandidate[]>();
  for (const one of read) addTo(bySession, one.turn.key, one);
  const newest = Math.max(...read.map(({ view }) => Date.parse(view.started_at ?? "") || 0));
  return read
    .filter(({ view }) => isMeant(view))
    .map((one) => {
      const beside = bySession.get(one.turn.key) ?? [];
      const shares = concepts.map((_, c) => shareOf(one, beside, c));
      const fits = shares.reduce((sum, share, c) => sum + share * (worth[c] ?? 0), 0);
      const all = total(worth) || 1;
      const covered = shares.reduce((sum, share, c) => sum + Math.min(1, share * 2) * (worth[c] ?? 0), 0) / all;
      const gain = (when?.(timeOf(one.view)) ?? 1) * (isPreferred(one.view, preferred) ? AT_HOME : 1);
      const score = fits * (MOST_COVERED - 1 + covered) * recency(one.view, newest) * gain;
      const why = (): Reason[] => reasons(one, beside, concepts);
      const fit = score / (MOST_COVERED * all);
      return { turn: one.turn, view: one.view, score, fit, why, held: shares };
    })
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score || compare(turnNameOf(a.turn), turnNameOf(b.turn)));
}

function total(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function timeOf({ started_at }: ReadViews["turn"]): number | null {
  return started_at === null ? null : Date.parse(started_at);
}

/** Decays over a month, so older turns are nearly equal. */
function recency({ started_at }: ReadViews["turn"], newest: number): number {
  const age = started_at === null ? Infinity : (newest - Date.parse(started_at)) / 86_400_000;
  return 1 + 0.08 * Math.exp(-age / 30);
}

function isPreferred({ project_key }: ReadViews["turn"], preferred: string | undefined): boolean {
  return preferred !== undefined && project_key === preferred;
}

/** The best turns according to the index, and the neighbours of the very best. */
function candidates({ turns }: RecallCandidates, rarity: readonly number[]): RecallCandidate[] {
  const rough = [...turns.values()]
    .map((turn) => ({ turn, score: roughScore(turn, rarity) }))
    .toSorted((a, b) => b.score - a.score || compare(turnNameOf(a.turn), turnNameOf(b.turn)))
    .slice(0, READ)
    .map(({ turn }) => turn);
  const chosen = new Map(rough.map((turn) => [turnNameOf(turn), turn]));
  for (const { key, ref } of rough.slice(0, SURROUNDED)) {
    for (const beside of [-2, -1, 1, 2].map((step) => turnIndexOf(ref) + step)) {
      const place = { key, ref: turnRef(beside), isBelow: false };
      const name = turnNameOf(place);
      if (beside >= 0 && !chosen.has(name))
        chosen.set(name, turns.get(name) ?? { ...place, kinds: new Map(), docs: new Map() });
    }
  }
  return [...chosen.values()];
}

function roughScore({ kinds }: RecallCandidate, rarity: readonly number[]): number {
  return rarity.reduce((sum, r, c) => {
    let x = 0;
    for (const [kind, hits] of kinds) x += (hits.get(c) ?? 0) * WEIGHTS[kind];
    return sum + (r * x) / (x + ENOUGH);
  }, 0);
}

function viewOf(store: IndexStore, { key, ref }: RecallCandidate): ReadViews["turn"] | null {
  const row = store.get("SELECT view FROM turn WHERE session = ? AND ref = ?", key, ref);
  return row ? (parseRow(row["view"]) as ReadViews["turn"]) : null;
}

/** A turn in which no word was looked for. Null if it is not in the index. */
export function unmatchedTurn(
  store: IndexStore,
  { key, ref }: Pick<RecallCandidate, "key" | "ref">,
  concepts: readonly Concept[],
): RankedCandidate | null {
  const turn: RecallCandidate = { key, ref, isBelow: false, kinds: new Map(), docs: new Map() };
  const view = viewOf(store, turn);
  return view && { turn, view, score: 0, fit: 0, why: () => [], held: concepts.map(() => 0) };
}

interface MatchedCandidate {
  turn: RecallCandidate;
  view: ReadViews["turn"];
  fields: Map<OwnField, MatchedText>;
  /** How strongly the turn itself matches each concept, over all fields. */
  own: Map<number, number>;
  /** The request says little without the turn before. */
  isShort: boolean;
}

function matchTurn(
  turn: RecallCandidate,
  view: ReadViews["turn"],
  matcher: Matcher,
  places: TurnPlaces,
): MatchedCandidate {
  const fields = new Map<OwnField, MatchedText>([
    ["prompt", matcher.match(view.trigger.text)],
    ["reply", matcher.match(view.final_text)],
    ["file", matcher.match(view.files.map(({ path }) => path).join(" "))],
    ["title", matcher.match(givenTitle(places.session(turn.key)))],
    ["project", matcher.match(view.project)],
  ]);
  const own = new Map<number, number>();
  const add = (c: number, x: number): void => void own.set(c, (own.get(c) ?? 0) + x);
  for (const [field, { hits, length }] of fields) {
    const room = 1 - LENGTH + (LENGTH * length) / USUAL;
    for (const [c, near] of adjacentConcepts(hits)) add(c, near * TOGETHER);
    for (const [c, { weight, count }] of hits) {
      add(c, (WEIGHTS[field] * weight * (count / (count + 0.5)) * 1.5) / Math.max(0.8, room));
    }
  }
  for (const [kind, hits] of turn.kinds) {
    for (const [c, weight] of hits) {
      // Already counted from the turn's own text above.
      if (fields.get(kind)?.hits.has(c) === true) continue;
      const sure = MACHINE.has(kind) && weight < 0.9 ? BY_CHANCE : 1;
      add(c, WEIGHTS[kind] * weight * sure * (kind === "reply" ? ON_THE_WAY : 1));
    }
  }
  return { turn, view, fields, own, isShort: (fields.get("prompt")?.length ?? 0) <= FEW };
}

/** Maximum distance in words between two concepts that occur together. */
const CLOSE = 3;

/** Concepts that are consecutive in the question and close together in a text, each with the lower of both weights. */
function* adjacentConcepts(hits: MatchedText["hits"]): Generator<[number, number], void, undefined> {
  for (const [c, one] of hits) {
    const next = hits.get(c + 1);
    if (next?.places.some((at) => one.places.some((place) => place !== at && Math.abs(place - at) <= CLOSE)) !== true)
      continue;
    const both = Math.min(one.weight, next.weight);
    yield [c, both];
    yield [c + 1, both];
  }
}

/** How well a concept matches in the turn or its neighbours, up to 1. */
function shareOf(one: MatchedCandidate, beside: readonly MatchedCandidate[], c: number): number {
  let near = 0;
  const place = Number(one.turn.ref.slice(1));
  for (const other of beside) {
    if (other === one) continue;
    const distance = place - Number(other.turn.ref.slice(1));
    const factor = distance === 1 && one.isShort ? BEFORE : BESIDE / (1 + Math.abs(distance));
    near = Math.max(near, Math.min(2, other.own.get(c) ?? 0) * factor);
  }
  const x = (one.own.get(c) ?? 0) + near;
  return x / (x + ENOUGH);
}

/** Machine-written texts are so long that synonyms occur in them by chance. */
const MACHINE: ReadonlySet<DocKind> = new Set<DocKind>(["input", "output", "injected", "reasoning"]);
const FIELDS: readonly OwnField[] = ["prompt", "reply", "title", "file", "project"];
const KINDS: readonly DocKind[] = ["error", "input", "summary", "reasoning", "output", "reply", "prompt", "injected"];

/** For each concept, the best place where it was found. */
function reasons(one: MatchedCandidate, beside: readonly MatchedCandidate[], concepts: readonly Concept[]): Reason[] {
  return concepts.flatMap(({ word }, c): Reason[] => {
    const own = inFields(one, c);
    if (own) return [{ concept: c, word, ...own }];
    const kind = KINDS.find((kind) => one.turn.kinds.get(kind)?.has(c) === true);
    if (kind !== undefined) return [{ concept: c, word, field: kind, hit: null }];
    for (const other of beside) {
      const around = inFields(other, c);
      if (around) return [{ concept: c, word, field: "session", hit: around.hit }];
    }
    return [];
  });
}

function inFields({ fields }: MatchedCandidate, c: number): { field: RecallField; hit: FoundWord } | null {
  for (const field of FIELDS) {
    const text = fields.get(field);
    const hit = text?.hits.get(c);
    if (text && hit) return { field, hit: { how: hit.how, found: writtenForm(text, hit) } };
  }
  return null;
}

/** A title derived from a request is already matched as that request. */
function givenTitle(session: Pick<SessionView, "title" | "title_source"> | null | undefined): string {
  const isGiven = session?.title_source === "human" || session?.title_source === "agent";
  return isGiven ? (session.title ?? "") : "";
}
