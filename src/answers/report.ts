import { statSync } from "node:fs";
import type { FileEdit } from "../agents/contract.ts";
import { contextViews, type ContextView } from "./report/context-view.ts";
import { dayReport } from "./report/day.ts";
import type { DayReport, ReportDiagnostic, ReportTurn } from "./report/model.ts";
import { readByModel } from "./report/read-by-model.ts";
import { rangeOf, resolveSpan, type Span } from "./report/window.ts";
import type { Asked } from "../turns/decisions/model.ts";
import { order } from "../base/text/order.ts";
import { plural } from "../base/text/units.ts";
import { within } from "../base/time/range.ts";
import { buildOf } from "../base/version.ts";
import type { IndexRows } from "../index/tables/index-rows.ts";
import { sessionKey } from "../record/session-key.ts";
import type { Level } from "../views/push-level.ts";
import type { AnswerContext } from "./answer-context.ts";
import { ownSessions, type OwnWork, withOwnSessionsNote } from "./own-sessions.ts";
import type { Query, ReportQuery } from "./questions.ts";
import { editsByTurn } from "./report/edits.ts";
import { findLostPrompts, withUnreadSessions } from "./texts.ts";
import { notedPlacesFile } from "./workspace/own-places.ts";

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
      made.read_by_model = readByModel(snapshot.reviews.all, { rows, span, zone });
      if (ctx.options.remote) noteFromStore(made, snapshot.remoteLevel);
      if (snapshot.unreadFiles) made.diagnostics = withUnread(made.diagnostics, snapshot.unreadFiles);
      return query.redact === false ? made : redactor.all(made);
    },
  );
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
    reviews: snapshot.reviews.stamp,
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

/** Adds to a report that new files were not read yet, and what that may affect. */
function withUnread(
  diagnostics: readonly ReportDiagnostic[],
  { files, bytes }: { files: number; bytes: number },
): ReportDiagnostic[] {
  const size = `${Math.max(1, Math.round(bytes / 1e6))} MB`;
  const message =
    `${plural(files, "file")} of other days (${size}) still to be read: ` +
    "forks, copies, prompts that recur and older loose ends may change this; `daybook sync` reads them";
  return [{ code: "files_unread", message, path: null, line: null, count: 1 }, ...diagnostics];
}

/** What a report lacks, by the lowest level at which one of its sessions was pushed. */
const MISSING: Readonly<Record<Level, string>> = {
  totals: "sessions pushed as totals have numbers alone: no requests, answers, files or loose ends",
  turns: "commands and errors of tool calls were not pushed",
  full: "everything that reports are made of was pushed",
};

/** Adds to a report that it was made from a store, and what is missing there. Marks are never pushed. */
function noteFromStore(made: DayReport, lowest: Level | null): void {
  const level = made.not_pushed?.level ?? lowest ?? "full";
  const message = `made from a store: ${MISSING[level]}; labels, stars, notes and prompts without a session stay on their machine`;
  made.diagnostics = [{ code: "from_store", message, path: null, line: null, count: 1 }, ...made.diagnostics];
  const fields = [...(made.not_pushed?.fields ?? []), "projects.sessions.marks", "projects.turns.marks"];
  made.not_pushed = { level, fields };
}

/** Looks up what a turn's calls did to files. */
export type EditsOf = (turn: Pick<ReportTurn, "source" | "session_id" | "turn_ref">) => readonly FileEdit[];

/**
 * The file edits of the turns of a report, from the records of its sessions; none for a session that cannot be read.
 */
export async function edits(ctx: AnswerContext, report: DayReport, redact: boolean): Promise<EditsOf> {
  const rows = ctx.rows({});
  const bySession = new Map<string, ReadonlyMap<string, readonly FileEdit[]>>();
  for (const session of report.projects.flatMap((project) => project.sessions)) {
    const key = sessionKey(session);
    const recorded = rows.recordedSession(key);
    if (!recorded || bySession.has(key)) continue;
    const view = rows.session(key);
    if (view) for (const found of ctx.unlessBroken(view, () => editsByTurn(recorded))) bySession.set(key, found);
  }
  return (turn) => {
    const found = bySession.get(sessionKey(turn))?.get(turn.turn_ref) ?? [];
    return redact ? ctx.redactor.all(found) : found;
  };
}
