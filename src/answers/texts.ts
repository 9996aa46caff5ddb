import { DaybookError } from "../base/errors.ts";
import { turnKey, keyOfSession } from "../record/session-key.ts";
import { hasMarkChoice } from "../views/marks.ts";
import { recall } from "../index/search/recall/recall.ts";
import type { RecallAnswer, RecallQuery } from "../index/search/recall/model.ts";
import { MAX_COUNTED, search, type SearchFound, type SearchQuery, type SearchResult } from "../index/search/search.ts";
import { snippetOf } from "../index/search/snippet.ts";
import { fold, termPatterns } from "../index/search/terms.ts";
import type { RemoteDemand } from "../index/tables/remote-demand.ts";
import { type LostPrompt, lostView, matchesLostPrompt } from "../views/lost-view.ts";
import { UNKNOWN_PROJECT } from "../views/projects/label.ts";
import type { AnswerContext } from "./answer-context.ts";
import { notSearched } from "./not-in-store.ts";
import type { Query, ReportQuery, WorkChoice } from "./questions.ts";
import { similarTurns } from "./similar-turns.ts";
import { lostPrompts } from "../book/reading/lost-prompts.ts";
import { type TimeRange, within } from "../base/time/range.ts";
import { order } from "../base/text/order.ts";
import { sessionIdOf } from "../book/reading/read-file.ts";

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

/** What a search finds: texts with all its words, and what recall finds besides. */
export interface QuestionFound extends SearchFound {
  /** Null if only the words were asked for, or nothing answers. */
  meaning: RecallAnswer | null;
}

/** At most this many turns are added by meaning, where the words leave room for them. */
const BY_MEANING = 5;
/** Quotes and beginnings ask for these words exactly. */
const EXACT = /"|\*(?:\s|$)/;

/** Exact words first, then what recall finds in turns that the words did not find. */
export async function searchQuestion(
  ctx: AnswerContext,
  text: string,
  query: TextQuery & Pick<RecallOptions, "cwd" | "also" | "words">,
  isCounted: boolean,
): Promise<QuestionFound> {
  const found = await searchTexts(ctx, text, query, isCounted);
  const { limit = 20 } = query;
  const room = Math.min(BY_MEANING, limit - found.results.length);
  if (room <= 0 || EXACT.test(text) || (query.kinds ?? []).length > 0 || ctx.options.remote)
    return { ...found, meaning: null };
  const known = new Set(found.results.map(turnKey));
  const meaning = await recallTurns(ctx, text, { ...query, limit: room + known.size }).catch((error: unknown) => {
    // Words that only ask are still words.
    if (error instanceof DaybookError && error.code === "usage") return null;
    throw error;
  });
  if (!meaning || meaning.answered === false) return { ...found, meaning: null };
  const results = meaning.results.filter((one) => !known.has(turnKey(one))).slice(0, room);
  return { ...found, meaning: results.length === 0 ? null : { ...meaning, results } };
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
    reviews: ctx.snapshot.reviews.all,
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
    // Words of an answer are no sentence that a vector could stand for.
    ...(await similarTurns(ctx, [question, ...(also ?? [])], (text) => ctx.redactor.text(text))),
    preferred: cwd === undefined ? undefined : ctx.snapshot.names.projectAt(cwd)?.project_key,
  };
  const session = options.session === undefined ? undefined : index.queries.findSessions(options.session)[0];
  return recall(index.texts(), { ...wanted, project: options.project, session }, index.scope);
}

/** The part of a full list that lost prompts may take from matches in sessions. */
const LOST_SHARE = 0.25;

/** Adds the prompts that only an input history has: after the matches in sessions, but never crowded out by them. */
function withLostPrompts(
  ctx: AnswerContext,
  found: SearchFound,
  wanted: Pick<SearchQuery, "text" | "kinds" | "range" | "limit" | "redactor">,
  query: TextQuery,
): SearchFound {
  const { kinds, limit } = wanted;
  const isMeant = kinds.length === 0 || kinds.includes("prompt");
  // A team store holds no input histories, and what has no session has no marks.
  if (!isMeant || ctx.options.remote || hasMarkChoice(query)) return found;
  const lost = matchingPrompts(ctx, wanted, query);
  if (lost.length === 0) return found;
  const room = Math.max(limit - found.results.length, Math.ceil(limit * LOST_SHARE));
  const shown = lost.slice(0, room).map((prompt) => toResult(prompt, wanted));
  return {
    ...found,
    results: [...found.results.slice(0, Math.max(0, limit - shown.length)), ...shown].slice(0, limit),
    total: found.total === null ? null : found.total + lost.length,
  };
}

/** Newest first. There are few, so they are scanned instead of indexed. */
function matchingPrompts(
  ctx: AnswerContext,
  { text, range }: Pick<SearchQuery, "text" | "range">,
  query: TextQuery,
): LostPrompt[] {
  const patterns = termPatterns(text);
  const matches = (prompt: { text: string }): boolean => {
    const folded = fold(prompt.text);
    return patterns.every((pattern) => folded.search(pattern) !== -1);
  };
  // Mostly none does; only then it matters which sessions have a transcript.
  if (!ctx.snapshot.facts().some((facts) => facts.prompts().some(matches))) return [];
  const known = withUnreadSessions(ctx, ctx.index.queries.transcripts());
  return findLostPrompts(ctx, query, range, known).filter(matches);
}

function toResult(
  { source, session_id, path, project, line, time, text }: LostPrompt,
  wanted: Pick<SearchQuery, "text" | "redactor">,
): SearchResult {
  return {
    source,
    session_id,
    session_path: path,
    project: project ?? UNKNOWN_PROJECT,
    turn_ref: null,
    line,
    kind: "prompt",
    time,
    ...snippetOf(text, wanted.text, (part) => wanted.redactor?.text(part) ?? part),
    score: 0,
    marks: null,
    lost: true,
  };
}

/** Prompts that only an agent's input history has, newest first. `known`: sessions that have a transcript. */
export function findLostPrompts(
  { snapshot }: AnswerContext,
  query: WorkChoice,
  range: TimeRange,
  known: ReadonlySet<string>,
): LostPrompt[] {
  // A prompt without a session cannot have marks.
  if (hasMarkChoice(query)) return [];
  const typed = snapshot.facts().flatMap((facts) => facts.prompts());
  const { forgotten } = snapshot;
  const found = lostPrompts(typed, (source, id) => known.has(keyOfSession(source, id)) || forgotten.has(source, id));
  return found
    .filter(({ time }) => within(range, time))
    .map((prompt) => lostView(prompt, snapshot.names.projectAt(prompt.cwd)))
    .filter((view) => matchesLostPrompt(view, query))
    .toSorted((a, b) => order(b.time ?? "", a.time ?? "") || order(a.path, b.path) || b.line - a.line);
}

/** Adds sessions whose files are still to be read: their prompts are not lost. */
export function withUnreadSessions({ snapshot }: AnswerContext, known: ReadonlySet<string>): ReadonlySet<string> {
  if (!snapshot.unreadFiles) return known;
  const found = snapshot.opened().refs.map((ref) => keyOfSession(ref.source, sessionIdOf(ref)));
  return new Set([...known, ...found]);
}
