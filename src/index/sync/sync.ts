import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { DaybookError, isLocal, messageOf } from "../../base/errors.ts";
import type { RestingPage } from "../../book/pages/page.ts";
import type { ReadMeter } from "../../base/io/bytes.ts";
import type { OpenedSources } from "../../book/reading/library.ts";
import { isCustomSource } from "../../book/reading/jobs.ts";
import type { FileTimeCache } from "../../book/reading/file-times.ts";
import { BATCH_BYTES, runJobs, type Progress } from "../../book/reading/pool.ts";
import { sourceOf } from "../../book/reading/read-file.ts";
import { titlesOf } from "../../book/reading/side-facts.ts";
import type { Diagnostic, Drift, Entry, SourceRef } from "../../agents/contract.ts";
import { headOf, ingestHere, type Growth, type IngestedFile, type IngestJob, type IngestResult } from "./ingest.ts";
import { DiskFullError } from "../../base/io/disk.ts";
import type { FileLock } from "../../record/write-lock.ts";
import { lockHome } from "./sync-lock.ts";
import { pageName, type PageHead } from "../../book/pages/page-format.ts";
import { PageList } from "../../book/pages/page-list.ts";
import { addForgotten, fileHash, Forgotten } from "../../book/pages/forgotten.ts";
import { purgeForgotten, removePageFiles } from "./forget.ts";
import { suspectMoves } from "./moved-files.ts";
import { DraftedSessions, type RowContext } from "./drafted-session.ts";
import { familiesOf } from "./families.ts";
import { ReadingOrder, type ReadDemand, type ReadableDays } from "./reading-order.ts";
import { isStream, type Fingerprint } from "./fingerprint.ts";
import { buildIndex, rebuild, type DamagedPage, type RebuildResult } from "./rebuild.ts";
import { SessionDescriber, type Naming } from "../tables/describe.ts";
import { refreshAlone, refreshStale, type RefreshInput, type RefreshResult } from "./refresh.ts";
import type { GrownFile } from "./session-changes.ts";
import { DamagedIndex, parseRow } from "../tables/damaged-index.ts";
import { IndexStore, type IndexState, type StoredFile } from "../tables/index-store.ts";
import { isSame } from "./changed-files.ts";
import { saveNotes } from "../tables/source-notes.ts";
import { markSyncStarted, markSyncFinished, needsCheck } from "../tables/seal.ts";
import { applyNaming } from "../tables/project-names.ts";
import { loadTitles, saveTitles, type Titles } from "../tables/titles.ts";
import { plural } from "../../base/text/units.ts";
import { writeDocs } from "../tables/doc-rows.ts";
import { savedState, writeFileRow } from "../tables/file-rows.ts";
import { unpackText } from "../tables/packed-text.ts";
import { checkSegments, tidySegments } from "../words/write-segments.ts";
import { keyOfSession } from "../../record/session-key.ts";

/**
 * Reading produces much garbage and keeps little: in a long sync, collect when the heap grew by a third, not when it
 * doubled.
 */
async function withSmallHeap(bytes: number, work: () => Promise<void>): Promise<void> {
  const isLong = bytes > 64 * 1024 * 1024;
  if (isLong) setFlagsFromString("--heap-growing-percent=30");
  try {
    await work();
  } finally {
    // Zero restores V8's default.
    if (isLong) setFlagsFromString("--heap-growing-percent=0");
  }
}

/** Options of a sync that a caller may choose. */
export interface SyncDemand {
  /** How long to wait for another Daybook that is writing, in ms. */
  patience?: number | undefined;
  /** Discard the index first, and rebuild it from the book. */
  repair?: boolean;
  /** Read every page of the book, and verify its checksums. */
  verify?: boolean;
  /** Read every file from its start again. */
  full?: boolean | undefined;
  /** Stops after the files that are being read: what was read is kept, and the next sync continues. */
  signal?: AbortSignal | undefined;
}

/** Options of a sync that a question waits for. */
export interface QuestionDemand extends SyncDemand {
  /** Read no more than this when much is new. */
  need?: ReadDemand | undefined;
}

export interface SyncOptions extends QuestionDemand {
  home: string;
  naming: Naming;
  /** The local day of a time. */
  dayOf: (time: number) => string;
  times: FileTimeCache;
  onProgress?: Progress | undefined;
  /** Receives one line for each repair. */
  onNote?: ((text: string) => void) | undefined;
}

/** What a sync did, in numbers, to verify that its cost depends on what changed. */
export interface SyncReport {
  files_seen: number;
  files_read: number;
  /** Bytes read from session files. */
  bytes_read: number;
  entries: number;
  sessions_refreshed: number;
  rows_written: number;
  gone: number;
  /** New files that were not read, because they were not needed yet or the sync was stopped; and their bytes. */
  files_left: number;
  bytes_left: number;
  /** Pages read because they were missing from the index. */
  pages_rebuilt: number;
  /** Damaged pages, as far as they had to be read. */
  damaged: DamagedPage[];
  unreadable: Diagnostic[];
}

/** Up to this many files are synced to disk; more are sooner read again after a crash of the machine. */
const MAX_DURABLE_FILES = 20;
/** Number of sessions that are assembled at a time while others are read. */
const ASSEMBLE_BATCH = 16;
/** Bytes of the files whose words a thread collects in one segment: each search looks into every segment. */
const READ_TOGETHER = 16_000_000;
/** At least so many of them per sync, so that all threads have something to do until the end. */
const SEGMENTS = 16;
/** Bytes: from here on, looking into every file to read the newest first pays off. */
const NEWEST_FIRST_BYTES = 64_000_000;
/** Bytes after which all sessions of the days read so far are assembled, including those with relatives. */
const ASSEMBLE_BYTES = 32_000_000;

/**
 * Brings book and index up to date with the native files. Unchanged files are not opened; changed ones are read from
 * where the last read ended.
 */
export async function sync(opened: OpenedSources, options: SyncOptions): Promise<SyncReport> {
  const lock = await lockHome(options.home, options.patience ?? 0);
  try {
    if (options.repair === true) IndexStore.discard(options.home);
    try {
      if (needsCheck(options.home) || options.verify === true) IndexStore.assertLog(options.home);
      return await syncOnce(opened, options, lock);
    } catch (error) {
      if (!(error instanceof DamagedIndex)) throw error;
      IndexStore.discard(options.home);
      return await syncOnce(opened, options, lock, "damaged");
    }
  } finally {
    lock.release();
  }
}

async function syncOnce(
  opened: OpenedSources,
  options: SyncOptions,
  lock: FileLock,
  state: IndexState = IndexStore.stateOf(options.home),
): Promise<SyncReport> {
  const { home } = options;
  const describe = new SessionDescriber(options.naming);
  const made = state === "usable" ? null : rebuildIndex(home, describe, lock);
  if (made && state === "damaged")
    options.onNote?.(`the index was damaged; made again from the book (${plural(made.pages, "page")})`);
  const store = IndexStore.openExisting(home);
  if (!store) throw new DaybookError("the index cannot be opened", { code: "unreadable", op: "sync", path: home });
  store.beat = () => lock.beat();
  try {
    const report = await new Sync(store, opened, describe, options).run();
    report.damaged = uniquePages([...(made?.damaged ?? []), ...report.damaged]);
    report.pages_rebuilt += made?.pages ?? 0;
    report.rows_written += made?.rows ?? 0;
    return report;
  } finally {
    store.close();
  }
}

/** Rebuilds the index. `markSyncStarted` keeps others from taking the unfinished index for a damaged one. */
function rebuildIndex(home: string, describe: SessionDescriber, lock: FileLock): RebuildResult {
  const isUnfinished = needsCheck(home);
  markSyncStarted(home);
  const made = buildIndex(home, describe, { beat: () => lock.beat(), isUnfinished });
  const store = IndexStore.openExisting(home);
  // The first opening writes to the file, so it is sealed again.
  store?.sealIfInPlace();
  store?.close();
  markSyncFinished(home);
  return made;
}

/** Each page once, however often it was reported. */
export function uniquePages(damaged: readonly DamagedPage[]): DamagedPage[] {
  return [...new Map(damaged.map((one) => [one.page, one])).values()];
}

class Sync {
  readonly #store: IndexStore;
  readonly #opened: OpenedSources;
  readonly #describe: SessionDescriber;
  readonly #options: SyncOptions;
  readonly #report: SyncReport;
  readonly #meter: ReadMeter = { bytes: 0, opens: 0 };
  readonly #forgotten: Forgotten;
  /** Sessions read and not yet assembled. */
  readonly #unassembled: string[] = [];
  /** Pages that are new, by their names. */
  readonly #pages = new Map<string, PageHead>();
  /** Sessions read in this round. */
  readonly #readInRound = new Set<string>();
  /** Bytes read since all sessions were assembled. */
  #unsettled = 0;
  #readable: ReadableDays | null = null;
  /** Sessions among them that only grew: few at a time, because each has a builder in memory. */
  readonly #grown: GrownFile[] = [];
  /** What was found in files whose sessions may not be assembled yet, by their pages. */
  readonly #facts = new Map<string, Uint8Array>();
  readonly #drafted = new DraftedSessions();

  constructor(store: IndexStore, opened: OpenedSources, describe: SessionDescriber, options: SyncOptions) {
    this.#store = store;
    this.#opened = opened;
    this.#describe = describe;
    this.#options = options;
    this.#forgotten = new Forgotten(options.home);
    this.#report = {
      files_seen: opened.refs.length,
      files_read: 0,
      bytes_read: 0,
      entries: 0,
      sessions_refreshed: 0,
      rows_written: 0,
      gone: 0,
      files_left: 0,
      bytes_left: 0,
      pages_rebuilt: 0,
      damaged: [],
      unreadable: [],
    };
  }

  async run(): Promise<SyncReport> {
    const store = this.#store;
    const unfinished = needsCheck(this.#options.home);
    if (unfinished || this.#options.verify === true) {
      store.assertSound();
      checkSegments(store);
    }
    // An interrupted process may have been forgetting sessions.
    if (unfinished) purgeForgotten(store, this.#forgotten);
    const isDamaged = (unfinished || this.#options.verify === true) && this.#rebuild(unfinished);
    const tasks = this.#tasks();
    const { need } = this.#options;
    const bytes = tasks.reduce((sum, { job }) => sum + job.bytes, 0);
    const isMuch = bytes >= (need?.least ?? NEWEST_FIRST_BYTES);
    const order = new ReadingOrder(tasks, this.#options.dayOf, isMuch ? this.#options.times : null);
    const { notes } = this.#opened;
    if (tasks.length > 0 || notes.size > 0 || unfinished || isDamaged) {
      // From here to the end a crash leaves pages that the index does not know.
      if (!unfinished) markSyncStarted(this.#options.home);
      // Unchanged notes mean that the title files are unchanged too.
      if (notes.size > 0) store.batched(() => saveTitles(store, this.#options.home, this.#titles()));
      await withSmallHeap(bytes, async () => {
        for (const round of this.#rounds(order)) {
          await this.#ingest(round, order);
          this.#assemble(order);
        }
      });
      this.#report.bytes_read += this.#meter.bytes;
    }
    const left = order.unread();
    this.#report.files_left = left.length;
    this.#report.bytes_left = left.reduce((sum, { job }) => sum + job.bytes, 0);
    this.#report.rows_written += applyNaming(store, this.#describe);
    // A note that matches makes the next search skip its place, so notes are saved only when all files are read.
    if (left.length === 0) this.#report.rows_written += saveNotes(store, notes);
    if (this.#pages.size > 0) new PageList(this.#options.home).add(this.#pages);
    store.commit();
    store.settle(unfinished);
    markSyncFinished(this.#options.home);
    return this.#report;
  }

  /** All files at once; or what is needed, then the related sessions, until it is enough. */
  *#rounds(order: ReadingOrder<Task>): Generator<Task[], void, undefined> {
    const { need, signal } = this.#options;
    const isNeeded = need !== undefined && order.bytes >= need.least;
    if (!isNeeded) return yield order.all();
    // At least one round: sessions left by an earlier sync are assembled.
    for (let round = order.needed(need, this.#store), isFirst = true; isFirst || round.length > 0; isFirst = false) {
      yield round;
      if (signal?.aborted === true) return;
      const kin = order.belonging(this.#family());
      round = kin.length > 0 ? kin : order.needed(need, this.#store);
    }
  }

  #family(): ReadonlySet<string> {
    const family = new Set(familiesOf(this.#store, this.#readInRound).flat());
    this.#readInRound.clear();
    return family;
  }

  #titles(): Map<string, string | null> {
    const titles = titlesOf(this.#opened);
    for (const { session_id } of this.#forgotten.all) titles.delete(session_id);
    return titles;
  }

  /** Assembles what was read: from here on it can be queried. */
  #assemble(order: ReadingOrder<Task>): void {
    this.#unassembled.length = 0;
    this.#unsettled = 0;
    this.#addToReport(refreshStale(this.#store, this.#input()));
    this.#facts.clear();
    this.#drafted.clear();
    this.#readable = order.readable();
  }

  /** True when some page of the book is damaged. */
  #rebuild(isUnfinished: boolean): boolean {
    const { home, verify } = this.#options;
    const found = rebuild(this.#store, home, { verify, isUnfinished });
    this.#report.pages_rebuilt = found.pages;
    this.#report.rows_written += found.rows;
    this.#report.damaged.push(...found.damaged);
    return found.damaged.length > 0;
  }

  #tasks(): Task[] {
    const all = this.#store.files();
    const files = all.filter((file) => !file.superseded);
    const used = new Set(all.map((file) => file.page));
    const known = new Map(files.map((file) => [refKey(file.ref), file]));
    const changed = this.#opened.refs.filter((ref) => {
      const file = known.get(refKey(ref));
      return this.#options.full === true || !file || file.gone || !isSame(file.ref, ref);
    });
    const gone = this.#gone(files);
    const added = changed.filter((ref) => !known.has(refKey(ref)));
    const moves = suspectMoves(added, gone);
    this.#markGone(gone, new Set(moves.values()));
    const durable = changed.length <= MAX_DURABLE_FILES;
    return changed.map((ref) => {
      const moved = moves.get(ref);
      const file = moved ?? known.get(refKey(ref));
      const job = this.#jobFor(ref, file, { moved: moved !== undefined, durable, used });
      return { file, job };
    });
  }

  /** Known files that have disappeared. A file that exists and was only not searched for is not gone. */
  #gone(files: readonly StoredFile[]): StoredFile[] {
    const present = new Set(this.#opened.refs.map(refKey));
    const places = new Set(this.#opened.refs.map((ref) => ref.path));
    const looked = new Set(this.#opened.sources.map((source) => source.id));
    return files.filter(({ ref }) => {
      if (!looked.has(ref.source) || present.has(refKey(ref))) return false;
      return (ref.key !== undefined && places.has(ref.path)) || !existsSync(ref.path);
    });
  }

  /** Their content stays in the book; only their absence is stored. */
  #markGone(gone: readonly StoredFile[], moving: ReadonlySet<StoredFile>): void {
    const vanished = gone.filter((file) => !file.gone);
    this.#report.gone = vanished.filter((file) => !moving.has(file)).length;
    if (vanished.length === 0) return;
    this.#store.transaction(() => {
      for (const file of vanished) this.#store.run("UPDATE file SET gone = 1 WHERE id = ?", file.id);
    });
  }

  #jobFor(
    ref: SourceRef,
    file: StoredFile | undefined,
    how: { moved: boolean; durable: boolean; used: ReadonlySet<string> },
  ): IngestJob {
    const fresh = (): string => this.#pageFor(ref, how.used);
    const job: IngestJob = {
      want: "ingest",
      ref,
      bytes: ref.size,
      page: file?.page ?? fresh(),
      otherwise: how.moved ? fresh() : null,
      cursor: null,
      fingerprint: null,
      saved: null,
      resting: null,
      tail: [],
      drift: null,
      durable: how.durable,
      rows: null,
    };
    const row =
      file &&
      this.#store.get("SELECT cursor, print, saved, tail, drift, resting FROM read_state WHERE file = ?", file.id);
    if (!file || !(row?.["cursor"] instanceof Uint8Array) || !isStream(ref) || this.#options.full === true) return job;
    if (file.outdated) return job;
    // A file that was touched without growing may have changed inside: compare it from its start.
    if (!how.moved && !file.gone && ref.stamp === undefined && ref.size <= file.ref.size) return job;
    job.cursor = parseRow(unpackText(row["cursor"])) as IngestJob["cursor"];
    job.fingerprint = parseRow(row["print"]) as Fingerprint | null;
    job.saved = savedState(this.#store, file.id, row["saved"]);
    job.tail = parseRow(row["tail"]) as Entry[];
    job.resting = parseRow(row["resting"]) as RestingPage | null;
    job.drift = (parseRow(row["drift"]) as Drift[])[1] ?? null;
    job.bytes = Math.max(0, ref.size - (job.cursor?.offset ?? 0));
    return job;
  }

  /**
   * True when the rows of the file's session cover everything it contained so far, and additions affect no other
   * session.
   */
  #growsAlone(file: number): boolean {
    return this.#store.get("SELECT 1 FROM file WHERE id = ? AND stale = 0 AND alone = 1", file) !== undefined;
  }

  #pageFor(ref: SourceRef, used: ReadonlySet<string>): string {
    const hash = createHash("sha256").update(refKey(ref)).digest("hex");
    const name = (ref.key ?? ref.path.split(/[\\/]/).at(-1) ?? "session")
      .replace(/\.jsonl(\.zst)?$/, "")
      .replace(/[^A-Za-z0-9._-]+/g, "_")
      .slice(0, 80);
    const page = `book/${ref.source}/${hash.slice(0, 2)}/${name}-${hash.slice(0, 10)}`;
    // A file that moved away took its page with it.
    for (let n = 2, other = page; ; other = `${page}-${n++}`) if (!used.has(other)) return other;
  }

  async #ingest(orders: readonly Task[], reading: ReadingOrder<Task>): Promise<void> {
    const { home, signal, onProgress } = this.#options;
    // Page paths are relative to the home, so that the home can be moved; readers need the full path.
    const titles = loadTitles(this.#store);
    const jobs = orders.map(({ job, file }) => ({
      ...job,
      rows: file === undefined ? this.#rowContext(job.ref, titles) : null,
      page: join(home, job.page),
      otherwise: job.otherwise === null ? null : join(home, job.otherwise),
    }));
    const bytes = jobs.reduce((sum, job) => sum + job.bytes, 0);
    let full: DiskFullError | null = null;
    await runJobs(jobs, {
      runHere: ingestHere,
      isLocalOnly: isCustomSource,
      lostResult: (error) => ({ error }),
      onResult: (result: IngestResult, index) => {
        const order = orders[index];
        if (!order) return;
        if (result.full) full = new DiskFullError(...result.full);
        else if (!result.done) this.#report.unreadable.push(unreadable(order.job.ref, result.error));
        else this.#storeOrReport(order, result.done, result.growth ?? null);
        reading.done(order);
        this.#unsettled += order.job.bytes;
        if (this.#unsettled >= ASSEMBLE_BYTES && reading.readable()?.days !== this.#readable?.days)
          this.#assemble(reading);
      },
      progress: onProgress && ((done) => onProgress({ ...done, readable: this.#readable })),
      inOrder: true,
      batch: Math.min(READ_TOGETHER, Math.max(BATCH_BYTES, bytes / SEGMENTS)),
      signal,
    });
    if (jobs.length > 0) this.#store.batched(() => tidySegments(this.#store));
    this.#store.commit();
    if (full) throw full as DiskFullError;
  }

  /** Null where a reader fails to name the session: its rows are not made beforehand, and the reading itself says why. */
  #rowContext(ref: SourceRef, titles: Titles): RowContext | null {
    const { home, naming } = this.#options;
    try {
      const title = titles.size === 0 ? null : (titles.get(sourceOf(ref).sessionId(ref)) ?? null);
      return { home, naming, title };
    } catch (error) {
      if (!isLocal(error)) throw error;
      return null;
    }
  }

  /** A file that cannot be stored is read again next time, and does not keep the others from being stored. */
  #storeOrReport(order: Task, done: IngestedFile, growth: Growth | null): void {
    try {
      this.#storeFile(order, done, growth);
    } catch (error) {
      if (!isLocal(error)) throw error;
      const { source, path, key = "" } = order.job.ref;
      this.#store.batched(() => {
        const unseen = "UPDATE file SET size = 0, mtime = 0, stamp = '', stale = 1";
        this.#store.run(`${unseen} WHERE source = ? AND path = ? AND key = ?`, source, path, key);
        // From its start: the cursor may be past what was not stored.
        const files = "SELECT id FROM file WHERE source = ? AND path = ? AND key = ?";
        this.#store.run(`UPDATE read_state SET cursor = NULL WHERE file IN (${files})`, source, path, key);
      });
      this.#report.unreadable.push(unreadable(order.job.ref, messageOf(error)));
    }
  }

  /** Stores what a thread read. */
  #storeFile({ job: { ref }, file }: Task, done: IngestedFile, growth: Growth | null): void {
    if (this.#forgotten.has(ref.source, done.session_id)) return this.#dropForgotten(ref, done);
    const page = pageName(this.#options.home, done.page);
    this.#store.batched(() => {
      // Must be read before the file's own row marks it as stale.
      const stands = growth !== null && file !== undefined && this.#growsAlone(file.id);
      const isOther = file !== undefined && file.page !== page;
      // The page of an earlier generation stays part of the session, without a file. A suspected move that was none
      // leaves the other file's row alone.
      if (isOther && refKey(file.ref) === refKey(ref))
        this.#store.run("UPDATE file SET gone = 2, stale = 1 WHERE id = ?", file.id);
      const id = writeFileRow(this.#store, ref, { ...done, page }, isOther ? undefined : file);
      this.#report.files_read++;
      this.#report.entries += done.entries;
      this.#report.bytes_read += done.bytes_read;
      this.#report.rows_written += 1 + writeDocs(this.#store, id, done.docs, done.whole);
      if (file === undefined || isOther) this.#pages.set(page, { ...headOf(ref, done.session_id), first: 0 });
      const { identities, drift } = done;
      if (done.facts) this.#facts.set(done.page, done.facts);
      if (done.drafted) this.#drafted.put(ref.source, done.session_id, done.drafted);
      if (stands) this.#grown.push({ ...growth, file: id, identities, drift: drift[0] });
    });
    // This thread is idle while others read; what is assembled now need not be at the end.
    this.#unassembled.push(keyOfSession(ref.source, done.session_id));
    this.#readInRound.add(keyOfSession(ref.source, done.session_id));
    if (this.#unassembled.length < ASSEMBLE_BATCH) return;
    this.#addToReport(refreshAlone(this.#store, this.#unassembled.splice(0), this.#input()));
  }

  /** Only its content showed that the file belongs to a forgotten session. */
  #dropForgotten(ref: SourceRef, { page, session_id }: IngestedFile): void {
    removePageFiles(page);
    const known = this.#forgotten.all.find((one) => one.source === ref.source && one.session_id === session_id);
    if (known) addForgotten(this.#options.home, [{ ...known, files: [...known.files, fileHash(ref)] }]);
  }

  #input(): RefreshInput {
    return {
      describe: this.#describe,
      meter: this.#meter,
      grown: this.#grown.splice(0),
      facts: this.#facts,
      drafted: this.#drafted,
    };
  }

  #addToReport({ rows, sessions, failed }: RefreshResult): void {
    this.#report.rows_written += rows;
    this.#report.sessions_refreshed += sessions;
    this.#report.unreadable.push(...failed);
  }
}

/** A file to read, with its index row. */
interface Task {
  job: IngestJob;
  file: StoredFile | undefined;
}

export function refKey(ref: SourceRef): string {
  return `${ref.source}\t${ref.path}\t${ref.key ?? ""}`;
}

function unreadable(ref: SourceRef, error: string | undefined): Diagnostic {
  return {
    code: "file_unreadable",
    source: ref.source,
    path: ref.path,
    message: error ?? "the file could not be read",
  };
}
