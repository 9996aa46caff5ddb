import { statSync } from "node:fs";
import { findCitation, type Cited } from "./report/cited.ts";
import { contextViews, type ContextView } from "./report/context-view.ts";
import { dayReport } from "./report/day.ts";
import type { DayReport } from "./report/model.ts";
import { rangeOf, resolveSpan, type Span } from "./report/window.ts";
import type { Asked } from "../turns/decisions/model.ts";
import { order } from "../base/text/order.ts";
import { within } from "../base/time/range.ts";
import { buildOf } from "../base/version.ts";
import type { IndexRows } from "../index/tables/index-rows.ts";
import type { AnswerContext } from "./answer-context.ts";
import { findLostPrompts, withUnreadSessions } from "./lost.ts";
import type { Query, ReportQuery } from "./questions.ts";
import { ownSessions, withOwnSessionsNote, type OwnWork } from "./own-sessions.ts";
import { notedPlacesFile } from "./workspace/own-places.ts";
import { noteFromStore, withUnread } from "./unread.ts";

/** The report of a day, a week or any span of days; by default the newest day with work. */
export async function report(ctx: AnswerContext, query: ReportQuery): Promise<DayReport> {
  const { snapshot, zone, now, prices, redactor } = ctx;
  const found = ctx.recordFacts();
  return found.answer(
    () => cacheKey(ctx, "report", query),
    async () => {
      const all = ctx.rows(query);
      const own = ownSessions(ctx, query);
      const rows = own.keys.size === 0 ? all : all.without((key) => own.keys.has(key));
      const span = spanOf(ctx, query, workTimes(all, own));
      const about = {
        span,
        zone,
        now,
        prices,
        unreadable: snapshot.unreadable(),
        lost: findLostPrompts(ctx, query, rangeOf(span), withUnreadSessions(ctx, ctx.index.queries.transcripts())),
        hide: ctx.hiderFor(query.redact),
      };
      const { failures } = snapshot;
      const made = ctx.withoutBroken(rows, rangeOf(span), (some) =>
        dayReport({ ...about, rows: some, facts: (key) => found.of(key, some) }),
      );
      if (snapshot.failures > failures) found.isPartial = true;
      if (own.keys.size > 0)
        made.diagnostics = withOwnSessionsNote(made.diagnostics, own.keys, all, ctx, rangeOf(span));
      if (ctx.options.remote) noteFromStore(made, snapshot.remoteLevel);
      if (snapshot.unreadFiles) made.diagnostics = withUnread(made.diagnostics, snapshot.unreadFiles);
      return query.redact === false ? made : redactor.all(made);
    },
  );
}

/**
 * Resolves a report's citation; null if the text is not a citation. Sessions left out of the report have no number in
 * it.
 */
export async function resolveCitation(ctx: AnswerContext, text: string, query: ReportQuery): Promise<Cited | null> {
  const all = ctx.rows(query);
  const own = ownSessions(ctx, query);
  const rows = own.keys.size === 0 ? all : all.without((key) => own.keys.has(key));
  return findCitation(text, rows, spanOf(ctx, query, workTimes(all, own)));
}

/** A day on which only narratives were written does not count as the newest day with work. */
function workTimes(rows: IndexRows, { keys, newestOther }: OwnWork): ReturnType<IndexRows["workTimes"]> {
  const times = rows.workTimes();
  if (keys.size === 0 || newestOther === null || times.newest === null) return times;
  return { ...times, newest: Math.min(times.newest, newestOther) };
}

/** The settings of each turn (instructions, model, approval, sandbox, place), and where they changed. */
export async function context(ctx: AnswerContext, query: Query & Pick<ReportQuery, "redact">): Promise<ContextView[]> {
  const range = ctx.range(query);
  const views = ctx.withoutBroken(ctx.rows(query), range, (rows) => contextViews(rows, range));
  const listed = query.limit === undefined ? views : views.slice(-query.limit);
  return query.redact === false ? listed : ctx.redactor.all(listed);
}

/** Questions asked of the human, in order of time, with what gstack's question log needs in addition. */
export async function askedDecisions(ctx: AnswerContext, query: Query): Promise<Asked[]> {
  const found = ctx.recordFacts();
  const range = ctx.range(query);
  const rows = ctx.rows(query);
  const marked = ctx.marked(query);
  return rows
    .sessionsWithQuestions(range)
    .flatMap((key) =>
      found.of(key, rows).asked.filter(({ decision }) => marked?.hasTurn(key, decision.turn_ref) !== false),
    )
    .filter(({ decision: { time } }) => within(range, time === null ? null : Date.parse(time)))
    .sort((a, b) => order(a.decision.time ?? "", b.decision.time ?? ""));
}

function spanOf(
  { zone, now }: AnswerContext,
  { date, week, since, until }: ReportQuery,
  work: { first: number | null; newest: number | null },
): Span {
  return resolveSpan({ date, week, since, until }, zone, now, work);
}

/** Options that decide how a question is answered, or that are part of the key in another form. */
const MEANS: ReadonlySet<string> = new Set<keyof AnswerContext["options"]>([
  "env",
  "home",
  "book",
  "now",
  "timezone",
  "redactor",
  "times",
  "noSync",
  "lookOnce",
  "inBackground",
  "givenWhole",
  "readFirst",
]);

/**
 * The query with everything else its answer depends on besides the rows of the index. Whatever is added to queries and
 * options belongs to it unless it is listed above; functions never do.
 */
function cacheKey({ snapshot, zone, now, redactor, options }: AnswerContext, what: string, query: ReportQuery): string {
  return JSON.stringify({
    what,
    by: buildOf(),
    today: zone.day(now),
    timezone: zone.name,
    query: sorted(query),
    options: sorted(options, MEANS),
    marks: snapshot.marks.stamp,
    hides: redactor.name,
    unreadable: snapshot.unread(),
    left: snapshot.unreadFiles,
    own: options.book === undefined ? null : fileStamp(notedPlacesFile(options.book)),
    // Input histories can change without any session changing.
    histories: snapshot.facts().flatMap(({ histories }) => histories.map(fileStamp)),
  });
}

/** The fields in the order of their names, without some. */
function sorted(fields: object, without: ReadonlySet<string> = new Set()): [string, unknown][] {
  return Object.entries(fields)
    .filter(([name, value]) => value !== undefined && typeof value !== "function" && !without.has(name))
    .toSorted(([a], [b]) => order(a, b));
}

function fileStamp(path: string): string | null {
  try {
    const { size, mtimeMs } = statSync(path);
    return `${size} ${mtimeMs}`;
  } catch {
    return null;
  }
}
