import { hasMarkChoice } from "../answers/marks.ts";
import { unreadableFile } from "../reading/library.ts";
import { recall } from "../store/search/recall/recall.ts";
import type { RecallAnswer, RecallQuery } from "../store/search/recall/model.ts";
import { MAX_COUNTED, search, type SearchFound } from "../store/search/search.ts";
import { TemporaryIndex } from "../store/search/temporary-index.ts";
import type { RemoteDemand } from "../store/tables/remote-demand.ts";
import type { TimeRange } from "../time/range.ts";
import type { AnswerContext } from "./answer-context.ts";
import { withLostPrompts } from "./lost-search.ts";
import { notSearched } from "./not-in-store.ts";
import { FULL, LEAN, type Query, type ReportQuery } from "./questions.ts";
import { sessionKey } from "../format/session-key.ts";

/** Search filters besides the words. */
export type TextQuery = Query & Pick<ReportQuery, "redact"> & { kinds?: readonly string[] };

/** Which turns recall considers. */
export type RecallOptions = Query &
  Pick<ReportQuery, "redact"> & {
    /** The current directory: of two equally good turns, the one of this project comes first. */
    cwd?: string | undefined;
    /** Sessions to leave out, such as the one that asks: ids, prefixes, or `source/id`. */
    excludeSessions?: readonly string[] | undefined;
  };

/**
 * What a search needs from a team store. A word that is in thousands of texts is answered from the best of them, as in
 * a book; a query with any other filter needs them all, because the filter is applied here.
 */
export function textDemand(
  text: string,
  query: TextQuery,
  range: TimeRange,
  sources: readonly string[] | undefined,
): RemoteDemand {
  const { project, session, kinds = [], limit = 0 } = query;
  const isFiltered = project !== undefined || session !== undefined || kinds.length > 0 || hasMarkChoice(query);
  // A search looks at twice as many as it shows.
  const isBounded = !isFiltered && (sources ?? []).length === 0 && limit * 2 <= MAX_COUNTED;
  return { words: text, range, ...(isBounded ? { mostTexts: MAX_COUNTED + 1 } : {}) };
}

export async function searchTexts(
  ctx: AnswerContext,
  text: string,
  query: TextQuery,
  isCounted: boolean,
): Promise<SearchFound> {
  const found = await foundTexts(ctx, text, query, isCounted);
  // Snippets are cut after they were redacted; this is for all other texts, such as names of projects.
  return query.redact === false ? found : ctx.redactor.all(found);
}

async function foundTexts(
  ctx: AnswerContext,
  text: string,
  query: TextQuery,
  isCounted: boolean,
): Promise<SearchFound> {
  const { index } = ctx.snapshot;
  const wanted = {
    text,
    kinds: query.kinds ?? [],
    range: ctx.range(query),
    limit: query.limit ?? 20,
    isCounted,
    marked: ctx.marked(query),
    marks: ctx.snapshot.marks,
    ...(query.redact === false ? {} : { redactor: ctx.redactor }),
  };
  if (!index) {
    const inSessions = await inFiles(ctx, query, false, (texts, scope) => search(texts, wanted, scope));
    return withLostPrompts(ctx, inSessions, wanted, query);
  }
  const session = query.session === undefined ? undefined : index.queries.findSessions(query.session)[0];
  const inSessions = search(index.texts(), { ...wanted, project: query.project, session }, index.scope);
  const found = await withLostPrompts(ctx, inSessions, wanted, query);
  const lacking = notSearched(ctx.snapshot, wanted.kinds);
  return lacking ? { ...found, not_pushed: lacking } : found;
}

export async function recallTurns(ctx: AnswerContext, question: string, options: RecallOptions): Promise<RecallAnswer> {
  const found = await recalled(ctx, question, options);
  return options.redact === false ? found : ctx.redactor.all(found);
}

async function recalled(ctx: AnswerContext, question: string, options: RecallOptions): Promise<RecallAnswer> {
  const { cwd, excludeSessions, limit = 5, redact } = options;
  const { index, names } = ctx.snapshot;
  const wanted: RecallQuery = {
    question,
    range: ctx.range(options),
    marked: ctx.marked(options),
    excludeSessions,
    limit,
    marks: ctx.snapshot.marks,
    zone: ctx.zone,
    now: ctx.now,
    ...(redact === false ? {} : { redactor: ctx.redactor }),
    preferred: cwd === undefined ? undefined : names.projectAt(cwd)?.project_key,
  };
  if (!index) return inFiles(ctx, options, true, (texts, scope) => recall(texts, wanted, scope));
  const session = options.session === undefined ? undefined : index.queries.findSessions(options.session)[0];
  return recall(index.texts(), { ...wanted, project: options.project, session }, index.scope);
}

/** Searches the files directly, among the selected sessions. `withViews`: with the views of sessions and turns. */
async function inFiles<T>(
  ctx: AnswerContext,
  query: Query,
  withViews: boolean,
  ask: (texts: TemporaryIndex, scope: ReadonlySet<string> | null) => T,
): Promise<T> {
  const { snapshot } = ctx;
  const detail = withViews ? FULL : LEAN;
  const { sessions } = await snapshot.readFiles(detail);
  const { chosen } = await ctx.select(query, detail);
  const views: ConstructorParameters<typeof TemporaryIndex>[1]["views"] = {
    session: (session) => JSON.stringify(ctx.sessionView(session)),
    turn: (turn) => JSON.stringify(ctx.turnView(turn)),
  };
  const texts = new TemporaryIndex(sessions, {
    projectOf: (session) => snapshot.names.projectOf(session),
    failed: (ref, message) => snapshot.fail(unreadableFile(ref, message)),
    progress: ctx.options.onProgress,
    ...(withViews ? { views } : {}),
  });
  try {
    const isAll = chosen.length === sessions.length;
    return ask(texts, isAll ? null : new Set(chosen.map(sessionKey)));
  } finally {
    texts.close();
  }
}
