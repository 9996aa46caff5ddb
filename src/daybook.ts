import { statSync } from "node:fs";
import { DaybookError, isLocal } from "./errors.ts";
import { leftOut } from "./turns/assemble.ts";
import type { KnownCost } from "./answers/pricing/cost.ts";
import { PriceTable } from "./answers/pricing/price-table.ts";
import { ProjectNamer, type Project } from "./answers/projects/project.ts";
import { openSources, readSessions, unreadableFile, type OpenedSources, type ReadResult } from "./reading/library.ts";
import type { ReadOptions } from "./reading/read-file.ts";
import { doctorReport, type DoctorReport } from "./reading/doctor.ts";
import { explainLine, type Explanation } from "./reading/explain.ts";
import { lostPrompts } from "./reading/lost.ts";
import { newerVersions, type NewerVersion } from "./reading/versions.ts";
import { logRecords } from "./reading/records.ts";
import { worktreeLayouts } from "./reading/source-ids.ts";
import type { Asked, Decision } from "./decisions/model.ts";
import type { LogRecord } from "./format/record.ts";
import type { Diagnostic, SideFacts } from "./sources/contract.ts";
import { parseRange, within, type TimeRange } from "./time/range.ts";
import { Zone } from "./time/zone.ts";
import { Redactor, type JsonValue } from "./redact/redact.ts";
import { order } from "./report/citations.ts";
import { cited, type Cited } from "./report/cited.ts";
import { contextViews, type ContextView } from "./report/context-view.ts";
import { earlierSessions } from "./report/left-over.ts";
import { SessionWork } from "./report/loose/work.ts";
import { dayReport, workTimes, type ReportInput } from "./report/day.ts";
import type { DayReport } from "./report/model.ts";
import { rangeOf, resolveSpan, type Span } from "./report/window.ts";
import { IndexWork } from "./daybook/index-work.ts";
import { Names } from "./daybook/names.ts";
import { isOnlyOlder, BookAccess, type OpenBook } from "./daybook/open-book.ts";
import { RecordFacts } from "./daybook/session-facts.ts";
import {
  cut,
  FULL,
  isBroad,
  LEAN,
  TOOLS,
  USAGE,
  type DaybookOptions,
  type Query,
  type ReportQuery,
} from "./daybook/questions.ts";
import type { UsageEvent } from "./turns/model.ts";
import { sessionKey, type Session, type Turn } from "./turns/session.ts";
import type { IndexFilter, IndexQueries } from "./store/tables/queries.ts";
import { LooseTexts } from "./store/search/temporary-index.ts";
import { bookTexts, search, type SearchQuery, type SearchResult } from "./store/search/search.ts";
import type { Titles } from "./store/tables/titles.ts";
import { onePerPage, type SyncDemand, type SyncReport } from "./store/sync/sync.ts";
import { auditOf, auditReport, type AuditReport } from "./answers/audit-view.ts";
import { findSessions, inRange, selectSessions, turnInRange, type Filter } from "./answers/filter.ts";
import { isMeant, lostView, type LostPrompt } from "./answers/lost-view.ts";
import { limitViews, type LimitView } from "./answers/limit-view.ts";
import { sessionView, type SessionView } from "./answers/session-view.ts";
import { chooseTools, type ToolChoice } from "./answers/tool-list.ts";
import { toolView, type ToolView } from "./answers/tool-view.ts";
import { turnView, type TurnView } from "./answers/turn-view.ts";
import { quickUsage } from "./reading/quick-usage.ts";
import type { UsageGroup } from "./reading/usage-gathering.ts";
import { itemsOf, usageReport, type UsageItem, type UsageQuery, type UsageReport } from "./answers/usage-view.ts";
import { LockedError } from "./format/write-lock.ts";
import { buildOf } from "./version.ts";

export type { DaybookOptions, Query, ReportQuery };

/** How long evidence waits for another that writes the book, in ms: one that only answers a question is soon done. */
const PATIENCE = 5000;

/** The one façade that every surface calls. */
export class Daybook {
  readonly zone: Zone;
  /** Takes secrets out of what is printed or written. */
  readonly redactor: Redactor;
  readonly #options: DaybookOptions;
  readonly #now: number;
  readonly #prices = new PriceTable();
  readonly #access: BookAccess | null;
  readonly #read = new Map<ReadOptions, Promise<ReadResult>>();
  readonly #unreadable: Diagnostic[] = [];
  #names: Names;
  #book: Promise<OpenBook | null> | null = null;
  #whole: ReadResult | null = null;
  #opened: OpenedSources | null = null;

  constructor(options: DaybookOptions = {}) {
    this.#options = options;
    this.redactor = options.redactor ?? new Redactor();
    this.#now = options.now ?? Date.now();
    this.zone = options.timezone === undefined ? Zone.here() : new Zone(options.timezone);
    this.#names = this.#newNames();
    const describe = {
      place: (session: Session) => this.#names.place(session),
      placeAt: (cwd: string, remote: string | null) => this.#names.placeAt(cwd, remote),
      naming: Object.keys(options.projects ?? {}).length === 0 ? "" : JSON.stringify(options.projects),
      titles: () => this.#titles(),
      prices: this.#prices,
    };
    this.#access = options.book === undefined ? null : new BookAccess(options.book, options, describe);
  }

  #newNames(): Names {
    const { book, projects = {}, home, env = process.env } = this.#options;
    const namer = (): ProjectNamer =>
      new ProjectNamer({
        home: home ?? env["HOME"] ?? env["USERPROFILE"] ?? "",
        given: projects,
        layouts: worktreeLayouts(),
      });
    return new Names({ book, namer, titles: () => this.#titles() });
  }

  #titles(): Titles {
    return new Map(this.#facts().flatMap((facts) => [...facts.titles()]));
  }

  /** What was found, before anything is read. */
  opened(): OpenedSources {
    return (this.#opened ??= openSources({ ...this.#options, ...this.#access?.remembered() }));
  }

  #facts(): SideFacts[] {
    const opened = this.opened();
    return opened.sources.map((source) => opened.facts(source));
  }

  /** Problems met so far: missing roots, unreadable files, foreign files. */
  async problems(): Promise<Diagnostic[]> {
    const results = await Promise.all(this.#read.values());
    const found = results.flatMap((result) => [
      ...result.diagnostics,
      ...result.unreadable,
      ...result.sessions.flatMap((session) => session.diagnostics),
    ]);
    found.push(...this.#unreadable, ...this.opened().diagnostics);
    if (this.#access) found.push(...this.#access.unreadable, ...this.#access.problems(this.opened()));
    return once(found);
  }

  /** Agents met so far whose version is newer than any that was checked. */
  async newerVersions(): Promise<NewerVersion[]> {
    const index = this.#book === null ? null : ((await this.#book)?.queries ?? null);
    const results = await Promise.all(this.#read.values());
    const read = results.flatMap(({ sessions }) =>
      sessions.flatMap(({ source, parts }) =>
        parts.flatMap((part) => Object.keys(part.drift.versions).map((version) => [source, version] as const)),
      ),
    );
    return newerVersions(this.opened().sources, [...read, ...(index?.versions() ?? [])]);
  }

  /** Prompts that only an agent's input history has, newest first. */
  async lost(query: Query = {}): Promise<LostPrompt[]> {
    const index = await this.#indexed();
    const range = parseRange(query, this.zone, this.#now);
    const lost = this.#lost(query, range, index?.transcripts() ?? keysOf((await this.read(LEAN)).sessions));
    return cut(lost, query.limit);
  }

  #lost(query: Pick<Query, "project" | "session">, range: TimeRange, known: ReadonlySet<string>): LostPrompt[] {
    const typed = this.#facts().flatMap((facts) => facts.prompts());
    const found = lostPrompts(typed, (source, id) => known.has(`${source}/${id}`));
    return found
      .filter(({ time }) => within(range, time))
      .map((prompt) => lostView(prompt, this.#names.projectAt(prompt.cwd)))
      .filter((view) => isMeant(view, query))
      .toSorted((a, b) => order(b.time ?? "", a.time ?? "") || order(a.path, b.path) || b.line - a.line);
  }

  /** Reads what is new into the book and the index. */
  async sync(how: SyncDemand = {}): Promise<SyncReport> {
    const access = this.#access;
    if (!access) throw new DaybookError("there is no book to read into", { code: "usage", op: "sync" });
    const restored = this.#opened ? null : await access.restore(how);
    // Titles were asked for meanwhile, without what the book knows.
    if (restored) this.#opened = null;
    const report = await access.sync(this.opened(), how);
    report.damaged = onePerPage([...(restored?.damaged ?? []), ...report.damaged]);
    report.pages_rebuilt += restored?.pages_rebuilt ?? 0;
    report.rows_written += restored?.rows_written ?? 0;
    return report;
  }

  /** There are sessions, and nothing of them is in the book yet. */
  get owesBook(): boolean {
    return this.#access?.isNew === true && this.#options.noSync !== true && this.opened().refs.length > 0;
  }

  /** The book, brought up to date first; null when none is kept, or when the answer comes before it. */
  async #openBook(): Promise<OpenBook | null> {
    // Found damaged by the last question: this one has it made again.
    if ((await this.#book)?.store.isDamaged === true) this.close();
    if (this.#book === null && this.#answersFirst()) return null;
    return (this.#book ??= this.#takeBook());
  }

  #answersFirst(): boolean {
    const { answerFirst } = this.#options;
    if (answerFirst === undefined || !this.owesBook) return false;
    const bytes = this.opened().refs.reduce((sum, ref) => sum + ref.size, 0);
    return bytes >= answerFirst.least && bytes <= answerFirst.most;
  }

  async #takeBook(): Promise<OpenBook | null> {
    const book = await this.#access?.open(
      () => this.sync(),
      () => this.opened(),
    );
    if (book) this.#names.from(book.store);
    return book ?? null;
  }

  async #indexed(): Promise<IndexQueries | null> {
    return (await this.#openBook())?.queries ?? null;
  }

  /** Lets go of the index. The next question opens it again, and looks for news first. */
  close(): void {
    this.#access?.close();
    this.#names = this.#newNames();
    this.#book = null;
    this.#opened = null;
    this.#whole = null;
    this.#read.clear();
    this.#unreadable.length = 0;
  }

  /** Every session. With a book, `which` names those the question is about: only they, and what they depend on, are put together. */
  async read(
    options: ReadOptions = LEAN,
    which?: (index: IndexQueries) => readonly string[] | null,
  ): Promise<ReadResult> {
    const index = await this.#indexed();
    if (index && this.#access) return this.#assembled(this.#access, which?.(index) ?? null);
    return this.#readFiles(options);
  }

  /**
   * Sessions that were asked for something in the range, and all that belong to them, as the files are now and as the book has
   * those that are gone. While another writes the book nobody can say how old it is: then only the files are asked.
   */
  async evidence(range: TimeRange): Promise<ReadResult> {
    try {
      if (this.#access) await this.sync({ patience: PATIENCE });
    } catch (error) {
      if (!isOnlyOlder(error)) throw error;
      // What was read before is asked below, where the reason is told.
      if (!(error instanceof LockedError)) return this.read(LEAN, (index) => index.busy(range));
      this.#options.onNote?.(`the book is being written${error.by}; files that are gone are not looked for in it`);
      return this.#readFiles(LEAN);
    }
    return this.read(LEAN, (index) => index.busy(range));
  }

  async #readFiles(options: ReadOptions): Promise<ReadResult> {
    const known = this.#read.get(options);
    if (known) return known;
    const reading = readSessions(this.opened(), options, this.#options.onProgress);
    this.#read.set(options, reading);
    const result = await reading;
    this.#names.among(result.sessions);
    return result;
  }

  #assembled(shelf: BookAccess, keys: readonly string[] | null): ReadResult {
    if (keys === null && this.#whole) return this.#whole;
    const assembly = shelf.assemble(keys);
    this.#unreadable.push(...assembly.diagnostics.filter(isFile));
    const diagnostics = [...this.opened().diagnostics, ...assembly.diagnostics];
    // Sessions that could not be put together when they were read, and those whose files could not be.
    const unreadable = once([...shelf.unreadable, ...shelf.problems(this.opened()).filter(isFile)]);
    const result = { ...assembly, diagnostics, refs: this.opened().refs, unreadable };
    if (keys === null) this.#whole = result;
    return result;
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
    const index = await this.#indexed();
    if (index) return [...index.sessions(this.#filter(query))];
    const { chosen, range } = await this.#select(query, LEAN);
    const listed = chosen.filter((session) => inRange(session, range)).toReversed();
    return cut(listed, query.limit).flatMap((session) => this.#unlessBroken(session, () => this.sessionJson(session)));
  }

  /** The same, each as JSON: as the index has them, they need not be understood to be printed. */
  async sessionTexts(query: Query = {}): Promise<JsonValue[]> {
    const index = await this.#indexed();
    return index ? index.sessionTexts(this.#filter(query)) : (await this.sessions(query)).map(jsonValue);
  }

  async turns(query: Query = {}): Promise<TurnView[]> {
    const index = await this.#indexed();
    if (index) return index.turns(this.#filter(query));
    return (await this.#turns(query)).flatMap((turn) => this.#unlessBroken(turn.session, () => this.turnJson(turn)));
  }

  /** The same, each as JSON. */
  async turnTexts(query: Query = {}): Promise<JsonValue[]> {
    const index = await this.#indexed();
    return index ? index.turnTexts(this.#filter(query)) : (await this.turns(query)).map(jsonValue);
  }

  async tools(query: Query & ToolChoice = {}): Promise<ToolView[]> {
    const index = await this.#indexed();
    if (index) return index.tools(this.#filter(query), query);
    const { chosen, range } = await this.#select(query, TOOLS);
    const views: ToolView[] = [];
    for (const session of chosen) {
      for (const owned of session.tools) {
        if (query.status !== undefined && owned.call.status !== query.status) continue;
        if (query.name !== undefined && owned.call.name !== query.name) continue;
        if (!within(range, owned.call.started_at)) continue;
        views.push(...this.#unlessBroken(session, () => toolView(session, owned)));
      }
    }
    return chooseTools(views, query);
  }

  async usage(
    query: Query & Pick<UsageQuery, "group" | "by" | "breakdown" | "order" | "instances">,
  ): Promise<UsageReport> {
    const { group, by, breakdown, order, instances } = query;
    const range = parseRange(query, this.zone, this.#now);
    const items = await this.#usageItems(query);
    const report = usageReport(items, { group, by, breakdown, order, instances, range, zone: this.zone }, this.#prices);
    return { ...report, rows: cut(report.rows, query.limit) };
  }

  /** The questions agents put to the human, in order of time; with a limit the newest. */
  async decisions(query: Query & { unanswered?: boolean | undefined } = {}): Promise<Decision[]> {
    const asked = (await this.asked(query)).map(({ decision }) => decision);
    const listed = query.unanswered === true ? asked.filter((decision) => !decision.answered) : asked;
    return query.limit === undefined ? listed : listed.slice(-query.limit);
  }

  /** Decisions with what the question log needs beside them. */
  async asked(query: Query = {}): Promise<Asked[]> {
    const found = await this.#recordFacts();
    const { chosen, range } = await this.#select(query, FULL, (index, span) => index.asking(span));
    const asked = chosen
      // Most sessions put no question; those that may have are read.
      .filter((session) => inRange(session, range) && session.parts.some((part) => part.questions.length > 0))
      .flatMap((session) => found.of(session).asked)
      .filter(({ decision: { time } }) => within(range, time === null ? null : Date.parse(time)));
    found.cache();
    return asked.sort((a, b) => order(a.decision.time ?? "", b.decision.time ?? ""));
  }

  /** The report of a day, a week or any span of days; the newest day with work when none is named. */
  async report(query: ReportQuery = {}): Promise<DayReport> {
    const found = await this.#recordFacts();
    const report = await found.answer(
      () => this.#question("report", query),
      async () => {
        const input = await this.#reportInput(query);
        const tell = (chosen: readonly Session[]): DayReport =>
          dayReport({
            ...input,
            chosen,
            prices: this.#prices,
            titleOf: (session) => this.titleOf(session),
            facts: (session) => found.of(session),
          });
        const failed = this.#unreadable.length;
        const made = this.#toldTogether(input.chosen, tell);
        if (this.#unreadable.length > failed) found.isPartial = true;
        return query.redact === false ? made : this.redactor.all(made);
      },
    );
    found.cache();
    return report;
  }

  /** What ruled each turn: instructions, model, approval, sandbox, place; and where it changed. */
  async context(query: Query & Pick<ReportQuery, "redact"> = {}): Promise<ContextView[]> {
    const { chosen, range } = await this.#select(query, FULL);
    const tell = (some: readonly Session[]): ContextView[] =>
      contextViews(some, range, (session) => this.projectOf(session));
    const views = this.#toldTogether(chosen, tell);
    const listed = query.limit === undefined ? views : views.slice(-query.limit);
    return query.redact === false ? listed : this.redactor.all(listed);
  }

  /** Where a report's citation `[PROJECT/]S0001/T0002:12-40` leads; null when the text is none. */
  async cited(text: string, query: ReportQuery = {}): Promise<Cited | null> {
    return cited(text, await this.#reportInput(query));
  }

  async audit(query: Query = {}): Promise<AuditReport> {
    const index = await this.#indexed();
    if (index) {
      const filter = this.#filter(query);
      const all = { ...filter, range: { start: null, end: null } };
      const days = { group: "daily", by: "spent" } as const;
      return index.atOnce(() => auditOf(index.audits(filter), index.usage(all, days), this.zone));
    }
    const { chosen } = await this.#select(query, LEAN);
    return auditReport(chosen, this.zone);
  }

  /** Rate limits as the agent recorded them last, newest first. */
  async limits(): Promise<LimitView[]> {
    const found = await this.#recordFacts();
    const views = await found.answer(
      () => this.#question("limits", {}),
      async () => limitViews((await this.read(LEAN)).sessions),
    );
    found.cache();
    return views;
  }

  /** Full-text search. Where no book is kept the words of all files are indexed for this one question. */
  async search(
    text: string,
    query: Query & Pick<ReportQuery, "redact"> & { kinds?: readonly string[] } = {},
  ): Promise<SearchResult[]> {
    const wanted = {
      ...{ text, kinds: query.kinds ?? [], range: this.#filter(query).range, limit: query.limit ?? 20 },
      ...(query.redact === false ? {} : { redactor: this.redactor }),
    };
    const book = await (this.#book ??= this.#takeBook());
    if (!book) return this.#searchFiles(wanted, query);
    const session = query.session === undefined ? undefined : book.queries.find(query.session)[0];
    return search(bookTexts(book.store), { ...wanted, project: query.project, session }, book.scope);
  }

  async #searchFiles(wanted: SearchQuery, query: Query): Promise<SearchResult[]> {
    const { sessions } = await this.#readFiles(LEAN);
    const { chosen } = await this.#select(query, LEAN);
    const loose = new LooseTexts(sessions, {
      projectOf: (session) => this.projectOf(session),
      failed: (ref, message) => this.#unreadable.push(unreadableFile(ref, message)),
      progress: this.#options.onProgress,
    });
    try {
      return search(loose, wanted, new Set(chosen.map(sessionKey)));
    } finally {
      loose.close();
    }
  }

  /** A session, and a turn of it when the target names one: `SESSION` or `SESSION/T0001`. */
  async find(target: string, options: ReadOptions = FULL): Promise<{ session: Session; turn: Turn | null }> {
    const named = /^(.*)\/(T\d{4,})$/.exec(target);
    const wanted = named?.[1] ?? target;
    const { sessions } = await this.read(options, (index) => index.find(wanted));
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

  /** Runs what is done with one session among many. False, and its name among the problems, when it cannot be done. */
  async attempt({ source, session_path }: SessionView, work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      if (!isLocal(error)) throw error;
      this.#unreadable.push(leftOut({ source, path: session_path }, error));
      return false;
    }
  }

  async doctor(): Promise<DoctorReport> {
    const result = await this.read(FULL);
    return doctorReport(this.opened(), result, this.#now);
  }

  projectOf(session: Session): Project {
    return this.#names.projectOf(session);
  }

  /** The directory of its project: the main checkout's, where it worked in a worktree of it. */
  rootOf(session: Session): string {
    return this.#names.rootOf(session);
  }

  titleOf(session: Session): string | null {
    return this.#names.titleOf(session);
  }

  turnJson(turn: Turn): TurnView {
    return turnView(turn, this.projectOf(turn.session), this.#prices);
  }

  sessionJson(session: Session): SessionView {
    return sessionView(session, this.projectOf(session), this.titleOf(session), this.#prices);
  }

  /** What is said of one session; nothing, and its name among the problems, when that cannot be said. */
  #unlessBroken<T>(session: Session, tell: () => T): T[] {
    try {
      return [tell()];
    } catch (error) {
      this.#failed(session, error);
      return [];
    }
  }

  /** What is said of many at once: where it cannot be said, without those of whom alone it cannot be said either. */
  #toldTogether<T>(sessions: readonly Session[], tell: (some: readonly Session[]) => T): T {
    try {
      return tell(sessions);
    } catch (error) {
      if (!isLocal(error)) throw error;
      const good = sessions.filter((session) => this.#unlessBroken(session, () => tell([session])).length > 0);
      if (good.length === sessions.length) throw error;
      return tell(good);
    }
  }

  #failed(session: Session, error: unknown): void {
    if (!isLocal(error)) throw error;
    this.#unreadable.push(leftOut(session, error));
  }

  /** Sums over everything need no turns and no sessions; any narrower question does. Both ways count the same tokens. */
  async #usageItems(query: Query & Pick<UsageQuery, "group" | "by" | "instances">): Promise<Iterable<UsageItem>> {
    // Before the first sync the sum over everything is there sooner than the book: it is given without one.
    const index =
      isBroad(query) && this.#access?.isNew === true && this.#options.noSync !== true ? null : await this.#indexed();
    if (index) {
      const filter = this.#filter(query);
      return (isBroad(query) ? index.usageSums(filter, this.zone) : null) ?? index.usage(filter, query);
    }
    if (!isBroad(query)) {
      const { chosen } = await this.#select(query, USAGE);
      return itemsOf(chosen, (session) => this.projectOf(session).project);
    }
    const costOf = (event: UsageEvent): KnownCost | null => this.#prices.costOf(event);
    const { lots, unreadable } = await quickUsage(this.opened(), costOf, this.#options.onProgress);
    this.#unreadable.push(...unreadable);
    return itemsFrom(lots);
  }

  async #turns(query: Query): Promise<Turn[]> {
    const { chosen, range } = await this.#select(query, FULL);
    const turns = chosen.flatMap((session) => session.turns.filter((turn) => turnInRange(turn, range)));
    turns.sort((a, b) => (a.draft.trigger.time ?? 0) - (b.draft.trigger.time ?? 0));
    // The newest are the ones asked for; they still stand in order of time.
    return query.limit === undefined ? turns : turns.slice(-query.limit);
  }

  /** The sessions a report is about: with a book only those that worked in its span, else all. */
  async #reportInput(
    query: ReportQuery,
  ): Promise<
    Pick<
      ReportInput,
      "sessions" | "chosen" | "span" | "zone" | "projectOf" | "namings" | "unreadable" | "lost" | "work"
    >
  > {
    const { project, session } = query;
    const projectOf = (one: Session): Project => this.projectOf(one);
    const index = await this.#indexed();
    let span = index && this.#resolve(query, index.workTimes({ project, session }));
    const indexed = index && new IndexWork(index, { project, session });
    const earlier = indexed && span ? earlierSessions(indexed, span, this.zone) : [];
    const { sessions, unreadable, diagnostics } = await this.read(FULL, () => [
      ...(session === undefined ? [] : (index?.find(session) ?? [])),
      ...(index && span ? [...index.busy(rangeOf(span)), ...index.withUntimed(), ...earlier] : []),
    ]);
    const range = { start: null, end: null };
    const chosen = selectSessions(sessions, { project, session, range }, this.#names);
    span ??= this.#resolve(query, workTimes(chosen));
    const namings = index?.namings() ?? this.#names.namingsOf(sessions);
    return {
      ...{ sessions, chosen, span, zone: this.zone, projectOf, namings },
      work: indexed ?? new SessionWork(chosen, projectOf),
      unreadable: [...unreadable, ...diagnostics],
      lost: this.#lost(query, rangeOf(span), index?.transcripts() ?? keysOf(sessions)),
    };
  }

  #resolve({ date, week, since, until }: ReportQuery, work: { first: number | null; newest: number | null }): Span {
    return resolveSpan({ date, week, since, until }, this.zone, this.#now, work);
  }

  /** To be taken before the sessions are: what changes later must not be kept under the old name. */
  async #recordFacts(): Promise<RecordFacts> {
    const book = await this.#openBook();
    return new RecordFacts(
      book?.store ?? null,
      (session) => this.projectOf(session).project,
      (session, error) => this.#failed(session, error),
    );
  }

  /** A question with all that its answer depends on beside the rows of the index: who answers, when, where, and from what. */
  #question(what: string, query: ReportQuery): string {
    const { date, week, since, until, project, session, redact } = query;
    const { roots, sources } = this.#options;
    return JSON.stringify({
      ...{ what, by: buildOf(), today: this.zone.day(this.#now), timezone: this.zone.name },
      ...{ date, week, since, until, project, session, redact, roots, sources },
      hides: this.redactor.name,
      unreadable: [...(this.#access?.unreadable ?? []), ...this.opened().diagnostics],
      // Of an input history no session need know.
      histories: this.#facts().flatMap(({ histories }) => histories.map(lookOf)),
    });
  }

  /** `which`: where no session is named, those that may have something to say. */
  async #select(
    query: Query,
    options: ReadOptions,
    which = (index: IndexQueries, span: TimeRange): readonly string[] | null => index.alive(span),
  ): Promise<{ chosen: Session[]; range: TimeRange }> {
    const range = parseRange(query, this.zone, this.#now);
    const { sessions } = await this.read(options, (index) =>
      query.session === undefined ? which(index, range) : index.find(query.session),
    );
    const filter: Filter = { project: query.project, session: query.session, range };
    return { chosen: selectSessions(sessions, filter, this.#names), range };
  }
}

function lookOf(path: string): string | null {
  try {
    const { size, mtimeMs } = statSync(path);
    return `${size} ${mtimeMs}`;
  } catch {
    return null;
  }
}

function isFile({ code }: Diagnostic): boolean {
  return code === "file_unreadable";
}

function once(found: readonly Diagnostic[]): Diagnostic[] {
  return [...new Map(found.map((d) => [`${d.code} ${d.path} ${d.line ?? ""}`, d])).values()];
}

function keysOf(sessions: readonly Session[]): ReadonlySet<string> {
  return new Set(sessions.map(sessionKey));
}

function* itemsFrom(lots: Iterable<UsageGroup>): Generator<UsageItem, void, undefined> {
  for (const { event, cost } of lots) yield { event, session: null, owner: null, cost };
}

/** What was not in the index was looked through by nobody. */
function jsonValue(value: unknown): JsonValue {
  return { json: JSON.stringify(value), secret: true };
}
