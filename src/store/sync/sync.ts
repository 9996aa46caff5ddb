import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { setFlagsFromString } from "node:v8";
import { DaybookError, isLocal, messageOf } from "../../errors.ts";
import type { RestingPage } from "../pages/page.ts";
import type { ReadMeter } from "../../io/bytes.ts";
import type { OpenedSources } from "../../reading/library.ts";
import { isOwn } from "../../reading/jobs.ts";
import type { KnownTimes } from "../../reading/file-times.ts";
import { runJobs, type Progress } from "../../reading/pool.ts";
import { titlesOf } from "../../reading/side-facts.ts";
import type { Diagnostic, Drift, Entry, SourceRef } from "../../sources/contract.ts";
import { ingestHere, type Growth, type Ingested, type IngestJob, type IngestResult } from "./ingest.ts";
import { DiskFullError } from "../../io/disk.ts";
import type { FileLock } from "../../format/write-lock.ts";
import { lockHome } from "./sync-lock.ts";
import { addForgotten, fileName, Forgotten } from "../pages/forgotten.ts";
import { purge, removeAll } from "./forget.ts";
import { suspectMoves } from "./moved-files.ts";
import { familiesOf } from "./families.ts";
import { ReadingOrder, type Need, type Readable } from "./reading-order.ts";
import { isStream, type Fingerprint } from "./fingerprint.ts";
import { makeIndex, rebuild, type DamagedPage, type Rebuilt } from "./rebuild.ts";
import { Describe, type Naming } from "../tables/describe.ts";
import { refreshAlone, refreshStale, type Refreshed } from "./refresh.ts";
import type { Grown } from "./session-changes.ts";
import { DamagedIndex, parseRow } from "../tables/damaged-index.ts";
import { IndexStore, type IndexState, type StoredFile } from "../tables/index-store.ts";
import { isSame } from "./changed-files.ts";
import { saveNotes } from "../tables/source-notes.ts";
import { begin, finish, isUnsettled } from "../tables/seal.ts";
import { takeNaming } from "../tables/project-names.ts";
import { saveTitles } from "../tables/titles.ts";
import { plural } from "../../text/units.ts";
import { savedState, writeDocs, writeUnit } from "../tables/file-rows.ts";

/** Reading makes much garbage and keeps little: in a long sync memory is collected when it grew by a third, not when it doubled. */
async function frugally(bytes: number, work: () => Promise<void>): Promise<void> {
  const isLong = bytes > 64 * 1024 * 1024;
  if (isLong) setFlagsFromString("--heap-growing-percent=30");
  try {
    await work();
  } finally {
    // Zero: as the engine likes it.
    if (isLong) setFlagsFromString("--heap-growing-percent=0");
  }
}

/** How thoroughly, and how patiently. */
export interface SyncDemand {
  /** How long to wait for another Daybook that is writing, in ms. */
  patience?: number | undefined;
  /** Throw the index away first, and make it anew from the book. */
  repair?: boolean;
  /** Read every page of the book, and compare it with its checksums. */
  verify?: boolean;
  /** Read every file from its start again. */
  full?: boolean | undefined;
  /** Stops when the files that are being read are read: what was read is kept, and the next sync goes on. */
  signal?: AbortSignal | undefined;
}

/** The same for a question that waits. */
export interface QuestionDemand extends SyncDemand {
  /** Reads no more than it needs, where much is new. */
  need?: Need | undefined;
}

export interface SyncOptions extends QuestionDemand {
  home: string;
  naming: Naming;
  /** The local day of a time. */
  dayOf: (time: number) => string;
  times: KnownTimes;
  onProgress?: Progress | undefined;
  /** Hears in one line what had to be mended. */
  onNote?: ((text: string) => void) | undefined;
}

/** What a sync did, counted: the measure of "cost follows change". */
export interface SyncReport {
  files_seen: number;
  files_read: number;
  /** Bytes read of session files. */
  bytes_read: number;
  entries: number;
  sessions_refreshed: number;
  rows_written: number;
  gone: number;
  /** Files that are new and were not read, because nobody needed them yet or the sync was stopped; and their bytes. */
  files_left: number;
  bytes_left: number;
  /** Pages read because the index had lost them. */
  pages_rebuilt: number;
  /** Pages that are not as they were written, as far as any had to be read. */
  damaged: DamagedPage[];
  unreadable: Diagnostic[];
}

/** Up to this many files are waited for until they are on the disk; after a crash of the machine many are sooner read again. */
const FEW = 20;
/** So many sessions are put together at a time while others are read. */
const EARLY = 16;
/** Bytes: from here on it is worth a look into every file to read the newest first. */
const MUCH = 64_000_000;
/** Bytes after which all sessions of the days that were read are put together, also those that do not stand alone. */
const STEP = 32_000_000;

/** Brings book and index up to date with the native files. Unchanged files are not opened; changed ones are read from where the last read ended. */
export async function sync(opened: OpenedSources, options: SyncOptions): Promise<SyncReport> {
  const lock = await lockHome(options.home, options.patience ?? 0);
  try {
    if (options.repair === true) IndexStore.discard(options.home);
    try {
      if (isUnsettled(options.home) || options.verify === true) IndexStore.assertLog(options.home);
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
  const describe = new Describe(options.naming);
  const made = state === "usable" ? null : makeAgain(home, describe, lock);
  if (made && state === "damaged")
    options.onNote?.(`the index was damaged; made again from the book (${plural(made.pages, "page")})`);
  const store = IndexStore.peek(home);
  if (!store) throw new DaybookError("the index cannot be opened", { code: "unreadable", op: "sync", path: home });
  store.beat = () => lock.beat();
  try {
    const report = await new Sync(store, opened, describe, options).run();
    report.damaged = onePerPage([...(made?.damaged ?? []), ...report.damaged]);
    report.pages_rebuilt += made?.pages ?? 0;
    report.rows_written += made?.rows ?? 0;
    return report;
  } finally {
    store.close();
  }
}

/** Nobody takes what stands there meanwhile for something that was damaged. */
function makeAgain(home: string, describe: Describe, lock: FileLock): Rebuilt {
  begin(home);
  const made = makeIndex(home, describe, () => lock.beat());
  const store = IndexStore.peek(home);
  // The first opening writes to it.
  store?.vouch();
  store?.close();
  finish(home);
  return made;
}

/** Whoever read it, and how often. */
export function onePerPage(damaged: readonly DamagedPage[]): DamagedPage[] {
  return [...new Map(damaged.map((one) => [one.page, one])).values()];
}

class Sync {
  readonly #store: IndexStore;
  readonly #opened: OpenedSources;
  readonly #describe: Describe;
  readonly #options: SyncOptions;
  readonly #report: SyncReport;
  readonly #meter: ReadMeter = { bytes: 0, opens: 0 };
  readonly #forgotten: Forgotten;
  /** Sessions read and not yet put together. */
  readonly #fresh: string[] = [];
  /** Sessions read in this round. */
  readonly #met = new Set<string>();
  /** Bytes read since all sessions were put together. */
  #unsettled = 0;
  #readable: Readable | null = null;
  /** Those among them that only grew: few at a time, because each has a builder awake. */
  readonly #grown: Grown[] = [];

  constructor(store: IndexStore, opened: OpenedSources, describe: Describe, options: SyncOptions) {
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
    const unfinished = isUnsettled(this.#options.home);
    if (unfinished || this.#options.verify === true) store.assertSound();
    // Somebody may have been cut short who forgot sessions.
    if (unfinished) purge(store, this.#forgotten);
    const isDamaged = (unfinished || this.#options.verify === true) && this.#rebuild();
    const tasks = this.#tasks();
    const { need } = this.#options;
    const bytes = tasks.reduce((sum, { job }) => sum + job.bytes, 0);
    const isMuch = bytes >= (need?.least ?? MUCH);
    const order = new ReadingOrder(tasks, this.#options.dayOf, isMuch ? this.#options.times : null);
    const { notes } = this.#opened;
    if (tasks.length > 0 || notes.size > 0 || unfinished || isDamaged) {
      // From here to the end a crash leaves pages the index does not know of.
      if (!unfinished) begin(this.#options.home);
      // Whose files of titles look as they did has no other titles.
      if (notes.size > 0) store.batched(() => saveTitles(store, this.#options.home, this.#titles()));
      await frugally(bytes, async () => {
        for (const round of this.#rounds(order)) {
          await this.#ingest(round, order);
          this.#settle(order);
        }
      });
      this.#report.bytes_read += this.#meter.bytes;
    }
    const left = order.unread();
    this.#report.files_left = left.length;
    this.#report.bytes_left = left.reduce((sum, { job }) => sum + job.bytes, 0);
    this.#report.rows_written += takeNaming(store, this.#describe);
    // Whoever finds a place as it was noted takes the sessions there for read.
    if (left.length === 0) this.#report.rows_written += saveNotes(store, notes);
    store.commit();
    store.settle(unfinished);
    finish(this.#options.home);
    return this.#report;
  }

  /** All at once; or what is needed, then what belongs to that, until it is enough. */
  *#rounds(order: ReadingOrder<Task>): Generator<Task[], void, undefined> {
    const { need, signal } = this.#options;
    const isNeeded = need !== undefined && order.bytes >= need.least;
    if (!isNeeded) return yield order.all();
    // At least one: what an earlier sync left is put together.
    for (let round = order.needed(need, this.#store), isFirst = true; isFirst || round.length > 0; isFirst = false) {
      yield round;
      if (signal?.aborted === true) return;
      const kin = order.belonging(this.#family());
      round = kin.length > 0 ? kin : order.needed(need, this.#store);
    }
  }

  #family(): ReadonlySet<string> {
    const family = new Set(familiesOf(this.#store, this.#met).flat());
    this.#met.clear();
    return family;
  }

  #titles(): Map<string, string | null> {
    const titles = titlesOf(this.#opened);
    for (const { session_id } of this.#forgotten.all) titles.delete(session_id);
    return titles;
  }

  /** Puts together what was read: from here on it can be asked for. */
  #settle(order: ReadingOrder<Task>): void {
    this.#fresh.length = 0;
    this.#unsettled = 0;
    this.#note(refreshStale(this.#store, this.#describe, this.#meter, this.#grown.splice(0)));
    this.#readable = order.readable();
  }

  /** True when something of the book is not as it was written. */
  #rebuild(): boolean {
    const found = rebuild(this.#store, this.#options.home, this.#options.verify);
    this.#report.pages_rebuilt = found.pages;
    this.#report.rows_written += found.rows;
    this.#report.damaged.push(...found.damaged);
    return found.damaged.length > 0;
  }

  #tasks(): Task[] {
    const all = this.#store.units();
    const units = all.filter((unit) => !unit.superseded);
    const used = new Set(all.map((unit) => unit.page));
    const known = new Map(units.map((unit) => [refKey(unit.ref), unit]));
    const changed = this.#opened.refs.filter((ref) => {
      const unit = known.get(refKey(ref));
      return this.#options.full === true || !unit || unit.gone || !isSame(unit.ref, ref);
    });
    const gone = this.#gone(units);
    const added = changed.filter((ref) => !known.has(refKey(ref)));
    const moves = suspectMoves(added, gone);
    this.#markGone(gone, new Set(moves.values()));
    const durable = changed.length <= FEW;
    return changed.map((ref) => {
      const moved = moves.get(ref);
      const unit = moved ?? known.get(refKey(ref));
      const job = this.#jobFor(ref, unit, { moved: moved !== undefined, durable, used });
      return { unit, job };
    });
  }

  /** Known files that are not where they were. One that is there and was only not looked for is not gone. */
  #gone(units: readonly StoredFile[]): StoredFile[] {
    const present = new Set(this.#opened.refs.map(refKey));
    const places = new Set(this.#opened.refs.map((ref) => ref.path));
    const looked = new Set(this.#opened.sources.map((source) => source.id));
    return units.filter(({ ref }) => {
      if (!looked.has(ref.source) || present.has(refKey(ref))) return false;
      return (ref.key !== undefined && places.has(ref.path)) || !existsSync(ref.path);
    });
  }

  /** They stay in the book; only their absence is noted. */
  #markGone(gone: readonly StoredFile[], moving: ReadonlySet<StoredFile>): void {
    const vanished = gone.filter((unit) => !unit.gone);
    this.#report.gone = vanished.filter((unit) => !moving.has(unit)).length;
    if (vanished.length === 0) return;
    this.#store.transaction(() => {
      for (const unit of vanished) this.#store.run("UPDATE unit SET gone = 1 WHERE id = ?", unit.id);
    });
  }

  #jobFor(
    ref: SourceRef,
    unit: StoredFile | undefined,
    how: { moved: boolean; durable: boolean; used: ReadonlySet<string> },
  ): IngestJob {
    const fresh = (): string => this.#pageFor(ref, how.used);
    const job: IngestJob = {
      ...{ want: "ingest", ref, bytes: ref.size, page: unit?.page ?? fresh(), otherwise: how.moved ? fresh() : null },
      ...{ cursor: null, print: null, saved: null, resting: null, tail: [], drift: null, durable: how.durable },
    };
    const row =
      unit && this.#store.get("SELECT cursor, print, saved, tail, drift, resting FROM memory WHERE unit = ?", unit.id);
    if (!unit || typeof row?.["cursor"] !== "string" || !isStream(ref) || this.#options.full === true) return job;
    // A file that was touched and did not grow was perhaps changed within: it is compared from its start.
    if (!how.moved && !unit.gone && ref.stamp === undefined && ref.size <= unit.ref.size) return job;
    job.cursor = parseRow(row["cursor"]) as IngestJob["cursor"];
    job.print = parseRow(row["print"]) as Fingerprint | null;
    job.saved = savedState(this.#store, unit.id, row["saved"]);
    job.tail = parseRow(row["tail"]) as Entry[];
    job.resting = parseRow(row["resting"]) as RestingPage | null;
    job.drift = (parseRow(row["drift"]) as Drift[])[1] ?? null;
    job.bytes = Math.max(0, ref.size - (job.cursor?.offset ?? 0));
    return job;
  }

  /** True when the rows of the file's session say all it held so far, and what is added to it changes no other session. */
  #stands(unit: number): boolean {
    return this.#store.get("SELECT 1 FROM unit WHERE id = ? AND stale = 0 AND alone = 1", unit) !== undefined;
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
    // Pages are named within the home, so that a home may be moved; whoever opens them needs the whole path.
    const jobs = orders.map(({ job }) => ({
      ...job,
      page: join(home, job.page),
      otherwise: job.otherwise === null ? null : join(home, job.otherwise),
    }));
    let full: DiskFullError | null = null;
    await runJobs(jobs, {
      here: ingestHere,
      onlyHere: isOwn,
      lost: (error) => ({ error }),
      each: (result: IngestResult, index) => {
        const order = orders[index];
        if (!order) return;
        if (result.full) full = new DiskFullError(...result.full);
        else if (!result.done) this.#report.unreadable.push(unreadable(order.job.ref, result.error));
        else this.#takeOrSay(order, result.done, result.growth ?? null);
        reading.done(order);
        this.#unsettled += order.job.bytes;
        if (this.#unsettled >= STEP && reading.readable()?.days !== this.#readable?.days) this.#settle(reading);
      },
      progress: onProgress && ((done) => onProgress({ ...done, readable: this.#readable })),
      inOrder: true,
      signal,
    });
    this.#store.commit();
    if (full) throw full as DiskFullError;
  }

  /** What cannot be booked of one file is read again the next time, and does not keep the others from being booked. */
  #takeOrSay(order: Task, done: Ingested, growth: Growth | null): void {
    try {
      this.#take(order, done, growth);
    } catch (error) {
      if (!isLocal(error)) throw error;
      const { source, path, key = "" } = order.job.ref;
      this.#store.batched(() => {
        const unseen = "UPDATE unit SET size = 0, mtime = 0, stamp = '', stale = 1";
        this.#store.run(`${unseen} WHERE source = ? AND path = ? AND key = ?`, source, path, key);
        // From its start: the cursor may stand behind what was not booked.
        const units = "SELECT id FROM unit WHERE source = ? AND path = ? AND key = ?";
        this.#store.run(`UPDATE memory SET cursor = NULL WHERE unit IN (${units})`, source, path, key);
      });
      this.#report.unreadable.push(unreadable(order.job.ref, messageOf(error)));
    }
  }

  /** Books what a thread read. */
  #take({ job: { ref }, unit }: Task, done: Ingested, growth: Growth | null): void {
    if (this.#forgotten.has(ref.source, done.session_id)) return this.#refuse(ref, done);
    const page = relative(this.#options.home, done.page).split(sep).join("/");
    this.#store.batched(() => {
      // Before its own row says that it changed.
      const stands = growth !== null && unit !== undefined && this.#stands(unit.id);
      const isOther = unit !== undefined && unit.page !== page;
      // A page of an earlier telling stays a part of the session, under no living file. A suspected move that was none
      // leaves the other file's row alone.
      if (isOther && refKey(unit.ref) === refKey(ref))
        this.#store.run("UPDATE unit SET gone = 2, stale = 1 WHERE id = ?", unit.id);
      const id = writeUnit(this.#store, ref, { ...done, page }, isOther ? undefined : unit);
      this.#report.files_read++;
      this.#report.entries += done.entries;
      this.#report.bytes_read += done.bytes_read;
      this.#report.rows_written += 1 + writeDocs(this.#store, id, done.docs, done.whole);
      const { identities, drift } = done;
      if (stands) this.#grown.push({ ...growth, unit: id, identities, drift: drift[0] });
    });
    // This thread has time while others read; what is done now need not be done at the end.
    this.#fresh.push(`${ref.source}/${done.session_id}`);
    this.#met.add(`${ref.source}/${done.session_id}`);
    if (this.#fresh.length < EARLY) return;
    const [fresh, grown] = [this.#fresh.splice(0), this.#grown.splice(0)];
    this.#note(refreshAlone(this.#store, fresh, this.#describe, this.#meter, grown));
  }

  /** Only inside it stood whose it is: a file of a session that was forgotten. */
  #refuse(ref: SourceRef, { page, session_id }: Ingested): void {
    removeAll(page);
    const known = this.#forgotten.all.find((one) => one.source === ref.source && one.session_id === session_id);
    if (known) addForgotten(this.#options.home, [{ ...known, files: [...known.files, fileName(ref)] }]);
  }

  #note({ rows, sessions, failed }: Refreshed): void {
    this.#report.rows_written += rows;
    this.#report.sessions_refreshed += sessions;
    this.#report.unreadable.push(...failed);
  }
}

/** A file to be read, and what is known of it. */
interface Task {
  job: IngestJob;
  unit: StoredFile | undefined;
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
