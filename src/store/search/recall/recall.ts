import { DaybookError } from "../../../errors.ts";
import { askedLine } from "../../../text/asked-line.ts";
import { inProject } from "../../tables/project-names.ts";
import type { Row } from "../../../io/sqlite.ts";
import type { FoundTexts } from "../search.ts";
import { snippetOf } from "../snippet.ts";
import { kindAt } from "../text-kinds.ts";
import { isAnswered } from "./answered.ts";
import { findTurns, type FoundDoc } from "./find.ts";
import type { RecallAnswer, RecallQuery, RecallResult } from "./model.ts";
import { Places } from "./places.ts";
import { conceptsOf, type Concept } from "./question.ts";
import { rank, type RankedTurn } from "./rank.ts";

/** The turns that answer a question best, whatever words they say it in; and whether any of them does. */
export function recall(found: FoundTexts, query: RecallQuery, scope: ReadonlySet<string> | null): RecallAnswer {
  const { store } = found;
  const concepts = conceptsOf(query.question);
  if (concepts.length === 0)
    throw new DaybookError("nothing to look for", {
      ...{ code: "usage", op: "recall", hint: "ask with at least one word that says what it is about" },
    });
  const places = new Places(store, meant(found, query, scope));
  const { start, end } = query.range;
  const ranked = rank(store, concepts, findTurns(store, concepts, places), {
    ...{ places, preferred: query.preferred },
    isMeant: ({ started_at }) => {
      const time = started_at === null ? null : Date.parse(started_at);
      return (start === null || (time !== null && time >= start)) && (end === null || (time !== null && time < end));
    },
  });
  const best = ranked.slice(0, query.limit);
  return {
    schema_version: 1,
    question: query.question,
    answered: isAnswered(concepts, ranked),
    missing: concepts.filter((_, c) => best.every(({ held }) => (held[c] ?? 0) === 0)).map(({ word }) => word),
    results: best.map((one) => toResult(found, one, { concepts, places, query })),
  };
}

/** Which sessions are asked about. */
function meant(
  { store }: FoundTexts,
  { project, session, excludeSessions = [] }: RecallQuery,
  scope: ReadonlySet<string> | null,
): (key: string) => boolean {
  const chosen = project === undefined ? null : inProject("s", project);
  const inside =
    chosen &&
    new Set(store.list(`SELECT key FROM session s WHERE ${chosen.sql}`, ...chosen.params).map(([key]) => String(key)));
  return (key) => {
    const id = key.slice(key.indexOf("/") + 1);
    if (excludeSessions.some((out) => out === key || (out.length >= 4 && id.startsWith(out)))) return false;
    return (inside?.has(key) ?? true) && (session === undefined || key === session) && (scope?.has(key) ?? true);
  };
}

interface Around {
  concepts: readonly Concept[];
  places: Places;
  query: RecallQuery;
}

function toResult(found: FoundTexts, one: RankedTurn, around: Around): RecallResult {
  const { view, score, why } = one;
  const hide = (text: string): string => around.query.redactor?.text(text) ?? text;
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
    ...bestPlace(found, one, around, hide),
    why: why.map((match) => ({ ...match, found: hide(match.found) })),
  };
}

const LINE = 200;

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= LINE ? line : `${line.slice(0, LINE - 1).trimEnd()}…`;
}

type Place = Pick<RecallResult, "snippet" | "matches" | "kind" | "line">;

/** The record that says most of what the question speaks of. */
function bestPlace(
  found: FoundTexts,
  { turn, view, why }: RankedTurn,
  { places }: Around,
  hide: (text: string) => string,
): Place {
  const words = why.map((match) => `"${match.found}"`).join(" ");
  const [best] = [...turn.docs.values()].toSorted(
    (a, b) => sum(b.concepts) - sum(a.concepts) || a.doc.line - b.doc.line || a.doc.id - b.doc.id,
  );
  if (!best) return { ...snippetOf(view.trigger.text, words, hide), kind: "prompt", line: view.trigger.line };
  const [text = ""] = found.texts([rowOf(best.doc, places)]);
  return { ...snippetOf(text, words, hide), kind: kindAt(best.doc.id), line: best.doc.line };
}

function sum(concepts: ReadonlyMap<number, number>): number {
  return [...concepts.values()].reduce((all, one) => all + one, 0);
}

function rowOf(doc: FoundDoc, places: Places): Row {
  const { id, unit, line, at, bytes, time } = doc;
  return { ...places.unit(unit), id, unit, line, at, bytes, time };
}
