import type { RemovedDays } from "../answers/not-pushed.ts";
import type { Level } from "../answers/push-level.ts";
import { UsageCache } from "../reading/usage-cache.ts";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { DaybookError } from "../errors.ts";
import { OpenIndex } from "../store/open-index.ts";
import { knownFiles, unknownBytes, unknownFiles } from "../store/sync/changed-files.ts";
import { findAllFiles, findChanges, findFiles, type FoundFiles } from "../store/sync/found-files.ts";
import { projectNamer, type Naming } from "../store/tables/describe.ts";
import { covers, type GivenDemand } from "../store/tables/given-demand.ts";
import { IndexStore } from "../store/tables/index-store.ts";
import { onePerPage, sync, type QuestionDemand, type SyncReport } from "../store/sync/sync.ts";
import type { Need } from "../store/sync/reading-order.ts";
import { Forgotten } from "../store/pages/forgotten.ts";
import type { SyncProcess } from "../store/sync/sync-process.ts";
import { isOwn } from "../reading/jobs.ts";
import {
  openSources,
  readSessions,
  type OpenedSources,
  type OpenOptions,
  type ReadResult,
} from "../reading/library.ts";
import type { KnownTimes } from "../reading/file-times.ts";
import type { ReadOptions } from "../reading/read-file.ts";
import { titlesOf } from "../reading/side-facts.ts";
import type { Diagnostic, SideFacts, SourceRef } from "../sources/contract.ts";
import { BookMarks } from "../store/marks/marks-file.ts";
import { Names } from "./names.ts";
import { notInStore } from "./not-in-store.ts";
import type { DaybookOptions } from "./questions.ts";

export interface SnapshotOptions extends DaybookOptions {
  /** The local day of a time. */
  dayOf: (time: number) => string;
  times: KnownTimes;
  /** Where syncs in the background are done; null when running from TypeScript sources. */
  syncs: () => SyncProcess | null;
}

/**
 * What was found and read at one moment. Every question is answered from one, whatever is written meanwhile: a sync makes the
 * next, and this one is let go of when nobody asks it any more.
 */
export class Snapshot {
  readonly names: Names;
  /** Brings it up to date; set by the first who needs the index, awaited by all. */
  opening: Promise<void> | null = null;
  readonly #options: SnapshotOptions;
  readonly #reads = new Map<string, Promise<ReadResult>>();
  readonly #failed: Diagnostic[] = [];
  /** What could not be read into the book. */
  readonly #unread: Diagnostic[] = [];
  readonly #atLast = new Set<() => void>();
  #files: FoundFiles | null = null;
  #forgotten: Forgotten | null = null;
  #marks: BookMarks | null = null;
  #index: OpenIndex | null = null;
  #askers = 0;
  #isSynced = false;
  /** What was left for later, and for which question. */
  #left: { files: number; bytes: number; need: Need | undefined } | null = null;
  #isRetired = false;
  #givenState: string | null = null;
  /** What was asked of another store; null where nothing was yet. */
  #given: GivenDemand | null = null;
  #givenLevel: Level | null = null;
  #givenRemoved: RemovedDays | null = null;

  constructor(options: SnapshotOptions) {
    this.#options = options;
    this.names = new Names({
      book: options.book,
      namer: () => projectNamer(this.#naming()),
      titles: () => titlesOf(this.opened()),
    });
  }

  /** What people put on sessions and turns. */
  get marks(): BookMarks {
    return (this.#marks ??= new BookMarks(this.#options.book));
  }

  get index(): OpenIndex | null {
    return this.#index;
  }

  /** Nothing was looked for yet. */
  get isUntouched(): boolean {
    return this.#files === null && this.opening === null;
  }

  /** The index proved to be damaged: whoever asks next has it made again. */
  get isDamaged(): boolean {
    return this.#index?.store.isDamaged === true;
  }

  /** Another has written to the index since, or put another in its place. */
  get isOutdated(): boolean {
    return this.#marks?.isOutdated === true || this.#index?.isOutdated === true;
  }

  /** Nothing was ever read into the book. */
  get isNew(): boolean {
    return this.#options.book !== undefined && !existsSync(join(this.#options.book, "book"));
  }

  /** Files that the question needs were read, whatever was left for later. */
  covers(need: Need | undefined): boolean {
    return this.#left === null || this.#left.need === need;
  }

  /** New files that were left for later; null when all are read. */
  get left(): { files: number; bytes: number } | null {
    return this.#left && { files: this.#left.files, bytes: this.#left.bytes };
  }

  /** The book could not be written: what is new stays unread, whatever is asked. */
  leaveUnread(need: Need | undefined, store: IndexStore): void {
    const unread = unknownFiles(knownFiles(store), this.opened().refs);
    if (unread.length > 0) this.#left = { files: unread.length, bytes: sizeOf(unread), need };
  }

  /** So much is new that whoever asks had rather not wait until it is in the book. */
  owes(much: number): boolean {
    const { refs } = this.opened();
    if (this.#options.book === undefined || refs.length === 0) return false;
    if (this.#isSynced) return this.#left !== null;
    return this.isNew || sizeOf(unknownFiles(this.#found().known, refs)) >= much;
  }

  /** The files hold all that the book does. */
  get isInFiles(): boolean {
    return this.isNew || (this.opened().refs.length > 0 && !this.#found().hasGone);
  }

  /** What was found, before anything is read. */
  opened(): OpenedSources {
    return this.#found().opened;
  }

  #found(): FoundFiles {
    return (this.#files ??= findFiles(this.#options, this.forgotten));
  }

  get forgotten(): Forgotten {
    return (this.#forgotten ??= new Forgotten(this.#options.book));
  }

  facts(): SideFacts[] {
    const opened = this.opened();
    return opened.sources.map((source) => opened.facts(source));
  }

  /** The same with those that were forgotten. */
  found(): readonly SourceRef[] {
    if (this.forgotten.isEmpty) return this.opened().refs;
    return findAllFiles(this.#options);
  }

  get naming(): Naming {
    return this.#naming();
  }

  #naming(): Naming {
    const { projects = {}, home, env = process.env } = this.#options;
    return { home: home ?? env["HOME"] ?? env["USERPROFILE"] ?? "", given: projects };
  }

  /** Nothing to write, nothing to lock: most questions find everything as it was. */
  hasChanges(): boolean {
    if (this.#options.book === undefined || this.#isSynced) return false;
    const { found, isChanged } = findChanges(this.#options, this.forgotten, this.#naming(), this.#files);
    this.#files = found;
    return isChanged;
  }

  /** Reads what is new into the book and the index. */
  async sync(how: QuestionDemand): Promise<SyncReport> {
    const restored = this.#files === null ? await this.#restore(how) : null;
    const { opened, openedWith } = this.#found();
    const report = await this.#syncWith(opened, openedWith, how);
    this.#isSynced = true;
    const { files_left: files, bytes_left: bytes } = report;
    // The book has it all from now on.
    if (files === 0 && this.#options.book !== undefined) UsageCache.drop(this.#options.book);
    this.#left = files > 0 ? { files, bytes, need: how.need } : null;
    report.damaged = onePerPage([...(restored?.damaged ?? []), ...report.damaged]);
    report.pages_rebuilt += restored?.pages_rebuilt ?? 0;
    report.rows_written += restored?.rows_written ?? 0;
    return report;
  }

  /** Makes an index that was lost again, from the book alone. */
  async mend(): Promise<void> {
    const { book } = this.#options;
    if (book === undefined || IndexStore.isUsable(book)) return;
    await this.#syncWith(openSources(NOWHERE), NOWHERE, {});
  }

  /** An index that was lost is made again before anyone looks at the agents' files: what the book knows tells how to look. */
  async #restore(how: QuestionDemand): Promise<SyncReport | null> {
    const { book } = this.#options;
    if (book === undefined || this.isNew || IndexStore.isUsable(book)) return null;
    return this.#syncWith(openSources(NOWHERE), NOWHERE, { ...how, need: undefined });
  }

  async #syncWith(opened: OpenedSources, open: OpenOptions, how: QuestionDemand): Promise<SyncReport> {
    const { book, onProgress, onNote, dayOf, times } = this.#options;
    if (book === undefined) throw new DaybookError("there is no book to read into", { code: "usage", op: "sync" });
    const given = { home: book, naming: this.#naming(), dayOf, times, onProgress, onNote };
    const report = await (this.#inBackground(opened, open, book, how) ?? sync(opened, { ...given, ...how }));
    this.#unread.push(...report.unreadable);
    return report;
  }

  /** The sync in another process, where that is wanted and can be said in plain data; else null. */
  #inBackground(
    opened: OpenedSources,
    open: OpenOptions,
    home: string,
    how: QuestionDemand,
  ): Promise<SyncReport> | null {
    const { inBackground, timezone, onProgress, onNote } = this.#options;
    const { signal, need, ...demand } = how;
    const syncs = inBackground === true ? this.#options.syncs() : null;
    if (syncs === null || need || opened.refs.some((ref) => isOwn({ ref }))) return null;
    const { env, home: user, roots, configured, worked_in, known, noted, sources } = open;
    const where = { env: env && { ...env }, home: user, roots, configured, worked_in, known, noted, sources };
    const order = { want: "sync" as const, open: defined(where), home, naming: this.#naming(), timezone, demand };
    const isLong = unknownBytes(this.#files?.known ?? null, opened.refs) > A_MOMENT;
    return syncs.run(order, { isLong, signal, onProgress, onNote });
  }

  /** The state in which the other store was; null where there is none. */
  get givenState(): string | null {
    return this.#givenState;
  }

  /** The lowest level at which one of its sessions was pushed. */
  get givenLevel(): Level | null {
    return this.#givenLevel;
  }

  /** What was removed from the store that is asked, because it was old; null where nothing was. */
  get givenRemoved(): RemovedDays | null {
    return this.#givenRemoved;
  }

  /** What another store was asked for is all that this needs; or it was asked for nothing yet. */
  holds(about: GivenDemand): boolean {
    return this.#given === null || covers(this.#given, about);
  }

  /** Takes what another store holds. */
  async takeGiven(given: NonNullable<DaybookOptions["given"]>, about: GivenDemand = {}): Promise<void> {
    const { sources, onProgress } = this.#options;
    this.#given = about;
    this.#index = await given(async (rows) => {
      this.#givenState = await rows.state();
      this.#givenLevel = await rows.lowest();
      this.#givenRemoved = await rows.removed();
      return OpenIndex.given(rows, { sources, marks: this.marks, about, progress: onProgress });
    }, about);
    this.names.from(this.#index.store);
  }

  /** Takes the index as it is now; null when there is none that can be used. */
  openIndex(): OpenIndex | null {
    if (this.#index) return this.#index;
    this.#index = this.#indexNow();
    if (this.#index === null) return null;
    this.names.from(this.#index.store);
    this.opening ??= Promise.resolve();
    return this.#index;
  }

  #indexNow(): OpenIndex | null {
    const { book, roots, sources, inBackground } = this.#options;
    if (book === undefined) return null;
    const given = { roots, sources, opened: () => this.opened(), marks: this.marks };
    return OpenIndex.open(book, { ...given, sparesMemory: inBackground === true });
  }

  /** Somebody is about to ask: it stays open until they `leave`. */
  enter(): void {
    this.#askers++;
  }

  /** Until all have left, what the index says is of one moment. */
  beginReading(): void {
    this.#index?.store.beginReading();
  }

  leave(): void {
    if (--this.#askers > 0) return;
    this.#index?.store.endReading();
    const work = [...this.#atLast];
    this.#atLast.clear();
    for (const each of work) each();
    if (this.#isRetired) this.#close();
  }

  /** Done when nobody reads any more: what writes to the index must not do so in the middle of an answer. */
  atLast(work: () => void): void {
    this.#atLast.add(work);
  }

  /** No new question is put to it. */
  retire(): void {
    if (this.#isRetired) return;
    this.#isRetired = true;
    if (this.#askers === 0) this.#close();
  }

  #close(): void {
    this.#index?.close();
    this.#index = null;
  }

  /** Those named with all they depend on; null: every session. */
  assemble(index: OpenIndex, keys: readonly string[] | null): ReadResult {
    if (this.#options.given) throw notInStore("records");
    const assembly = index.assemble(keys);
    for (const found of assembly.diagnostics) if (isFile(found)) this.fail(found);
    const { diagnostics, refs } = this.opened();
    const all = [...diagnostics, ...assembly.diagnostics];
    return { ...assembly, diagnostics: all, refs, unreadable: this.#filesUnread(index) };
  }

  /** Files whose sessions could not be put together when they were read, and those that could not be read. */
  #filesUnread(index: OpenIndex): Diagnostic[] {
    return once([...this.#unread, ...index.problems().filter(isFile)]);
  }

  /** What an answer lacks: files and places that could not be read. */
  async unreadable(): Promise<Diagnostic[]> {
    const found = this.#index
      ? this.#filesUnread(this.#index)
      : (await this.filesRead()).flatMap(({ unreadable, diagnostics }) => [...unreadable, ...diagnostics]);
    return [...found, ...this.opened().diagnostics];
  }

  /** Every session as the files are, whatever the book says. Read once by each kind of question. */
  async readFiles(options: ReadOptions): Promise<ReadResult> {
    const kind = JSON.stringify(options);
    const known = this.#reads.get(kind);
    if (known) return known;
    const reading = readSessions(this.opened(), options, this.#options.onProgress);
    this.#reads.set(kind, reading);
    const result = await reading;
    this.names.among(result.sessions);
    return result;
  }

  async filesRead(): Promise<ReadResult[]> {
    return Promise.all(this.#reads.values());
  }

  /** A file or session could not be answered for. */
  fail(problem: Diagnostic): void {
    const isKnown = this.#failed.some((one) => nameOf(one) === nameOf(problem));
    if (!isKnown) this.#failed.push(problem);
  }

  /** How many could not be answered for so far. */
  get failures(): number {
    return this.#failed.length;
  }

  /** What an answer could not take in, beside the rows of the index. */
  unread(): Diagnostic[] {
    return [...this.#unread, ...this.opened().diagnostics];
  }

  /** Problems met so far: missing roots, unreadable files, foreign files. */
  async problems(): Promise<Diagnostic[]> {
    const found = (await this.filesRead()).flatMap((result) => [
      ...result.diagnostics,
      ...result.unreadable,
      ...result.sessions.flatMap((session) => session.diagnostics),
    ]);
    const unread = [...this.#unread, ...this.#linesUnread(), ...this.marks.problems()];
    return once([...found, ...this.#failed, ...this.opened().diagnostics, ...unread]);
  }

  /** Lines of the files in the book that nobody could make sense of. */
  #linesUnread(): Diagnostic[] {
    if (this.#index) return this.#index.problems();
    const index = this.#indexNow();
    const problems = index?.problems() ?? [];
    index?.close();
    return problems;
  }
}

/** Bytes that are read while somebody looks on. */
const A_MOMENT = 4_000_000;

/** To make the index again from the book no file is looked for. */
const NOWHERE: OpenOptions = { roots: {} };

function defined<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}

function sizeOf(refs: readonly SourceRef[]): number {
  return refs.reduce((sum, { size }) => sum + size, 0);
}

function isFile({ code }: Diagnostic): boolean {
  return code === "file_unreadable";
}

function nameOf({ code, path, line }: Diagnostic): string {
  return `${code} ${path} ${line ?? ""}`;
}

function once(found: readonly Diagnostic[]): Diagnostic[] {
  return [...new Map(found.map((d) => [nameOf(d), d])).values()];
}
