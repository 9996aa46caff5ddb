import { statSync } from "node:fs";
import { cited, type Cited } from "../report/cited.ts";
import { contextViews, type ContextView } from "../report/context-view.ts";
import { dayReport } from "../report/day.ts";
import type { DayReport } from "../report/model.ts";
import { rangeOf, resolveSpan, type Span } from "../report/window.ts";
import type { Asked } from "../decisions/model.ts";
import { order } from "../text/order.ts";
import { within } from "../time/range.ts";
import { buildOf } from "../version.ts";
import type { Asking, Rows } from "./asking.ts";
import { lost, transcripts, withFound } from "./lost.ts";
import { FULL, type Query, type ReportQuery } from "./questions.ts";
import { ownSessions, withOwn, type OwnSessions } from "./own-sessions.ts";
import { notedPlaces } from "../workspace/own-places.ts";
import { asOfStore, withUnread } from "./unread.ts";

/** The report of a day, a week or any span of days; the newest day with work when none is named. */
export async function report(asking: Asking, query: ReportQuery): Promise<DayReport> {
  const { at, zone, now, prices, redactor } = asking;
  const found = asking.recordFacts();
  return found.answer(
    () => cacheKey(asking, "report", query),
    async () => {
      const all = await asking.rows(query);
      const own = ownSessions(asking, query);
      const rows = own.keys.size === 0 ? all : all.without((key) => own.keys.has(key));
      const span = spanOf(asking, query, workTimes(all, own));
      const about = {
        ...{ span, zone, now, prices, unreadable: await at.unreadable() },
        lost: lost(asking, query, rangeOf(span), withFound(asking, await transcripts(asking, FULL))),
        hide: asking.hiding(query.redact),
      };
      const { failures } = at;
      const made = asking.withoutBroken(rows, rangeOf(span), (some) =>
        dayReport({ ...about, rows: some, facts: (key) => found.of(key, some) }),
      );
      if (at.failures > failures) found.isPartial = true;
      if (own.keys.size > 0) made.diagnostics = withOwn(made.diagnostics, own.keys, all, asking, rangeOf(span));
      if (asking.options.given) asOfStore(made, at.givenLevel);
      if (at.left) made.diagnostics = withUnread(made.diagnostics, at.left);
      return query.redact === false ? made : redactor.all(made);
    },
  );
}

/** Where a report's citation leads; null when the text is none. Sessions that are left out of it have no number there. */
export async function citedIn(asking: Asking, text: string, query: ReportQuery): Promise<Cited | null> {
  const all = await asking.rows(query);
  const own = ownSessions(asking, query);
  const rows = own.keys.size === 0 ? all : all.without((key) => own.keys.has(key));
  return cited(text, rows, spanOf(asking, query, workTimes(all, own)));
}

/** The newest day with work is none on which only narratives were written. */
function workTimes(rows: Rows, { keys, newestOther }: OwnSessions): ReturnType<Rows["workTimes"]> {
  const times = rows.workTimes();
  if (keys.size === 0 || newestOther === null || times.newest === null) return times;
  return { ...times, newest: Math.min(times.newest, newestOther) };
}

/** What ruled each turn: instructions, model, approval, sandbox, place; and where it changed. */
export async function context(asking: Asking, query: Query & Pick<ReportQuery, "redact">): Promise<ContextView[]> {
  const range = asking.range(query);
  const views = asking.withoutBroken(await asking.rows(query), range, (rows) => contextViews(rows, range));
  const listed = query.limit === undefined ? views : views.slice(-query.limit);
  return query.redact === false ? listed : asking.redactor.all(listed);
}

/** Questions put to the human, in order of time, with what gstack's question log needs beside them. */
export async function asked(asking: Asking, query: Query): Promise<Asked[]> {
  const found = asking.recordFacts();
  const range = asking.range(query);
  const rows = await asking.rows(query);
  const marked = asking.marked(query);
  return rows
    .asking(range)
    .flatMap((key) =>
      found.of(key, rows).asked.filter(({ decision }) => marked?.hasTurn(key, decision.turn_ref) !== false),
    )
    .filter(({ decision: { time } }) => within(range, time === null ? null : Date.parse(time)))
    .sort((a, b) => order(a.decision.time ?? "", b.decision.time ?? ""));
}

function spanOf(
  { zone, now }: Asking,
  { date, week, since, until }: ReportQuery,
  work: { first: number | null; newest: number | null },
): Span {
  return resolveSpan({ date, week, since, until }, zone, now, work);
}

/** A question with all that its answer depends on beside the rows of the index: who answers, when, where, and from what. */
function cacheKey({ at, zone, now, redactor, options }: Asking, what: string, query: ReportQuery): string {
  const { date, week, since, until, project, session, redact, label, starred, noted } = query;
  const { roots, sources } = options;
  return JSON.stringify({
    ...{ what, by: buildOf(), today: zone.day(now), timezone: zone.name },
    ...{ date, week, since, until, project, session, redact, roots, sources },
    ...{ label, starred, noted, marks: at.marks.stamp },
    hides: redactor.name,
    unreadable: at.unread(),
    left: at.left,
    own: options.book === undefined ? null : lookOf(notedPlaces(options.book)),
    // Of an input history no session need know.
    histories: at.facts().flatMap(({ histories }) => histories.map(lookOf)),
  });
}

function lookOf(path: string): string | null {
  try {
    const { size, mtimeMs } = statSync(path);
    return `${size} ${mtimeMs}`;
  } catch {
    return null;
  }
}
