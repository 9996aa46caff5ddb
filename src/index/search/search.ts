import { join } from "node:path";
import { DaybookError } from "../../base/errors.ts";
import { readRecord } from "../../book/pages/page-reader.ts";
import type { Row } from "../../base/io/sqlite.ts";
import type { RecordBody } from "../../record/record.ts";
import type { Entry } from "../../agents/contract.ts";
import type { TimeRange } from "../../base/time/range.ts";
import { iso } from "../../base/time/zone.ts";
import type { Redactor } from "../../base/redact/redact.ts";
import type { NotPushed } from "../../views/not-pushed.ts";
import type { DayReview } from "../../views/day-review.ts";
import type { MarkFilter, Marks } from "../../views/marks.ts";
import type { BookMarks } from "../marks/marks-file.ts";
import { marksAt } from "../marks/shown-marks.ts";
import { markResults } from "./mark-search.ts";
import { reviewResults } from "./review-search.ts";
import { formatInput } from "./format-input.ts";
import { snippetOf, type Snippet } from "./snippet.ts";
import { phrasesOf, toMatchExpression } from "./terms.ts";
import { TurnPlaces } from "./turn-places.ts";
import { countRows, rowsOf } from "./text-rows.ts";
import { findMatches, type Matches, type Phrase, type TextCounts } from "../words/match.ts";
import { turnsWithAll } from "./across-records.ts";
import { findInstructions, instructionText, type FoundInstruction } from "./instructions.ts";
import { DOC_KINDS, kindAt, textOf, WEIGHTS, type DocKind, type SearchKind } from "./text-kinds.ts";
import { firstOccurrences } from "../tables/copied-lines.ts";
import { projectCondition } from "../tables/project-names.ts";
import type { IndexStore } from "../tables/index-store.ts";
import { parseRow } from "../tables/damaged-index.ts";
import { parseTurnKey, sessionKeySql, turnKey } from "../../record/session-key.ts";

export interface SearchQuery {
  text: string;
  kinds: readonly string[];
  range: TimeRange;
  project?: string | undefined;
  session?: string | undefined;
  /** Only turns and sessions with these marks. */
  marked?: MarkFilter | undefined;
  /** Marks of sessions and turns: their text is searched as well. */
  marks?: BookMarks | undefined;
  /** What models read in days is searched as well. */
  reviews?: readonly DayReview[] | undefined;
  limit: number;
  /** Also count the matches. */
  isCounted?: boolean;
  /** Masks secrets in what is shown. */
  redactor?: Redactor;
}

export interface SearchResult extends Snippet {
  source: string;
  session_id: string;
  session_path: string;
  project: string;
  turn_ref: string | null;
  /** Null for notes, labels and what a model read, which are in no file of the agent. */
  line: number | null;
  kind: SearchKind;
  time: string | null;
  /** Higher is better; 0 if the words are spread over several records of the turn and this is one of them. */
  score: number;
  /** Marks of the turn or its session; null where there are none. */
  marks: Marks | null;
  /**
   * Only the agent's input history has this prompt, at `line` of `session_path`: there is no transcript of its session.
   */
  lost?: true;
  /** For instructions; the other fields then say where they last came into force. */
  instructions?: InstructionPlaces;
}

/** One instruction text that sessions received, and when. */
export interface InstructionPlaces {
  /** SHA-256 of the text. */
  hash: string;
  /** Their role, and the file they came from where that is known. */
  kind: string;
  path: string | null;
  /** How many of the searched sessions received them. */
  sessions: number;
  first: InstructionPlace;
  last: InstructionPlace;
}

export interface InstructionPlace {
  source: string;
  session_id: string;
  line: number;
  time: string | null;
}

/**
 * Words in more texts than this do not discriminate: the newest texts of the best kind are shown, because scoring all
 * would take long.
 */
const COMMON = 1500;
const NEWEST_FIRST = "d.time DESC, d.line, d.at";

/** Where the indexed texts can be read. */
export interface TextStore {
  readonly store: IndexStore;
  texts(rows: readonly Row[]): string[];
  /** Null when the text is not known. */
  instruction(hash: string): string | null;
  /** Counts over all texts, where the index has only those that match. */
  counts?(): TextCounts | null;
}

/** The texts of the book. */
export function bookTexts(store: IndexStore): TextStore {
  return {
    store,
    texts: (rows) => rows.map((row) => textIn(store, row)),
    instruction: (hash) => instructionText(store.home, hash),
  };
}

/** The best results, and the total number of matches: null when not asked for, or too many to count. */
export interface SearchFound {
  results: SearchResult[];
  total: number | null;
  /** Only for remote rows: kinds of texts that the store has incompletely. */
  not_pushed?: NotPushed;
}

/** Notes and labels come before the texts of sessions, and so does what a model read. */
export function search(found: TextStore, query: SearchQuery, scope: ReadonlySet<string> | null): SearchFound {
  const { results, total } = searchTexts(found, query, scope);
  const best = results[0]?.score ?? 0;
  const notes = [...markResults(found.store, query, scope, best), ...reviewResults(found.store, query, scope, best)];
  if (notes.length === 0) return { results, total };
  return {
    results: [...notes, ...results].slice(0, query.limit),
    total: total === null ? null : total + notes.length,
  };
}

function searchTexts(found: TextStore, query: SearchQuery, scope: ReadonlySet<string> | null): SearchFound {
  const { store } = found;
  const phrases = phrasesOf(query.text);
  if (phrases.length === 0) {
    throw new DaybookError("nothing to search for", { code: "usage", op: "search", hint: "give at least one word" });
  }
  const matches = findMatches(
    store,
    phrases.map((phrase) => [phrase]),
  );
  const isCommon = matches.count > COMMON;
  const wanted = DOC_KINDS.filter((kind) => query.kinds.length === 0 || query.kinds.includes(kind));
  const where = [...timeFilter(query), ...unitFilter(store, query, scope)];
  // Fetch more than needed: among the last ones that are equal in all else, their files decide which are shown.
  const most = query.limit * 2;
  const docs = isCommon
    ? newestTexts(store, matches, { kinds: wanted, where, most })
    : bestTexts(store, matches, { kinds: wanted, where, most }, found.counts?.() ?? null);
  const rows: Row[] = docs.flatMap((row) => {
    const place = placeOf(store, Number(row["file"]));
    return place ? [{ ...row, ...place }] : [];
  });
  const given = new Map(queryInstructions(store, query, { phrases, where, isCommon }));
  const shown = [...rows, ...given.keys()].toSorted(compareRows).slice(0, query.limit);
  const unread = shown.filter((row) => !given.has(row));
  const texts = new Map(found.texts(unread).map((text, i) => [unread[i], text]));
  const results = shown.map((row) => {
    const instruction = given.get(row);
    return instruction ? toInstruction(found, instruction, query) : toResult(store, row, texts.get(row) ?? "", query);
  });
  if (results.length < query.limit)
    return withTurns(found, { results, query, scope }, { phrases, kinds: wanted, where });
  const count =
    query.isCounted === true ? countRows(store, matches.ids(placesOf(wanted)), where, MAX_COUNTED + 1) : Infinity;
  return { results, total: count > MAX_COUNTED ? null : count + given.size };
}

/** Appends the turns that contain all words in several records, each represented by its record of the best kind. */
function withTurns(
  found: TextStore,
  { results, query, scope }: { results: SearchResult[]; query: SearchQuery; scope: ReadonlySet<string> | null },
  { phrases, kinds, where }: { phrases: readonly Phrase[]; kinds: readonly DocKind[]; where: readonly string[] },
): SearchFound {
  const { store } = found;
  const known = new Set(results.map(turnKey));
  const places = new TurnPlaces(store, (key) => scope?.has(key) ?? true);
  const choice = { places, kinds: placesOf(kinds), where, weightOf: (kind: DocKind) => WEIGHTS[kind] };
  const rows = turnsWithAll(store, phrases, choice)
    .filter(({ name }) => !known.has(name))
    .flatMap(({ doc }) => {
      const place = places.file(doc.file);
      return place ? [{ ...doc, ...place, score: 0 }] : [];
    })
    .toSorted(compareRows);
  const shown = rows.slice(0, query.limit - results.length);
  const texts = found.texts(shown);
  return {
    results: [...results, ...shown.map((row, i) => toResult(store, row, texts[i] ?? "", query))],
    total: results.length + rows.length,
  };
}

/** Nobody looks through more, and counting them all would take longer than finding the best. */
export const MAX_COUNTED = 5000;

/** Instructions weigh as much as other text that a machine put into a prompt. */
function queryInstructions(
  store: IndexStore,
  query: SearchQuery,
  { phrases, where, isCommon }: { phrases: readonly Phrase[]; where: readonly string[]; isCommon: boolean },
): [Row, FoundInstruction][] {
  if (query.kinds.length > 0 && !query.kinds.includes("instructions")) return [];
  const score = isCommon ? `-${WEIGHTS.injected.toFixed(1)}` : `bm25(instruction_text) * ${WEIGHTS.injected}`;
  return findInstructions(store, toMatchExpression(phrases), { where, score, most: query.limit }).map((one) => [
    { ...one.last, score: one.score, at: 0 },
    one,
  ]);
}

function toInstruction(found: TextStore, one: FoundInstruction, query: SearchQuery): SearchResult {
  const { hash, sessions, first, last } = one;
  const text = found.instruction(hash) ?? "";
  const file = String(last["instruction_path"]);
  return {
    ...locationOf(found.store, last, query),
    kind: "instructions",
    ...shownPart(text, one.score, query),
    instructions: {
      hash,
      kind: String(last["kind"]),
      path: file === "" ? null : file,
      sessions,
      first: instructionPlace(first),
      last: instructionPlace(last),
    },
  };
}

function instructionPlace(row: Row): InstructionPlace {
  return {
    source: String(row["source"]),
    session_id: String(row["session_id"]),
    line: Number(row["line"]),
    time: timeOf(row),
  };
}

/** Heaviest first: texts of people are few, and mostly sufficient. */
const KIND_GROUPS: readonly (readonly DocKind[])[] = [
  ["prompt"],
  ["reply", "summary"],
  ["error", "input", "reasoning"],
  ["output"],
  ["injected"],
];

interface TextSelection {
  kinds: readonly DocKind[];
  where: readonly string[];
  most: number;
}

/** The texts that match best. */
function bestTexts(
  store: IndexStore,
  matches: Matches,
  { kinds, where, most }: TextSelection,
  among: TextCounts | null,
): Row[] {
  const scoreOf = matches.scorer(among);
  return rowsOf(store, matches.ids(placesOf(kinds)), where)
    .map((row) => ({ ...row, score: scoreOf(Number(row["id"]), Number(row["words"])) * weightOf(row) }))
    .toSorted(compareTexts)
    .slice(0, most);
}

/** The newest texts, those of a heavier kind before others. */
function newestTexts(store: IndexStore, matches: Matches, { kinds, where, most }: TextSelection): Row[] {
  const docs: Row[] = [];
  for (const group of KIND_GROUPS) {
    if (docs.length >= most) break;
    const ids = matches.ids(placesOf(group.filter((kind) => kinds.includes(kind))));
    const rows = rowsOf(store, ids, where, { order: NEWEST_FIRST, most });
    docs.push(...rows.map((row) => ({ ...row, score: -weightOf(row) })).toSorted(compareTexts));
  }
  return docs;
}

function weightOf(row: Row): number {
  return WEIGHTS[kindAt(Number(row["id"]))];
}

function placesOf(kinds: readonly DocKind[]): ReadonlySet<number> {
  return new Set(kinds.map((kind) => DOC_KINDS.indexOf(kind)));
}

/** Texts without a time come last. */
function compareTexts(a: Row, b: Row): number {
  const more = (name: string): number => Number(a[name]) - Number(b[name]);
  const [one, other] = [Number(a["time"] ?? -Infinity), Number(b["time"] ?? -Infinity)];
  const later = one === other ? 0 : one > other ? -1 : 1;
  return more("score") || later || more("line") || more("at");
}

function timeFilter({ range }: SearchQuery): string[] {
  return [
    ...(range.start === null ? [] : [`d.time >= ${range.start}`]),
    ...(range.end === null ? [] : [`d.time < ${range.end}`]),
  ];
}

/** Files are selected first: they are few, and looking up the project of every text would cost more than the search. */
function unitFilter(store: IndexStore, query: SearchQuery, scope: ReadonlySet<string> | null): string[] {
  const { project, session, marked } = query;
  if (project === undefined && session === undefined && scope === null && !marked) return firstOccurrences(store);
  const where = ["s.copied = 0"];
  const params: string[] = [];
  if (project !== undefined) {
    const chosen = projectCondition("s", project);
    where.push(chosen.sql);
    params.push(...chosen.params);
  }
  if (session !== undefined) {
    where.push("s.key = ?");
    params.push(session);
  }
  const files = store
    .all(
      `SELECT u.id, u.path, s.key FROM file u JOIN session s ON s.key = ${sessionKeySql("u")} WHERE ${where.join(" AND ")}`,
      ...params,
    )
    .filter((row) => scope === null || scope.has(String(row["key"])));
  if (marked) return [`(${["0", ...markedPlaces(store, files, marked)].join(" OR ")})`];
  return [`d.file IN (${files.map((row) => Number(row["id"])).join(", ")})`];
}

/** Sessions that are marked as a whole, and the lines of turns that are marked. */
function markedPlaces(store: IndexStore, files: readonly Row[], marked: MarkFilter): string[] {
  const idsOf = (isMeant: (row: Row) => boolean): string =>
    files
      .filter(isMeant)
      .map((row) => Number(row["id"]))
      .join(", ");
  const turns = [...marked.turns].flatMap((name) => {
    const { session: key, turn_ref: ref } = parseTurnKey(name);
    const turn = store.get("SELECT path, first, last FROM turn WHERE session = ? AND ref = ?", key, ref);
    if (!turn) return [];
    const ids = idsOf((row) => row["key"] === key && row["path"] === turn["path"]);
    return [`(d.file IN (${ids}) AND d.line BETWEEN ${Number(turn["first"])} AND ${Number(turn["last"])})`];
  });
  return [`d.file IN (${idsOf((row) => marked.wholeSessions.has(String(row["key"])))})`, ...turns];
}

function placeOf(store: IndexStore, file: number): Row | undefined {
  return store.get(
    `SELECT u.path, u.page, u.source, u.session_id, s.key, s.project
     FROM file u JOIN session s ON s.key = ${sessionKeySql("u")} WHERE u.id = ?`,
    file,
  );
}

/** The same order on every machine, whatever order the files were read in. */
function compareRows(a: Row, b: Row): number {
  const number = (name: string): number => Number(a[name]) - Number(b[name]);
  const text = (name: string): number => (String(a[name]) < String(b[name]) ? -1 : a[name] === b[name] ? 0 : 1);
  return number("score") || -number("time") || text("key") || text("path") || number("line") || number("at");
}

function textIn(store: IndexStore, row: Row): string {
  const body = recordOf(store, row);
  return (body && textOf(body)?.[1]) ?? "";
}

function toResult(store: IndexStore, row: Row, text: string, query: SearchQuery): SearchResult {
  const kind = kindAt(Number(row["id"]));
  const shown = kind === "input" ? formatInput(text, (part) => query.redactor?.text(part) ?? part) : text;
  const part = shownPart(shown, Number(row["score"]), query);
  // Field names match too, but not all of them are shown: then show the input unchanged.
  const isSeen = part.matches.length > 0 || shown === text;
  return { ...locationOf(store, row, query), kind, ...(isSeen ? part : shownPart(text, Number(row["score"]), query)) };
}

function timeOf(row: Row): string | null {
  return iso(row["time"] === null ? null : Number(row["time"]));
}

function shownPart(text: string, score: number, query: SearchQuery): Snippet & Pick<SearchResult, "score"> {
  return {
    ...snippetOf(text, query.text, (part) => query.redactor?.text(part) ?? part),
    // Avoids -0.
    score: Math.round(-score * 1000) / 1000 || 0,
  };
}

type ResultLocation = Omit<SearchResult, "kind" | "score" | "instructions" | "lost" | keyof Snippet>;

function locationOf(store: IndexStore, row: Row, query: SearchQuery): ResultLocation {
  const path = String(row["path"]);
  const turn = store.get(
    "SELECT ref FROM turn WHERE session = ? AND path = ? AND first <= ? AND last >= ? ORDER BY first DESC LIMIT 1",
    String(row["key"]),
    path,
    Number(row["line"]),
    Number(row["line"]),
  );
  return {
    source: String(row["source"]),
    session_id: String(row["session_id"]),
    session_path: path,
    project: String(row["project"]),
    turn_ref: typeof turn?.["ref"] === "string" ? turn["ref"] : null,
    line: Number(row["line"]),
    time: timeOf(row),
    marks: marksAt(query, String(row["key"]), typeof turn?.["ref"] === "string" ? turn["ref"] : null),
  };
}

/**
 * The record that holds a text; `row`: a row of `doc` with its page. Tentative records are in no log yet: the index
 * stores them with their file.
 */
export function recordOf(store: IndexStore, row: Row): RecordBody | null {
  const [at, bytes] = [Number(row["at"]), Number(row["bytes"])];
  if (at >= 0) return readRecord(join(store.home, String(row["page"])), at, bytes);
  const tail = store.get("SELECT tail FROM read_state WHERE file = ?", Number(row["file"]))?.["tail"];
  const entries = parseRow(typeof tail === "string" ? tail : "[]") as Entry[];
  return entries.find((entry) => entry.line === Number(row["line"]))?.records[bytes] ?? null;
}
