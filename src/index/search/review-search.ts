import type { DayReview, ReadPoint } from "../../views/day-review.ts";
import { order } from "../../base/text/order.ts";
import { within } from "../../base/time/range.ts";
import { keyOfSession } from "../../record/session-key.ts";
import type { IndexStore } from "../tables/index-store.ts";
import { sessionRow } from "./mark-search.ts";
import type { SearchQuery, SearchResult } from "./search.ts";
import { snippetOf } from "./snippet.ts";
import { fold, termPatterns } from "./terms.ts";

/**
 * What a model read that contains the words, newest first. Each result names the model. There are few, so they are
 * scanned instead of indexed. `best`: highest score of the other results.
 */
export function reviewResults(
  store: IndexStore,
  query: SearchQuery,
  scope: ReadonlySet<string> | null,
  best: number,
): SearchResult[] {
  const { reviews = [], marked, kinds, range, session, project } = query;
  if (reviews.length === 0 || (kinds.length > 0 && !kinds.includes("review"))) return [];
  const wanted = termPatterns(query.text);
  const isBounded = range.start !== null || range.end !== null;
  return reviews
    .flatMap((review) => pointsOf(review).map((point) => ({ point, text: textOf(point, review) })))
    .filter(({ text }) => wanted.every((pattern) => fold(text).search(pattern) !== -1))
    .filter(({ point }) => !isBounded || within(range, Date.parse(point.time)))
    .toSorted((a, b) => order(b.point.time, a.point.time) || order(a.point.id, b.point.id))
    .flatMap(({ point, text }): SearchResult[] => {
      const { source, session_id, turn_ref, time } = point;
      const key = keyOfSession(source, session_id);
      if (session !== undefined && session !== key) return [];
      if (scope?.has(key) === false || marked?.hasTurn(key, turn_ref) === false) return [];
      const row = sessionRow(store, key, project);
      if (!row) return [];
      return [
        {
          source,
          session_id,
          session_path: String(row["path"]),
          project: String(row["project"]),
          turn_ref,
          line: null,
          kind: "review",
          time,
          ...snippetOf(text, query.text, (part) => query.redactor?.text(part) ?? part),
          score: best,
          marks: null,
        },
      ];
    });
}

function pointsOf({ opened, closed, decided, results }: DayReview): ReadPoint[] {
  return [...opened, ...closed, ...decided, ...results];
}

function textOf({ why, quote }: ReadPoint, { model }: DayReview): string {
  return `${why} “${quote}” (read by ${model})`;
}
