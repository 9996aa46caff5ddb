import { existsSync } from "node:fs";
import { join } from "node:path";
import { DaybookError } from "./errors.ts";
import { PriceTable } from "./pricing/price-table.ts";
import { betterNames } from "./projects/namings.ts";
import { ProjectNamer, type Project } from "./projects/project.ts";
import { openSources, readSessions, type OpenedSources, type OpenOptions, type ReadResult } from "./reading/library.ts";
import type { Progress } from "./reading/pool.ts";
import type { ReadOptions } from "./reading/read-file.ts";
import { doctorReport, type DoctorReport } from "./reading/doctor.ts";
import { explainLine, type Explanation } from "./reading/explain.ts";
import { logRecords } from "./reading/records.ts";
import { decisionsOf } from "./decisions/decisions.ts";
import type { Asked, Decision } from "./decisions/model.ts";
import type { LogRecord } from "./log/record.ts";
import type { Diagnostic, SideFacts } from "./sources/source.ts";
import { parseRange, type RangeInput, type TimeRange } from "./time/range.ts";
import { Zone } from "./time/zone.ts";
import { redactAll } from "./redact/redact.ts";
import { cited, type Cited } from "./report/cited.ts";
import { contextViews, type ContextView } from "./report/context-view.ts";
import { dayReport, workTimes, type ReportInput } from "./report/day.ts";
import { FactsCollector, type TurnFacts } from "./report/facts.ts";
import { namingsOf } from "./report/groups.ts";
import type { DayReport, SessionFacts } from "./report/model.ts";
import { rangeOf, resolveSpan, type Span, type SpanInput } from "./report/window.ts";
import { sessionKey, type Session, type Turn } from "./turns/session.ts";
import { IndexQueries, knownFiles, problemsIn, scopeOf, type IndexFilter } from "./index/queries.ts";
import { assembleAll, assembleSome } from "./index/drafts.ts";
import { keepFacts, keptFacts } from "./index/facts.ts";
import { storedName } from "./index/project-names.ts";
import { search, type SearchResult } from "./index/search.ts";
import { IndexStore } from "./index/store.ts";
import { sync, type SyncDemand, type SyncReport } from "./index/sync.ts";
import { keptNotes } from "./index/notes.ts";
import { keptTitles } from "./index/titles.ts";
import { LockedError } from "./log/lock.ts";
import { auditOf, auditReport, type AuditReport } from "./view/audit-view.ts";
import { findSessions, inRange, selectSessions, turnInRange, type Filter } from "./view/filter.ts";
import { limitViews, type LimitView } from "./view/limit-view.ts";
import { sessionView, type SessionView } from "./view/session-view.ts";
import { chooseTools, isPlain, type ToolChoice } from "./view/tool-list.ts";
import { toolView, type ToolView } from "./view/tool-view.ts";
import { turnView, type TurnView } from "./view/turn-view.ts";
import { quickUsage } from "./reading/quick-usage.ts";
import { itemsOf, usageReport, type UsageItem, type UsageQuery, type UsageReport } from "./view/usage-view.ts";

export interface DaybookOptions extends OpenOptions {
  /** IANA zone for days; the system's when absent. */
  timezone?: string;
  /** The clock, for `today` and `28d`. */
  now?: number;
  onProgress?: Progress;
  /** Where the book and the index live. Without it nothing is kept: every answer is read from the native files. */
  book?: string | undefined;
  /** Answer from what was read before; do not look for news. */
  noSync?: boolean;
  /** Told what a person should know about an answer, in words. */
  onNote?: (text: string) => void;
}

export interface Query extends RangeInput {
  project?: string | undefined;
  session?: string | undefined;
  limit?: number | undefined;
}

/** Which days, and whether secrets are shown. */
export interface ReportQuery extends Query, SpanInput {
  /** False shows what looks like a secret; the default hides it. */
  redact?: boolean | undefined;
}

const USAGE: ReadOptions = { detail: "usage", ledger: false, toolDetail: false, usageOnly: true };
const LEAN: ReadOptions = { detail: "lean", ledger: false, toolDetail: false };
const FULL: ReadOptions = { detail: "full", ledger: false, toolDetail: false };
const TOOLS: ReadOptions = { detail: "full", ledger: false, toolDetail: true };

/** The one façade that every surface calls. */
export class Daybook {
  readonly zone: Zone;
  readonly #options: DaybookOptions;
  readonly #now: number;
  readonly #prices = new PriceTable();
  readonly #namer = new ProjectNamer();
  readonly #projects = new Map<Session, Project>();
  /** What was read directly: which sessions name a directory is known when all are. */
  #all: readonly Session[] = [];
  #better: ReturnType<typeof betterNames> | null = null;
  readonly #read = new Map<ReadOptions, Promise<ReadResult>>();
  readonly #unreadable: Diagnostic[] = [];
  #index: Promise<IndexQueries | null> | null = null;
  #store: IndexStore | null = null;
  /** The sessions that are meant; null = all the index has. */
  #scope: ReadonlySet<string> | null = null;
  #whole: ReadResult | null = null;
  #opened: OpenedSources | null = null;
  #titles: Map<string, string | null> | null = null;
  #kept: Map<string, string | null> | null = null;

  constructor(options: DaybookOptions = {}) {
    this.#options = options;
    this.#now = options.now ?? Date.now();
    this.zone = new Zone(options.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone);
  }

  /** What was found, before anything is read. */
  opened(): OpenedSources {
    return (this.#opened ??= openSources({ ...this.#options, ...this.#remembered() }));
  }

  /** Corrupt lines of the files in the book. */
  #corruptInBook(): Diagnostic[] {
    const store = this.#store;
    if (!store) return [];
    return problemsIn(store, this.#scope);
  }

  /** What the book knows about where to look. Nothing before the first sync. */
  #remembered(): Pick<OpenOptions, "worked_in" | "known" | "noted"> {
    const home = this.#options.book;
    const store = home === undefined ? null : IndexStore.peek(home);
    if (!store) return {};
    try {
      const [known, noted] = [knownFiles(store), keptNotes(store)];
      if (this.#options.roots !== undefined) return { known, noted };
      const dirs = store.all("SELECT DISTINCT cwd FROM session WHERE cwd IS NOT NULL ORDER BY cwd");
      return { known, noted, worked_in: dirs.map((row) => String(row["cwd"])) };
    } catch {
      // Only a help: a damaged index is met, and mended, by the sync.
      return {};
    } finally {
      store.close();
    }
  }

  facts(): SideFacts[] {
    const opened = this.opened();
    return opened.sources.flatMap((source) => (source.facts ? [source.facts(opened.context(source))] : []));
  }

  /** Problems met so far: missing roots, unreadable files, foreign files. */
  async problems(): Promise<Diagnostic[]> {
    const results = await Promise.all(this.#read.values());
    const found = results.flatMap((result) => [
      ...result.diagnostics,
      ...result.unreadable,
      ...result.sessions.flatMap((session) => session.diagnostics),
    ]);
    found.push(...this.#unreadable, ...this.opened().diagnostics, ...this.#corruptInBook());
    return [...new Map(found.map((d) => [`${d.code} ${d.path} ${d.line ?? ""}`, d])).values()];
  }

  /** Reads what is new into the book and the index. */
  async sync(how: SyncDemand = {}): Promise<SyncReport> {
    const restored = await this.#restored(how);
    const report = await this.#syncWith(this.opened(), how);
    report.pages_rebuilt += restored?.pages_rebuilt ?? 0;
    report.rows_written += restored?.rows_written ?? 0;
    return report;
  }

  /** An index that was lost is made again before anyone looks at the agents' files: what the book knows tells how to look. */
  async #restored(how: SyncDemand): Promise<SyncReport | null> {
    const home = this.#options.book;
    if (home === undefined || this.#opened || !existsSync(join(home, "book")) || IndexStore.isUsable(home)) return null;
    const report = await this.#syncWith(openSources({ roots: {} }), how);
    // Titles were asked for meanwhile, without that knowledge.
    this.#opened = null;
    return report;
  }

  async #syncWith(opened: OpenedSources, how: SyncDemand): Promise<SyncReport> {
    const home = this.#options.book;
    if (home === undefined) throw new DaybookError("there is no book to read into", { code: "usage", op: "sync" });
    const report = await sync(opened, {
      home,
      describe: {
        project: (s) => this.#ownProject(s),
        title: (s, kept) => this.#titleFrom(s, kept),
        titles: () => this.#statedTitles(),
        prices: this.#prices,
      },
      onProgress: this.#options.onProgress,
      ...how,
    });
    this.#unreadable.push(...report.unreadable);
    return report;
  }

  /** The index, brought up to date first; null when no book is kept. */
  async #indexed(): Promise<IndexQueries | null> {
    return (this.#index ??= this.#openIndex());
  }

  async #openIndex(): Promise<IndexQueries | null> {
    const home = this.#options.book;
    if (home === undefined) return null;
    try {
      if (this.#options.noSync !== true) await this.sync();
      // An index that was lost is made again from the book, without looking at the agents' files.
      else if (!IndexStore.isUsable(home)) await this.#syncWith({ ...this.opened(), sources: [], refs: [] }, {});
    } catch (error) {
      if (!(error instanceof LockedError)) throw error;
      this.#options.onNote?.(`the book is being written${error.by}; answering from what was read before`);
    }
    const store = IndexStore.peek(home);
    if (!store) return null;
    this.#store = store;
    this.#scope = scopeOf(store, this.opened(), this.#options.roots, this.#options.sources);
    return new IndexQueries(store, this.#scope);
  }

  /** Lets go of the index. The next question opens it again, and looks for news first. */
  close(): void {
    this.#store?.close();
    this.#store = null;
    this.#index = null;
    this.#opened = null;
    this.#whole = null;
    this.#titles = null;
    this.#kept = null;
    this.#read.clear();
    this.#projects.clear();
    this.#all = [];
    this.#better = null;
    this.#unreadable.length = 0;
  }

  /** Every session. With a book, `which` names those the question is about: only they, and what they depend on, are put together. */
  async read(
    options: ReadOptions = LEAN,
    which?: (index: IndexQueries) => readonly string[] | null,
  ): Promise<ReadResult> {
    const index = await this.#indexed();
    if (index) return this.#assembled(which?.(index) ?? null);
    const known = this.#read.get(options);
    if (known) return known;
    const reading = readSessions(this.opened(), options, this.#options.onProgress);
    this.#read.set(options, reading);
    const result = await reading;
    this.#all = result.sessions;
    return result;
  }

  #bookIsNew(): boolean {
    const home = this.#options.book;
    return home !== undefined && this.#options.noSync !== true && !existsSync(join(home, "book"));
  }

  /** Null: all of them. */
  #assembled(keys: readonly string[] | null): ReadResult {
    const store = this.#store;
    if (!store) throw new DaybookError("the index is not open", { code: "internal", op: "read sessions" });
    if (keys === null && this.#whole) return this.#whole;
    const assembly = keys === null ? assembleAll(store, this.#scope) : assembleSome(store, keys, this.#scope);
    const diagnostics = [...this.opened().diagnostics, ...assembly.diagnostics];
    const result = { ...assembly, diagnostics, refs: this.opened().refs, unreadable: [...this.#unreadable] };
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
    if (index) return index.sessions(this.#filter(query));
    const { chosen, range } = await this.#select(query, LEAN);
    const listed = chosen.filter((session) => inRange(session, range)).toReversed();
    return cut(listed, query.limit).map((session) =>
      sessionView(session, this.projectOf(session), this.titleOf(session), this.#prices),
    );
  }

  async turns(query: Query = {}): Promise<TurnView[]> {
    const index = await this.#indexed();
    if (index) return index.turns(this.#filter(query));
    return (await this.#turns(query)).map((turn) => turnView(turn, this.projectOf(turn.session), this.#prices));
  }

  async tools(query: Query & ToolChoice = {}): Promise<ToolView[]> {
    const index = await this.#indexed();
    if (index)
      return chooseTools(
        index.tools(this.#filter(isPlain(query) ? query : { ...query, limit: undefined }), query),
        query,
      );
    const { chosen, range } = await this.#select(query, TOOLS);
    const bounded = range.start !== null || range.end !== null;
    const views: ToolView[] = [];
    for (const session of chosen) {
      for (const owned of session.tools) {
        if (query.status !== undefined && owned.call.status !== query.status) continue;
        if (query.name !== undefined && owned.call.name !== query.name) continue;
        if (bounded && !inTime(range, owned.call.started_at)) continue;
        views.push(toolView(session, owned));
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
    const { chosen, range } = await this.#select(query, FULL);
    const bounded = range.start !== null || range.end !== null;
    const told = this.#tellFacts();
    const found = chosen
      // Most sessions put no question; those that may have are read.
      .filter((session) => inRange(session, range) && session.parts.some((part) => part.questions.length > 0))
      .flatMap((session) => told.of(session).asked)
      .filter(({ decision: { time } }) => !bounded || inTime(range, time === null ? null : Date.parse(time)));
    told.keep();
    return found.sort((a, b) => (a.decision.time ?? "").localeCompare(b.decision.time ?? ""));
  }

  /** The report of a day, a week or any span of days; the newest day with work when none is named. */
  async report(query: ReportQuery = {}): Promise<DayReport> {
    const told = this.#tellFacts();
    const { unreadable, ...input } = await this.#reportInput(query);
    const report = dayReport({
      ...input,
      prices: this.#prices,
      titleOf: (session) => this.titleOf(session),
      facts: (session) => told.of(session),
      unreadable,
    });
    told.keep();
    return query.redact === false ? report : redactAll(report);
  }

  /** What ruled each turn: instructions, model, approval, sandbox, place; and where it changed. */
  async context(query: Query & Pick<ReportQuery, "redact"> = {}): Promise<ContextView[]> {
    const { chosen, range } = await this.#select(query, FULL);
    const views = contextViews(chosen, range, (session) => this.projectOf(session));
    const listed = query.limit === undefined ? views : views.slice(-query.limit);
    return query.redact === false ? listed : redactAll(listed);
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
      return index.atOnce(() => auditOf(index.audits(filter), index.usage(all), this.zone));
    }
    const { chosen } = await this.#select(query, LEAN);
    return auditReport(chosen, this.zone);
  }

  /** Rate limits as the agent recorded them last, newest first. */
  async limits(): Promise<LimitView[]> {
    return limitViews((await this.read(LEAN)).sessions);
  }

  /** Full-text search; needs a book. */
  async search(
    text: string,
    query: Query & Pick<ReportQuery, "redact"> & { kinds?: readonly string[] } = {},
  ): Promise<SearchResult[]> {
    const index = await this.#indexed();
    const store = this.#store;
    if (!index || !store)
      throw new DaybookError("search needs a book", { code: "usage", op: "search", hint: "give --home DIR" });
    const filter = this.#filter(query);
    const session = query.session === undefined ? undefined : index.find(query.session)[0];
    return search(
      store,
      {
        text,
        kinds: query.kinds ?? [],
        range: filter.range,
        project: query.project,
        session,
        limit: query.limit ?? 20,
        redact: query.redact,
      },
      this.#scope,
    );
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

  async doctor(): Promise<DoctorReport> {
    const result = await this.read(FULL);
    return doctorReport(this.opened(), result, this.#now);
  }

  projectOf(session: Session): Project {
    const known = this.#projects.get(session);
    if (known) return known;
    const project = (this.#store && storedName(this.#store, sessionKey(session))) ?? this.#betterName(session);
    this.#projects.set(session, project);
    return project;
  }

  /** Named after what other sessions of its directory recorded, where it recorded nothing itself. */
  #betterName(session: Session): Project {
    this.#better ??= betterNames(namingsOf(this.#all, (one) => this.#ownProject(one)));
    return this.#better({ ...this.#ownProject(session), named: Boolean(session.meta.git?.remote) });
  }

  /** Named after what the session itself says, and its directory. */
  #ownProject({ source, session_id, meta }: Session): Project {
    return this.#namer.name({ source, session_id, cwd: meta.cwd, remote: meta.git?.remote ?? null });
  }

  titleOf(session: Session): string | null {
    return this.#titleFrom(session, this.#keptTitles());
  }

  #titleFrom(session: Session, kept: ReadonlyMap<string, string | null>): string | null {
    if (session.meta.title_by === "human") return session.meta.title;
    const stated = this.#statedTitles();
    const id = session.session_id;
    // What was said last counts, also when the agent has forgotten it.
    return (stated.has(id) ? stated.get(id) : kept.get(id)) ?? session.meta.title;
  }

  #statedTitles(): ReadonlyMap<string, string | null> {
    return (this.#titles ??= new Map(this.facts().flatMap((facts) => [...facts.titles])));
  }

  #keptTitles(): ReadonlyMap<string, string | null> {
    const home = this.#options.book;
    if (this.#kept || home === undefined) return this.#kept ?? new Map<string, string | null>();
    const store = IndexStore.peek(home);
    this.#kept = store ? keptTitles(store) : new Map<string, string | null>();
    store?.close();
    return this.#kept;
  }

  turnJson(turn: Turn): TurnView {
    return turnView(turn, this.projectOf(turn.session), this.#prices);
  }

  sessionJson(session: Session): SessionView {
    return sessionView(session, this.projectOf(session), this.titleOf(session), this.#prices);
  }

  /** Sums over everything need no turns and no sessions; any narrower question does. Both ways count the same tokens. */
  async #usageItems(query: Query & Pick<UsageQuery, "group" | "by" | "instances">): Promise<Iterable<UsageItem>> {
    // Before the first sync the sum over everything is there sooner than the book: it is given without one.
    const index = isBroad(query) && this.#bookIsNew() ? null : await this.#indexed();
    if (index) {
      const filter = this.#filter(query);
      return (isBroad(query) ? index.usageSums(filter) : null) ?? index.usage(filter);
    }
    if (!isBroad(query)) {
      const { chosen } = await this.#select(query, USAGE);
      return itemsOf(chosen, (session) => this.projectOf(session).project);
    }
    const { events, unreadable } = await quickUsage(this.opened(), this.#options.onProgress);
    this.#unreadable.push(...unreadable);
    return events.map((event) => ({ event, session: null, owner: null }));
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
  ): Promise<Pick<ReportInput, "sessions" | "chosen" | "span" | "zone" | "projectOf" | "namings" | "unreadable">> {
    const { project, session } = query;
    const projectOf = (one: Session): Project => this.projectOf(one);
    const index = await this.#indexed();
    let span = index && this.#resolve(query, index.workTimes({ project, session }));
    const { sessions, unreadable, diagnostics } = await this.read(FULL, () => [
      ...(session === undefined ? [] : (index?.find(session) ?? [])),
      ...(index && span ? [...index.busy(rangeOf(span)), ...index.withUntimed()] : []),
    ]);
    const range = { start: null, end: null };
    const chosen = selectSessions(sessions, { project, session, range }, projectOf);
    span ??= this.#resolve(query, workTimes(chosen));
    const namings = index?.namings() ?? namingsOf(sessions, projectOf);
    return {
      ...{ sessions, chosen, span, zone: this.zone, projectOf, namings },
      unreadable: [...unreadable, ...diagnostics],
    };
  }

  #resolve({ date, week, since, until }: ReportQuery, work: { first: number | null; newest: number | null }): Span {
    return resolveSpan({ date, week, since, until }, this.zone, this.#now, work);
  }

  /** What the records of sessions say beyond their turns: read in one pass, and kept in the index for the next time. */
  #tellFacts(): { of: (session: Session) => SessionFacts & { asked: Asked[] }; keep: () => void } {
    const fresh = new Map<string, string>();
    let since: number | null = null;
    const of = (session: Session): SessionFacts & { asked: Asked[] } => {
      const store = this.#store;
      since ??= store?.version() ?? null;
      const key = sessionKey(session);
      const kept = store && keptFacts(store, key);
      const facts = kept ? (JSON.parse(kept) as KeptFacts) : this.#factsOf(session);
      if (!kept && store) fresh.set(key, JSON.stringify(facts));
      // A project may get another name while its sessions stay as they are.
      const { project } = this.projectOf(session);
      const asked = facts.asked.map((one) => ({ ...one, decision: { ...one.decision, project } }));
      return { turns: new Map(facts.turns), decisions: asked.map(({ decision }) => decision), asked };
    };
    const keep = (): void => {
      if (this.#store && since !== null) keepFacts(this.#store, fresh, since);
    };
    return { of, keep };
  }

  #factsOf(session: Session): KeptFacts {
    const { source, session_id, meta } = session;
    const { project } = this.projectOf(session);
    const collector = new FactsCollector();
    const asked = decisionsOf(
      tapped(logRecords(session), (record) => collector.take(record)),
      { source, session_id, project, cwd: meta.cwd, kind: meta.kind },
    );
    return { turns: [...collector.finish()], asked };
  }

  async #select(query: Query, options: ReadOptions): Promise<{ chosen: Session[]; range: TimeRange }> {
    const range = parseRange(query, this.zone, this.#now);
    const { sessions } = await this.read(options, (index) =>
      query.session === undefined ? index.alive(range) : index.find(query.session),
    );
    const filter: Filter = { project: query.project, session: query.session, range };
    return { chosen: selectSessions(sessions, filter, (session) => this.projectOf(session)), range };
  }
}

/** As it is kept in the index. */
interface KeptFacts {
  turns: [ref: string, facts: TurnFacts][];
  asked: Asked[];
}

/** Sums over days and models of everything: no turn, session or project is asked for. */
function isBroad(query: Query & Pick<UsageQuery, "group" | "by" | "instances">): boolean {
  const narrow = query.project !== undefined || query.session !== undefined || query.instances === true;
  return !narrow && query.by === "spent" && query.group !== "turn" && query.group !== "session";
}

function cut<T>(list: T[], limit: number | undefined): T[] {
  return limit === undefined ? list : list.slice(0, limit);
}

function inTime(range: TimeRange, time: number | null): boolean {
  return time !== null && (range.start === null || time >= range.start) && (range.end === null || time < range.end);
}

function* tapped<T>(items: Iterable<T>, look: (item: T) => void): Generator<T, void, undefined> {
  for (const item of items) {
    look(item);
    yield item;
  }
}
