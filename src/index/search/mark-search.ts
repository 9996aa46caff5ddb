import { labelText, type Marks } from "../../views/marks.ts";
import type { Row } from "../../base/io/sqlite.ts";
import { order } from "../../base/text/order.ts";
import { within } from "../../base/time/range.ts";
import type { BookMarks } from "../marks/marks-file.ts";
import { marksAt } from "../marks/shown-marks.ts";
import type { IndexStore } from "../tables/index-store.ts";
import { projectCondition } from "../tables/project-names.ts";
import type { SearchQuery, SearchResult } from "./search.ts";
import { snippetOf } from "./snippet.ts";
import { fold, termPatterns } from "./terms.ts";

/** A note, or the labels of one place, that contain all words of a query. */
interface FoundMark {
  session: string;
  turn: string | null;
  text: string;
  /** Null for labels. */
  time: string | null;
}

/** Ranked at least as high as the best other result, because these are the user's own words. */
const LEAST_SCORE = 1;

/** Notes and labels that contain the words, newest first, labels last. `best`: highest score of the other results. */
export function markResults(
  store: IndexStore,
  query: SearchQuery,
  scope: ReadonlySet<string> | null,
  best: number,
): SearchResult[] {
  const { marks, marked, kinds, range, session } = query;
  if (!marks || marks.bySession.size === 0 || (kinds.length > 0 && !kinds.includes("note"))) return [];
  const isBounded = range.start !== null || range.end !== null;
  return findMarks(marks, query.text)
    .filter((one) => marked?.hasTurn(one.session, one.turn) !== false)
    .filter((one) => session === undefined || one.session === session)
    .filter((one) => scope?.has(one.session) ?? true)
    .filter(({ time }) => !isBounded || (time !== null && within(range, Date.parse(time))))
    .flatMap(({ session: key, turn, text, time }): SearchResult[] => {
      const row = sessionRow(store, key, query.project);
      if (!row) return [];
      return [
        {
          source: String(row["source"]),
          session_id: String(row["session_id"]),
          session_path: String(row["path"]),
          project: String(row["project"]),
          turn_ref: turn,
          line: null,
          kind: "note",
          time,
          ...snippetOf(text, query.text, (part) => query.redactor?.text(part) ?? part),
          score: Math.max(best, LEAST_SCORE),
          marks: marksAt(query, key, turn),
        },
      ];
    });
}

/** The session's row for a result; undefined if the query is not about it. */
export function sessionRow(store: IndexStore, key: string, project: string | undefined): Row | undefined {
  const chosen = project === undefined ? { sql: "1", params: [] } : projectCondition("s", project);
  return store.get(
    `SELECT s.source, s.session_id, s.project,
       (SELECT u.path FROM file u WHERE u.source = s.source AND u.session_id = s.session_id ORDER BY u.gone, u.id DESC LIMIT 1) AS path
     FROM session s WHERE s.key = ? AND ${chosen.sql}`,
    key,
    ...chosen.params,
  );
}

/** There are few marks, so they are scanned instead of indexed. */
function findMarks(marks: BookMarks, query: string): FoundMark[] {
  const wanted = termPatterns(query);
  const found: FoundMark[] = [];
  const look = (session: string, turn: string | null, { labels, notes }: Marks): void => {
    const texts: [string, string | null][] = notes.map(({ text, time }) => [text, time]);
    if (labels.length > 0) texts.push([labels.map(labelText).join(", "), null]);
    for (const [text, time] of texts) {
      const folded = fold(text);
      if (wanted.every((pattern) => folded.search(pattern) !== -1)) found.push({ session, turn, text, time });
    }
  };
  for (const [session, own] of marks.bySession) {
    look(session, null, own);
    for (const turn of own.turns) look(session, turn.turn_ref, turn);
  }
  return found.toSorted((a, b) => order(b.time ?? "", a.time ?? ""));
}
