import { join } from "node:path";
import { DaybookError } from "../../errors.ts";
import { readRecord } from "../pages/page-reader.ts";
import type { Row } from "../../io/sqlite.ts";
import type { RecordBody } from "../../format/record.ts";
import type { Entry } from "../../sources/contract.ts";
import type { TimeRange } from "../../time/range.ts";
import { iso } from "../../time/zone.ts";
import { turnKey } from "../../turns/session.ts";
import type { Redactor } from "../../redact/redact.ts";
import type { NotPushed } from "../../answers/not-pushed.ts";
import type { Marked, Marks } from "../../answers/marks.ts";
import type { BookMarks } from "../marks/marks-file.ts";
import { marksAt } from "../marks/shown-marks.ts";
import { markResults } from "./mark-search.ts";
import { shownInput } from "./shown-input.ts";
import { snippetOf, type Snippet } from "./snippet.ts";
import { expression, expressions } from "./terms.ts";
import { Places } from "./turn-places.ts";
import { turnsWithAll } from "./across-records.ts";
import { findInstructions, instructionText, type FoundInstruction } from "./instructions.ts";
import { DOC_KINDS, kindAt, textOf, type DocKind, type SearchKind } from "./text-kinds.ts";
import { saidFirst } from "../tables/copied-lines.ts";
import { inProject } from "../tables/project-names.ts";
import type { IndexStore } from "../tables/index-store.ts";
import { parseRow } from "../tables/damaged-index.ts";

export interface SearchQuery {
  text: string;
  kinds: readonly string[];
  range: TimeRange;
  project?: string | undefined;
  session?: string | undefined;
  /** Only turns and sessions that people marked so. */
  marked?: Marked | undefined;
  /** What people put on sessions and turns: their words are found too. */
  marks?: BookMarks | undefined;
  limit: number;
  /** How many there are is asked as well. */
  isCounted?: boolean;
  /** Takes secrets out of what is shown. */
  redactor?: Redactor;
}

export interface SearchResult extends Snippet {
  source: string;
  session_id: string;
  session_path: string;
  project: string;
  turn_ref: string | null;
  /** Null of notes and labels: they stand in no file of the agent. */
  line: number | null;
  kind: SearchKind;
  time: string | null;
  /** Higher is better; 0 where the words stand in several records of the turn, of which this is one. */
  score: number;
  /** What a person put on the turn or its session; null where there is nothing. */
  marks: Marks | null;
  /** Of instructions: the result itself says where they came into force last. */
  instructions?: InstructionPlaces;
}

/** One text that sessions were given, and when. */
export interface InstructionPlaces {
  /** SHA-256 of the text. */
  hash: string;
  /** What part they played, and the file they stood in where that is known. */
  kind: string;
  path: string | null;
  /** How many of the sessions asked about were given them. */
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

/** What a person meant is found before what a machine wrote. */
const WEIGHTS: Readonly<Record<DocKind, number>> = {
  ...{ prompt: 3, reply: 2, summary: 1.5, error: 1, input: 1, reasoning: 1, output: 0.7, injected: 0.5 },
};
const KIND = `(text.rowid & ${DOC_KINDS.length - 1})`;
const WEIGHT = `CASE ${KIND} ${DOC_KINDS.map((kind, i) => `WHEN ${i} THEN ${WEIGHTS[kind].toFixed(1)}`).join(" ")} END`;

/** Words in more texts than this tell none of them apart: the newest of the best kind are shown. To weigh each would take long. */
const COMMON = 1500;

/** Where the texts stand whose words the index has. */
export interface FoundTexts {
  readonly store: IndexStore;
  texts(rows: readonly Row[]): string[];
  /** Null when it is not known. */
  instruction(hash: string): string | null;
}

/** The book's own. */
export function bookTexts(store: IndexStore): FoundTexts {
  return {
    store,
    texts: (rows) => rows.map((row) => textIn(store, row)),
    instruction: (hash) => instructionText(store.home, hash),
  };
}

/** The best of what was found, and how much there is in all: null when nobody asked, or it is more than is worth counting. */
export interface SearchFound {
  results: SearchResult[];
  total: number | null;
  /** Only from a store: kinds of texts of which it does not have all. */
  not_pushed?: NotPushed;
}

/** What people wrote on sessions and turns stands before what was said in them. */
export function search(found: FoundTexts, query: SearchQuery, scope: ReadonlySet<string> | null): SearchFound {
  const { results, total } = searchTexts(found, query, scope);
  const notes = markResults(found.store, query, scope, results[0]?.score ?? 0);
  if (notes.length === 0) return { results, total };
  return {
    results: [...notes, ...results].slice(0, query.limit),
    total: total === null ? null : total + notes.length,
  };
}

function searchTexts(found: FoundTexts, query: SearchQuery, scope: ReadonlySet<string> | null): SearchFound {
  const { store } = found;
  const match = expression(query.text);
  if (match === "") {
    throw new DaybookError("nothing to search for", { code: "usage", op: "search", hint: "give at least one word" });
  }
  const matching = matches(store, match);
  const wanted = DOC_KINDS.filter((kind) => query.kinds.length === 0 || query.kinds.includes(kind));
  const where = [...timeFilter(query), ...unitFilter(store, query, scope)];
  // Where the last are equal in all else, their files decide which are shown.
  const most = query.limit * 2;
  const docs: Row[] = [];
  if (matching > COMMON) {
    for (const kinds of inTurn(wanted, match)) {
      if (docs.length < most) docs.push(...ask(store, match, { kinds, where, score: `-${WEIGHT}`, most }));
    }
  } else docs.push(...ask(store, match, { kinds: wanted, where, score: `bm25(text) * ${WEIGHT}`, most }));
  const rows: Row[] = docs.flatMap((row) => {
    const place = placeOf(store, Number(row["unit"]));
    return place ? [{ ...row, ...place }] : [];
  });
  const given = new Map(askInstructions(store, query, { match, where, isCommon: matching > COMMON }));
  const shown = [...rows, ...given.keys()].toSorted(inOrder).slice(0, query.limit);
  const unread = shown.filter((row) => !given.has(row));
  const texts = new Map(found.texts(unread).map((text, i) => [unread[i], text]));
  const results = shown.map((row) => {
    const instruction = given.get(row);
    return instruction ? toInstruction(found, instruction, query) : toResult(store, row, texts.get(row) ?? "", query);
  });
  if (results.length < query.limit) return withTurns(found, { results, query, scope }, { kinds: wanted, where });
  const count = query.isCounted === true ? countOf(store, match, { kinds: wanted, where }) : Infinity;
  return { results, total: count > COUNTED ? null : count + given.size };
}

/** The records that hold all words, and after them the turns that do, each by the record of its best kind. */
function withTurns(
  found: FoundTexts,
  { results, query, scope }: { results: SearchResult[]; query: SearchQuery; scope: ReadonlySet<string> | null },
  { kinds, where }: Pick<Ask, "kinds" | "where">,
): SearchFound {
  const { store } = found;
  const known = new Set(results.map(turnKey));
  const places = new Places(store, (key) => scope?.has(key) ?? true);
  const choice = { places, where: [kindIn(kinds), ...where].join(" AND "), weightOf: (kind: DocKind) => WEIGHTS[kind] };
  const rows = turnsWithAll(store, expressions(query.text), choice)
    .filter(({ name }) => !known.has(name))
    .flatMap(({ doc }) => {
      const place = places.unit(doc.unit);
      return place ? [{ ...doc, ...place, score: 0 }] : [];
    })
    .toSorted(inOrder);
  const shown = rows.slice(0, query.limit - results.length);
  const texts = found.texts(shown);
  return {
    results: [...results, ...shown.map((row, i) => toResult(store, row, texts[i] ?? "", query))],
    total: results.length + rows.length,
  };
}

/** More nobody looks through, and to count them all would take longer than to find the best. */
const COUNTED = 5000;

function countOf(store: IndexStore, match: string, { kinds, where }: Pick<Ask, "kinds" | "where">): number {
  const row = store.get(
    `SELECT count(*) AS n FROM (SELECT 1 FROM text${where.length > 0 ? " CROSS JOIN doc d ON d.id = text.rowid" : ""}
     WHERE ${["text MATCH ?", kindIn(kinds), ...where].join(" AND ")} LIMIT ?)`,
    match,
    COUNTED + 1,
  );
  return Number(row?.["n"]);
}

/** Instructions weigh as much as what else was put into a prompt by a machine. */
function askInstructions(
  store: IndexStore,
  query: SearchQuery,
  { match, where, isCommon }: { match: string; where: readonly string[]; isCommon: boolean },
): [Row, FoundInstruction][] {
  if (query.kinds.length > 0 && !query.kinds.includes("instructions")) return [];
  const score = isCommon ? `-${WEIGHTS.injected.toFixed(1)}` : `bm25(instruction_text) * ${WEIGHTS.injected}`;
  return findInstructions(store, match, { where, score, most: query.limit }).map((one) => [
    { ...one.last, score: one.score, at: 0 },
    one,
  ]);
}

function toInstruction(found: FoundTexts, one: FoundInstruction, query: SearchQuery): SearchResult {
  const { hash, sessions, first, last } = one;
  const text = found.instruction(hash) ?? "";
  const file = String(last["file"]);
  return {
    ...whereabouts(found.store, last, query),
    kind: "instructions",
    ...shownPart(text, one.score, query),
    instructions: {
      ...{ hash, kind: String(last["kind"]), path: file === "" ? null : file, sessions },
      ...{ first: instructionPlace(first), last: instructionPlace(last) },
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

/** The heaviest first: the words of people are few, and mostly enough. */
const KIND_GROUPS: readonly (readonly DocKind[])[] = [
  ["prompt"],
  ["reply", "summary"],
  ["error", "input", "reasoning"],
  ["output"],
  ["injected"],
];

/**
 * Kinds in the order they are asked for. To ask for a phrase again costs more than to look at all its texts, so then they are
 * asked for together.
 */
function inTurn(wanted: readonly DocKind[], match: string): DocKind[][] {
  const isPhrase = match.split(" AND ").some((term) => term.includes(" "));
  if (isPhrase) return [[...wanted]];
  return KIND_GROUPS.map((lot) => lot.filter((kind) => wanted.includes(kind))).filter((lot) => lot.length > 0);
}

interface Ask {
  kinds: readonly DocKind[];
  where: readonly string[];
  score: string;
  most: number;
}

/** The kind is in a text's number, so that only texts of the kinds asked for are looked up. */
function ask(store: IndexStore, match: string, { kinds, where, score, most }: Ask): Row[] {
  return store.all(
    `SELECT d.*, ${score} AS score FROM text CROSS JOIN doc d ON d.id = text.rowid
     WHERE ${["text MATCH ?", kindIn(kinds), ...where].join(" AND ")}
     ORDER BY score, d.time DESC, d.line, d.at LIMIT ?`,
    match,
    most,
  );
}

function kindIn(kinds: readonly DocKind[]): string {
  return `${KIND} IN (${kinds.map((kind) => DOC_KINDS.indexOf(kind)).join(", ")})`;
}

/** How many texts match, counted as far as it matters. */
function matches(store: IndexStore, match: string): number {
  const row = store.get("SELECT count(*) AS n FROM (SELECT 1 FROM text WHERE text MATCH ? LIMIT ?)", match, COMMON + 1);
  return Number(row?.["n"]);
}

function timeFilter({ range }: SearchQuery): string[] {
  return [
    ...(range.start === null ? [] : [`d.time >= ${range.start}`]),
    ...(range.end === null ? [] : [`d.time < ${range.end}`]),
  ];
}

/** Files are chosen first, a few at most: asking each text for its project would cost more than finding it. */
function unitFilter(store: IndexStore, query: SearchQuery, scope: ReadonlySet<string> | null): string[] {
  const { project, session, marked } = query;
  if (project === undefined && session === undefined && scope === null && !marked) return saidFirst(store);
  const where = ["s.copied = 0"];
  const params: string[] = [];
  if (project !== undefined) {
    const chosen = inProject("s", project);
    where.push(chosen.sql);
    params.push(...chosen.params);
  }
  if (session !== undefined) {
    where.push("s.key = ?");
    params.push(session);
  }
  const units = store
    .all(
      `SELECT u.id, u.path, s.key FROM unit u JOIN session s ON s.key = u.source || '/' || u.session_id WHERE ${where.join(" AND ")}`,
      ...params,
    )
    .filter((row) => scope === null || scope.has(String(row["key"])));
  if (marked) return [`(${["0", ...markedPlaces(store, units, marked)].join(" OR ")})`];
  return [`d.unit IN (${units.map((row) => Number(row["id"])).join(", ")})`];
}

/** Sessions that are marked whole, and the lines of turns that are marked alone. */
function markedPlaces(store: IndexStore, units: readonly Row[], marked: Marked): string[] {
  const idsOf = (isMeant: (row: Row) => boolean): string =>
    units
      .filter(isMeant)
      .map((row) => Number(row["id"]))
      .join(", ");
  const turns = [...marked.turns].flatMap((name) => {
    const slash = name.lastIndexOf("/");
    const [key, ref] = [name.slice(0, slash), name.slice(slash + 1)];
    const turn = store.get("SELECT path, first, last FROM turn WHERE session = ? AND ref = ?", key, ref);
    if (!turn) return [];
    const ids = idsOf((row) => row["key"] === key && row["path"] === turn["path"]);
    return [`(d.unit IN (${ids}) AND d.line BETWEEN ${Number(turn["first"])} AND ${Number(turn["last"])})`];
  });
  return [`d.unit IN (${idsOf((row) => marked.whole.has(String(row["key"])))})`, ...turns];
}

function placeOf(store: IndexStore, unit: number): Row | undefined {
  return store.get(
    `SELECT u.path, u.page, u.source, u.session_id, s.key, s.project
     FROM unit u JOIN session s ON s.key = u.source || '/' || u.session_id WHERE u.id = ?`,
    unit,
  );
}

/** The same on every machine, whatever order the files were read in. */
function inOrder(a: Row, b: Row): number {
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
  const shown = kind === "input" ? shownInput(text, (part) => query.redactor?.text(part) ?? part) : text;
  const part = shownPart(shown, Number(row["score"]), query);
  // Names of fields are found too, and not all of them are shown: then the input is shown as it stands.
  const isSeen = part.matches.length > 0 || shown === text;
  return {
    ...{ ...whereabouts(store, row, query), kind },
    ...(isSeen ? part : shownPart(text, Number(row["score"]), query)),
  };
}

function timeOf(row: Row): string | null {
  return iso(row["time"] === null ? null : Number(row["time"]));
}

function shownPart(text: string, score: number, query: SearchQuery): Snippet & Pick<SearchResult, "score"> {
  return {
    ...snippetOf(text, query.text, (part) => query.redactor?.text(part) ?? part),
    // No score is a minus nothing.
    score: Math.round(-score * 1000) / 1000 || 0,
  };
}

type Whereabouts = Omit<SearchResult, "kind" | "score" | "instructions" | keyof Snippet>;

function whereabouts(store: IndexStore, row: Row, query: SearchQuery): Whereabouts {
  const path = String(row["path"]);
  const turn = store.get(
    "SELECT ref FROM turn WHERE session = ? AND path = ? AND first <= ? AND last >= ? ORDER BY first DESC LIMIT 1",
    ...[String(row["key"]), path, Number(row["line"]), Number(row["line"])],
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

/** The record a text stands in; `row`: of `doc`, with its page. Uncertain ones are in no log yet: the index has them with their file. */
export function recordOf(store: IndexStore, row: Row): RecordBody | null {
  const [at, bytes] = [Number(row["at"]), Number(row["bytes"])];
  if (at >= 0) return readRecord(join(store.home, String(row["page"])), at, bytes);
  const tail = store.get("SELECT tail FROM memory WHERE unit = ?", Number(row["unit"]))?.["tail"];
  const entries = parseRow(typeof tail === "string" ? tail : "[]") as Entry[];
  return entries.find((entry) => entry.line === Number(row["line"]))?.records[bytes] ?? null;
}
