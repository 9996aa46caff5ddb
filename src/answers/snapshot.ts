import type { RemovedDays } from "../views/not-pushed.ts";
import type { Level } from "../views/push-level.ts";
import { UsageCache } from "../book/reading/usage-cache.ts";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { DaybookError } from "../base/errors.ts";
import { homeDirectory } from "../base/home.ts";
import { OpenIndex } from "../index/open-index.ts";
import { knownFiles, unknownBytes, unknownFiles } from "../index/sync/changed-files.ts";
import { findAllFiles, findChanges, findFiles, type FoundFiles } from "../index/sync/found-files.ts";
import { projectNamer, type Naming } from "../index/tables/describe.ts";
import { covers, type RemoteDemand } from "../index/tables/remote-demand.ts";
import { IndexStore } from "../index/tables/index-store.ts";
import { uniquePages, sync, type QuestionDemand, type SyncReport } from "../index/sync/sync.ts";
import type { ReadDemand } from "../index/sync/reading-order.ts";
import { Forgotten } from "../book/pages/forgotten.ts";
import type { SyncProcess } from "../index/sync/sync-process.ts";
import { isCustomSource } from "../book/reading/jobs.ts";
import {
  openSources,
  readSessions,
  type OpenedSources,
  type OpenOptions,
  type ReadResult,
} from "../book/reading/library.ts";
import type { FileTimeCache } from "../book/reading/file-times.ts";
import type { ReadOptions } from "../book/reading/read-file.ts";
import { titlesOf } from "../book/reading/side-facts.ts";
import { loadTitles, type Titles } from "../index/tables/titles.ts";
import type { Diagnostic, SideFacts, SourceRef } from "../agents/contract.ts";
import { DayReviews } from "../index/day-reviews/day-reviews.ts";
import { BookMarks } from "../index/marks/marks-file.ts";
import { Names } from "./names.ts";
import { notInStoreError } from "./not-in-store.ts";
import { chosenSources, type DaybookOptions } from "./questions.ts";
import { FilesSeen } from "./watch.ts";

export interface SnapshotOptions extends DaybookOptions {
  /** The local day of a time. */
  dayOf: (time: number) => string;
  times: FileTimeCache;
  /** Where background syncs run; null when running from TypeScript sources. */
  syncs: () => SyncProcess | null;
}

/**
 * The files found and read at one point in time. Every question is answered from one snapshot, whatever is written
 * meanwhile: a sync makes the next one, and the old one is closed when its last question is answered.
 */
export class Snapshot {
  readonly names: Names;
  /** Opens the index and brings it up to date; set by the first question that needs it, awaited by all. */
  opening: Promise<void> | null = null;
  readonly #options: SnapshotOptions;
  readonly #failed: Diagnostic[] = [];
  /** Files that could not be read. */
  readonly #unread: Diagnostic[] = [];
  readonly #atLast = new Set<() => void>();
  #files: FoundFiles | null = null;
  #forgotten: Forgotten | null = null;
  #marks: BookMarks | null = null;
  #reviews: DayReviews | null = null;
  #index: OpenIndex | null = null;
  /** The sessions as they are in the files, in a private index. */
  #ofFiles: Promise<OpenIndex> | null = null;
  #askers = 0;
  #isSynced = false;
  /** Files that were left unread, and the need of the question they were left for. */
  #unreadFiles: { files: number; bytes: number; need: ReadDemand | undefined } | null = null;
  #isRetired = false;
  #remoteState: string | null = null;
  /** What was fetched from a team store; null if nothing was yet. */
  #fetched: RemoteDemand | null = null;
  #remoteLevel: Level | null = null;
  #remoteRemoved: RemovedDays | null = null;

  constructor(options: SnapshotOptions) {
    this.#options = options;
    this.names = new Names(() => projectNamer(this.#naming()));
  }

  /** The marks on sessions and turns. */
  get marks(): BookMarks {
    return (this.#marks ??= new BookMarks(this.#options.book));
  }

  /** What models read in days. */
  get reviews(): DayReviews {
    return (this.#reviews ??= new DayReviews(this.#options.book));
  }

  get index(): OpenIndex | null {
    return this.#index;
  }

  /** No files were looked for yet. */
  get isUntouched(): boolean {
    return this.#files === null && this.opening === null;
  }

  /** The index proved to be damaged: the next question rebuilds it. */
  get isDamaged(): boolean {
    return this.#index?.store.isDamaged === true;
  }

  /** Another process has written to the index since, or replaced it. */
  get isOutdated(): boolean {
    const isOld = this.#marks?.isOutdated === true || this.#reviews?.isOutdated === true;
    return isOld || this.#index?.isOutdated === true;
  }

  /** Nothing was ever read into the book. */
  get isNew(): boolean {
    return this.#options.book !== undefined && !existsSync(join(this.#options.book, "book"));
  }

  /** Whether the files that the question needs were read, even if others were left. */
  covers(need: ReadDemand | undefined): boolean {
    return this.#unreadFiles === null || this.#unreadFiles.need === need;
  }

  /** New files that were left unread; null if all are read. */
  get unreadFiles(): { files: number; bytes: number } | null {
    return this.#unreadFiles && { files: this.#unreadFiles.files, bytes: this.#unreadFiles.bytes };
  }

  /** The book could not be written, so new files stay unread for all questions. */
  leaveUnread(need: ReadDemand | undefined, store: IndexStore): void {
    const unread = unknownFiles(knownFiles(store), this.opened().refs);
    if (unread.length > 0) this.#unreadFiles = { files: unread.length, bytes: sizeOf(unread), need };
  }

  /** Whether so much is new that a question should not wait until it is in the book. */
  hasUnreadBytes(much: number): boolean {
    const { refs } = this.opened();
    if (this.#options.book === undefined || refs.length === 0) return false;
    if (this.#isSynced) return this.#unreadFiles !== null;
    return this.isNew || sizeOf(unknownFiles(this.#found().known, refs)) >= much;
  }

  /** Whether the files contain everything the book does. */
  get isInFiles(): boolean {
    return this.isNew || (this.opened().refs.length > 0 && !this.#found().hasGone);
  }

  /** The discovered files, before anything is read. */
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

  /** The same, including forgotten sessions. */
  found(): readonly SourceRef[] {
    if (this.forgotten.isEmpty) return this.opened().refs;
    return findAllFiles(this.#options);
  }

  get naming(): Naming {
    return this.#naming();
  }

  #naming(): Naming {
    const { projects = {}, home, env = process.env } = this.#options;
    return { home: home ?? homeDirectory(env) ?? "", given: projects };
  }

  /** Whether a sync is needed. Writes nothing and takes no lock: most questions find nothing changed. */
  hasChanges(): boolean {
    if (this.#options.book === undefined || this.#isSynced) return false;
    const { found, isChanged } = findChanges(this.#options, this.forgotten, this.#naming(), this.#files);
    this.#files = found;
    return isChanged;
  }

  /** Whether the files differ from what that older snapshot was made from, or from what the book holds. */
  differsFrom(older: Snapshot): boolean {
    if (this.#options.book !== undefined) return this.hasChanges();
    const seen = new FilesSeen();
    seen.remember(older.opened());
    return seen.hasChanged(this.opened());
  }

  /** Reads what is new into the book and the index. */
  async sync(how: QuestionDemand): Promise<SyncReport> {
    const restored = this.#files === null ? await this.#restore(how) : null;
    const { opened, openedWith } = this.#found();
    const report = await this.#syncWith(opened, openedWith, how);
    this.#isSynced = true;
    const { files_left: files, bytes_left: bytes } = report;
    // Everything is in the book from now on.
    if (files === 0 && this.#options.book !== undefined) UsageCache.drop(this.#options.book);
    this.#unreadFiles = files > 0 ? { files, bytes, need: how.need } : null;
    report.damaged = uniquePages([...(restored?.damaged ?? []), ...report.damaged]);
    report.pages_rebuilt += restored?.pages_rebuilt ?? 0;
    report.rows_written += restored?.rows_written ?? 0;
    return report;
  }

  /** Rebuilds a lost index from the book alone. */
  async rebuildIndex(): Promise<void> {
    const { book } = this.#options;
    if (book === undefined || IndexStore.isUsable(book)) return;
    await this.#syncWith(openSources(NOWHERE), NOWHERE, {});
  }

  /** Rebuilds a lost index before the agents' files are looked at, because discovery uses what the index knows. */
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

  /** Runs the sync in another process if that is wanted and the demand can be serialized; otherwise null. */
  #inBackground(
    opened: OpenedSources,
    open: OpenOptions,
    home: string,
    how: QuestionDemand,
  ): Promise<SyncReport> | null {
    const { inBackground, timezone, onProgress, onNote } = this.#options;
    const { signal, need, ...demand } = how;
    const syncs = inBackground === true ? this.#options.syncs() : null;
    if (syncs === null || need || opened.refs.some((ref) => isCustomSource({ ref }))) return null;
    const { env, home: user, roots, configured, worked_in, known, noted, sources } = open;
    const where = { env: env && { ...env }, home: user, roots, configured, worked_in, known, noted, sources };
    const order = { want: "sync" as const, open: defined(where), home, naming: this.#naming(), timezone, demand };
    const isLong = unknownBytes(this.#files?.known ?? null, opened.refs) > A_MOMENT;
    return syncs.run(order, { isLong, signal, onProgress, onNote });
  }

  /** The state of the team store when it was read; null if there is none. */
  get remoteState(): string | null {
    return this.#remoteState;
  }

  /** The lowest level at which one of its sessions was pushed. */
  get remoteLevel(): Level | null {
    return this.#remoteLevel;
  }

  /** What retention removed from the store; null if nothing. */
  get remoteRemoved(): RemovedDays | null {
    return this.#remoteRemoved;
  }

  /** Whether what was fetched from the team store covers this demand; true if nothing was fetched yet. */
  hasFetched(about: RemoteDemand): boolean {
    return this.#fetched === null || covers(this.#fetched, about);
  }

  /** Fetches rows from the team store. */
  async fetchRemote(remote: NonNullable<DaybookOptions["remote"]>, about: RemoteDemand = {}): Promise<void> {
    const { sources, onProgress } = this.#options;
    this.#fetched = about;
    this.#index = await remote(async (rows) => {
      this.#remoteState = await rows.state();
      this.#remoteLevel = await rows.lowest();
      this.#remoteRemoved = await rows.removed();
      return OpenIndex.ofRemote(rows, { sources, marks: this.marks, about, progress: onProgress });
    }, about);
    this.names.from(this.#index.store);
  }

  /** Opens the index as it is now; null if there is no usable one. */
  openIndex(): OpenIndex | null {
    if (this.#index) return this.#index;
    this.#index = this.#indexNow();
    if (this.#index === null) return null;
    this.names.from(this.#index.store);
    this.opening ??= Promise.resolve();
    return this.#index;
  }

  #indexNow(): OpenIndex | null {
    const { book, inBackground } = this.#options;
    if (book === undefined) return null;
    const chosen = chosenSources(this.#options, () => this.opened());
    return OpenIndex.open(book, { chosen, marks: this.marks, sparesMemory: inBackground === true });
  }

  /** Reads all files into a private index, for questions that no book can answer. */
  async openFiles({ inMemory }: { inMemory: boolean }): Promise<void> {
    this.#index = await this.#indexOfFiles(inMemory);
    this.names.from(this.#index.store);
  }

  /** Every session as it is in the files, whatever the book says. */
  async readFiles(): Promise<ReadResult> {
    const index = await this.#indexOfFiles(false);
    if (this.#index === null) this.names.from(index.store);
    return this.assemble(index, null);
  }

  async #indexOfFiles(inMemory: boolean): Promise<OpenIndex> {
    this.#ofFiles ??= this.#readIndex(inMemory);
    try {
      return await this.#ofFiles;
    } catch (error) {
      // The next question tries again.
      this.#ofFiles = null;
      throw error;
    }
  }

  async #readIndex(inMemory: boolean): Promise<OpenIndex> {
    const { book, onProgress: progress } = this.#options;
    const opened = this.opened();
    const { diagnostics, ...read } = await readSessions(opened, READING, progress);
    // Those of the discovery are known already.
    const found = diagnostics.filter((one) => !opened.diagnostics.includes(one));
    this.#unread.push(...read.unreadable, ...found.filter(isFile));
    for (const one of found) this.fail(one);
    return OpenIndex.ofFiles(
      { ...read, diagnostics: found },
      {
        naming: this.#naming(),
        titles: new Map([...rememberedTitles(book), ...titlesOf(opened)]),
        failed: (problem) => this.fail(problem),
        marks: this.marks,
        progress,
        inMemory,
      },
    );
  }

  /** Writes the rows that a question needs, where rows are written only when they are needed. */
  fill(about: RemoteDemand): void {
    this.#index?.fill(about);
  }

  /** A question begins: the snapshot stays open until it calls `leave`. */
  enter(): void {
    this.#askers++;
  }

  /** From here until all questions have left, the index is read in one transaction. */
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

  /** Runs when no question reads any more: writes to the index must not happen in the middle of an answer. */
  afterLastQuestion(work: () => void): void {
    this.#atLast.add(work);
  }

  /** No new question will enter this snapshot. */
  retire(): void {
    if (this.#isRetired) return;
    this.#isRetired = true;
    if (this.#askers === 0) this.#close();
  }

  #close(): void {
    const index = this.#index;
    index?.close();
    void this.#ofFiles?.then((one) => one !== index && one.close());
    this.#ofFiles = null;
    this.#index = null;
  }

  /** The named sessions with all they depend on; null: every session. */
  assemble(index: OpenIndex, keys: readonly string[] | null): ReadResult {
    if (this.#options.remote) throw notInStoreError("records");
    const assembly = index.assemble(keys);
    for (const found of assembly.diagnostics) if (isFile(found)) this.fail(found);
    const { diagnostics, refs } = this.opened();
    const all = [...diagnostics, ...assembly.diagnostics];
    return { ...assembly, diagnostics: all, refs, unreadable: this.#filesUnread(index) };
  }

  /** Files that could not be read, or whose sessions could not be assembled. */
  #filesUnread(index: OpenIndex): Diagnostic[] {
    return once([...this.#unread, ...index.problems().filter(isFile)]);
  }

  /** What an answer lacks: files and places that could not be read. */
  unreadable(): Diagnostic[] {
    return [...(this.#index ? this.#filesUnread(this.#index) : []), ...this.opened().diagnostics];
  }

  /** Records that a file or session could not be answered for. */
  fail(problem: Diagnostic): void {
    const isKnown = this.#failed.some((one) => nameOf(one) === nameOf(problem));
    if (!isKnown) this.#failed.push(problem);
  }

  /** The number of failures so far. */
  get failures(): number {
    return this.#failed.length;
  }

  /** What an answer could not include, besides the rows of the index. */
  unread(): Diagnostic[] {
    return [...this.#unread, ...this.opened().diagnostics];
  }

  /** Problems so far: missing roots, unreadable files, foreign files. */
  problems(): Diagnostic[] {
    const unread = [...this.#unread, ...this.#linesUnread(), ...this.marks.problems(), ...this.reviews.problems()];
    return once([...this.#failed, ...this.opened().diagnostics, ...unread]);
  }

  /** What is wrong with the files of some sessions; none if their rows come from a store. */
  problemsOf(keys: ReadonlySet<string>): Diagnostic[] {
    return this.#index && !this.#options.remote ? this.#index.problemsOf(keys) : [];
  }

  /** Lines of files in the book that could not be parsed. */
  #linesUnread(): Diagnostic[] {
    if (this.#index) return this.#index.problems();
    const index = this.#indexNow();
    const problems = index?.problems() ?? [];
    index?.close();
    return problems;
  }
}

/** Everything that answers need, as a sync reads it. */
const READING: ReadOptions = { detail: "full", ledger: false, toolDetail: true };

/** In bytes: as much as is read while somebody waits. */
const A_MOMENT = 4_000_000;

/** No file is looked for when the index is rebuilt from the book. */
const NOWHERE: OpenOptions = { roots: {} };

function defined<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}

/** Titles that the book knows: an agent may have deleted them since. */
function rememberedTitles(book: string | undefined): Titles {
  const store = book === undefined ? null : IndexStore.openExisting(book);
  const titles = store ? loadTitles(store) : new Map<string, string | null>();
  store?.close();
  return titles;
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
