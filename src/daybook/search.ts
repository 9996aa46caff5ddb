import { unreadableFile } from "../reading/library.ts";
import { recall } from "../store/search/recall/recall.ts";
import type { RecallAnswer, RecallQuery } from "../store/search/recall/model.ts";
import { search, type SearchFound } from "../store/search/search.ts";
import { LooseTexts } from "../store/search/temporary-index.ts";
import { sessionKey } from "../turns/session.ts";
import type { Asking } from "./asking.ts";
import { notSearched } from "./not-in-store.ts";
import { FULL, LEAN, type Query, type ReportQuery } from "./questions.ts";

/** What is searched for besides the words. */
export type TextQuery = Query & Pick<ReportQuery, "redact"> & { kinds?: readonly string[] };

/** Among which turns an answer is looked for. */
export type RecallOptions = Query &
  Pick<ReportQuery, "redact"> & {
    /** Where whoever asks works: of two that fit as well the turn of this project comes first. */
    cwd?: string | undefined;
    /** Sessions that are left out, as the one that asks: ids, their beginnings, or `source/id`. */
    excludeSessions?: readonly string[] | undefined;
  };

export async function searched(
  asking: Asking,
  text: string,
  query: TextQuery,
  isCounted: boolean,
): Promise<SearchFound> {
  const { index } = asking.at;
  const wanted = {
    ...{ text, kinds: query.kinds ?? [], range: asking.range(query), limit: query.limit ?? 20, isCounted },
    ...{ marked: asking.marked(query), marks: asking.at.marks },
    ...(query.redact === false ? {} : { redactor: asking.redactor }),
  };
  if (!index) return inFiles(asking, query, false, (texts, scope) => search(texts, wanted, scope));
  const session = query.session === undefined ? undefined : index.queries.find(query.session)[0];
  const found = search(index.texts(), { ...wanted, project: query.project, session }, index.scope);
  const lacking = notSearched(asking.at, wanted.kinds);
  return lacking ? { ...found, not_pushed: lacking } : found;
}

export async function recalled(asking: Asking, question: string, options: RecallOptions): Promise<RecallAnswer> {
  const { cwd, excludeSessions, limit = 5, redact } = options;
  const { index, names } = asking.at;
  const wanted: RecallQuery = {
    ...{ question, range: asking.range(options), marked: asking.marked(options), excludeSessions, limit },
    ...{ marks: asking.at.marks, zone: asking.zone, now: asking.now },
    ...(redact === false ? {} : { redactor: asking.redactor }),
    preferred: cwd === undefined ? undefined : names.projectAt(cwd)?.project_key,
  };
  if (!index) return inFiles(asking, options, true, (texts, scope) => recall(texts, wanted, scope));
  const session = options.session === undefined ? undefined : index.queries.find(options.session)[0];
  return recall(index.texts(), { ...wanted, project: options.project, session }, index.scope);
}

/** Asks the words of the files themselves, among the sessions that are meant. `withViews`: with what lists say of them. */
async function inFiles<T>(
  asking: Asking,
  query: Query,
  withViews: boolean,
  ask: (texts: LooseTexts, scope: ReadonlySet<string> | null) => T,
): Promise<T> {
  const { at } = asking;
  const detail = withViews ? FULL : LEAN;
  const { sessions } = await at.readFiles(detail);
  const { chosen } = await asking.select(query, detail);
  const views: ConstructorParameters<typeof LooseTexts>[1]["views"] = {
    session: (session) => JSON.stringify(asking.sessionView(session)),
    turn: (turn) => JSON.stringify(asking.turnView(turn)),
  };
  const texts = new LooseTexts(sessions, {
    projectOf: (session) => at.names.projectOf(session),
    failed: (ref, message) => at.fail(unreadableFile(ref, message)),
    progress: asking.options.onProgress,
    ...(withViews ? { views } : {}),
  });
  try {
    const isAll = chosen.length === sessions.length;
    return ask(texts, isAll ? null : new Set(chosen.map(sessionKey)));
  } finally {
    texts.close();
  }
}
