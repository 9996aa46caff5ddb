import type { ReadViews } from "../../../views/not-pushed.ts";
import { TurnPlaces } from "../turn-places.ts";
import { DaybookError } from "../../../base/errors.ts";
import { askedLine } from "../../../base/text/asked-line.ts";
import { projectCondition } from "../../tables/project-names.ts";
import type { Row } from "../../../base/io/sqlite.ts";
import { marksAt } from "../../marks/shown-marks.ts";
import type { TextStore } from "../search.ts";
import { formatInput } from "../format-input.ts";
import { snippetOf } from "../snippet.ts";
import { kindAt } from "../text-kinds.ts";
import { timeGainOf } from "./asked-time.ts";
import { isAnswered } from "./answered.ts";
import { findTurns, turnNameOf, type RecallCandidate } from "./find.ts";
import type { DocRow } from "../text-rows.ts";
import { writtenForm, Matcher } from "./matcher.ts";
import type { RecallAnswer, RecallField, RecallMatch, RecallQuery, RecallResult } from "./model.ts";
import { conceptsOf } from "./question.ts";
import { rankTurns, unmatchedTurn, type RankedCandidate, type FoundWord } from "./rank.ts";
import { fuse, type FusedCandidate, type LikeTurn, type Wording } from "./wordings.ts";
import { keyOfSession, parseSessionKey, sessionKey } from "../../../record/session-key.ts";

/** The turns that answer a question best, whatever words they use; and whether any of them does. */
export function recall(found: TextStore, query: RecallQuery, scope: ReadonlySet<string> | null): RecallAnswer {
  const isMeant = sessionFilter(found, query, scope);
  const places = new TurnPlaces(found.store, isMeant);
  const findWith = (text: string): Wording => find(text, found, query, { places, isMeant });
  const asked = findWith(query.question);
  if (asked.concepts.length === 0 && asked.similar.length === 0)
    throw new DaybookError("nothing to look for", {
      code: "usage",
      op: "recall",
      hint: "ask with at least one word that says what it is about",
    });
  const others = otherWordings(query)
    .map(findWith)
    .filter(({ concepts, similar }) => concepts.length > 0 || similar.length > 0);
  const best = fuse([asked, ...others]).slice(0, query.limit);
  const ofQuestion = best.flatMap(({ by }) => by.flatMap((one) => (one.wording === asked ? one.turn : [])));
  return {
    schema_version: 1,
    question: query.question,
    answered: isAnswered(asked.turns.concepts, asked.ranked, best[0]),
    missing: asked.concepts
      .filter((_, c) => ofQuestion.every(({ held }) => (held[c] ?? 0) === 0))
      .map(({ word }) => word),
    embeddings: query.embeddings ?? null,
    results: toResults(found, best, { places, query }),
  };
}

/** The wordings besides the question, without repetitions; words that the answer contains make one wording together. */
function otherWordings({ question, also = [], words = [] }: RecallQuery): string[] {
  const given = [...also, words.join(" ")].map((text) => text.trim()).filter((text) => text !== "");
  return [...new Set(given)].filter((text) => text !== question.trim());
}

interface Within {
  places: TurnPlaces;
  isMeant: (session: string) => boolean;
}

function find(text: string, found: TextStore, query: RecallQuery, { places, isMeant }: Within): Wording {
  const concepts = conceptsOf(text);
  const turns = findTurns(found.store, concepts, places);
  const ranked = rankTurns(found.store, turns, {
    places,
    preferred: query.preferred,
    // Only the question says when something was: in other wordings times are guesses.
    when: timeGainOf(query.question, query.zone, query.now),
    isMeant: (view) => isInQuery(view, query),
  });
  const byName = new Map(ranked.map((one) => [turnNameOf(one.turn), one]));
  const similar = (query.similar?.(text, isMeant) ?? []).flatMap(({ session: key, ref, ...like }): LikeTurn[] => {
    const known = byName.get(turnNameOf({ key, ref })) ?? unmatchedTurn(found.store, { key, ref }, turns.concepts);
    return known && isInQuery(known.view, query) ? [{ turn: known, ...like }] : [];
  });
  return { text, concepts, turns, ranked, similar };
}

function isInQuery(
  { source, session_id, turn_ref, started_at }: ReadViews["turn"],
  { marked, range: { start, end } }: RecallQuery,
): boolean {
  if (marked?.hasTurn(keyOfSession(source, session_id), turn_ref) === false) return false;
  const time = started_at === null ? null : Date.parse(started_at);
  return (start === null || (time !== null && time >= start)) && (end === null || (time !== null && time < end));
}

/** Which sessions are searched. */
function sessionFilter(
  { store }: TextStore,
  { project, session, marked, excludeSessions = [] }: RecallQuery,
  scope: ReadonlySet<string> | null,
): (key: string) => boolean {
  const chosen = project === undefined ? null : projectCondition("s", project);
  const inside =
    chosen &&
    new Set(store.list(`SELECT key FROM session s WHERE ${chosen.sql}`, ...chosen.params).map(([key]) => String(key)));
  return (key) => {
    const { session_id: id } = parseSessionKey(key);
    if (excludeSessions.some((out) => out === key || (out.length >= 4 && id.startsWith(out)))) return false;
    if (marked?.hasSession(key) === false) return false;
    return (inside?.has(key) ?? true) && (session === undefined || key === session) && (scope?.has(key) ?? true);
  };
}

interface ResultContext {
  places: TurnPlaces;
  query: RecallQuery;
}

/** Reads all texts that are shown or searched for words in one batch: without a book, each file is read only once. */
function toResults(
  found: TextStore,
  best: readonly FusedCandidate[],
  { places, query }: ResultContext,
): RecallResult[] {
  const matchers = new Map<Wording, Matcher>();
  const shown = best.map((fused) => {
    const [first] = fused.by;
    if (!first) return null;
    const { wording, turn } = first;
    const reasons = turn.why();
    const unread = reasons.flatMap(({ concept, field, hit }) => (hit ? [] : docWith(turn.turn, concept, field)));
    matchers.set(wording, matchers.get(wording) ?? new Matcher(wording.turns.concepts));
    return { fused, wording, turn, reasons, unread, doc: bestDoc(turn.turn) };
  });
  const given = shown.filter((one) => one !== null);
  const docs = [...new Set(given.flatMap(({ doc, unread }) => (doc ? [doc, ...unread] : unread)))];
  const texts = new Map(found.texts(docs.map((doc) => rowOf(doc, places))).map((text, i) => [docs[i], text]));
  return given.map(({ fused, wording, turn, reasons, doc }) => {
    const matcher = matchers.get(wording);
    const why = reasons.flatMap(({ concept, word, field, hit }): RecallMatch[] => {
      const [held] = hit ? [] : docWith(turn.turn, concept, field);
      const stands = hit ?? (held && matcher && findWord(texts.get(held) ?? "", concept, matcher));
      return stands ? [{ word, found: stands.found, field, how: stands.how }] : [];
    });
    return toResult(fused, turn, why, doc && { doc, text: texts.get(doc) ?? "" }, query);
  });
}

function findWord(text: string, concept: number, matcher: Matcher): FoundWord | null {
  const matched = matcher.match(text, LOOKED_AT);
  const hit = matched.hits.get(concept);
  return hit ? { how: hit.how, found: writtenForm(matched, hit) } : null;
}

/** Characters of a text in which a word reported by the index is searched. */
const LOOKED_AT = 200_000;

/** The record that matches most of the question. */
function bestDoc({ docs }: RecallCandidate): DocRow | null {
  const [best] = [...docs.values()].toSorted(
    (a, b) => sum(b.concepts) - sum(a.concepts) || a.doc.line - b.doc.line || a.doc.id - b.doc.id,
  );
  return best?.doc ?? null;
}

function sum(concepts: ReadonlyMap<number, number>): number {
  return [...concepts.values()].reduce((all, one) => all + one, 0);
}

/** The first record of a kind that contains a concept. */
function docWith({ docs }: RecallCandidate, concept: number, field: RecallField): DocRow[] {
  const holding = [...docs.values()].filter(({ doc, concepts }) => kindAt(doc.id) === field && concepts.has(concept));
  return holding
    .map(({ doc }) => doc)
    .toSorted((a, b) => a.line - b.line || a.id - b.id)
    .slice(0, 1);
}

function toResult(
  { score, by, likeness }: FusedCandidate,
  { view }: RankedCandidate,
  why: RecallMatch[],
  best: { doc: DocRow; text: string } | null,
  query: RecallQuery,
): RecallResult {
  const { redactor } = query;
  const hide = (text: string): string => redactor?.text(text) ?? text;
  const kind = best ? kindAt(best.doc.id) : "prompt";
  const text = best?.text ?? view.trigger.text;
  const shown = kind === "input" ? formatInput(text, hide) : text;
  const words = why.map((match) => `"${match.found.replaceAll('"', " ")}"`).join(" ");
  return {
    source: view.source,
    session_id: view.session_id,
    session_path: view.session_path,
    turn_ref: view.turn_ref,
    project: view.project,
    time: view.started_at,
    citation: `${view.session_id}/${view.turn_ref}:${view.start_line}-${view.end_line}`,
    score: Math.round(score * 1000) / 1000,
    request: oneLine(askedLine(hide(view.trigger.text))),
    result: view.final_text.trim() === "" ? null : oneLine(hide(view.final_text)),
    outcome: view.outcome,
    ...snippetOf(shown, words, hide),
    kind,
    line: best?.doc.line ?? view.trigger.line,
    found_by: by.map(({ wording }) => wording.text),
    likeness: likeness === null ? null : Math.round(likeness * 1000) / 1000,
    why: why.map((match) => ({ ...match, found: hide(match.found) })),
    marks: marksAt(query, sessionKey(view), view.turn_ref),
  };
}

const LINE = 200;

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= LINE ? line : `${line.slice(0, LINE - 1).trimEnd()}…`;
}

function rowOf(doc: DocRow, places: TurnPlaces): Row {
  const { id, file, line, at, bytes, time } = doc;
  return { ...places.file(file), id, file, line, at, bytes, time };
}
