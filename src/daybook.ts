import { DaybookError } from "./errors.ts";
import { SYNC_PROGRAM } from "./places.ts";
import { PriceTable } from "./answers/pricing/price-table.ts";
import type { Project } from "./answers/projects/project.ts";
import type { OpenedSources, ReadResult } from "./reading/library.ts";
import type { ReadOptions } from "./reading/read-file.ts";
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
import type { LogRecord } from "./format/record.ts";
import { LockedError } from "./format/write-lock.ts";
import type { Diagnostic } from "./sources/contract.ts";
import { parseDay, parseRange, type TimeRange } from "./time/range.ts";
import { addDays, Zone } from "./time/zone.ts";
import { Redactor, type JsonValue } from "./redact/redact.ts";
import type { Cited } from "./report/cited.ts";
import { blameTarget } from "./blame/target.ts";
import type { BlameView } from "./blame/view.ts";
import type { CommitView, FileView } from "./blame/file-view.ts";
import type { Handoff } from "./report/handoff/model.ts";
import type { ContextView } from "./report/context-view.ts";
import type { DayReport } from "./report/model.ts";
import type { EditsOfTurn } from "./report/render/html.ts";
import { Asking, noBookForMarks } from "./daybook/asking.ts";
import { audit } from "./daybook/audit.ts";
import { blame } from "./daybook/blaming.ts";
import { agentTrace, type AgentTrace } from "./daybook/agent-trace.ts";
import { commitHistory } from "./daybook/commit-history.ts";
import { fileHistory } from "./daybook/file-history.ts";
import type { BookHealth } from "./daybook/book-health.ts";
import { doctor } from "./daybook/doctor.ts";
import { count } from "./daybook/count.ts";
import { find, noSession } from "./daybook/find.ts";
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
  placeOf,
  wishesOf,
  type LabelCount,
  type MarkDemand,
  type MarkedView,
} from "./daybook/marking.ts";
import { lost, transcripts } from "./daybook/lost.ts";
import { decisionStats, type StatsFound, type TeachingPlace } from "./daybook/decision-stats.ts";
import { edits } from "./daybook/edits.ts";
import { exportSessions, type ExportedSession, type ExportVisitor, type WholeSession } from "./daybook/exporting.ts";
import { notInStore, withoutMarks } from "./daybook/not-in-store.ts";
import { A_WHILE, isOfDays, Needs } from "./daybook/need.ts";
import { isOnlyOlder, Present, type Freshness } from "./daybook/present.ts";
import {
  cut,
  FULL,
  isBroad,
  LEAN,
  type BlameQuery,
  type DaybookOptions,
  type HandoffQuery,
  type Query,
  type ReportQuery,
  type SessionChoice,
} from "./daybook/questions.ts";
import { asked, citedIn, context, report } from "./daybook/report.ts";
import { recalled, searched, type RecallOptions, type TextQuery } from "./daybook/search.ts";
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
import { responses, usage } from "./daybook/usage.ts";
import type { Changes, WatchOptions } from "./daybook/watch.ts";
import { sessionStamps, withContents, type SessionStamp, type SessionStamps } from "./daybook/session-stamps.ts";
import type { Session, Turn } from "./turns/session.ts";
import type { Need } from "./store/sync/reading-order.ts";
import { ONLY_SESSIONS, type GivenDemand, type GivenList } from "./store/tables/given-demand.ts";
import { SyncProcess } from "./store/sync/sync-process.ts";
import { changeMarks } from "./store/marks/change-marks.ts";
import { allowSession, forgetSessions } from "./store/sync/forget.ts";
import { KnownTimes } from "./reading/file-times.ts";
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
export { GIVEN_LISTS, type GivenDemand, type GivenList } from "./store/tables/given-demand.ts";
export type {
  GivenCall,
  GivenFacts,
  GivenResponse,
  GivenRows,
  GivenText,
  TurnTime,
} from "./store/tables/given-rows.ts";
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

/** How long evidence waits for another that writes the book, in ms: one that only answers a question is soon done. */
const PATIENCE = 5000;

/**
 * The one façade that every surface calls, for one question or for days: a question is answered from one moment, also while a sync
 * writes; `sync` and `watch` bring it to the next. How each question is answered stands in a file of its own in `daybook/`.
 */
export class Daybook {
  readonly zone: Zone;
  /** Takes secrets out of what is printed or written. */
  readonly redactor: Redactor;
  readonly #options: SnapshotOptions;
  readonly #prices = new PriceTable();
  readonly #needs: Needs;
  readonly #present: Present;
  #syncs: SyncProcess | null = null;

  constructor(options: DaybookOptions = {}) {
    // Made when it is needed: whoever asks one question and ends need not load it.
    const syncs = (): SyncProcess | null => SYNC_PROGRAM && (this.#syncs ??= new SyncProcess(SYNC_PROGRAM));
    this.#options = { ...options, dayOf: (time) => this.zone.day(time), times: new KnownTimes(), syncs };
    this.redactor = options.redactor ?? new Redactor();
    this.zone = options.timezone === undefined ? Zone.here() : new Zone(options.timezone);
    this.#needs = new Needs(this.#options, this.zone, () => this.opened());
    this.#present = new Present(this.#options, this.#needs.much);
  }

  /** The moment questions are asked at. */
  get now(): number {
    const { now = Date.now } = this.#options;
    return typeof now === "number" ? now : now();
  }

  get #at(): Snapshot {
    return this.#present.at;
  }

  async #ask<T>(
    answer: (asking: Asking) => Promise<T>,
    need?: Need,
    fromFiles: "perhaps" | "never" = "perhaps",
    about: GivenDemand = {},
  ): Promise<T> {
    return this.#present.ask((at) => answer(this.#asking(at)), need, fromFiles, about);
  }

  /** A question that needs no more of another store than this. */
  async #askOf<T>(about: GivenDemand, answer: (asking: Asking) => Promise<T>): Promise<T> {
    return this.#ask(answer, undefined, "perhaps", about);
  }

  /** One about lists of what is in the days of a question. */
  async #askInDays<T>(lists: readonly GivenList[], query: Query, answer: (asking: Asking) => Promise<T>): Promise<T> {
    const range = this.isOfStore ? parseRange(query, this.zone, this.now) : undefined;
    return this.#askOf({ lists, range }, answer);
  }

  #asking(at: Snapshot): Asking {
    const { zone, now, redactor } = this;
    return new Asking(at, { zone, now, redactor, prices: this.#prices, options: this.#options });
  }

  /** Answers come from a store that was pushed to: of what stays on the machines that pushed nothing can be said. */
  get isOfStore(): boolean {
    return this.#options.given !== undefined;
  }

  /** What lists of sessions and turns from a store cannot say; null for a book. */
  async notPushed(): Promise<NotPushed | null> {
    return this.isOfStore ? this.#askOf(ONLY_SESSIONS, async ({ at }) => withoutMarks(at)) : null;
  }

  /** For questions whose answer from a store would only seem to be one. */
  #notOfStore(what: string): void {
    if (this.isOfStore) throw notInStore(what);
  }

  /** What was found, before anything is read. */
  opened(): OpenedSources {
    return this.#at.opened();
  }

  /** Problems met so far: missing roots, unreadable files, foreign files. */
  async problems(): Promise<Diagnostic[]> {
    return this.#at.problems();
  }

  /** Agents met so far whose version is newer than any that was checked. */
  async newerVersions(): Promise<NewerVersion[]> {
    const at = this.#at;
    await at.opening;
    const results = await at.filesRead();
    const read = results.flatMap((result) =>
      result.sessions.flatMap(({ source, parts }) =>
        parts.flatMap((part) => Object.keys(part.drift.versions).map((version) => [source, version] as const)),
      ),
    );
    return newerVersions(at.opened().sources, [...read, ...(at.index?.queries.versions() ?? [])]);
  }

  /** Reads what is new into the book and the index. Who asks meanwhile is answered from what was there before. */
  async sync(how: SyncDemand = {}): Promise<SyncReport> {
    this.#notOfStore("the agents' files");
    return this.#present.sync(how);
  }

  /**
   * Looks for changed files and reads them into the book, for at most so many ms: what takes longer goes on in another process, and is
   * reported later. For programs that live long and are asked now and then.
   */
  async freshen(most: number, signal?: AbortSignal): Promise<Freshness> {
    return this.#present.freshen(most, signal);
  }

  /**
   * Follows the agents' files: looks for changed ones, reads them, and tells which sessions are different since, also where another
   * process read them. Looking reads no session file. Who takes long over one change is told of all that follows at once.
   */
  watch(options: WatchOptions = {}): AsyncGenerator<Changes, void, undefined> {
    return this.#present.watch(options);
  }

  /** A sync of this instance is under way. */
  get isSyncing(): boolean {
    return this.#present.isSyncing;
  }

  /** There are sessions, and nothing of them is in the book yet, or much of them is not. */
  get owesBook(): boolean {
    return this.#present.owesBook;
  }

  /** Lets go of the index. The next question opens it again, and looks for changed files first. */
  close(): void {
    this.#present.close();
    this.#syncs?.close();
  }

  /** Every session, put together. */
  async read(options: ReadOptions = LEAN): Promise<ReadResult> {
    return this.#ask((asking) => asking.read(options));
  }

  /**
   * Sessions that were asked for something in the range, and all that belong to them, as the files are now and as the book has
   * those that are gone. While another writes the book nobody can say how old it is: then only the files are asked.
   */
  async evidence(range: TimeRange): Promise<ReadResult> {
    try {
      if (this.#options.book !== undefined) await this.sync({ patience: PATIENCE });
    } catch (error) {
      if (!isOnlyOlder(error)) throw error;
      // What was read before is asked below, where the reason is reported.
      if (error instanceof LockedError) {
        this.#options.onNote?.(`the book is being written${error.by}; files that are gone are not looked for in it`);
        return this.#at.readFiles(LEAN);
      }
    }
    return this.#ask((asking) => asking.read(LEAN, (index) => index.busy(range)));
  }

  async sessions(query: Query = {}): Promise<SessionView[]> {
    return this.#askOf(ONLY_SESSIONS, (asking) => sessions(asking, query));
  }

  /** The same, each as JSON: as the index has them, they need not be understood to be printed. */
  async sessionTexts(query: Query = {}): Promise<JsonValue[]> {
    return this.#askOf(ONLY_SESSIONS, (asking) => sessionTexts(asking, query));
  }

  async turns(query: Query = {}): Promise<TurnView[]> {
    return this.#askInDays(["turns"], query, (asking) => turns(asking, query));
  }

  /** The same, each as JSON. */
  async turnTexts(query: Query = {}): Promise<JsonValue[]> {
    return this.#askInDays(["turns"], query, (asking) => turnTexts(asking, query));
  }

  /** Every turn in a few words, in order of time: for counting. `files`: with what each changed. */
  async glances(query: Query & { files?: boolean | undefined } = {}): Promise<TurnGlance[]> {
    return this.#ask((asking) => glances(asking, query, query.files === true));
  }

  /** Files that turns changed, the last changed first, and how many there are without `offset` and `limit`. */
  async changedFiles(query: FileQuery = {}): Promise<{ files: ChangedFile[]; total: number }> {
    return this.#ask((asking) => filesChanged(asking, query));
  }

  /** Turns that changed a file whose path is meant, in order of time. */
  async turnsTouching(isMeant: (path: string) => boolean, query: Query = {}): Promise<readonly TurnName[]> {
    return this.#ask((asking) => turnsTouching(asking, query, isMeant));
  }

  /** Tool calls counted by what was run. */
  async commandCounts(query: Query = {}): Promise<CommandCount[]> {
    return this.#ask((asking) => commands(asking, query));
  }

  /** How many sessions there are of each agent and kind. */
  async sessionKinds(): Promise<SessionKinds[]> {
    return this.#ask(sessionKinds);
  }

  /** How much was asked for in each project, the last asked first. */
  async projectWork(): Promise<ProjectWork[]> {
    return this.#ask(workByProject);
  }

  /** How many turns were asked for on each day. */
  async turnDays(query: Query = {}): Promise<Map<string, number>> {
    return this.#ask((asking) => turnDays(asking, query));
  }

  /** These turns, in the order in which they are named; without those that are no longer there. */
  async turnsNamed(names: readonly Pick<TurnGlance, "source" | "session_id" | "turn_ref">[]): Promise<TurnView[]> {
    return this.#ask((asking) => turnsNamed(asking, names));
  }

  /** Another number whenever anything about the session changed; null where nobody can tell. */
  async changeOf({ source, session_id }: Pick<SessionView, "source" | "session_id">): Promise<number | null> {
    return this.#ask(async ({ at }) => at.index?.queries.changeOf(`${source}/${session_id}`) ?? null);
  }

  /** Every session of the book, the newest first, with a number that says whether anything about it changed. */
  async sessionStamps(): Promise<SessionStamps> {
    return this.#ask(sessionStamps, undefined, "never");
  }

  /** Does something with all that the book has of one session, in one moment; null where it is not there any more. */
  async withSession<T>(key: string, use: (whole: SessionContents) => Promise<T>): Promise<T | null> {
    return this.#ask((asking) => withContents(asking, key, use), undefined, "never");
  }

  /** The first and the last turn of each of these sessions. */
  async ends(named: readonly Pick<SessionView, "source" | "session_id">[]): Promise<SessionEnds[]> {
    return this.#ask((asking) => sessionEnds(asking, named));
  }

  /** How many a list would have without its limit. */
  async count(list: "sessions" | "turns" | "tools", query: Query & ToolChoice = {}): Promise<number> {
    const lists = { sessions: [], turns: ["turns"], tools: ["calls"] } as const;
    return this.#askInDays(lists[list], query, (asking) => count(asking, list, query));
  }

  /** The project of a directory, whether or not anybody worked in it. */
  async projectAt(dir: string): Promise<Project | null> {
    return this.#ask(async ({ at }) => at.names.projectAt(dir));
  }

  /** Of all sessions there are, also those that were not asked about. */
  async sessionIds(): Promise<string[]> {
    return this.#askOf(ONLY_SESSIONS, sessionIds);
  }

  async projectNames(): Promise<string[]> {
    return this.#askOf(ONLY_SESSIONS, projectNames);
  }

  /** What sessions were first asked for, in the order given; null where nobody asked anything. */
  async firstRequests(named: readonly Pick<SessionView, "source" | "session_id">[]): Promise<(string | null)[]> {
    if (named.length === 0) return [];
    return this.#askOf({ lists: ["turns"] }, (asking) => firstRequests(asking, named));
  }

  async tools(query: Query & ToolChoice = {}): Promise<ToolView[]> {
    return this.#askInDays(["calls"], query, (asking) => tools(asking, query));
  }

  async usage(query: Query & Omit<UsageQuery, "range" | "zone">): Promise<UsageReport> {
    // Before the first sync the sum over everything is there sooner than the book: it is given without one.
    const isSooner = isBroad(query) && this.owesBook && this.#at.isInFiles;
    if (isSooner) return usage(this.#asking(this.#at), query);
    return this.#askInDays(["responses"], query, (asking) => usage(asking, query));
  }

  /** The responses that count, each once, in order of time; those nobody dated stand first. */
  async responses(query: Query = {}): Promise<UsageResponse[]> {
    return this.#askInDays(["responses"], query, (asking) => responses(asking, query));
  }

  /** Stretches of hours as providers count their limits, with the pace of the one that is running. */
  async blocks(query: Query & Omit<BlockQuery, "now">): Promise<UsageBlock[]> {
    return this.#askOf({ lists: ["responses"] }, (asking) => blocks(asking, query));
  }

  /** The block of one agent that is running. */
  async runningBlock(source: string, hours: number): Promise<UsageBlock | null> {
    return this.#askOf({ lists: ["responses"] }, (asking) => runningBlock(asking, source, hours));
  }

  /** The questions agents put to the human, in order of time; with a limit the newest. */
  async decisions(query: Query & { unanswered?: boolean | undefined } = {}): Promise<DecisionView[]> {
    const all = (await this.asked(query)).map(({ decision }) => decision);
    const listed = query.unanswered === true ? all.filter((decision) => !decision.answered) : all;
    return query.limit === undefined ? listed : listed.slice(-query.limit);
  }

  /** Decisions with what the question log needs beside them. */
  async asked(query: Query = {}): Promise<Asked[]> {
    return this.#askInDays(["asked"], query, (asking) => asked(asking, query));
  }

  /** What became of each question, in sessions and in what was captured live together. */
  async decisionStats(query: Query, place: TeachingPlace): Promise<StatsFound> {
    const asked = async (some: Query): Promise<Asked[]> => this.asked(some);
    return decisionStats(asked, query, place, this.zone, this.now);
  }

  /** The report of a day, a week or any span of days; the newest day with work when none is named. */
  async report(query: ReportQuery = {}): Promise<DayReport> {
    const about = await this.#ofReport(query);
    return this.#ask((asking) => report(asking, query), this.#needs.ofReport(query, this.now), "perhaps", about);
  }

  /** What the turns of a report did to files, for the page that draws it. `query`: what the report was asked for by. */
  async edits(made: DayReport, query: ReportQuery = {}): Promise<EditsOfTurn> {
    const answer = (asking: Asking): Promise<EditsOfTurn> => edits(asking, made, query.redact !== false);
    return this.#ask(answer, this.#needs.ofReport(query, this.now), "perhaps", ONLY_SESSIONS);
  }

  /** What a report needs of another store. Which day is meant where none is named has to be asked first. */
  async #ofReport(query: ReportQuery): Promise<GivenDemand> {
    if (!this.isOfStore) return {};
    const newest = isOfDays(query) ? null : await this.#newestTurn(null, query);
    return this.#needs.inStore(query, this.now, newest);
  }

  /** The last day with work before another; null when there is none. */
  async lastWorkDay(before: string, query: SessionChoice = {}): Promise<string | null> {
    const newest = await this.#newestTurn(this.zone.startOfDay(before), query);
    return newest === null ? null : this.zone.day(newest);
  }

  /** When anything was last asked for before a time; null when nothing was. */
  async #newestTurn(end: number | null, query: SessionChoice): Promise<number | null> {
    const { project, session } = query;
    const need = end === null ? undefined : this.#needs.ofLastDay(end, query);
    const newestIn = async (range?: TimeRange): Promise<number | null> =>
      this.#ask(
        async (asking) => {
          const { index } = asking.at;
          const before = end === null ? {} : { before: end };
          if (index)
            return index.queries.workTimes({ project, session, marked: asking.marked(query), ...before }).newest;
          const until = end === null ? undefined : addDays(this.zone.day(end), -1);
          const [turn] = await turns(asking, { ...query, until, limit: 1 });
          const time = turn?.trigger.time ?? null;
          return time === null ? null : Date.parse(time);
        },
        need,
        "perhaps",
        { lists: ["turns"], range },
      );
    if (!this.isOfStore) return newestIn();
    // The last days first: all that is in them is given, so the newest in them is the newest of all.
    const last = await this.#askOf(ONLY_SESSIONS, async ({ at }) => at.index?.queries.newestLife() ?? null);
    const start = Math.min(end ?? Infinity, last ?? this.now) - A_WHILE;
    const recent = await newestIn({ start, end });
    return recent !== null && recent >= start ? recent : newestIn();
  }

  /** What ruled each turn: instructions, model, approval, sandbox, place; and where it changed. */
  async context(query: Query & Pick<ReportQuery, "redact"> = {}): Promise<ContextView[]> {
    this.#notOfStore("instructions and what else ruled a turn");
    return this.#ask((asking) => context(asking, query));
  }

  /** Where a report's citation `[PROJECT/]S0001/T0002:12-40` leads; null when the text is none. */
  async cited(text: string, query: ReportQuery = {}): Promise<Cited | null> {
    const about = await this.#ofReport(query);
    return this.#ask((asking) => citedIn(asking, text, query), this.#needs.ofReport(query, this.now), "perhaps", about);
  }

  /** Prompts that only an agent's input history has, newest first. */
  async lost(query: Query = {}): Promise<LostPrompt[]> {
    return this.#ask(async (asking) => {
      const found = lost(asking, query, asking.range(query), await transcripts(asking, LEAN));
      return cut(found, query.limit);
    });
  }

  /** Of the sessions of which some part is in the span, whole. */
  async audit(query: Query = {}): Promise<AuditReport> {
    this.#notOfStore("records");
    return this.#ask((asking) => audit(asking, query));
  }

  /** Rate limits as the agent recorded them last, newest first. */
  async limits(): Promise<LimitView[]> {
    return this.#askOf(ONLY_SESSIONS, limits);
  }

  /** Full-text search: the best, by default 20. Where no book is kept the words of all files are indexed for this one question. */
  async search(text: string, query: TextQuery = {}): Promise<SearchResult[]> {
    return (await this.#searched(text, query, false)).results;
  }

  /** The same, with how many there are in all unless nobody wants to know; null for thousands. */
  async searched(text: string, query: TextQuery = {}, isCounted = true): Promise<SearchFound> {
    return this.#searched(text, query, isCounted);
  }

  async #searched(text: string, query: TextQuery, isCounted: boolean): Promise<SearchFound> {
    const answer = (asking: Asking): Promise<SearchFound> => searched(asking, text, query, isCounted);
    const { given } = this.#options;
    const about = { words: text, range: parseRange(query, this.zone, this.now) };
    if (given) return this.#present.askForWords(given, about, (at) => answer(this.#asking(at)));
    // To index all words for one question takes as long as to make the book.
    return this.#ask(answer, undefined, "never");
  }

  /**
   * The turns that answer a question best, in whatever words: prompts, replies, commands, files, errors and outputs of a turn count
   * together. By default five. `answered` says whether any of them does.
   */
  async recall(question: string, options: RecallOptions = {}): Promise<RecallAnswer> {
    return this.#ask((asking) => recalled(asking, question, options), undefined, "never");
  }

  /** A session, and a turn of it when the target names one: `SESSION` or `SESSION/T0001`. */
  async find(target: string, options: ReadOptions = FULL): Promise<{ session: Session; turn: Turn | null }> {
    return this.#ask((asking) => find(asking, target, options));
  }

  /** How its agent takes a session up again, or why it cannot. */
  async resume(target: string): Promise<ResumeView> {
    const [session] = await this.sessions({ session: target });
    if (!session) throw noSession(target);
    return this.resumeOf(session);
  }

  resumeOf(session: SessionView): ResumeView {
    return resumeOf(session, this.#at.opened().refs);
  }

  /** A brief another agent can go on from, up to a turn where the target names one. */
  async handoff(target: string, query: HandoffQuery = {}): Promise<Handoff> {
    const to = checkedAgent(query);
    return this.#ask((asking) => handoff(asking, target, query, to));
  }

  /** Which request wrote each line of a file: `FILE[:LINE[-LINE]]`, seen from a directory. */
  async blame(target: string, query: BlameQuery = {}): Promise<BlameView> {
    const demand = { ...blameTarget(target, query.cwd ?? process.cwd()), revision: query.revision };
    const view = await this.#ask((asking) => blame(asking, demand));
    return query.redact === false ? view : this.redactor.all(view);
  }

  /** The turns that touched a file, under any of its names, in order of time. */
  async file(path: string, query: Query & Pick<BlameQuery, "cwd" | "redact"> = {}): Promise<FileView> {
    this.#notOfStore("records");
    const cwd = query.cwd ?? process.cwd();
    const view = await this.#ask((asking) => fileHistory(asking, { ...blameTarget(path, cwd), lines: null }, query));
    return query.redact === false ? view : this.redactor.all(view);
  }

  /** The turns behind a commit, or behind each of a range: those that made it, and those that wrote its lines. */
  async commits(name: string, query: Pick<BlameQuery, "cwd" | "redact"> = {}): Promise<CommitView[]> {
    const { path } = blameTarget(".", query.cwd ?? process.cwd());
    const views = await this.#ask((asking) => commitHistory(asking, name, path));
    return query.redact === false ? views : this.redactor.all(views);
  }

  /** A record of Agent Trace: who wrote which lines of the repository at a revision. */
  async agentTrace(revision: string, query: Pick<BlameQuery, "cwd" | "redact"> = {}): Promise<AgentTrace> {
    const { path } = blameTarget(".", query.cwd ?? process.cwd());
    const trace = await this.#ask((asking) => agentTrace(asking, revision, path));
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
    const { session } = await this.find(wanted, LEAN);
    const path = session.parts.find((part) => part.path === wanted || part.path.endsWith(`/${wanted}`))?.path ?? null;
    return explainLine(session, Number(named[2]), path);
  }

  /** The records of one session, or of one turn of it, in the canonical log's form. */
  async *records(target: string): AsyncGenerator<LogRecord, void, undefined> {
    const { session, turn } = await this.find(target, LEAN);
    for (const record of logRecords(session)) {
      if (turn === null || record.turn_id === turn.ref) yield record;
    }
  }

  /** The same of a whole session, any of them without the others. */
  async outline(target: string): Promise<SessionOutline> {
    const { session } = await this.find(target, LEAN);
    return new SessionOutline(session);
  }

  /** Shows sessions to whoever writes them, one after the other and all of one moment. Those that cannot be are among the problems. */
  async exportSessions(query: Query, visitor: ExportVisitor): Promise<void> {
    return this.#ask((asking) => exportSessions(asking, query, visitor));
  }

  async doctor(): Promise<DoctorReport & { book: BookHealth | null }> {
    this.#notOfStore("the agents' files and the book");
    return this.#ask(doctor);
  }

  /** What `forget` would take out of the book: those named, those that ended before a day, those of a project, with their sub-agents. */
  async forgetPlan(query: ForgetQuery): Promise<ForgetPlan> {
    const { sessions: wanted = [], before, project } = query;
    const named = new Set<SessionView>();
    const all = await this.sessions({ project });
    for (const session of wanted)
      for (const view of await this.sessions({ session }))
        for (const one of all) if (one.source === view.source && one.session_id === view.session_id) named.add(one);
    const end = before === undefined ? null : this.zone.startOfDay(parseDay(before, this.zone, this.now));
    const chosen = (wanted.length > 0 ? [...named] : all).filter(
      ({ ended_at }) => end === null || (ended_at !== null && Date.parse(ended_at) < end),
    );
    return this.#ask(async (asking) => forgetPlan(chosen, await sessions(asking, {}), asking.at.index?.store ?? null));
  }

  /** Takes them out for good, pages, rows and words. The agents' files are left alone, and not read again. */
  async forget(plan: ForgetPlan): Promise<void> {
    const { book } = this.#options;
    if (book === undefined) throw new DaybookError("there is no book to forget from", { code: "usage", op: "forget" });
    const keys = plan.sessions.map(({ source, session_id }) => `${source}/${session_id}`);
    this.close();
    const how = { home: book, naming: this.#at.naming, patience: PATIENCE, now: new Date(this.now).toISOString() };
    await this.#present.oneAtATime(() => forgetSessions(keys, how));
  }

  /**
   * Puts a star, labels or a note on a session (`SESSION`) or a turn of it (`SESSION/T0001`), or takes them off, and tells what is on
   * it then. Written to the book, never to the agents' files.
   */
  async mark(target: string, demand: MarkDemand): Promise<MarkedView> {
    const { book } = this.#options;
    if (book === undefined) throw noBookForMarks(this.#options);
    const wishes = wishesOf(demand);
    const place = await this.#ask(async (asking) => placeOf(asking, target), undefined, "never");
    const how = { home: book, patience: PATIENCE, now: new Date(this.now).toISOString() };
    await this.#present.oneAtATime(() => changeMarks(place, wishes, how));
    const [view] = await this.markedAt(target);
    if (!view) throw noSession(target);
    return view;
  }

  /** What is on a session, and then on its turns, or on the turn that is named. The first may have nothing on it. */
  async markedAt(target: string): Promise<MarkedView[]> {
    if (this.#options.book === undefined) throw noBookForMarks(this.#options);
    return this.#ask(async (asking) => marksAt(asking, placeOf(asking, target)), undefined, "never");
  }

  /** Every session and turn that somebody marked, sessions that began last first. */
  async marked(query: Query = {}): Promise<MarkedView[]> {
    if (this.#options.book === undefined) throw noBookForMarks(this.#options);
    return this.#ask(async (asking) => markedViews(asking, query), undefined, "never");
  }

  /** The labels there are, and on how many sessions and turns. */
  async labels(query: Query = {}): Promise<LabelCount[]> {
    return labelCounts(await this.marked(query));
  }

  /** Sessions that were taken out of the book, the last first. */
  forgotten(): ForgottenView[] {
    return forgottenViews(this.#at.forgotten, this.#at.found());
  }

  /** Lets a forgotten session be read again: with the next question, if its agent still has it. */
  async allow(wanted: string): Promise<ForgottenView> {
    const { book } = this.#options;
    const views = this.forgotten();
    const meant = views.filter(({ session_id }) => session_id.startsWith(wanted));
    const one = meant.find(({ session_id }) => session_id === wanted) ?? (meant.length === 1 ? meant[0] : undefined);
    if (!one || book === undefined)
      throw new DaybookError(`${meant.length === 0 ? "no" : "more than one"} forgotten session ${wanted}`, {
        ...{ code: "not_found", op: "allow", hint: "`daybook forget --list` names them" },
      });
    await allowSession(one, { home: book, patience: PATIENCE, now: new Date(this.now).toISOString() });
    this.close();
    return one;
  }

  projectOf(session: Session): Project {
    return this.#at.names.projectOf(session);
  }

  /** The directory of its project: the main checkout's, where it worked in a worktree of it. */
  rootOf(session: Session): string {
    return this.#at.names.rootOf(session);
  }

  titleOf(session: Session): string | null {
    return sessionTitle(session, this.#at.names.titleOf(session)).title;
  }

  turnJson(turn: Turn): TurnView {
    return this.#asking(this.#at).turnView(turn);
  }

  sessionJson(session: Session): SessionView {
    return this.#asking(this.#at).sessionView(session);
  }
}

/** Checks a canonical log or a native session file: unknown types, fields and versions, lines that cannot be read. */
export async function validateFile(path: string): Promise<Validation> {
  // The schema is large, and no other question needs it.
  const { validateFile: validate } = await import("./reading/validate.ts");
  return validate(path);
}
