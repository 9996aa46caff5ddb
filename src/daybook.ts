import { statSync } from "node:fs";
import { DaybookError, isLocal } from "./errors.ts";
import { DiskFullError, UnwritableError } from "./io/disk.ts";
import { leftOut } from "./turns/assemble.ts";
import type { KnownCost } from "./answers/pricing/cost.ts";
import { PriceTable } from "./answers/pricing/price-table.ts";
import type { Project } from "./answers/projects/project.ts";
import { unreadableFile, type OpenedSources, type ReadResult } from "./reading/library.ts";
import { sessionIdOf, type ReadOptions } from "./reading/read-file.ts";
import { doctorReport, type DoctorReport } from "./reading/doctor.ts";
import { explainLine, type Explanation } from "./reading/explain.ts";
import { agentName, sourceIds } from "./reading/source-ids.ts";
import { lostPrompts } from "./reading/lost.ts";
import type { Validation } from "./reading/validate.ts";
import { resumeOf, type ResumeView } from "./reading/resume.ts";
import { newerVersions, type NewerVersion } from "./reading/versions.ts";
import { logRecords } from "./reading/records.ts";
import { SessionOutline } from "./reading/session-outline.ts";
import type { Asked, Decision } from "./decisions/model.ts";
import type { LogRecord } from "./format/record.ts";
import type { Diagnostic } from "./sources/contract.ts";
import { suggestion } from "./text/near.ts";
import { parseDay, parseRange, within, type TimeRange } from "./time/range.ts";
import { Zone } from "./time/zone.ts";
import { Redactor, type JsonValue } from "./redact/redact.ts";

import { cited, type Cited } from "./report/cited.ts";
import { handoffOf, LEAST_BUDGET, USUAL_BUDGET } from "./report/handoff/fit.ts";
import type { Handoff } from "./report/handoff/model.ts";
import { toldSession } from "./report/handoff/told.ts";
import { contextViews, type ContextView } from "./report/context-view.ts";
import { daysBefore } from "./report/days.ts";
import { dayReport } from "./report/day.ts";
import type { DayReport } from "./report/model.ts";
import { rangeOf, resolveSpan, type Span } from "./report/window.ts";
import { Snapshot, type SnapshotOptions } from "./daybook/snapshot.ts";
import { FilesSeen, isNextLook, type Changes, type WatchOptions } from "./daybook/watch.ts";
import { RecordFacts } from "./daybook/session-facts.ts";
import {
  cut,
  FULL,
  type HandoffQuery,
  isBroad,
  LEAN,
  MUCH,
  TOOLS,
  USAGE,
  type DaybookOptions,
  type Query,
  type ReportQuery,
} from "./daybook/questions.ts";
import type { UsageEvent } from "./turns/model.ts";
import { sessionKey, type Session, type Turn } from "./turns/session.ts";
import { IndexQueries, scopeOf, type IndexFilter } from "./store/tables/queries.ts";
import type { Need } from "./store/sync/reading-order.ts";
import { bookHealth, type BookHealth } from "./daybook/book-health.ts";
import { withUnread } from "./daybook/unread.ts";
import {
  forgetPlan,
  forgottenViews,
  type ForgetPlan,
  type ForgetQuery,
  type ForgottenView,
} from "./daybook/forgetting.ts";
import { allowSession, forgetSessions } from "./store/sync/forget.ts";
import { KnownTimes } from "./reading/file-times.ts";
import { addDays } from "./time/zone.ts";
import { ChangeFeed, type SessionChange } from "./store/tables/changes.ts";
import { IndexRows } from "./store/tables/index-rows.ts";
import { IndexStore } from "./store/tables/index-store.ts";
import { isUnfinished } from "./store/tables/seal.ts";
import { LooseTexts } from "./store/search/temporary-index.ts";
import { recall } from "./store/search/recall/recall.ts";
import type { RecallAnswer, RecallQuery } from "./store/search/recall/model.ts";
import { bookTexts, search, type SearchFound, type SearchQuery, type SearchResult } from "./store/search/search.ts";
import type { SyncDemand, SyncReport } from "./store/sync/sync.ts";
import { auditOf, auditReport, type AuditReport } from "./answers/audit-view.ts";
import { findSessions, inRange, selectSessions, turnInRange, type Filter } from "./answers/filter.ts";
import { isMeant, lostView, type LostPrompt } from "./answers/lost-view.ts";
import { limitViews, type LimitView } from "./answers/limit-view.ts";
import { sessionView, type SessionView } from "./answers/session-view.ts";
import { chooseTools, type ToolChoice } from "./answers/tool-list.ts";
import { toolView, type ToolView } from "./answers/tool-view.ts";
import { turnView, type TurnView } from "./answers/turn-view.ts";
import { glanceOf, projectWork, type ProjectWork, type SessionEnds, type TurnGlance } from "./answers/glance.ts";
import { SessionRows } from "./reading/session-rows.ts";
import type { AnswerRows } from "./answers/rows.ts";
import { UsageCache } from "./reading/usage-cache.ts";
import { quickUsage, type QuickUsage } from "./reading/quick-usage.ts";
import { blocksOf, lastPause, type BlockQuery, type UsageBlock } from "./answers/blocks.ts";
import { byTime, responsesOf, type UsageResponse } from "./answers/usage-response.ts";
import { itemsOf, usageReport, type UsageItem, type UsageQuery, type UsageReport } from "./answers/usage-view.ts";
import { LockedError } from "./format/write-lock.ts";
import { buildOf } from "./version.ts";
import { order } from "./text/order.ts";

export { DamagedIndex } from "./store/tables/damaged-index.ts";
export { SEARCH_KINDS, type DocKind, type SearchKind } from "./store/search/text-kinds.ts";
export { sourceIds };
export { mcpCallers, mcpSource } from "./reading/source-ids.ts";
export type { InstructionPlace, InstructionPlaces, SearchFound, SearchResult } from "./store/search/search.ts";
export type {
  RecallAnswer,
  RecallField,
  RecallLikeness,
  RecallMatch,
  RecallResult,
} from "./store/search/recall/model.ts";
export type { Snippet } from "./store/search/snippet.ts";
export type { DamagedPage } from "./store/sync/rebuild.ts";
export type { DoctorReport, Probed, SourceHealth } from "./reading/doctor.ts";
export type { Explanation } from "./reading/explain.ts";
export type { SessionOutline } from "./reading/session-outline.ts";
export type { Progress } from "./reading/pool.ts";
export type { Validation, ValidationProblem } from "./reading/validate.ts";
export type { NewerVersion } from "./reading/versions.ts";
export type {
  BookHealth,
  Changes,
  DaybookOptions,
  ForgetPlan,
  ForgetQuery,
  ForgottenView,
  Handoff,
  HandoffQuery,
  Query,
  ReportQuery,
  ResumeView,
  SessionChange,
  SyncDemand,
  SyncReport,
  WatchOptions,
};

/** What answers tell: everything, what was read before, or nothing yet, because all has to be read first. */
export type Freshness = "fresh" | "older" | "none";

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

/** How long evidence waits for another that writes the book, in ms: one that only answers a question is soon done. */
const PATIENCE = 5000;

/** Bytes: more than these are better read in another thread than while somebody waits. */
const SOME = 16_000_000;

const DAY = 86_400_000;

/** What began so soon after a day, in ms, may still belong to what was asked on it. */
const AFTER = 36 * 3_600_000;

/**
 * The one façade that every surface calls, for one question or for days: a question is answered from one moment, also while a sync
 * writes; `sync` and `watch` bring it to the next.
 */
export class Daybook {
  readonly zone: Zone;
  /** Takes secrets out of what is printed or written. */
  readonly redactor: Redactor;
  readonly #options: SnapshotOptions;
  readonly #prices = new PriceTable();
  #at: Snapshot;
  /** The last sync that was begun: one at a time. */
  #syncing: Promise<unknown> | null = null;
  #isNoted = false;

  constructor(options: DaybookOptions = {}) {
    this.#options = { ...options, dayOf: (time) => this.zone.day(time), times: new KnownTimes() };
    this.redactor = options.redactor ?? new Redactor();
    this.zone = options.timezone === undefined ? Zone.here() : new Zone(options.timezone);
    this.#at = new Snapshot(this.#options);
  }

  /** The moment questions are asked at. */
  get now(): number {
    return this.#now;
  }

  get #now(): number {
    const { now = Date.now } = this.#options;
    return typeof now === "number" ? now : now();
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
    const read = results.flatMap(({ sessions }) =>
      sessions.flatMap(({ source, parts }) =>
        parts.flatMap((part) => Object.keys(part.drift.versions).map((version) => [source, version] as const)),
      ),
    );
    return newerVersions(at.opened().sources, [...read, ...(at.index?.queries.versions() ?? [])]);
  }

  /** Prompts that only an agent's input history has, newest first. */
  async lost(query: Query = {}): Promise<LostPrompt[]> {
    return this.#ask(async (at) => {
      const range = parseRange(query, this.zone, this.#now);
      const known = at.index?.queries.transcripts() ?? keysOf((await this.#read(at, LEAN)).sessions);
      return cut(this.#lost(at, query, range, known), query.limit);
    });
  }

  #lost(
    at: Snapshot,
    query: Pick<Query, "project" | "session">,
    range: TimeRange,
    known: ReadonlySet<string>,
  ): LostPrompt[] {
    const typed = at.facts().flatMap((facts) => facts.prompts());
    const { forgotten } = at;
    const found = lostPrompts(typed, (source, id) => known.has(`${source}/${id}`) || forgotten.has(source, id));
    return found
      .filter(({ time }) => within(range, time))
      .map((prompt) => lostView(prompt, at.names.projectAt(prompt.cwd)))
      .filter((view) => isMeant(view, query))
      .toSorted((a, b) => order(b.time ?? "", a.time ?? "") || order(a.path, b.path) || b.line - a.line);
  }

  /** Reads what is new into the book and the index. Who asks meanwhile is answered from what was there before. */
  async sync(how: SyncDemand = {}): Promise<SyncReport> {
    return this.#oneAtATime(async () => {
      const next = this.#at.isUntouched ? this.#at : new Snapshot(this.#options);
      const report = await next.sync(how);
      this.#moveTo(next);
      return report;
    });
  }

  /**
   * Looks for news and reads it into the book, for at most so many ms: what takes longer goes on in a thread, and is told later. For
   * programs that live long and are asked now and then.
   */
  async freshen(most: number, signal?: AbortSignal): Promise<Freshness> {
    const { book } = this.#options;
    const syncing = this.#syncing ?? this.#syncChanges(signal);
    const isFresh = syncing === null || (await this.#doneWithin(syncing, most));
    if (isFresh) return "fresh";
    return book !== undefined && IndexStore.isUsable(book) ? "older" : "none";
  }

  async #doneWithin(work: Promise<unknown>, most: number): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<boolean>((resolve) => void (timer = setTimeout(() => resolve(false), most)));
    const done = work.then(
      () => true,
      (error: unknown) => {
        this.#note(error);
        return false;
      },
    );
    return Promise.race([done, late]).finally(() => clearTimeout(timer));
  }

  /** A sync where there is something to read; null where there is nothing. */
  #syncChanges(signal: AbortSignal | undefined): Promise<unknown> | null {
    const here = new Snapshot({ ...this.#options, inBackground: false });
    if (!here.hasChanges()) return null;
    const next = here.owes(SOME) ? new Snapshot({ ...this.#options, inBackground: true }) : here;
    return this.#oneAtATime(async () => {
      await next.sync({ signal });
      this.#moveTo(next);
    });
  }

  /**
   * Follows the agents' files: looks for changed ones, reads them, and tells which sessions are different since, also where another
   * process read them. Looking reads no session file. Who takes long over one change is told of all that follows at once.
   */
  async *watch(options: WatchOptions = {}): AsyncGenerator<Changes, void, undefined> {
    const { patience, full, signal } = options;
    if (signal?.aborted === true) return;
    const seen = new FilesSeen();
    const feed = new ChangeFeed(this.#at.openIndex()?.store ?? null);
    do {
      const sync = await this.#syncIfOther(seen, { patience, full });
      if (this.#at.isOutdated) this.#moveTo(new Snapshot(this.#options));
      const index = this.#at.openIndex();
      const sessions = index === null ? [] : feed.take(index.store).filter((one) => isIn(index.scope, one));
      if (sync || sessions.length > 0) yield { sync, sessions };
    } while (await isNextLook(options));
  }

  async #syncIfOther(seen: FilesSeen, how: SyncDemand): Promise<SyncReport | null> {
    const next = this.#at.isUntouched ? this.#at : new Snapshot(this.#options);
    if (!seen.isOther(next.opened())) return null;
    try {
      const report = await this.#oneAtATime(() => next.sync(how));
      seen.remember(next.opened());
      this.#moveTo(next);
      return report;
    } catch (error) {
      if (!(error instanceof LockedError)) throw error;
      this.#options.onNote?.(`the book is being written${error.by}; trying again`);
      return null;
    }
  }

  /** A second sync of ours would find the book locked by the first. */
  async #oneAtATime<T>(work: () => Promise<T>): Promise<T> {
    const before = this.#syncing;
    const mine = (before ?? Promise.resolve()).then(work, work);
    this.#syncing = mine;
    try {
      return await mine;
    } finally {
      if (this.#syncing === mine) this.#syncing = null;
    }
  }

  #moveTo(next: Snapshot): void {
    const before = this.#at;
    if (next === before) return;
    // What is told of sessions that were handed out needs the names the index knows.
    if (before.index) next.openIndex();
    this.#at = next;
    before.retire();
  }

  /** The next question looks for news first. */
  #lookAgain(): void {
    this.#at.retire();
    this.#at = new Snapshot(this.#options);
  }

  /** A sync of this instance is under way. */
  get isSyncing(): boolean {
    return this.#syncing !== null;
  }

  /** There are sessions, and nothing of them is in the book yet, or much of them is not. */
  get owesBook(): boolean {
    return this.#options.noSync !== true && !this.#isNoted && this.#at.owes(this.#much);
  }

  get #much(): number {
    return this.#options.readFirst ?? MUCH;
  }

  /**
   * Answers from one moment: what is written meanwhile is for the next question. `need`: which files it must have read, where more is
   * new than can be read in a moment. `never`: it cannot be answered from the files alone any sooner.
   */
  async #ask<T>(
    answer: (at: Snapshot) => Promise<T>,
    need?: Need,
    fromFiles: "perhaps" | "never" = "perhaps",
  ): Promise<T> {
    if (this.#at.isDamaged) this.close();
    else if (this.#at.left && (this.#at.isOutdated || !this.#at.covers(need))) this.#lookAgain();
    else if (this.#at.isOutdated) this.#moveTo(new Snapshot(this.#options));
    const at = this.#at;
    at.enter();
    try {
      if (need || fromFiles === "never" || at.opening !== null || !this.#answersFirst(at)) await this.#opened(at, need);
      // Another may have asked meanwhile, and needed less.
      if (!at.covers(need)) return await this.#ask(answer, need, fromFiles);
      at.beginReading();
      return await answer(at);
    } finally {
      at.leave();
    }
  }

  async #opened(at: Snapshot, need: Need | undefined): Promise<void> {
    try {
      await (at.opening ??= this.#bringUpToDate(at, need));
    } catch (error) {
      // Whoever asks next tries again.
      at.opening = null;
      throw error;
    }
  }

  #answersFirst(at: Snapshot): boolean {
    const { answerFirst } = this.#options;
    if (answerFirst === undefined || !this.owesBook || !at.isInFiles) return false;
    const bytes = at.opened().refs.reduce((sum, ref) => sum + ref.size, 0);
    return bytes >= answerFirst.least && bytes <= answerFirst.most;
  }

  async #bringUpToDate(at: Snapshot, need: Need | undefined): Promise<void> {
    let isRefused = false;
    try {
      if (this.#options.noSync === true) await at.mend();
      // One of ours that is under way will bring the next state; nobody waits for it.
      else if (this.#syncing === null && at.hasChanges())
        await this.#oneAtATime(() => this.#stoppable((signal) => at.sync({ need, signal })));
    } catch (error) {
      this.#note(error);
      isRefused = true;
    }
    const index = at.openIndex();
    if (index && isRefused) at.leaveUnread(need, index.store);
    if (index?.store.isReadOnly === true) this.#note(new UnwritableError(index.store.home, null));
    if (index && this.#options.noSync === true && isUnfinished(index.store.home))
      this.#options.onNote?.("the book is partial: a sync is under way or was cut short");
  }

  async #stoppable<T>(work: (signal?: AbortSignal) => Promise<T>): Promise<T> {
    const { stoppable } = this.#options;
    return stoppable ? stoppable(work) : work();
  }

  /** Why the answer may lack what is new, once. Whatever else went wrong is no reason to answer. */
  #note(error: unknown): void {
    if (!isOnlyOlder(error)) throw error;
    if (this.#isNoted) return;
    this.#isNoted = true;
    const why = error instanceof LockedError ? `the book is being written${error.by}` : error.message;
    this.#options.onNote?.(`${why}; answering from what was read before`);
  }

  /** Lets go of the index. The next question opens it again, and looks for news first. */
  close(): void {
    this.#lookAgain();
    if (this.#options.book !== undefined) IndexStore.release(this.#options.book);
  }

  /** Every session, put together. */
  async read(options: ReadOptions = LEAN): Promise<ReadResult> {
    return this.#ask((at) => this.#read(at, options));
  }

  /** With a book, `which` names those the question is about: only they, and what they depend on, are put together. */
  async #read(
    at: Snapshot,
    options: ReadOptions,
    which?: (index: IndexQueries) => readonly string[] | null,
  ): Promise<ReadResult> {
    if (at.index) return at.assemble(at.index, which?.(at.index.queries) ?? null);
    return at.readFiles(options);
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
      // What was read before is asked below, where the reason is told.
      if (!(error instanceof LockedError)) return this.#busy(range);
      this.#options.onNote?.(`the book is being written${error.by}; files that are gone are not looked for in it`);
      return this.#at.readFiles(LEAN);
    }
    return this.#busy(range);
  }

  async #busy(range: TimeRange): Promise<ReadResult> {
    return this.#ask((at) => this.#read(at, LEAN, (index) => index.busy(range)));
  }

  #filter(query: Query): IndexFilter {
    return {
      project: query.project,
      session: query.session,
      range: parseRange(query, this.zone, this.#now),
      limit: query.limit,
    };
  }

  async sessions(query: Query = {}): Promise<SessionView[]> {
    return this.#ask((at) => this.#sessions(at, query));
  }

  async #sessions(at: Snapshot, query: Query): Promise<SessionView[]> {
    if (at.index) return [...at.index.queries.sessions(this.#filter(query))];
    const { chosen, range } = await this.#select(at, query, LEAN);
    const listed = chosen.filter((session) => inRange(session, range)).toReversed();
    return cut(listed, query.limit).flatMap((session) =>
      unlessBroken(at, session, () => this.#sessionView(at, session)),
    );
  }

  /** The same, each as JSON: as the index has them, they need not be understood to be printed. */
  async sessionTexts(query: Query = {}): Promise<JsonValue[]> {
    return this.#ask(async (at) =>
      at.index ? at.index.queries.sessionTexts(this.#filter(query)) : (await this.#sessions(at, query)).map(jsonValue),
    );
  }

  async turns(query: Query = {}): Promise<TurnView[]> {
    return this.#ask((at) => this.#turns(at, query));
  }

  async #turns(at: Snapshot, query: Query): Promise<TurnView[]> {
    if (at.index) return at.index.queries.turns(this.#filter(query));
    const { chosen, range } = await this.#select(at, query, FULL);
    const turns = chosen.flatMap((session) => session.turns.filter((turn) => turnInRange(turn, range)));
    turns.sort((a, b) => (a.draft.trigger.time ?? 0) - (b.draft.trigger.time ?? 0));
    // The newest are the ones asked for; they still stand in order of time.
    const newest = query.limit === undefined ? turns : turns.slice(-query.limit);
    return newest.flatMap((turn) => unlessBroken(at, turn.session, () => this.#turnView(at, turn)));
  }

  /** The same, each as JSON. */
  async turnTexts(query: Query = {}): Promise<JsonValue[]> {
    return this.#ask(async (at) =>
      at.index ? at.index.queries.turnTexts(this.#filter(query)) : (await this.#turns(at, query)).map(jsonValue),
    );
  }

  /** Every turn in a few words, in order of time: for counting. `files`: with what each changed. */
  async glances(query: Query & { files?: boolean | undefined } = {}): Promise<TurnGlance[]> {
    const withFiles = query.files === true;
    return this.#ask(async (at) =>
      at.index
        ? at.index.queries.glances(this.#filter(query), withFiles)
        : (await this.#turns(at, { ...query, limit: undefined })).map((turn) => glanceOf(turn, withFiles)),
    );
  }

  /** How much was asked for in each project, the last asked first. */
  async projectWork(): Promise<ProjectWork[]> {
    const found = await this.#ask(
      async (at) =>
        at.index?.queries.projectWork() ??
        projectWork((await this.#turns(at, {})).map((turn) => glanceOf(turn, false))),
    );
    return found.toSorted((a, b) => (b.last ?? 0) - (a.last ?? 0) || order(a.project, b.project));
  }

  /** How many turns were asked for on each day. */
  async turnDays(query: Query = {}): Promise<Map<string, number>> {
    return this.#ask(async (at) => {
      const times =
        at.index?.queries.turnQuarters(this.#filter(query)) ??
        (await this.#turns(at, { ...query, limit: undefined })).flatMap((turn) => {
          const { time } = glanceOf(turn, false);
          return time === null ? [] : [{ time, turns: 1 }];
        });
      const days = new Map<string, number>();
      for (const { time, turns } of times) {
        const day = this.zone.day(time);
        days.set(day, (days.get(day) ?? 0) + turns);
      }
      return days;
    });
  }

  /** These turns, in the order in which they are named; without those that are no longer there. */
  async turnsNamed(names: readonly Pick<TurnGlance, "source" | "session_id" | "turn_ref">[]): Promise<TurnView[]> {
    return this.#ask(async (at) => {
      const { index } = at;
      if (index)
        return names.flatMap((one) => index.queries.turnAt(`${one.source}/${one.session_id}`, one.turn_ref) ?? []);
      const all = new Map((await this.#turns(at, {})).map((turn) => [nameOf(turn), turn]));
      return names.flatMap((one) => all.get(nameOf(one)) ?? []);
    });
  }

  /** Another number whenever anything about the session changed; null where nobody can tell. */
  async changeOf({ source, session_id }: Pick<SessionView, "source" | "session_id">): Promise<number | null> {
    return this.#ask(async (at) => at.index?.queries.changeOf(`${source}/${session_id}`) ?? null);
  }

  /** The first and the last turn of each of these sessions. */
  async ends(sessions: readonly Pick<SessionView, "source" | "session_id">[]): Promise<SessionEnds[]> {
    return this.#ask(async (at) => {
      const { index } = at;
      if (index) return sessions.map((one) => index.queries.endsOf(`${one.source}/${one.session_id}`));
      const read = new Map((await this.#read(at, FULL)).sessions.map((one) => [sessionKey(one), one]));
      return sessions.map((one) => {
        const turns = read.get(`${one.source}/${one.session_id}`)?.turns ?? [];
        const [first, last] = [turns[0], turns.at(-1)];
        return { first: first ? this.#turnView(at, first) : null, last: last ? this.#turnView(at, last) : null };
      });
    });
  }

  /** How many a list would have without its limit. */
  async count(list: "sessions" | "turns" | "tools", query: Query & ToolChoice = {}): Promise<number> {
    return this.#ask(async (at) => {
      const all = { ...query, limit: undefined };
      const queries = at.index?.queries ?? null;
      if (list === "sessions")
        return queries?.countSessions(this.#filter(all)) ?? (await this.#sessions(at, all)).length;
      if (list === "turns") return queries?.countTurns(this.#filter(all)) ?? (await this.#turns(at, all)).length;
      // Which calls hold a text is known when all were looked at.
      if (queries && query.grep === undefined) return queries.countTools(this.#filter(all), all);
      return (await this.#tools(at, all)).length;
    });
  }

  /** The project of a directory, whether or not anybody worked in it. */
  async projectAt(dir: string): Promise<Project | null> {
    return this.#ask(async (at) => at.names.projectAt(dir));
  }

  /** Of all sessions there are, also those that were not asked about. */
  async sessionIds(): Promise<string[]> {
    return this.#ask(async (at) => {
      if (at.index) return at.index.queries.sessionIds();
      return (await at.filesRead()).flatMap(({ sessions }) => sessions.map(({ session_id }) => session_id));
    });
  }

  async projectNames(): Promise<string[]> {
    return this.#ask(async (at) => {
      if (at.index) return at.index.queries.projectNames();
      const read = (await at.filesRead()).flatMap(({ sessions }) => sessions);
      return [...new Set(read.map((session) => at.names.projectOf(session).project))].toSorted();
    });
  }

  /** What sessions were first asked for, in the order given; null where nobody asked anything. */
  async firstRequests(sessions: readonly Pick<SessionView, "source" | "session_id">[]): Promise<(string | null)[]> {
    return this.#ask(async (at) => {
      const { index } = at;
      if (index) return sessions.map((one) => index.queries.firstRequest(one));
      const read = new Map((await this.#read(at, LEAN)).sessions.map((session) => [sessionKey(session), session]));
      return sessions.map((one) => read.get(sessionKey(one))?.turns[0]?.draft.trigger.text ?? null);
    });
  }

  async tools(query: Query & ToolChoice = {}): Promise<ToolView[]> {
    return this.#ask((at) => this.#tools(at, query));
  }

  async #tools(at: Snapshot, query: Query & ToolChoice): Promise<ToolView[]> {
    if (at.index) return at.index.queries.tools(this.#filter(query), query);
    const { chosen, range } = await this.#select(at, query, TOOLS);
    const views: ToolView[] = [];
    for (const session of chosen) {
      for (const owned of session.tools) {
        if (query.status !== undefined && owned.call.status !== query.status) continue;
        if (query.name !== undefined && owned.call.name !== query.name) continue;
        if (!within(range, owned.call.started_at)) continue;
        views.push(...unlessBroken(at, session, () => toolView(session, owned)));
      }
    }
    return chooseTools(views, query);
  }

  async usage(query: Query & Omit<UsageQuery, "range" | "zone">): Promise<UsageReport> {
    const { group, by, breakdown, order, instances, agents, startOfWeek } = query;
    const range = parseRange(query, this.zone, this.#now);
    const answer = async (at: Snapshot): Promise<UsageReport> => {
      const items = await this.#usageItems(at, query);
      const how = { group, by, breakdown, order, instances, agents, startOfWeek, range, zone: this.zone };
      const report = usageReport(items, how, this.#prices);
      return { ...report, rows: cut(report.rows, query.limit) };
    };
    // Before the first sync the sum over everything is there sooner than the book: it is given without one.
    const isSooner = isBroad(query) && this.owesBook && this.#at.isInFiles;
    return isSooner ? answer(this.#at) : this.#ask(answer);
  }

  /** The responses that count, each once, in order of time; those nobody dated stand first. */
  async responses(query: Query = {}): Promise<UsageResponse[]> {
    const found = await this.#ask(async (at) => {
      if (at.index) return at.index.queries.responses(this.#filter(query));
      const { chosen, range } = await this.#select(at, query, USAGE);
      return responsesOf(chosen, range, this.#prices);
    });
    return cut(found.toSorted(byTime), query.limit);
  }

  /** Stretches of hours as providers count their limits, with the pace of the one that is running. */
  async blocks(query: Query & Omit<BlockQuery, "now">): Promise<UsageBlock[]> {
    const { hours, tokenLimit, project, session } = query;
    // A block begins where the ones before it end: days choose among blocks, not among responses.
    const range = parseRange(query, this.zone, this.#now);
    // The largest block may be any.
    const start = tokenLimit === undefined ? range.start : null;
    const responses = await this.#responsesAround(start, hours, { project, session });
    const blocks = blocksOf(responses, { hours, tokenLimit, now: this.#now }, this.#prices);
    return blocks.filter((block) => within(range, Date.parse(block.start)));
  }

  /** Those from a time on, and as many before it as decide where blocks begin: back to a pause that no block lasts through. */
  async #responsesAround(start: number | null, hours: number, query: Query): Promise<UsageResponse[]> {
    if (start === null) return this.responses(query);
    for (const days of [3, 30]) {
      const since = this.zone.day(start - days * DAY);
      const responses = await this.responses({ ...query, since });
      const before = responses.findIndex(({ time }) => time !== null && time >= start);
      const from = lastPause(responses.slice(0, before === -1 ? responses.length : before + 1), hours);
      // The one before the pause says where the gap begins.
      if (from > 0) return responses.slice(from - 1);
    }
    return this.responses(query);
  }

  /** The block of one agent that is running. Reads back to a pause that is longer than a block: there one begins for sure. */
  async runningBlock(source: string, hours: number): Promise<UsageBlock | null> {
    for (const days of [2, 14, null]) {
      const since = days === null ? undefined : `${days}d`;
      const responses = (await this.responses({ since })).filter((response) => response.source === source);
      const from = lastPause(responses, hours);
      if (from === 0 && days !== null && responses.length > 0) continue;
      const blocks = blocksOf(responses.slice(from), { hours, now: this.#now }, this.#prices);
      return blocks.find((block) => block.is_active) ?? null;
    }
    return null;
  }

  /** The questions agents put to the human, in order of time; with a limit the newest. */
  async decisions(query: Query & { unanswered?: boolean | undefined } = {}): Promise<Decision[]> {
    const asked = (await this.asked(query)).map(({ decision }) => decision);
    const listed = query.unanswered === true ? asked.filter((decision) => !decision.answered) : asked;
    return query.limit === undefined ? listed : listed.slice(-query.limit);
  }

  /** Decisions with what the question log needs beside them. */
  async asked(query: Query = {}): Promise<Asked[]> {
    return this.#ask(async (at) => {
      const found = recordFacts(at);
      const range = parseRange(query, this.zone, this.#now);
      const rows = await this.#rows(at, query);
      const asked = rows
        .asking(range)
        .flatMap((key) => found.of(key, rows).asked)
        .filter(({ decision: { time } }) => within(range, time === null ? null : Date.parse(time)));
      return asked.sort((a, b) => order(a.decision.time ?? "", b.decision.time ?? ""));
    });
  }

  /** The report of a day, a week or any span of days; the newest day with work when none is named. */
  async report(query: ReportQuery = {}): Promise<DayReport> {
    return this.#ask((at) => {
      const found = recordFacts(at);
      return found.answer(
        () => this.#question(at, "report", query),
        async () => {
          const rows = await this.#rows(at, query);
          const span = this.#resolve(query, rows.workTimes());
          const about = {
            ...{ span, zone: this.zone, now: this.#now, prices: this.#prices, unreadable: await at.unreadable() },
            lost: this.#lost(at, query, rangeOf(span), await this.#transcripts(at)),
            hide: query.redact === false ? (text: string) => text : (text: string) => this.redactor.text(text),
          };
          const { failures } = at;
          const made = withoutBroken(at, rows, rangeOf(span), (some) =>
            dayReport({ ...about, rows: some, facts: (key) => found.of(key, some) }),
          );
          if (at.failures > failures) found.isPartial = true;
          if (at.left) made.diagnostics = withUnread(made.diagnostics, at.left);
          return query.redact === false ? made : this.redactor.all(made);
        },
      );
    }, this.#reportNeed(query));
  }

  /** The last day with work before another; null when there is none. */
  async lastWorkDay(before: string, query: Pick<Query, "project" | "session"> = {}): Promise<string | null> {
    const { project, session } = query;
    const end = this.zone.startOfDay(before);
    const newest = (index: IndexQueries): number | null => index.workTimes({ project, session, before: end }).newest;
    const need = this.#need(end, (index, last) =>
      session === undefined ? this.zone.startOfDay(this.zone.day(newest(index) ?? last)) : -Infinity,
    );
    return this.#ask(async (at) => {
      if (at.index) {
        const time = newest(at.index.queries);
        return time === null ? null : this.zone.day(time);
      }
      const [turn] = await this.#turns(at, { ...query, until: addDays(before, -1), limit: 1 });
      const time = turn?.trigger.time ?? null;
      return time === null ? null : this.zone.day(Date.parse(time));
    }, need);
  }

  /** Its days must be read; without a date it is known only from what was read which ones they are. */
  #reportNeed(query: ReportQuery): Need {
    const { project, session, since, until } = query;
    // A session by its name, and the first day of all, are known when everything is read.
    const isOpen = session !== undefined || (until !== undefined && since === undefined);
    const fixed = resolveSpan(query, this.zone, this.#now, { first: null, newest: null });
    const isFixed = query.date !== undefined || since !== undefined;
    const end = isFixed ? Date.parse(fixed.end) + AFTER : null;
    return this.#need(end, (index, last) => {
      if (isOpen) return -Infinity;
      const { newest } = index.workTimes({ project });
      const span = this.#resolve(query, { first: null, newest: newest ?? last });
      // Several days are compared with those before.
      return daysBefore(span, this.zone, this.#now)?.range.start ?? Date.parse(span.start);
    });
  }

  #need(end: number | null, start: (index: IndexQueries, newest: number) => number): Need {
    const { roots, sources } = this.#options;
    return {
      least: this.#much,
      end,
      start: (store, newest) => {
        const scope = scopeOf(store, () => this.opened(), roots, sources);
        return start(new IndexQueries(store, scope), newest);
      },
    };
  }

  /** What ruled each turn: instructions, model, approval, sandbox, place; and where it changed. */
  async context(query: Query & Pick<ReportQuery, "redact"> = {}): Promise<ContextView[]> {
    return this.#ask(async (at) => {
      const range = parseRange(query, this.zone, this.#now);
      const views = withoutBroken(at, await this.#rows(at, query), range, (rows) => contextViews(rows, range));
      const listed = query.limit === undefined ? views : views.slice(-query.limit);
      return query.redact === false ? listed : this.redactor.all(listed);
    });
  }

  /** Where a report's citation `[PROJECT/]S0001/T0002:12-40` leads; null when the text is none. */
  async cited(text: string, query: ReportQuery = {}): Promise<Cited | null> {
    return this.#ask(async (at) => {
      const rows = await this.#rows(at, query);
      return cited(text, rows, this.#resolve(query, rows.workTimes()));
    }, this.#reportNeed(query));
  }

  /** Of the sessions of which some part is in the span, whole. */
  async audit(query: Query = {}): Promise<AuditReport> {
    return this.#ask(async (at) => {
      if (!at.index) {
        const { chosen, range } = await this.#select(at, query, LEAN);
        return auditReport(
          chosen.filter((session) => inRange(session, range)),
          this.zone,
        );
      }
      const { queries } = at.index;
      const filter = this.#filter(query);
      return auditOf(queries.audits(filter), queries.usageOfAlive(filter, { group: "daily", by: "spent" }), this.zone);
    });
  }

  /** Rate limits as the agent recorded them last, newest first. */
  async limits(): Promise<LimitView[]> {
    return this.#ask((at) =>
      recordFacts(at).answer(
        () => this.#question(at, "limits", {}),
        async () => limitViews((await this.#read(at, LEAN)).sessions),
      ),
    );
  }

  /** Full-text search: the best, by default 20. Where no book is kept the words of all files are indexed for this one question. */
  async search(text: string, query: TextQuery = {}): Promise<SearchResult[]> {
    return (await this.#searched(text, query, false)).results;
  }

  /** The same, with how many there are in all; null for thousands. */
  async searched(text: string, query: TextQuery = {}): Promise<SearchFound> {
    return this.#searched(text, query, true);
  }

  async #searched(text: string, query: TextQuery, isCounted: boolean): Promise<SearchFound> {
    const wanted = {
      ...{ text, kinds: query.kinds ?? [], range: this.#filter(query).range, limit: query.limit ?? 20, isCounted },
      ...(query.redact === false ? {} : { redactor: this.redactor }),
    };
    const answer = async (at: Snapshot): Promise<SearchFound> => {
      if (!at.index) return this.#searchFiles(at, wanted, query);
      const { store, queries, scope } = at.index;
      const session = query.session === undefined ? undefined : queries.find(query.session)[0];
      return search(bookTexts(store), { ...wanted, project: query.project, session }, scope);
    };
    // To index all words for one question takes as long as to make the book.
    return this.#ask(answer, undefined, "never");
  }

  async #searchFiles(at: Snapshot, wanted: SearchQuery, query: Query): Promise<SearchFound> {
    return this.#inFiles(at, query, false, (loose, scope) => search(loose, wanted, scope));
  }

  /**
   * The turns that answer a question best, in whatever words: prompts, replies, commands, files, errors and outputs of a turn count
   * together. By default five. `answered` says whether any of them does.
   */
  async recall(question: string, options: RecallOptions = {}): Promise<RecallAnswer> {
    const { cwd, excludeSessions, limit = 5, redact } = options;
    const answer = async (at: Snapshot): Promise<RecallAnswer> => {
      const wanted: RecallQuery = {
        ...{ question, range: this.#filter(options).range, excludeSessions, limit },
        ...(redact === false ? {} : { redactor: this.redactor }),
        preferred: cwd === undefined ? undefined : at.names.projectAt(cwd)?.project_key,
      };
      if (!at.index) return this.#inFiles(at, options, true, (loose, scope) => recall(loose, wanted, scope));
      const { store, queries, scope } = at.index;
      const session = options.session === undefined ? undefined : queries.find(options.session)[0];
      return recall(bookTexts(store), { ...wanted, project: options.project, session }, scope);
    };
    return this.#ask(answer, undefined, "never");
  }

  /** Asks the words of the files themselves, among the sessions that are meant. `isTold`: with what lists say of turns and sessions. */
  async #inFiles<T>(
    at: Snapshot,
    query: Query,
    isTold: boolean,
    ask: (loose: LooseTexts, scope: ReadonlySet<string>) => T,
  ): Promise<T> {
    const detail = isTold ? FULL : LEAN;
    const { sessions } = await at.readFiles(detail);
    const { chosen } = await this.#select(at, query, detail);
    const loose = new LooseTexts(sessions, {
      projectOf: (session) => at.names.projectOf(session),
      failed: (ref, message) => at.fail(unreadableFile(ref, message)),
      progress: this.#options.onProgress,
      ...(isTold
        ? {
            told: {
              session: (session) => JSON.stringify(this.#sessionView(at, session)),
              turn: (turn) => JSON.stringify(this.#turnView(at, turn)),
            },
          }
        : {}),
    });
    try {
      return ask(loose, new Set(chosen.map(sessionKey)));
    } finally {
      loose.close();
    }
  }

  /** A session, and a turn of it when the target names one: `SESSION` or `SESSION/T0001`. */
  async find(target: string, options: ReadOptions = FULL): Promise<{ session: Session; turn: Turn | null }> {
    const named = /^(.*)\/(T\d{4,})$/.exec(target);
    const wanted = named?.[1] ?? target;
    const { sessions } = await this.#ask((at) => this.#read(at, options, (index) => index.find(wanted)));
    const [session] = findSessions(sessions, wanted);
    if (!session) throw new DaybookError(`no session ${target}`, { code: "not_found", op: "find session" });
    const ref = named?.[2];
    if (ref === undefined) return { session, turn: null };
    const turn = session.turns.find((candidate) => candidate.ref === ref);
    if (turn) return { session, turn };
    throw new DaybookError(`session ${session.session_id} has no turn ${ref}`, {
      code: "not_found",
      op: "find turn",
      hint: `it has ${session.turns.length} turns; \`daybook turns --session ${session.session_id}\` lists them`,
    });
  }

  /** How its agent takes a session up again, or why it cannot. */
  async resume(target: string): Promise<ResumeView> {
    const [session] = await this.sessions({ session: target });
    if (!session) throw new DaybookError(`no session ${target}`, { code: "not_found", op: "find session" });
    return this.resumeOf(session);
  }

  resumeOf(session: SessionView): ResumeView {
    return resumeOf(session, this.#at.opened().refs);
  }

  /** A brief another agent can go on from, up to a turn where the target names one. */
  async handoff(target: string, query: HandoffQuery = {}): Promise<Handoff> {
    const { to, budget = USUAL_BUDGET } = query;
    if (budget < LEAST_BUDGET)
      throw new DaybookError(`a budget of ${budget} tokens holds no session`, {
        ...{ code: "usage", op: "hand over", hint: `give at least ${LEAST_BUDGET}` },
      });
    if (to !== undefined && !sourceIds().includes(to))
      throw new DaybookError(`unknown agent: ${to}`, {
        ...{ code: "usage", op: "hand over", hint: suggestion(to, sourceIds()) || `one of ${sourceIds().join(", ")}` },
      });
    const agent = to === undefined ? null : { id: to, name: agentName(to) };
    const [, wanted = target, last] = /^(.*)\/(T\d{4,})$/.exec(target) ?? [];
    return this.#ask(async (at) => {
      const [session] = await this.#sessions(at, { session: wanted });
      if (!session) throw new DaybookError(`no session ${wanted}`, { code: "not_found", op: "find session" });
      const found = recordFacts(at);
      const rows = await this.#rows(at, { session: nameOfSession(session) });
      const hide = (text: string): string => (query.redact === false ? text : this.redactor.text(text));
      const told = toldSession({
        ...{ session, last, rows, hide, zone: this.zone, prices: this.#prices },
        facts: (key) => found.of(key, rows),
        agent: agentName(session.source),
        resume: resumeOf(session, at.opened().refs).command,
      });
      return handoffOf(told, { to: agent, budget, hide });
    });
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

  /** Runs what is done with one session among many. False, and its name among the problems, when it cannot be done. */
  async attempt({ source, session_path }: SessionView, work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      if (!isLocal(error)) throw error;
      this.#at.fail(leftOut({ source, path: session_path }, error));
      return false;
    }
  }

  async doctor(): Promise<DoctorReport & { book: BookHealth | null }> {
    const { book } = this.#options;
    return this.#ask(async (at) => ({
      ...doctorReport(at.opened(), await this.#read(at, FULL), this.#now),
      book: book === undefined ? null : bookHealth(book, at.forgotten.all.length),
    }));
  }

  /** What `forget` would take out of the book: those named, those that ended before a day, those of a project, with their sub-agents. */
  async forgetPlan(query: ForgetQuery): Promise<ForgetPlan> {
    const { sessions = [], before, project } = query;
    const named = new Set<SessionView>();
    const all = await this.sessions({ project });
    for (const session of sessions)
      for (const view of await this.sessions({ session }))
        for (const one of all) if (one.source === view.source && one.session_id === view.session_id) named.add(one);
    const end = before === undefined ? null : this.zone.startOfDay(parseDay(before, this.zone, this.#now));
    const chosen = (sessions.length > 0 ? [...named] : all).filter(
      ({ ended_at }) => end === null || (ended_at !== null && Date.parse(ended_at) < end),
    );
    return this.#ask(async (at) => forgetPlan(chosen, await this.#sessions(at, {}), at.index?.store ?? null));
  }

  /** Takes them out for good, pages, rows and words. The agents' files are left alone, and not read again. */
  async forget({ sessions }: ForgetPlan): Promise<void> {
    const { book } = this.#options;
    if (book === undefined) throw new DaybookError("there is no book to forget from", { code: "usage", op: "forget" });
    const keys = sessions.map(({ source, session_id }) => `${source}/${session_id}`);
    this.close();
    const how = { home: book, naming: this.#at.naming, patience: PATIENCE, now: new Date(this.#now).toISOString() };
    await this.#oneAtATime(() => forgetSessions(keys, how));
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
    await allowSession(one, { home: book, patience: PATIENCE, now: new Date(this.#now).toISOString() });
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
    return this.#at.names.titleOf(session);
  }

  turnJson(turn: Turn): TurnView {
    return this.#turnView(this.#at, turn);
  }

  #turnView({ names }: Snapshot, turn: Turn): TurnView {
    return turnView(turn, names.projectOf(turn.session), this.#prices);
  }

  sessionJson(session: Session): SessionView {
    return this.#sessionView(this.#at, session);
  }

  #sessionView({ names }: Snapshot, session: Session): SessionView {
    return sessionView(session, names.projectOf(session), names.titleOf(session), this.#prices);
  }

  /** Sums over everything need no turns and no sessions; any narrower question does. Both ways count the same tokens. */
  async #usageItems(
    at: Snapshot,
    query: Query & Pick<UsageQuery, "group" | "by" | "instances">,
  ): Promise<Iterable<UsageItem>> {
    if (at.index) {
      const { queries } = at.index;
      const filter = this.#filter(query);
      return (isBroad(query) ? queries.usageSums(filter, this.zone) : null) ?? queries.usage(filter, query);
    }
    if (!isBroad(query)) {
      const { chosen } = await this.#select(at, query, USAGE);
      return itemsOf(chosen, (session) => at.names.projectOf(session).project);
    }
    const costOf = (event: UsageEvent): KnownCost | null => this.#prices.costOf(event);
    const { book, onProgress, noSync } = this.#options;
    const stored = book === undefined || noSync === true ? undefined : new UsageCache(book);
    const { groups, unreadable } = await quickUsage(at.opened(), costOf, onProgress, stored);
    // After the answer: whoever asked has it before this is written.
    if (stored) setImmediate(() => stored.save());
    for (const problem of unreadable) at.fail(problem);
    return itemsFrom(groups);
  }

  /** What reports and the like are made from: the rows of the index, or of all sessions read now. */
  async #rows(at: Snapshot, { project, session }: Query): Promise<Rows> {
    if (at.index) return new IndexRows(at.index.store, at.index.queries, { project, session });
    const { sessions } = await at.readFiles(FULL);
    const range = { start: null, end: null };
    const meant = selectSessions(sessions, { project, session, range }, at.names);
    return new SessionRows(sessions, meant, at.names, this.#prices);
  }

  /** Of which sessions there is a transcript. */
  async #transcripts(at: Snapshot): Promise<ReadonlySet<string>> {
    return withFound(at, at.index?.queries.transcripts() ?? keysOf((await at.readFiles(FULL)).sessions));
  }

  #resolve({ date, week, since, until }: ReportQuery, work: { first: number | null; newest: number | null }): Span {
    return resolveSpan({ date, week, since, until }, this.zone, this.#now, work);
  }

  /** A question with all that its answer depends on beside the rows of the index: who answers, when, where, and from what. */
  #question(at: Snapshot, what: string, query: ReportQuery): string {
    const { date, week, since, until, project, session, redact } = query;
    const { roots, sources } = this.#options;
    return JSON.stringify({
      ...{ what, by: buildOf(), today: this.zone.day(this.#now), timezone: this.zone.name },
      ...{ date, week, since, until, project, session, redact, roots, sources },
      hides: this.redactor.name,
      unreadable: at.unread(),
      left: at.left,
      // Of an input history no session need know.
      histories: at.facts().flatMap(({ histories }) => histories.map(lookOf)),
    });
  }

  async #select(at: Snapshot, query: Query, options: ReadOptions): Promise<{ chosen: Session[]; range: TimeRange }> {
    const range = parseRange(query, this.zone, this.#now);
    const { sessions } = await at.readFiles(options);
    const filter: Filter = { project: query.project, session: query.session, range };
    return { chosen: selectSessions(sessions, filter, at.names), range };
  }
}

type Rows = IndexRows | SessionRows;

/** Checks a canonical log or a native session file: unknown types, fields and versions, lines that cannot be read. */
export async function validateFile(path: string): Promise<Validation> {
  // The schema is large, and no other question needs it.
  const { validateFile: validate } = await import("./reading/validate.ts");
  return validate(path);
}

function isIn(scope: ReadonlySet<string> | null, { source, session_id }: SessionChange): boolean {
  return scope === null || scope.has(`${source}/${session_id}`);
}

function lookOf(path: string): string | null {
  try {
    const { size, mtimeMs } = statSync(path);
    return `${size} ${mtimeMs}`;
  } catch {
    return null;
  }
}

/** What keeps a sync from being done, and no question from being answered. */
function isOnlyOlder(error: unknown): error is DaybookError {
  return error instanceof LockedError || error instanceof UnwritableError || error instanceof DiskFullError;
}

/** To be taken before the sessions are: what changes later must not be kept under the old name. */
function recordFacts(at: Snapshot): RecordFacts {
  const found = new RecordFacts(at.index?.store ?? null, (session, error) => failed(at, session, error));
  at.atLast(() => found.cache());
  return found;
}

/** What is said of one session; nothing, and its name among the problems, when that cannot be said. */
function unlessBroken<T>(at: Snapshot, session: Session | SessionView, make: () => T): T[] {
  try {
    return [make()];
  } catch (error) {
    failed(at, session, error);
    return [];
  }
}

/** What is said of many at once: where it cannot be said, without those of whom alone it cannot be said either. */
function withoutBroken<T>(at: Snapshot, rows: Rows, range: TimeRange, make: (some: AnswerRows) => T): T {
  try {
    return make(rows);
  } catch (error) {
    if (!isLocal(error)) throw error;
    const broken = new Set<string>();
    for (const key of new Set(rows.turnsIn(range).map(({ session }) => session))) {
      const view = rows.session(key);
      const isAnswered = view && unlessBroken(at, view, () => make(rows.without((other) => other !== key))).length > 0;
      if (isAnswered === false) broken.add(key);
    }
    if (broken.size === 0) throw error;
    return make(rows.without((key) => broken.has(key)));
  }
}

function failed(at: Snapshot, session: Session | SessionView, error: unknown): void {
  if (!isLocal(error)) throw error;
  const path = "path" in session ? session.path : session.session_path;
  at.fail(leftOut({ source: session.source, path }, error));
}

/** Sessions whose files were left for later are not lost. */
function withFound(at: Snapshot, known: ReadonlySet<string>): ReadonlySet<string> {
  if (!at.left) return known;
  const found = at.opened().refs.map((ref) => `${ref.source}/${sessionIdOf(ref)}`);
  return new Set([...known, ...found]);
}

function nameOfSession({ source, session_id }: SessionView): string {
  return `${source}/${session_id}`;
}

function nameOf({ source, session_id, turn_ref }: Pick<TurnGlance, "source" | "session_id" | "turn_ref">): string {
  return `${source}/${session_id}/${turn_ref}`;
}

function keysOf(sessions: readonly Session[]): ReadonlySet<string> {
  return new Set(sessions.map(sessionKey));
}

function* itemsFrom(groups: QuickUsage["groups"]): Generator<UsageItem, void, undefined> {
  for (const { event, cost, source } of groups) yield { event, session: null, source, owner: null, cost };
}

/** What was not in the index was looked through by nobody. */
function jsonValue(value: unknown): JsonValue {
  return { json: JSON.stringify(value), secret: true };
}
