import { setTimeout as sleep } from "node:timers/promises";
import type { Project } from "../views/projects/project.ts";
import type { ProjectWork, KindCount, TurnGlance } from "../views/list-rows.ts";
import type { NotPushed } from "../views/not-pushed.ts";
import { sessionTitle, type SessionView } from "../views/session-view.ts";
import type { ToolChoice } from "../views/list-filter.ts";
import type { TurnView } from "../views/turn-view.ts";
import type { UsageBlock } from "../views/blocks.ts";
import type { CountedResponse } from "../views/response.ts";
import { blameTarget } from "./blame/target.ts";
import type { Asked } from "../turns/decisions/model.ts";
import type { SessionRef } from "../record/record.ts";
import { keyOfSession, sessionKey } from "../record/session-key.ts";
import { LockedError } from "../record/write-lock.ts";
import type { OpenedSources, ReadResult } from "../book/reading/library.ts";
import { waitingOf } from "../book/reading/side-facts.ts";
import { resumeOf, type ResumeView } from "../book/reading/resume.ts";
import { RecordOutline } from "../book/reading/session-outline.ts";
import { newerVersions, type NewerVersion } from "../book/reading/versions.ts";
import type { JsonValue } from "../base/redact/redact.ts";
import { dayDigest } from "./digest/digest.ts";
import type { DayDigest } from "./digest/model.ts";
import { keepDayReview } from "../index/day-reviews/keep-day-review.ts";
import type { DayReview } from "../views/day-review.ts";
import type { DayReport } from "./report/model.ts";
import { askedDecisions, edits, type EditsOf } from "./report.ts";
import type { Diagnostic } from "../agents/contract.ts";
import { ONLY_SESSIONS, ONLY_TURNS } from "../index/tables/remote-demand.ts";
import type { VectorCount, VectorDemand } from "../index/search/vectors/vectors.ts";
import { IndexStore } from "../index/tables/index-store.ts";
import type { TimeRange } from "../base/time/range.ts";
import type { Zone } from "../base/time/zone.ts";
import type { Session, Turn } from "../turns/session.ts";
import { agentTrace, type AgentTrace } from "./agent-trace.ts";
import { noBookForMarksError, noBookForReviewsError } from "./answer-context.ts";
import { responses, runningBlock } from "./usage.ts";
import {
  count,
  type CountedList,
  firstRequests,
  glances,
  projectNames,
  sessionEnds,
  shortIds,
  type SessionNaming,
  sessionKinds,
  sessionTexts,
  turnDays,
  turnsNamed,
  turnsTouching,
  turnTexts,
  workByProject,
} from "./lists.ts";
import { type ShownOutcome, shownOutcomes } from "./shown-outcomes.ts";
import { blocksOnlySync, type Freshness } from "./current-snapshot.ts";
import { decisionStats, type StatsFound, type TeachingPlace } from "./decision-stats.ts";
import type { Engine } from "./engine.ts";
import { exportSessions, type ExportVisitor } from "./exporting.ts";
import { findTarget } from "./find.ts";
import { marksAt, resolveMarkPlace, type MarkedView } from "./marking.ts";
import { listsForSessions, newestTurn } from "./need.ts";
import { marksNotPushed } from "./not-in-store.ts";
import type { BlameQuery, ListQuery, PlainDaybookOptions, Query, ReportQuery, WorkChoice } from "./questions.ts";
import { type StoredContents, sessionStamps, withContents, type BookStamps } from "./session-contents.ts";

/** How long `evidence` waits for another process that holds the write lock, in ms: one that only answers is soon done. */
const LOCK_WAIT_MS = 5000;

/** How often to look for turns without vectors, in ms; a model that did not answer is asked again later. */
const BETWEEN_VECTORS = 5000;
const AFTER_FAILURE = 60_000;

/** False if it was stopped. */
async function pause(ms: number, signal: AbortSignal): Promise<boolean> {
  try {
    await sleep(ms, undefined, { signal, ref: false });
    return true;
  } catch {
    return false;
  }
}

/**
 * What our own doors ask beyond the questions of the library: texts printed as they stand, counts, names, parts of
 * pages. No promise to users of the package, which see `Daybook` alone.
 */
export class Inside {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** What another thread needs to answer the same; null if answers do not come from a book. */
  plainOptions(): PlainDaybookOptions | null {
    const { options: all, redactor } = this.#engine;
    const { book, env = process.env, home, roots, configured, sources, projects, timezone, embeddings, now } = all;
    if (book === undefined || this.isOfStore) return null;
    const fixed = typeof now === "number" ? now : null;
    const options = { home, roots, configured, sources, projects, timezone, embeddings, now: fixed };
    const given = Object.entries(options).filter(([, value]) => value !== undefined && value !== null);
    return { ...Object.fromEntries(given), env: { ...env }, book, redaction: redactor.own };
  }

  /** Waits until the index can be read: a lost one is rebuilt. */
  async ready(): Promise<void> {
    await this.#engine.ask(async () => undefined, { store: ONLY_SESSIONS });
  }

  get zone(): Zone {
    return this.#engine.zone;
  }

  /** Answers come from a team store that was pushed to: whatever was not pushed cannot be answered. */
  get isOfStore(): boolean {
    return this.#engine.isOfStore;
  }

  /** Whether a sync of this instance is running. */
  get isSyncing(): boolean {
    return this.#engine.current.isSyncing;
  }

  /** The same number as before: nothing that answers are made of has changed since. */
  get state(): number {
    return this.#engine.current.state;
  }

  /** Whether there are sessions, but all or many of them are not in the book yet. */
  get isBookIncomplete(): boolean {
    return this.#engine.current.isBookIncomplete;
  }

  /**
   * Syncs changed files into the book, waiting at most `most` ms: anything that takes longer continues in another
   * process. For long-running programs that are queried now and then.
   */
  async freshen(most: number, signal?: AbortSignal): Promise<Freshness> {
    return this.#engine.current.freshen(most, signal);
  }

  /**
   * Makes the vectors that turns lack, for `recall`, until all have them or the signal stops it. Null where no model is
   * named, or another process makes them.
   */
  async makeVectors(demand: VectorDemand = {}): Promise<VectorCount | null> {
    const { vectors, redactor, options } = this.#engine;
    if (!vectors || options.book === undefined || !IndexStore.isUsable(options.book)) return null;
    const withIndex = async <T>(work: (store: IndexStore) => T): Promise<T> =>
      this.#engine.ask(async ({ index }) => work(index.store), { store: ONLY_TURNS });
    return vectors.make(withIndex, redactor, demand);
  }

  /** Makes them now and then until the signal stops it: for long-running programs. */
  async keepVectors(signal: AbortSignal, failed: (error: unknown) => void): Promise<void> {
    if (!this.#engine.vectors) return;
    for (let isFailed = false; await pause(isFailed ? AFTER_FAILURE : BETWEEN_VECTORS, signal);) {
      try {
        await this.makeVectors({ signal });
        isFailed = false;
      } catch (error) {
        if (signal.aborted) return;
        // Said once: a model that is not running is often started later.
        if (!isFailed) failed(error);
        isFailed = true;
      }
    }
  }

  /** What lists of sessions and turns from a store cannot contain; null for a book. */
  async notPushed(): Promise<NotPushed | null> {
    if (!this.isOfStore) return null;
    return this.#engine.ask(async ({ snapshot }) => marksNotPushed(snapshot), { store: ONLY_SESSIONS });
  }

  /** The discovered files, before anything is read. */
  opened(): OpenedSources {
    return this.#engine.snapshot.opened();
  }

  /** What is wrong with the files of sessions in an answer, as far as they were read for it. */
  async problemsOf(sessions: Iterable<SessionRef>): Promise<Diagnostic[]> {
    return this.#engine.snapshot.problemsOf(new Set([...sessions].map(sessionKey)));
  }

  /** Agents seen so far whose version is newer than any Daybook was checked with. */
  async newerVersions(): Promise<NewerVersion[]> {
    const { snapshot } = this.#engine;
    await snapshot.opening;
    return newerVersions(snapshot.opened().sources, snapshot.index?.queries.versions() ?? []);
  }

  /** Reads and assembles every session. */
  async read(): Promise<ReadResult> {
    return this.#engine.ask(async (ctx) => ctx.read(null), { store: ONLY_SESSIONS });
  }

  /**
   * Sessions with a request in the range, and all that belong to them: as the files are now, and from the book where
   * files are gone. While another process writes the book its state is unknown: then only the files are read.
   */
  async evidence(range: TimeRange): Promise<ReadResult> {
    const { options, current, snapshot } = this.#engine;
    try {
      if (options.book !== undefined) await current.sync({ patience: LOCK_WAIT_MS });
    } catch (error) {
      if (!blocksOnlySync(error)) throw error;
      // The question below is answered from what was read before, and reports the reason.
      if (error instanceof LockedError) {
        options.onNote?.(`the book is being written${error.by}; deleted files are not looked up in it`);
        return snapshot.readFiles();
      }
    }
    return this.#engine.ask(async (ctx) => ctx.read(ctx.index.queries.sessionsWithWorkIn(range)), {
      store: { lists: ["turns", "responses"] },
    });
  }

  /** Sessions as JSON text: rows of the index can be printed without being parsed. */
  async sessionTexts(query: ListQuery = {}): Promise<JsonValue[]> {
    return this.#engine.ask((ctx) => sessionTexts(ctx, query), { store: { lists: listsForSessions(query) } });
  }

  /** Turns as JSON text. */
  async turnTexts(query: ListQuery = {}): Promise<JsonValue[]> {
    return this.#engine.ask((ctx) => turnTexts(ctx, query), this.#engine.inDays(["turns"], query));
  }

  /** The length of a list without its limit. */
  async count(list: CountedList, query: ListQuery & ToolChoice = {}): Promise<number> {
    const lists = { sessions: listsForSessions(query), turns: ["turns"], tools: ["calls"] } as const;
    return this.#engine.ask((ctx) => count(ctx, list, query), this.#engine.inDays(lists[list], query));
  }

  /** A short form of every turn, in order of time: for counting. `files`: with the files each turn changed. */
  async glances(query: ListQuery & { files?: boolean | undefined } = {}): Promise<TurnGlance[]> {
    return this.#engine.ask((ctx) => glances(ctx, query, query.files === true), { store: ONLY_TURNS });
  }

  /** Turns that changed a file for which `isMeant(path)` is true, in order of time. */
  async turnsTouching(
    isMeant: (path: string) => boolean,
    query: Query = {},
  ): Promise<readonly (SessionRef & { turn_ref: string })[]> {
    return this.#engine.ask((ctx) => turnsTouching(ctx, query, isMeant), { store: ONLY_TURNS });
  }

  /** The number of sessions per agent and kind. */
  async sessionKinds(): Promise<KindCount[]> {
    return this.#engine.ask(sessionKinds, { store: ONLY_SESSIONS });
  }

  /** The number of requests per project, most recently used project first. */
  async projectWork(): Promise<ProjectWork[]> {
    return this.#engine.ask(workByProject, { store: ONLY_TURNS });
  }

  /** The number of turns per day. */
  async turnDays(query: Query = {}): Promise<Map<string, number>> {
    return this.#engine.ask((ctx) => turnDays(ctx, query), { store: ONLY_TURNS });
  }

  /** The named turns, in the given order; turns that no longer exist are left out. */
  async turnsNamed(names: readonly (SessionRef & { turn_ref: string })[]): Promise<TurnView[]> {
    return this.#engine.ask((ctx) => turnsNamed(ctx, names), { store: ONLY_TURNS });
  }

  /** How each of these turns is shown, in the same order: as reports do. */
  async shownOutcomes(views: readonly TurnView[]): Promise<ShownOutcome[]> {
    if (!views.some(({ outcome }) => outcome === "completed")) return views.map(({ outcome }) => outcome);
    // Of a team store what these requests did, and no others.
    const times = views.flatMap(({ trigger, ended_at }) => [trigger.time ?? [], ended_at ?? []].flat()).map(Date.parse);
    const range = times.length === 0 ? undefined : { start: Math.min(...times), end: Math.max(...times) + 1 };
    const lists = ["turns", "calls", "asked", "facts"] as const;
    return this.#engine.ask(async (ctx) => shownOutcomes(ctx, views), { store: { lists, range } });
  }

  /** A number that changes whenever anything about the session changes; null if unknown. */
  async changeOf({ source, session_id }: SessionRef): Promise<number | null> {
    return this.#engine.ask(async ({ index }) => index.queries.changeNumberOf(keyOfSession(source, session_id)), {
      store: ONLY_SESSIONS,
    });
  }

  /** Every session of the book, newest first, with a number that changes with the session. */
  async sessionStamps(): Promise<BookStamps> {
    return this.#engine.ask(sessionStamps);
  }

  /**
   * Calls `use` with everything the book has of one session, in one snapshot; null if the session no longer exists.
   */
  async withSession<T>(key: string, use: (whole: StoredContents) => Promise<T>): Promise<T | null> {
    return this.#engine.ask((ctx) => withContents(ctx, key, use));
  }

  /** The first and the last turn of each of these sessions. */
  async ends(named: readonly SessionRef[]): Promise<{ first: TurnView | null; last: TurnView | null }[]> {
    return this.#engine.ask((ctx) => sessionEnds(ctx, named), { store: ONLY_TURNS });
  }

  /** What sessions wait for, by session key, where their agents say now that they wait for the human. */
  async waiting(): Promise<Map<string, string>> {
    return this.#engine.ask(async ({ snapshot }) => waitingOf(snapshot.opened()));
  }

  /** The first request of each session, in the given order; null if nothing was asked. */
  async firstRequests(named: readonly SessionRef[]): Promise<(string | null)[]> {
    if (named.length === 0) return [];
    return this.#engine.ask((ctx) => firstRequests(ctx, named), { store: { lists: ["turns"] } });
  }

  /** The project of a directory, whether or not any session worked in it. */
  async projectAt(dir: string): Promise<Project | null> {
    return this.#engine.ask(async ({ snapshot }) => snapshot.names.projectAt(dir), { store: ONLY_SESSIONS });
  }

  /** How these sessions are named in print: as briefly as can be typed. */
  async naming(sessions: readonly SessionRef[]): Promise<SessionNaming> {
    const keys = sessions.map(sessionKey);
    const names = await this.#engine.ask((ctx) => shortIds(ctx, keys), { store: ONLY_SESSIONS });
    return (session) => names.get(sessionKey(session)) ?? session.session_id;
  }

  async projectNames(): Promise<string[]> {
    return this.#engine.ask(projectNames, { store: ONLY_SESSIONS });
  }

  /** The responses that count, each once, in order of time; those without a time come first. */
  async responses(query: Query = {}): Promise<CountedResponse[]> {
    return this.#engine.ask((ctx) => responses(ctx, query), this.#engine.inDays(["responses"], query));
  }

  /** The running block of one agent. */
  async runningBlock(source: string, hours: number): Promise<UsageBlock | null> {
    return this.#engine.ask((ctx) => runningBlock(ctx, source, hours), { store: { lists: ["responses"] } });
  }

  /** Decisions, with what the question log needs in addition. */
  async asked(query: Query = {}): Promise<Asked[]> {
    return this.#engine.ask((ctx) => askedDecisions(ctx, query), this.#engine.inDays(["asked"], query));
  }

  /** The outcome of each question, from sessions and the captured log together. */
  async decisionStats(query: Query, place: TeachingPlace): Promise<StatsFound> {
    const { zone, now } = this.#engine;
    return decisionStats((some) => this.asked(some), query, place, zone, now);
  }

  /** A day in a few thousand tokens, for a model to read, and what statements about it are compared with. */
  async digest(date: string): Promise<DayDigest> {
    const { needs, now } = this.#engine;
    this.#engine.refuseStore("texts of turns");
    return this.#engine.ask((ctx) => dayDigest(ctx, date), { files: needs.ofReport({ date }, now) });
  }

  /** What a model read in a day, as it was kept; null if nobody asked one. */
  async dayReview(day: string): Promise<DayReview | null> {
    const { zone } = this.#engine;
    return this.#engine.ask(async ({ snapshot }) => snapshot.reviews.of(day, zone.name), { store: ONLY_SESSIONS });
  }

  /** Adds to the book what a model read in a day. */
  async keepDayReview(review: DayReview): Promise<void> {
    const { options, current } = this.#engine;
    const { book } = options;
    if (book === undefined) throw noBookForReviewsError();
    await current.oneAtATime(() => keepDayReview(book, review, LOCK_WAIT_MS));
  }

  /** The file edits of the turns of a report, for the HTML page. `query`: the query the report was made with. */
  async edits(made: DayReport, query: ReportQuery = {}): Promise<EditsOf> {
    const { needs, now } = this.#engine;
    const demand = { files: needs.ofReport(query, now), store: ONLY_SESSIONS };
    return this.#engine.ask((ctx) => edits(ctx, made, query.redact !== false), demand);
  }

  /** The last day with work before the given one; null if there is none. */
  async lastWorkDay(before: string, query: WorkChoice = {}): Promise<string | null> {
    const { zone } = this.#engine;
    const newest = await newestTurn(this.#engine, zone.startOfDay(before), query);
    return newest === null ? null : zone.day(newest);
  }

  /** How the session's agent can resume it, or why it cannot. */
  resumeOf(session: SessionView): ResumeView {
    return resumeOf(session, this.opened().refs);
  }

  /** The records of a whole session, with random access. */
  async outline(target: string): Promise<RecordOutline> {
    const { session } = await this.#engine.ask((ctx) => findTarget(ctx, target), { store: ONLY_SESSIONS });
    return new RecordOutline(session);
  }

  /**
   * Passes sessions to the visitor one after the other, all from one snapshot. Sessions that fail are reported as
   * problems.
   */
  async exportSessions(query: Query, visitor: ExportVisitor): Promise<void> {
    const demand = visitor.needs === "records" ? { store: ONLY_SESSIONS } : {};
    return this.#engine.ask((ctx) => exportSessions(ctx, query, visitor), demand);
  }

  /** An Agent Trace record: who wrote which lines of the repository at a revision. */
  async agentTrace(revision: string, query: Pick<BlameQuery, "cwd" | "redact"> = {}): Promise<AgentTrace> {
    const { path } = blameTarget(".", query.cwd ?? process.cwd());
    const trace = await this.#engine.ask((ctx) => agentTrace(ctx, revision, path));
    return query.redact === false ? trace : this.#engine.redactor.all(trace);
  }

  /** The marks on a session followed by those on its turns, or on the named turn. The first entry may be empty. */
  async markedAt(target: string): Promise<MarkedView[]> {
    const { options } = this.#engine;
    if (options.book === undefined) throw noBookForMarksError(options);
    return this.#engine.ask(async (ctx) => marksAt(ctx, resolveMarkPlace(ctx, target)));
  }

  projectOf(session: Session): Project {
    return this.#engine.snapshot.names.projectOf(session);
  }

  /** The directory of the session's project: the main checkout if it worked in a worktree. */
  rootOf(session: Session): string {
    return this.#engine.snapshot.names.rootOf(session);
  }

  titleOf(session: Session): string | null {
    return sessionTitle(session, this.#engine.snapshot.names.titleOf(session)).title;
  }

  turnJson(turn: Turn): TurnView {
    return this.#engine.contextFor(this.#engine.snapshot).turnView(turn);
  }

  sessionJson(session: Session): SessionView {
    return this.#engine.contextFor(this.#engine.snapshot).sessionView(session);
  }
}
