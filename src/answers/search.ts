import { hasMarkChoice } from "../views/marks.ts";
import { recall } from "../index/search/recall/recall.ts";
import type { RecallAnswer, RecallQuery } from "../index/search/recall/model.ts";
import { MAX_COUNTED, search, type SearchFound } from "../index/search/search.ts";
import type { RemoteDemand } from "../index/tables/remote-demand.ts";
import type { TimeRange } from "../base/time/range.ts";
import type { AnswerContext } from "./answer-context.ts";
import { withLostPrompts } from "./lost-search.ts";
import { notSearched } from "./not-in-store.ts";
import type { Query, ReportQuery } from "./questions.ts";

/** Search filters besides the words. */
export type TextQuery = Query & Pick<ReportQuery, "redact"> & { kinds?: readonly string[] | undefined };

/** Which turns recall considers. */
export type RecallOptions = Query &
  Pick<ReportQuery, "redact"> & {
    /** The current directory: of two equally good turns, the one of this project comes first. */
    cwd?: string | undefined;
    /** Sessions to leave out, such as the one that asks: ids, prefixes, or `source/id`. */
    excludeSessions?: readonly string[] | undefined;
    /** Other wordings of the question, such as a technical one, an everyday one, the likely answer as a statement. */
    also?: readonly string[] | undefined;
    /** Words that the answer probably contains. */
    words?: readonly string[] | undefined;
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
  const { index } = ctx;
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
  const session = query.session === undefined ? undefined : index.queries.findSessions(query.session)[0];
  const inSessions = search(index.texts(), { ...wanted, project: query.project, session }, index.scope);
  const found = withLostPrompts(ctx, inSessions, wanted, query);
  const lacking = notSearched(ctx.snapshot, wanted.kinds);
  return lacking ? { ...found, not_pushed: lacking } : found;
}

export async function recallTurns(ctx: AnswerContext, question: string, options: RecallOptions): Promise<RecallAnswer> {
  const found = await recalled(ctx, question, options);
  return options.redact === false ? found : ctx.redactor.all(found);
}

async function recalled(ctx: AnswerContext, question: string, options: RecallOptions): Promise<RecallAnswer> {
  const { cwd, excludeSessions, limit = 5, redact, also, words } = options;
  const { index } = ctx;
  const wanted: RecallQuery = {
    question,
    also,
    words,
    range: ctx.range(options),
    marked: ctx.marked(options),
    excludeSessions,
    limit,
    marks: ctx.snapshot.marks,
    zone: ctx.zone,
    now: ctx.now,
    ...(redact === false ? {} : { redactor: ctx.redactor }),
    preferred: cwd === undefined ? undefined : ctx.snapshot.names.projectAt(cwd)?.project_key,
  };
  const session = options.session === undefined ? undefined : index.queries.findSessions(options.session)[0];
  return recall(index.texts(), { ...wanted, project: options.project, session }, index.scope);
}
