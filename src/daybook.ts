import { DaybookError } from "./errors.ts";
import { SYNC_PROGRAM } from "./places.ts";
import { PriceTable } from "./answers/pricing/price-table.ts";
import type { Project } from "./answers/projects/project.ts";
import type { OpenedSources, ReadResult } from "./reading/library.ts";
import type { DoctorReport } from "./reading/doctor.ts";
import { explainLine, type Explanation } from "./reading/explain.ts";
import { sourceIds } from "./reading/source-ids.ts";
import type { Validation } from "./reading/validate.ts";
import { resumeOf, type ResumeView } from "./reading/resume.ts";
import { newerVersions, type NewerVersion } from "./reading/versions.ts";
import { logRecords } from "./reading/records.ts";
import { SessionOutline } from "./reading/session-outline.ts";
import type { Asked } from "./decisions/model.ts";
import type { DecisionView } from "./answers/decision-view.ts";
import type { NotPushed } from "./answers/not-pushed.ts";
import type { LogRecord, SessionRef } from "./format/record.ts";
import { LockedError } from "./format/write-lock.ts";
import type { Diagnostic } from "./sources/contract.ts";
import { parseDay, parseRange, type TimeRange } from "./time/range.ts";
import { Zone } from "./time/zone.ts";
import { Redactor, type JsonValue } from "./redact/redact.ts";
import type { Cited } from "./report/cited.ts";
import { blameTarget } from "./blame/target.ts";
import type { BlameView } from "./blame/view.ts";
import type { CommitView, FileView } from "./blame/file-view.ts";
import type { Handoff } from "./report/handoff/model.ts";
import type { ContextView } from "./report/context-view.ts";
import type { DayReport } from "./report/model.ts";
import type { EditsOfTurn } from "./report/render/html.ts";
import { AnswerContext, noBookForMarksError } from "./daybook/answer-context.ts";
import { audit } from "./daybook/audit.ts";
import { blame } from "./daybook/blaming.ts";
import { agentTrace, type AgentTrace } from "./daybook/agent-trace.ts";
import { commitHistory } from "./daybook/commit-history.ts";
import { fileHistory } from "./daybook/file-history.ts";
import type { BookHealth } from "./daybook/book-health.ts";
import { doctor } from "./daybook/doctor.ts";
import { count } from "./daybook/count.ts";
import { findTarget, noSessionError } from "./daybook/find.ts";
import {
  forgetPlan,
  forgottenViews,
  type ForgetPlan,
  type ForgetQuery,
  type ForgottenView,
} from "./daybook/forgetting.ts";
import { checkedAgent, handoff } from "./daybook/handoff.ts";
import { limits } from "./daybook/limits.ts";
import {
  labelCounts,
  markedViews,
  marksAt,
  resolveMarkPlace,
  wishesOf,
  type LabelCount,
  type MarkDemand,
  type MarkedView,
} from "./daybook/marking.ts";
import { findLostPrompts } from "./daybook/lost.ts";
import { decisionStats, type StatsFound, type TeachingPlace } from "./daybook/decision-stats.ts";
import { edits } from "./daybook/edits.ts";
import { exportSessions, type ExportedSession, type ExportVisitor, type WholeSession } from "./daybook/exporting.ts";
import { notInStoreError, marksNotPushed } from "./daybook/not-in-store.ts";
import { RECENT_SPAN, hasFixedDays, ReadNeeds } from "./daybook/need.ts";
import { blocksOnlySync, CurrentSnapshot, type Freshness } from "./daybook/current-snapshot.ts";
import {
  cut,
  isBroad,
  type BlameQuery,
  type DaybookOptions,
  type HandoffQuery,
  type PlainDaybookOptions,
  type Query,
  type ReportQuery,
  type SessionChoice,
} from "./daybook/questions.ts";
import { askedDecisions, resolveCitation, context, report } from "./daybook/report.ts";
import { recallTurns, searchTexts, textDemand, type RecallOptions, type TextQuery } from "./daybook/search.ts";
import { sessionKey, keyOfSession } from "./format/session-key.ts";
import {
  firstRequests,
  projectNames,
  sessionEnds,
  sessionIds,
  sessionKinds,
  sessions,
  sessionTexts,
} from "./daybook/sessions.ts";
import type { Snapshot, SnapshotOptions } from "./daybook/snapshot.ts";
import { commands, tools } from "./daybook/tools.ts";
import {
  glances,
  turnDays,
  turns,
  turnsNamed,
  turnTexts,
  workByProject,
  filesChanged,
  turnsTouching,
  type FileQuery,
  type TurnName,
} from "./daybook/turns.ts";
import { blocks, runningBlock } from "./daybook/blocks.ts";
import { responses, usage, usageOfFiles } from "./daybook/usage.ts";
import type { Changes, WatchOptions } from "./daybook/watch.ts";
import { sessionStamps, withContents, type SessionStamps } from "./daybook/session-stamps.ts";
import type { SessionStamp } from "./store/tables/queries.ts";
import type { Session, Turn } from "./turns/session.ts";
import type { ReadDemand } from "./store/sync/reading-order.ts";
import { ONLY_SESSIONS, ONLY_TURNS, type RemoteDemand, type RemoteList } from "./store/tables/remote-demand.ts";
import { SyncProcess } from "./store/sync/sync-process.ts";
import { changeMarks } from "./store/marks/change-marks.ts";
import { allowSession, forgetSessions } from "./store/sync/forget.ts";
import { FileTimeCache } from "./reading/file-times.ts";
import type { SessionChange } from "./store/tables/changes.ts";
import type {
  IndexedResponse,
  IndexedText,
  NumberedAnswer,
  ReportedSession,
  SessionContents,
  TurnCounts,
} from "./daybook/session-contents.ts";
import type { RecallAnswer } from "./store/search/recall/model.ts";
import type { SearchFound, SearchResult } from "./store/search/search.ts";
import type { SyncDemand, SyncReport } from "./store/sync/sync.ts";
import type { AuditReport } from "./answers/audit-view.ts";
import type { LostPrompt } from "./answers/lost-view.ts";
import type { LimitView } from "./answers/limit-view.ts";
import { sessionTitle, type SessionView } from "./answers/session-view.ts";
import type { ChangedFile } from "./answers/changed-files.ts";
import type { CommandCount } from "./answers/command-counts.ts";
import type { ToolChoice } from "./answers/tool-list.ts";
import type { ToolView } from "./answers/tool-view.ts";
import type { TurnView } from "./answers/turn-view.ts";
import type { ProjectWork, SessionEnds, SessionKinds, TurnGlance } from "./answers/glance.ts";
import type { BlockQuery, UsageBlock } from "./answers/blocks.ts";
import type { UsageResponse } from "./answers/usage-response.ts";
import type { UsageQuery, UsageReport } from "./answers/usage-view.ts";

export { SessionEvents, type SessionEvent, type SessionEventKind } from "./daybook/session-events.ts";
export { LockedError } from "./format/write-lock.ts";
export { DamagedIndex } from "./store/tables/damaged-index.ts";
export { SEARCH_KINDS, type DocKind, type SearchKind } from "./store/search/text-kinds.ts";
export { sourceIds };
export { questionHooks } from "./sources/traits.ts";
export {
  isAgentShell,
  mcpCallers,
  mcpInstallable,
  mcpServerList,
  mcpSource,
  mcpStarter,
  sessionVariables,
} from "./reading/source-ids.ts";
export type { InstructionPlace, InstructionPlaces, SearchFound, SearchResult } from "./store/search/search.ts";
export type {
  RecallAnswer,
  RecallField,
  RecallLikeness,
  RecallMatch,
  RecallResult,
} from "./store/search/recall/model.ts";
export { REMOTE_LISTS, type RemoteDemand, type RemoteList } from "./store/tables/remote-demand.ts";
export type {
  RemoteCall,
  RemoteFacts,
  RemoteResponse,
  RemoteRows,
  RemoteText,
  TurnTime,
} from "./store/tables/remote-rows.ts";
export type { Snippet } from "./store/search/snippet.ts";
export type { DamagedPage } from "./store/sync/rebuild.ts";
export type { DoctorReport, Probed, SourceHealth } from "./reading/doctor.ts";
export type { Explanation } from "./reading/explain.ts";
export type { SessionOutline } from "./reading/session-outline.ts";
export type { Progress } from "./reading/pool.ts";
export type { Validation, ValidationProblem } from "./reading/validate.ts";
export type { NewerVersion } from "./reading/versions.ts";
export type {
  AgentTrace,
  BlameQuery,
  BlameView,
  BookHealth,
  CommitView,
  FileView,
  Changes,
  DaybookOptions,
  ExportedSession,
  ExportVisitor,
  ForgetPlan,
  ForgetQuery,
  ForgottenView,
  Freshness,
  Handoff,
  HandoffQuery,
  LabelCount,
  MarkDemand,
  MarkedView,
  Query,
  RecallOptions,
  ReportQuery,
  ResumeView,
  SessionChange,
  IndexedResponse,
  IndexedText,
  NumberedAnswer,
  PlainDaybookOptions,
  ReportedSession,
  SessionChoice,
  SessionContents,
  SessionStamp,
  SessionStamps,
  SyncDemand,
  SyncReport,
  TextQuery,
  TurnCounts,
  WatchOptions,
  WholeSession,
};

/**
 * How long `evidence` waits for another process that holds the write lock, in ms: one that only answers a question is
 * soon done.
 */
const PATIENCE = 5000;

/**
 * The façade that all surfaces call, for one question or for days. Every question is answered from one consistent
 * snapshot, even while a sync writes; `sync` and `watch` move on to the next snapshot. The answer to each question is
 * implemented in a file of its own in `daybook/`.
 */
export class Daybook {
  readonly zone: Zone;
  /** Hides secrets in what is printed or written. */
  readonly redactor: Redactor;
  readonly #options: SnapshotOptions;
  readonly #prices = new PriceTable();
  readonly #needs: ReadNeeds;
  readonly #current: CurrentSnapshot;
  #syncs: SyncProcess | null = null;

  constructor(options: DaybookOptions = {}) {
    // Created lazily: a process that answers a single question never needs it.
    const syncs = (): SyncProcess | null => SYNC_PROGRAM && (this.#syncs ??= new SyncProcess(SYNC_PROGRAM));
    this.#options = { ...options, dayOf: (time) => this.zone.day(time), times: new FileTimeCache(), syncs };
    this.redactor = options.redactor ?? new Redactor();
    this.zone = options.timezone === undefined ? Zone.here() : new Zone(options.timezone);
    this.#needs = new ReadNeeds(this.#options, this.zone, () => this.opened());
    this.#current = new CurrentSnapshot(this.#options, this.#needs.much);
  }

  /** Answers from a book that another thread keeps up to date. */
  static fromPlain({ redaction, ...options }: PlainDaybookOptions): Daybook {
    return new Daybook({ ...options, redactor: new Redactor(redaction), noSync: true, inBackground: true });
  }

  /** What another thread needs to answer the same; null if answers do not come from a book. */
  plainOptions(): PlainDaybookOptions | null {
    const { book, env = process.env, home, roots, configured, sources, projects, timezone, now } = this.#options;
    if (book === undefined || this.isOfStore) return null;
    const redaction = this.redactor.own;
    const options = { home, roots, configured, sources, projects, timezone, now: typeof now === "number" ? now : null };
    const given = Object.entries(options).filter(([, value]) => value !== undefined && value !== null);
    return { ...Object.fromEntries(given), env: { ...env }, book, redaction };
  }

  /** Waits until the index can be read: a lost one is rebuilt. */
  async ready(): Promise<void> {
    await this.#askRemote(ONLY_SESSIONS, async () => undefined);
  }

  /** The time questions are asked at. */
  get now(): number {
    const { now = Date.now } = this.#options;
    return typeof now === "number" ? now : now();
  }

  get #snapshot(): Snapshot {
    return this.#current.snapshot;
  }

  async #ask<T>(answer: (ctx: AnswerContext) => Promise<T>, need?: ReadDemand, about: RemoteDemand = {}): Promise<T> {
    return this.#current.ask((snapshot) => answer(this.#contextFor(snapshot)), need, about);
  }

  /** A question that needs only this much of a team store, or of files that are in no book. */
  async #askRemote<T>(about: RemoteDemand, answer: (ctx: AnswerContext) => Promise<T>): Promise<T> {
    return this.#ask(answer, undefined, about);
  }

  /** A question about lists limited to the days of a query. */
  async #askInDays<T>(
    lists: readonly RemoteList[],
    query: Query,
    answer: (ctx: AnswerContext) => Promise<T>,
  ): Promise<T> {
    const range = this.isOfStore ? parseRange(query, this.zone, this.now) : undefined;
    return this.#askRemote({ lists, range }, answer);
  }

  #contextFor(snapshot: Snapshot): AnswerContext {
    const { zone, now, redactor } = this;
    return new AnswerContext(snapshot, { zone, now, redactor, prices: this.#prices, options: this.#options });
  }

  /** Answers come from a team store that was pushed to: whatever was not pushed cannot be answered. */
  get isOfStore(): boolean {
    return this.#options.remote !== undefined;
  }

  /** What lists of sessions and turns from a store cannot contain; null for a book. */
  async notPushed(): Promise<NotPushed | null> {
    return this.isOfStore ? this.#askRemote(ONLY_SESSIONS, async ({ snapshot }) => marksNotPushed(snapshot)) : null;
  }

  /** For questions whose answer from a store would be misleading. */
  #notOfStore(what: string): void {
    if (this.isOfStore) throw notInStoreError(what);
  }

  /** The discovered files, before anything is read. */
  opened(): OpenedSources {
    return this.#snapshot.opened();
  }

  /** Problems so far: missing roots, unreadable files, foreign files. */
  async problems(): Promise<Diagnostic[]> {
    return this.#snapshot.problems();
  }

  /** What is wrong with the files of sessions in an answer, as far as they were read for it. */
  async problemsOf(sessions: Iterable<SessionRef>): Promise<Diagnostic[]> {
    return this.#snapshot.problemsOf(new Set([...sessions].map(sessionKey)));
  }

  /** Agents seen so far whose version is newer than any Daybook was checked with. */
  async newerVersions(): Promise<NewerVersion[]> {
    const snapshot = this.#snapshot;
    await snapshot.opening;
    return newerVersions(snapshot.opened().sources, snapshot.index?.queries.versions() ?? []);
  }

  /** Reads what is new into the book and the index. Questions asked meanwhile are answered from the previous state. */
  async sync(how: SyncDemand = {}): Promise<SyncReport> {
    this.#notOfStore("the agents' files");
    return this.#current.sync(how);
  }

  /**
   * Syncs changed files into the book, waiting at most `most` ms: anything that takes longer continues in another
   * process. For long-running programs that are queried now and then.
   */
  async freshen(most: number, signal?: AbortSignal): Promise<Freshness> {
    return this.#current.freshen(most, signal);
  }

  /**
   * Follows the agents' files: looks for changes, reads them, and yields which sessions changed, including those read
   * by another process. Looking for changes reads no session file. A consumer that is slow gets all changes since its
   * last read in one batch.
   */
  watch(options: WatchOptions = {}): AsyncGenerator<Changes, void, undefined> {
    return this.#current.watch(options);
  }

  /** Whether a sync of this instance is running. */
  get isSyncing(): boolean {
    return this.#current.isSyncing;
  }

  /** Whether there are sessions, but all or many of them are not in the book yet. */
  get isBookIncomplete(): boolean {
    return this.#current.isBookIncomplete;
  }

  /** Closes the index. The next question opens it again, after looking for changed files. */
  close(): void {
    this.#current.close();
    this.#syncs?.close();
  }

  /** Reads and assembles every session. */
  async read(): Promise<ReadResult> {
    return this.#askRemote(ONLY_SESSIONS, async (ctx) => ctx.read(null));
  }

  /**
   * Sessions with a request in the range, and all that belong to them: as the files are now, and from the book where
   * files are gone. While another process writes the book its state is unknown: then only the files are read.
   */
  async evidence(range: TimeRange): Promise<ReadResult> {
    try {
      if (this.#options.book !== undefined) await this.sync({ patience: PATIENCE });
    } catch (error) {
      if (!blocksOnlySync(error)) throw error;
      // The question below is answered from what was read before, and reports the reason.
      if (error instanceof LockedError) {
        this.#options.onNote?.(`the book is being written${error.by}; deleted files are not looked up in it`);
        return this.#snapshot.readFiles();
      }
    }
    return this.#askRemote({ lists: ["turns", "responses"] }, async (ctx) =>
      ctx.read(ctx.index.queries.sessionsWithWorkIn(range)),
    );
  }

  async sessions(query: Query = {}): Promise<SessionView[]> {
    return this.#askRemote(ONLY_SESSIONS, (ctx) => sessions(ctx, query));
  }

  /** The same as JSON text: rows of the index can be printed without being parsed. */
  async sessionTexts(query: Query = {}): Promise<JsonValue[]> {
    return this.#askRemote(ONLY_SESSIONS, (ctx) => sessionTexts(ctx, query));
  }

  async turns(query: Query = {}): Promise<TurnView[]> {
    return this.#askInDays(["turns"], query, (ctx) => turns(ctx, query));
  }

  /** The same as JSON text. */
  async turnTexts(query: Query = {}): Promise<JsonValue[]> {
    return this.#askInDays(["turns"], query, (ctx) => turnTexts(ctx, query));
  }

  /** A short form of every turn, in order of time: for counting. `files`: with the files each turn changed. */
  async glances(query: Query & { files?: boolean | undefined } = {}): Promise<TurnGlance[]> {
    return this.#askRemote(ONLY_TURNS, (ctx) => glances(ctx, query, query.files === true));
  }

  /** Files changed by turns, last changed first, and their total number ignoring `offset` and `limit`. */
  async changedFiles(query: FileQuery = {}): Promise<{ files: ChangedFile[]; total: number }> {
    return this.#askRemote(ONLY_TURNS, (ctx) => filesChanged(ctx, query));
  }

  /** Turns that changed a file for which `isMeant(path)` is true, in order of time. */
  async turnsTouching(isMeant: (path: string) => boolean, query: Query = {}): Promise<readonly TurnName[]> {
    return this.#askRemote(ONLY_TURNS, (ctx) => turnsTouching(ctx, query, isMeant));
  }

  /** Tool calls counted by the command that was run. */
  async commandCounts(query: Query = {}): Promise<CommandCount[]> {
    return this.#askRemote({ lists: ["calls"] }, (ctx) => commands(ctx, query));
  }

  /** The number of sessions per agent and kind. */
  async sessionKinds(): Promise<SessionKinds[]> {
    return this.#askRemote(ONLY_SESSIONS, sessionKinds);
  }

  /** The number of requests per project, most recently used project first. */
  async projectWork(): Promise<ProjectWork[]> {
    return this.#askRemote(ONLY_TURNS, workByProject);
  }

  /** The number of turns per day. */
  async turnDays(query: Query = {}): Promise<Map<string, number>> {
    return this.#askRemote(ONLY_TURNS, (ctx) => turnDays(ctx, query));
  }

  /** The named turns, in the given order; turns that no longer exist are left out. */
  async turnsNamed(names: readonly Pick<TurnGlance, "source" | "session_id" | "turn_ref">[]): Promise<TurnView[]> {
    return this.#askRemote(ONLY_TURNS, (ctx) => turnsNamed(ctx, names));
  }

  /** A number that changes whenever anything about the session changes; null if unknown. */
  async changeOf({ source, session_id }: Pick<SessionView, "source" | "session_id">): Promise<number | null> {
    return this.#askRemote(ONLY_SESSIONS, async ({ index }) =>
      index.queries.changeNumberOf(keyOfSession(source, session_id)),
    );
  }

  /** Every session of the book, newest first, with a number that changes with the session. */
  async sessionStamps(): Promise<SessionStamps> {
    return this.#ask(sessionStamps);
  }

  /**
   * Calls `use` with everything the book has of one session, in one snapshot; null if the session no longer exists.
   */
  async withSession<T>(key: string, use: (whole: SessionContents) => Promise<T>): Promise<T | null> {
    return this.#ask((ctx) => withContents(ctx, key, use));
  }

  /** The first and the last turn of each of these sessions. */
  async ends(named: readonly Pick<SessionView, "source" | "session_id">[]): Promise<SessionEnds[]> {
    return this.#askRemote(ONLY_TURNS, (ctx) => sessionEnds(ctx, named));
  }

  /** The length of a list without its limit. */
  async count(list: "sessions" | "turns" | "tools", query: Query & ToolChoice = {}): Promise<number> {
    const lists = { sessions: [], turns: ["turns"], tools: ["calls"] } as const;
    return this.#askInDays(lists[list], query, (ctx) => count(ctx, list, query));
  }

  /** The project of a directory, whether or not any session worked in it. */
  async projectAt(dir: string): Promise<Project | null> {
    return this.#askRemote(ONLY_SESSIONS, async ({ snapshot }) => snapshot.names.projectAt(dir));
  }

  /** The ids of all sessions, whatever the query. */
  async sessionIds(): Promise<string[]> {
    return this.#askRemote(ONLY_SESSIONS, sessionIds);
  }

  async projectNames(): Promise<string[]> {
    return this.#askRemote(ONLY_SESSIONS, projectNames);
  }

  /** The first request of each session, in the given order; null if nothing was asked. */
  async firstRequests(named: readonly Pick<SessionView, "source" | "session_id">[]): Promise<(string | null)[]> {
    if (named.length === 0) return [];
    return this.#askRemote({ lists: ["turns"] }, (ctx) => firstRequests(ctx, named));
  }

  async tools(query: Query & ToolChoice = {}): Promise<ToolView[]> {
    return this.#askInDays(["calls"], query, (ctx) => tools(ctx, query));
  }

  async usage(query: Query & Omit<UsageQuery, "range" | "zone">): Promise<UsageReport> {
    if (isBroad(query) && this.#isSoonerFromFiles)
      return this.#current.askFiles((snapshot) => usageOfFiles(this.#contextFor(snapshot), query));
    return this.#askInDays(["responses"], query, (ctx) => usage(ctx, query));
  }

  /** Before the first sync, and without a book, a sum over everything is faster from the files than from an index. */
  get #isSoonerFromFiles(): boolean {
    const { book } = this.#options;
    if (book === undefined) return !this.isOfStore;
    return this.isBookIncomplete && this.#snapshot.isInFiles;
  }

  /** The responses that count, each once, in order of time; those without a time come first. */
  async responses(query: Query = {}): Promise<UsageResponse[]> {
    return this.#askInDays(["responses"], query, (ctx) => responses(ctx, query));
  }

  /** Blocks of hours as providers count their limits, with the rate of the running one. */
  async blocks(query: Query & Omit<BlockQuery, "now">): Promise<UsageBlock[]> {
    return this.#askRemote({ lists: ["responses"] }, (ctx) => blocks(ctx, query));
  }

  /** The running block of one agent. */
  async runningBlock(source: string, hours: number): Promise<UsageBlock | null> {
    return this.#askRemote({ lists: ["responses"] }, (ctx) => runningBlock(ctx, source, hours));
  }

  /** The questions agents asked the human, in order of time; with a limit, the newest. */
  async decisions(query: Query & { unanswered?: boolean | undefined } = {}): Promise<DecisionView[]> {
    const all = (await this.asked(query)).map(({ decision }) => decision);
    const listed = query.unanswered === true ? all.filter((decision) => !decision.answered) : all;
    return query.limit === undefined ? listed : listed.slice(-query.limit);
  }

  /** Decisions, with what the question log needs in addition. */
  async asked(query: Query = {}): Promise<Asked[]> {
    return this.#askInDays(["asked"], query, (ctx) => askedDecisions(ctx, query));
  }

  /** The outcome of each question, from sessions and the captured log together. */
  async decisionStats(query: Query, place: TeachingPlace): Promise<StatsFound> {
    const asked = async (some: Query): Promise<Asked[]> => this.asked(some);
    return decisionStats(asked, query, place, this.zone, this.now);
  }

  /** The report of a day, a week or any span of days; the newest day with work when none is named. */
  async report(query: ReportQuery = {}): Promise<DayReport> {
    const about = await this.#ofReport(query);
    return this.#ask((ctx) => report(ctx, query), this.#needs.ofReport(query, this.now), about);
  }

  /** The file edits of the turns of a report, for the HTML page. `query`: the query the report was made with. */
  async edits(made: DayReport, query: ReportQuery = {}): Promise<EditsOfTurn> {
    const answer = (ctx: AnswerContext): Promise<EditsOfTurn> => edits(ctx, made, query.redact !== false);
    return this.#ask(answer, this.#needs.ofReport(query, this.now), ONLY_SESSIONS);
  }

  /** What a report needs from a team store. Without a date, the newest day with work is asked for first. */
  async #ofReport(query: ReportQuery): Promise<RemoteDemand> {
    if (!this.isOfStore) return {};
    const newest = hasFixedDays(query) ? null : await this.#newestTurn(null, query);
    return this.#needs.remoteDemand(query, this.now, newest);
  }

  /** The last day with work before the given one; null if there is none. */
  async lastWorkDay(before: string, query: SessionChoice = {}): Promise<string | null> {
    const newest = await this.#newestTurn(this.zone.startOfDay(before), query);
    return newest === null ? null : this.zone.day(newest);
  }

  /** The time of the last request before `end`; null if there is none. */
  async #newestTurn(end: number | null, query: SessionChoice): Promise<number | null> {
    const { project, session } = query;
    const need = end === null ? undefined : this.#needs.ofLastDay(end, query);
    const newestIn = async (range?: TimeRange): Promise<number | null> =>
      this.#ask(
        async (ctx) => {
          const before = end === null ? {} : { before: end };
          return ctx.index.queries.workTimes({ project, session, marked: ctx.marked(query), ...before }).newest;
        },
        need,
        { lists: ["turns"], range },
      );
    if (!this.isOfStore) return newestIn();
    // Recent days first: all turns in that range are fetched, so the newest of them is the newest of all.
    const last = await this.#askRemote(ONLY_SESSIONS, async ({ index }) => index.queries.newestActivity());
    const start = Math.min(end ?? Infinity, last ?? this.now) - RECENT_SPAN;
    const recent = await newestIn({ start, end });
    return recent !== null && recent >= start ? recent : newestIn();
  }

  /** The settings of each turn (instructions, model, approval, sandbox, place), and where they changed. */
  async context(query: Query & Pick<ReportQuery, "redact"> = {}): Promise<ContextView[]> {
    this.#notOfStore("instructions and settings of turns");
    return this.#askRemote(ONLY_TURNS, (ctx) => context(ctx, query));
  }

  /** Resolves a report's citation `[PROJECT/]S0001/T0002:12-40`; null if the text is not a citation. */
  async cited(text: string, query: ReportQuery = {}): Promise<Cited | null> {
    const about = await this.#ofReport(query);
    return this.#ask((ctx) => resolveCitation(ctx, text, query), this.#needs.ofReport(query, this.now), about);
  }

  /** Prompts that only an agent's input history has, newest first. */
  async lost(query: Query = {}): Promise<LostPrompt[]> {
    return this.#askRemote(ONLY_SESSIONS, async (ctx) => {
      const found = findLostPrompts(ctx, query, ctx.range(query), ctx.index.queries.transcripts());
      return cut(found, query.limit);
    });
  }

  /** Audits every session that is partly within the span, as a whole. */
  async audit(query: Query = {}): Promise<AuditReport> {
    this.#notOfStore("records");
    return this.#askRemote({ lists: ["facts", "responses"] }, (ctx) => audit(ctx, query));
  }

  /** The rate limits each agent recorded last, newest first. */
  async limits(): Promise<LimitView[]> {
    return this.#askRemote(ONLY_SESSIONS, limits);
  }

  /**
   * Full-text search: the best matches, 20 by default. Without a book, the texts of all files are indexed for this
   * one question.
   */
  async search(text: string, query: TextQuery = {}): Promise<SearchResult[]> {
    return (await this.#searchTexts(text, query, false)).results;
  }

  /** The same with the total number of matches, unless `isCounted` is false; null for thousands. */
  async searchWithTotal(text: string, query: TextQuery = {}, isCounted = true): Promise<SearchFound> {
    return this.#searchTexts(text, query, isCounted);
  }

  async #searchTexts(text: string, query: TextQuery, isCounted: boolean): Promise<SearchFound> {
    const answer = (ctx: AnswerContext): Promise<SearchFound> => searchTexts(ctx, text, query, isCounted);
    const { remote } = this.#options;
    if (remote) {
      const range = parseRange(query, this.zone, this.now);
      const about = textDemand(text, query, range, this.#options.sources);
      return this.#current.askForWords(remote, about, (snapshot) => answer(this.#contextFor(snapshot)));
    }
    return this.#askRemote({ ...ONLY_TURNS, words: text }, answer);
  }

  /**
   * The turns that best answer a question in any words: prompts, replies, commands, files, errors and outputs of a
   * turn are matched together. Five by default. `answered` says whether any of them answers it.
   */
  async recall(question: string, options: RecallOptions = {}): Promise<RecallAnswer> {
    return this.#askRemote(this.isOfStore ? {} : { ...ONLY_TURNS, words: question }, (ctx) =>
      recallTurns(ctx, question, options),
    );
  }

  /** A session, and one of its turns if the target names one: `SESSION` or `SESSION/T0001`. */
  async find(target: string): Promise<{ session: Session; turn: Turn | null }> {
    return this.#askRemote(ONLY_SESSIONS, (ctx) => findTarget(ctx, target));
  }

  /** How the session's agent can resume it, or why it cannot. */
  async resume(target: string): Promise<ResumeView> {
    const [session] = await this.sessions({ session: target });
    if (!session) throw noSessionError(target);
    return this.resumeOf(session);
  }

  resumeOf(session: SessionView): ResumeView {
    return resumeOf(session, this.#snapshot.opened().refs);
  }

  /** A brief from which another agent can continue; up to a turn if the target names one. */
  async handoff(target: string, query: HandoffQuery = {}): Promise<Handoff> {
    const to = checkedAgent(query);
    return this.#ask((ctx) => handoff(ctx, target, query, to));
  }

  /** Which request wrote each line of a file: `FILE[:LINE[-LINE]]`, relative to a directory. */
  async blame(target: string, query: BlameQuery = {}): Promise<BlameView> {
    const demand = { ...blameTarget(target, query.cwd ?? process.cwd()), revision: query.revision };
    const view = await this.#ask((ctx) => blame(ctx, demand));
    return query.redact === false ? view : this.redactor.all(view);
  }

  /** The turns that touched a file, under any of its names, in order of time. */
  async file(path: string, query: Query & Pick<BlameQuery, "cwd" | "redact"> = {}): Promise<FileView> {
    this.#notOfStore("records");
    const cwd = query.cwd ?? process.cwd();
    const view = await this.#ask((ctx) => fileHistory(ctx, { ...blameTarget(path, cwd), lines: null }, query));
    return query.redact === false ? view : this.redactor.all(view);
  }

  /** The turns behind a commit, or each commit of a range: those that made it, and those that wrote its lines. */
  async commits(name: string, query: Pick<BlameQuery, "cwd" | "redact"> = {}): Promise<CommitView[]> {
    const { path } = blameTarget(".", query.cwd ?? process.cwd());
    const views = await this.#ask((ctx) => commitHistory(ctx, name, path));
    return query.redact === false ? views : this.redactor.all(views);
  }

  /** An Agent Trace record: who wrote which lines of the repository at a revision. */
  async agentTrace(revision: string, query: Pick<BlameQuery, "cwd" | "redact"> = {}): Promise<AgentTrace> {
    const { path } = blameTarget(".", query.cwd ?? process.cwd());
    const trace = await this.#ask((ctx) => agentTrace(ctx, revision, path));
    return query.redact === false ? trace : this.redactor.all(trace);
  }

  async explain(target: string): Promise<Explanation[]> {
    const named = /^(.+):(\d+)$/.exec(target);
    if (!named) {
      throw new DaybookError(`explain takes SESSION:LINE, not ${target}`, {
        code: "usage",
        op: "explain line",
        hint: "for example daybook explain 019e2f1c:12",
      });
    }
    const wanted = named[1] as string;
    const { session } = await this.find(wanted);
    const path = session.parts.find((part) => part.path === wanted || part.path.endsWith(`/${wanted}`))?.path ?? null;
    return explainLine(session, Number(named[2]), path);
  }

  /** The records of one session, or of one of its turns, as canonical log records. */
  async *records(target: string): AsyncGenerator<LogRecord, void, undefined> {
    const { session, turn } = await this.find(target);
    for (const record of logRecords(session)) {
      if (turn === null || record.turn_id === turn.ref) yield record;
    }
  }

  /** The records of a whole session, with random access. */
  async outline(target: string): Promise<SessionOutline> {
    const { session } = await this.find(target);
    return new SessionOutline(session);
  }

  /**
   * Passes sessions to the visitor one after the other, all from one snapshot. Sessions that fail are reported as
   * problems.
   */
  async exportSessions(query: Query, visitor: ExportVisitor): Promise<void> {
    const about = visitor.needs === "records" ? ONLY_SESSIONS : {};
    return this.#askRemote(about, (ctx) => exportSessions(ctx, query, visitor));
  }

  async doctor(): Promise<DoctorReport & { book: BookHealth | null }> {
    this.#notOfStore("the agents' files and the book");
    return this.#askRemote(ONLY_SESSIONS, doctor);
  }

  /**
   * What `forget` would remove from the book: the named sessions, those that ended before a day, those of a project,
   * with their sub-agents.
   */
  async forgetPlan(query: ForgetQuery): Promise<ForgetPlan> {
    const { sessions: wanted = [], before, project } = query;
    const named = new Set<SessionView>();
    const all = await this.sessions({ project, own: true });
    for (const session of wanted)
      for (const view of await this.sessions({ session }))
        for (const one of all) if (one.source === view.source && one.session_id === view.session_id) named.add(one);
    const end = before === undefined ? null : this.zone.startOfDay(parseDay(before, this.zone, this.now));
    const chosen = (wanted.length > 0 ? [...named] : all).filter(
      ({ ended_at }) => end === null || (ended_at !== null && Date.parse(ended_at) < end),
    );
    return this.#askRemote(ONLY_SESSIONS, async (ctx) =>
      forgetPlan(chosen, await sessions(ctx, { own: true }), ctx.index.isOfBook ? ctx.index.store : null),
    );
  }

  /** Removes them for good: pages, rows and search index. The agents' files are left alone, and not read again. */
  async forget(plan: ForgetPlan): Promise<void> {
    const { book } = this.#options;
    if (book === undefined) throw new DaybookError("there is no book to forget from", { code: "usage", op: "forget" });
    const keys = plan.sessions.map(sessionKey);
    this.close();
    const how = {
      home: book,
      naming: this.#snapshot.naming,
      patience: PATIENCE,
      now: new Date(this.now).toISOString(),
    };
    await this.#current.oneAtATime(() => forgetSessions(keys, how));
  }

  /**
   * Puts a star, labels or a note on a session (`SESSION`) or one of its turns (`SESSION/T0001`), or removes them,
   * and returns the resulting marks. Written to the book, never to the agents' files.
   */
  async mark(target: string, demand: MarkDemand): Promise<MarkedView> {
    const { book } = this.#options;
    if (book === undefined) throw noBookForMarksError(this.#options);
    const wishes = wishesOf(demand);
    const place = await this.#ask(async (ctx) => resolveMarkPlace(ctx, target));
    const how = { home: book, patience: PATIENCE, now: new Date(this.now).toISOString() };
    await this.#current.oneAtATime(() => changeMarks(place, wishes, how));
    const [view] = await this.markedAt(target);
    if (!view) throw noSessionError(target);
    return view;
  }

  /** The marks on a session followed by those on its turns, or on the named turn. The first entry may be empty. */
  async markedAt(target: string): Promise<MarkedView[]> {
    if (this.#options.book === undefined) throw noBookForMarksError(this.#options);
    return this.#ask(async (ctx) => marksAt(ctx, resolveMarkPlace(ctx, target)));
  }

  /** Every marked session and turn; the most recently started sessions first. */
  async marked(query: Query = {}): Promise<MarkedView[]> {
    if (this.#options.book === undefined) throw noBookForMarksError(this.#options);
    return this.#ask(async (ctx) => markedViews(ctx, query));
  }

  /** All labels, and the number of sessions and turns that have each. */
  async labels(query: Query = {}): Promise<LabelCount[]> {
    return labelCounts(await this.marked(query));
  }

  /** Forgotten sessions, last forgotten first. */
  forgotten(): ForgottenView[] {
    return forgottenViews(this.#snapshot.forgotten, this.#snapshot.found());
  }

  /** Allows a forgotten session to be read again: with the next question, if its agent still has it. */
  async allow(wanted: string): Promise<ForgottenView> {
    const { book } = this.#options;
    const views = this.forgotten();
    const meant = views.filter(({ session_id }) => session_id.startsWith(wanted));
    const one = meant.find(({ session_id }) => session_id === wanted) ?? (meant.length === 1 ? meant[0] : undefined);
    if (!one || book === undefined)
      throw new DaybookError(`${meant.length === 0 ? "no" : "more than one"} forgotten session ${wanted}`, {
        code: "not_found",
        op: "allow",
        hint: "`daybook forget --list` lists them",
      });
    await allowSession(one, { home: book, patience: PATIENCE, now: new Date(this.now).toISOString() });
    this.close();
    return one;
  }

  projectOf(session: Session): Project {
    return this.#snapshot.names.projectOf(session);
  }

  /** The directory of the session's project: the main checkout if it worked in a worktree. */
  rootOf(session: Session): string {
    return this.#snapshot.names.rootOf(session);
  }

  titleOf(session: Session): string | null {
    return sessionTitle(session, this.#snapshot.names.titleOf(session)).title;
  }

  turnJson(turn: Turn): TurnView {
    return this.#contextFor(this.#snapshot).turnView(turn);
  }

  sessionJson(session: Session): SessionView {
    return this.#contextFor(this.#snapshot).sessionView(session);
  }
}

/** Checks a canonical log or a native session file for unknown types, fields and versions, and unreadable lines. */
export async function validateFile(path: string): Promise<Validation> {
  // Imported here because the schema is large, and no other question needs it.
  const { validateFile: validate } = await import("./reading/validate.ts");
  return validate(path);
}
