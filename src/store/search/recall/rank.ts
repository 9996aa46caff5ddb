import type { TurnView } from "../../../answers/turn-view.ts";
import { parseRow } from "../../tables/damaged-index.ts";
import type { IndexStore } from "../../tables/index-store.ts";
import type { DocKind } from "../text-kinds.ts";
import { nameOf, type Found, type FoundTurn } from "./find.ts";
import { Matcher, type MatchedText } from "./matcher.ts";
import type { RecallField, RecallMatch } from "./model.ts";
import type { Places } from "./places.ts";
import type { Concept } from "./question.ts";

/** A turn with what it says itself, and how well that fits. */
export interface RankedTurn {
  turn: FoundTurn;
  view: TurnView;
  score: number;
  why: RecallMatch[];
  /** Which things the question speaks of are found in the turn itself or beside it, each up to 1. */
  held: number[];
  /** How much of the question that is, weighed by how rare each is. */
  covered: number;
}

/** What a person asked for and was told counts more than what passed by on the way. */
const WEIGHTS: Readonly<Record<RecallField, number>> = {
  ...{ prompt: 2.2, reply: 1.8, summary: 0.6, error: 1.2, input: 1, reasoning: 0.7, output: 0.5, injected: 0.2 },
  ...{ file: 1.2, title: 1.6, project: 0.8, session: 1 },
};
/** What was said on the way to the last word. */
const ON_THE_WAY = 0.6;
/** From how much on more of the same word says nothing new. */
const ENOUGH = 1.2;
/** Words of a usual text: a longer one holds more of everything. */
const USUAL = 80;
const LENGTH = 0.3;
/** Turns that are read to be compared. */
const READ = 150;
/** Sessions of which all turns are compared: what was meant is often said one turn before. */
const SESSIONS = 30;
const TURNS_OF_ONE = 40;

export interface Preference {
  preferred: string | undefined;
  isMeant: (view: TurnView) => boolean;
}

export function rank(
  store: IndexStore,
  concepts: readonly Concept[],
  found: Found,
  { places, preferred, isMeant }: Preference & { places: Places },
): RankedTurn[] {
  const rarity = found.spread.map((n) => Math.log(1 + (found.total - n + 0.5) / (n + 0.5)));
  const matcher = new Matcher(concepts);
  const read = candidates(store, found, rarity).flatMap((turn) => {
    const view = viewOf(store, turn);
    return view ? [lookAt(turn, view, matcher, places)] : [];
  });
  const bySession = new Map<string, Looked[]>();
  for (const one of read) bySession.set(one.turn.key, [...(bySession.get(one.turn.key) ?? []), one]);
  const newest = Math.max(...read.map(({ view }) => Date.parse(view.started_at ?? "") || 0));
  return read
    .filter(({ view }) => isMeant(view))
    .map((one) => {
      const beside = bySession.get(one.turn.key) ?? [];
      const shares = concepts.map((_, c) => shareOf(one, beside, c));
      const fits = shares.reduce((sum, share, c) => sum + share * (rarity[c] ?? 0), 0);
      const all = rarity.reduce((sum, r) => sum + r, 0);
      const covered = shares.reduce((sum, share, c) => sum + Math.min(1, share * 2) * (rarity[c] ?? 0), 0) / (all || 1);
      const score = fits * (0.5 + covered) * recency(one.view, newest) * (isPreferred(one.view, preferred) ? 1.25 : 1);
      return { turn: one.turn, view: one.view, score, why: reasons(one, concepts), held: shares, covered };
    })
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score || compare(nameOf(a.turn), nameOf(b.turn)));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** A month ago is as good as last year. */
function recency({ started_at }: TurnView, newest: number): number {
  const age = started_at === null ? Infinity : (newest - Date.parse(started_at)) / 86_400_000;
  return 1 + 0.08 * Math.exp(-age / 30);
}

function isPreferred({ project_key }: TurnView, preferred: string | undefined): boolean {
  return preferred !== undefined && project_key === preferred;
}

/** The best by what the index tells, and what stands beside the very best. */
function candidates(store: IndexStore, { turns }: Found, rarity: readonly number[]): FoundTurn[] {
  const rough = [...turns.values()]
    .map((turn) => ({ turn, score: roughly(turn, rarity) }))
    .toSorted((a, b) => b.score - a.score || compare(nameOf(a.turn), nameOf(b.turn)))
    .slice(0, READ)
    .map(({ turn }) => turn);
  const chosen = new Map(rough.map((turn) => [nameOf(turn), turn]));
  const sessions = [...new Set(rough.map(({ key }) => key))].slice(0, SESSIONS);
  for (const key of sessions) {
    for (const [ref] of store.list(`SELECT ref FROM turn WHERE session = ? ORDER BY ref LIMIT ${TURNS_OF_ONE}`, key)) {
      const place = { key, ref: String(ref), isBelow: false };
      const name = nameOf(place);
      if (!chosen.has(name)) chosen.set(name, turns.get(name) ?? { ...place, kinds: new Map(), docs: new Map() });
    }
  }
  return [...chosen.values()];
}

function roughly({ kinds }: FoundTurn, rarity: readonly number[]): number {
  return rarity.reduce((sum, r, c) => {
    let x = 0;
    for (const [kind, hits] of kinds) x += (hits.get(c) ?? 0) * WEIGHTS[kind];
    return sum + (r * x) / (x + ENOUGH);
  }, 0);
}

function viewOf(store: IndexStore, { key, ref }: FoundTurn): TurnView | null {
  const row = store.get("SELECT view FROM turn WHERE session = ? AND ref = ?", key, ref);
  return row ? (parseRow(row["view"]) as TurnView) : null;
}

interface Looked {
  turn: FoundTurn;
  view: TurnView;
  fields: Map<RecallField, MatchedText>;
  /** How much of each thing the turn itself holds, by its fields. */
  own: Map<number, number>;
}

function lookAt(turn: FoundTurn, view: TurnView, matcher: Matcher, places: Places): Looked {
  const fields = new Map<RecallField, MatchedText>([
    ["prompt", matcher.match(view.trigger.text)],
    ["reply", matcher.match(view.final_text)],
    ["file", matcher.match(view.files.map(({ path }) => path).join(" "))],
    ["title", matcher.match(places.session(turn.key)?.title ?? "")],
    ["project", matcher.match(view.project)],
  ]);
  const own = new Map<number, number>();
  const add = (c: number, x: number): void => void own.set(c, (own.get(c) ?? 0) + x);
  for (const [field, { hits, length }] of fields) {
    const room = 1 - LENGTH + (LENGTH * length) / USUAL;
    for (const [c, { weight, count }] of hits)
      add(c, (WEIGHTS[field] * weight * (count / (count + 0.5)) * 1.5) / Math.max(0.8, room));
  }
  for (const [kind, hits] of turn.kinds) {
    for (const [c, weight] of hits) {
      // What the turn says of itself was read above.
      if (fields.get(kind)?.hits.has(c) === true) continue;
      add(c, WEIGHTS[kind] * weight * (kind === "reply" ? ON_THE_WAY : 1));
    }
  }
  return { turn, view, fields, own };
}

/** How much of a thing the turn holds, or the turns around it, up to 1. */
function shareOf(one: Looked, beside: readonly Looked[], c: number): number {
  let near = 0;
  const place = Number(one.turn.ref.slice(1));
  for (const other of beside) {
    if (other === one) continue;
    const distance = Math.abs(Number(other.turn.ref.slice(1)) - place);
    near = Math.max(near, Math.min(2, other.own.get(c) ?? 0) / (1 + distance));
  }
  const x = (one.own.get(c) ?? 0) + near * WEIGHTS.session * 0.5;
  return x / (x + ENOUGH);
}

const FIELDS: readonly RecallField[] = ["prompt", "reply", "title", "file", "project"];
const KINDS: readonly DocKind[] = ["error", "input", "summary", "reasoning", "output", "reply", "prompt", "injected"];

/** For each thing the question speaks of the best place it was found at. */
function reasons({ turn, fields }: Looked, concepts: readonly Concept[]): RecallMatch[] {
  return concepts.flatMap(({ word, alternatives }, c) => {
    for (const field of FIELDS) {
      const hit = fields.get(field)?.hits.get(c);
      if (hit) return [{ word, found: hit.found, field, how: hit.how }];
    }
    const kind = KINDS.find((one) => turn.kinds.get(one)?.has(c) === true);
    if (kind === undefined) return [];
    const weight = turn.kinds.get(kind)?.get(c) ?? 0;
    const like = alternatives.find((one) => one.weight <= weight) ?? alternatives[0];
    return like ? [{ word, found: like.text, field: kind, how: like.how }] : [];
  });
}
