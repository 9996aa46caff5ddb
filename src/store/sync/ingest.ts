import {
  ANEW,
  isFromOlderReader,
  nextGeneration,
  READER_VERSION,
  type PageHead,
  type PageState,
} from "../pages/page-format.ts";
import { ClosedPage, movePage, PageWriter, removePage, type RestingPage } from "../pages/page.ts";
import { pageExists, readPage, type Page, type Placed } from "../pages/page-reader.ts";
import type { ReadMeter } from "../../io/bytes.ts";
import type { Job } from "../../reading/pool.ts";
import { addDrift, withoutDrift } from "../../reading/drift.ts";
import { sourceOf } from "../../reading/read-file.ts";
import type { Cursor, Diagnostic, Drift, Entry, Reading, Source, SourceRef } from "../../sources/contract.ts";
import { DraftBuilder, type BuilderAtRest } from "../../turns/builder.ts";
import type { ChildLink, DraftChanges, SessionMeta } from "../../turns/model.ts";
import { packState, wakeState, type PackedState } from "../tables/packed-state.ts";
import { isContinued, isStream, fingerprintOf, type Fingerprint } from "./fingerprint.ts";
import { DiskFullError } from "../../io/disk.ts";
import { DamagedIndex } from "../tables/damaged-index.ts";
import { DocPacker, type DocPacks } from "../search/doc-pack.ts";

/** Read what is new of one file into its page. Runs in any thread; touches no database. */
export interface IngestOrder {
  ref: SourceRef;
  /** Path of the page without its endings. */
  page: string;
  /** Set when the file may be one that was known under another path: the page it gets when it is not. */
  otherwise: string | null;
  cursor: Cursor | null;
  print: Fingerprint | null;
  /** The turn builder at rest. */
  saved: PackedState | null;
  /** The page as it was left. */
  resting: RestingPage | null;
  /** What was uncertain after that, and is read again. */
  tail: Entry[];
  /** Drift of the lines that are certain. */
  drift: Drift | null;
  durable: boolean;
}

/** Everything the index keeps of a file besides its words. */
export interface StoredFileState {
  page: string;
  session_id: string;
  /** Lines that are certain. */
  lines: number;
  cursor: Cursor | null;
  print: Fingerprint | null;
  /** The builder, with those of its pieces that are new; all there are when the file was read from its start. */
  saved: PackedState;
  whole: boolean;
  resting: RestingPage | null;
  tail: Entry[];
  /** Of the whole file, and of the lines that are certain: the others will be read, and counted, again. */
  drift: [whole: Drift, certain: Drift];
  problems: Diagnostic[];
  /** Sessions this one names as parent, child or origin, as keys. */
  links: string[];
  identities: string[];
}

export interface Ingested extends StoredFileState {
  /** Those that are new; all there are when the file was read from its start. */
  docs: DocPacks;
  entries: number;
  bytes_read: number;
}

export type IngestJob = Job & IngestOrder & { want: "ingest" };

/** Failures are values: one unreadable file stops nothing. */
export interface IngestResult {
  done?: Ingested;
  /** Where the file went on. Only within a thread. */
  growth?: Growth | null;
  error?: string;
  /** The disk that the book is on has no room for it: path and bytes wanted. */
  full?: [path: string, bytes: number | null];
}

/** What became of a file that went on where it was left. */
export interface Growth {
  /** Still awake, with the uncertain tail. */
  builder: DraftBuilder;
  /** What the tail of the last reading had changed; null when there was none. */
  void: DraftChanges | null;
}

export function ingestHere(job: IngestJob): IngestResult {
  try {
    return ingest(sourceOf(job.ref), job);
  } catch (error) {
    const result = { error: error instanceof Error ? error.message : String(error) };
    return error instanceof DiskFullError ? { ...result, full: [error.path ?? "", error.bytes] } : result;
  }
}

/** The same where the result is handed to another thread. */
export function ingestJob(job: IngestJob): Omit<IngestResult, "growth"> {
  const { growth: _, ...result } = ingestHere(job);
  return result;
}

/** Files above this are kept compressed: `jq` reads the small ones, `daybook export` all. */
export const LARGE: number = 256 * 1024;
const COMMIT_EVERY = 20_000;
const NO_DRIFT: Drift = { versions: {}, unknownTypes: {}, unknownFields: {} };

type Finished = Required<Pick<IngestResult, "done" | "growth">>;

function ingest(source: Source, order: IngestOrder): Finished {
  const { ref, cursor, saved, print, otherwise } = order;
  const meter: ReadMeter = { bytes: 0, opens: 0 };
  let page = otherwise ?? order.page;
  const known = cursor !== null && saved !== null && print !== null && pageExists(order.page);
  if (known && isContinued(ref, print, otherwise !== null, meter)) {
    page = order.page;
    const pass = openPass(source, order, page, meter);
    const rest = wakeState(saved);
    // A crash may have left page and index at different lines; then the file decides, read from its start.
    const done = pass?.line === cursor.line && rest ? goOn(pass, cursor, rest) : pass?.close();
    if (done) return done;
  }
  // What is damaged stays as it is, and what the file still holds is written on a page beside it.
  let found = readPage(page);
  const next = (): void => void (found = readPage((page = nextGeneration(page))));
  while (isDamaged(found.state)) next();
  if (cursor === null && isStream(ref) && isFromOlderReader(found.state.commit)) {
    const done = readAnew(source, order, page, found, meter);
    if (done) return done;
  }
  for (; ; next()) {
    const done = new Pass(source, order, page, meter, found.state).whole();
    if (done) return done;
  }
}

/** Null when what the index kept of the file cannot be read: then too the file decides. */
function goOn(pass: Pass, cursor: Cursor, rest: BuilderAtRest): Finished | null {
  try {
    return pass.goOn(cursor, rest);
  } catch (error) {
    if (error instanceof DamagedIndex) return null;
    throw error;
  }
}

/** Null when the page is damaged. */
function openPass(source: Source, order: IngestOrder, page: string, meter: ReadMeter): Pass | null {
  try {
    return new Pass(source, order, page, meter);
  } catch (error) {
    if (error instanceof ClosedPage) return null;
    throw error;
  }
}

function isDamaged({ damage, newer }: PageState): boolean {
  return damage.length > 0 && !newer;
}

/**
 * What an older reader wrote of a file that still holds all of it is replaced by what is read now: beside it, its mistakes would
 * look like something the file has lost. Null when the file is not what was read then.
 */
function readAnew(source: Source, order: IngestOrder, page: string, older: Page, meter: ReadMeter): Finished | null {
  const fresh = page + ANEW;
  removePage(fresh);
  const result = new Pass(source, order, fresh, meter).beside(older);
  if (result) movePage(fresh, page);
  else removePage(fresh);
  return result && { ...result, done: { ...result.done, page } };
}

/** One reading of a file onto one page. */
class Pass {
  readonly #source: Source;
  readonly #order: IngestOrder;
  readonly #base: string;
  readonly #page: PageWriter;
  readonly #head: Omit<PageHead, "first">;
  readonly #meter: ReadMeter;
  readonly #docs: DocPacker;
  readonly #tail: Entry[] = [];
  #entries = 0;

  constructor(source: Source, order: IngestOrder, base: string, meter: ReadMeter, state: PageState | null = null) {
    this.#source = source;
    this.#order = order;
    this.#base = base;
    this.#docs = new DocPacker(base);
    this.#meter = meter;
    this.#head = headOf(order.ref, source.sessionId(order.ref));
    const resting = base === order.page ? order.resting : null;
    this.#page = new PageWriter(base, this.#head, order.ref.size > LARGE, resting, state);
  }

  get line(): number {
    return this.#page.line;
  }

  close(): void {
    this.#page.close();
    this.#docs.close();
  }

  goOn(cursor: Cursor, rest: BuilderAtRest): Finished {
    try {
      const reading = this.#read(cursor);
      const builder = this.#builder(rest);
      for (const entry of reading) this.#take(builder, entry);
      return { done: this.#finish(builder, reading, false), growth: { builder, void: this.#void(this.#order.saved) } };
    } finally {
      this.close();
    }
  }

  /**
   * Reads the file from its start beside what the page holds of it. The page goes on where the two agree; a row of a store
   * that changed in place is written again. Null when they say different things: the file then gets a page of its own.
   */
  whole(): Finished | null {
    try {
      const reading = this.#read(null);
      const builder = this.#builder();
      const rows = this.#page.committed()[Symbol.iterator]();
      for (const entry of reading) {
        const before = entry.tentative || this.#tail.length > 0 ? undefined : rows.next();
        if (!before || before.done === true) this.#take(builder, entry);
        else if (!this.#agree(before.value, entry, builder)) return this.#abandon();
      }
      if (rows.next().done !== true) return this.#abandon();
      return { done: this.#finish(builder, reading, true), growth: null };
    } finally {
      this.close();
    }
  }

  /** Reads the file from its start onto a new page. Null when it is not the one the other page was made of. */
  beside(other: Page): Finished | null {
    try {
      const reading = this.#read(null);
      const builder = this.#builder();
      const rows = other.placed()[Symbol.iterator]();
      for (const entry of reading) {
        const before = rows.next();
        if (before.done !== true && !isSameLine(before.value.entry, entry)) return null;
        this.#take(builder, entry);
      }
      if (rows.next().done !== true) return null;
      return { done: this.#finish(builder, reading, true), growth: null };
    } finally {
      this.close();
    }
  }

  #agree(before: Placed, read: Entry, builder: DraftBuilder): boolean {
    const entry = this.#docs.lighten(read);
    let { places } = before;
    if (!isEqual(before.entry, entry)) {
      if (isStream(this.#order.ref) || !isSameRow(before.entry, entry)) return false;
      places = this.#page.add(entry);
    }
    this.#entries++;
    builder.push(entry);
    this.#docs.take(entry, places);
    return true;
  }

  #abandon(): null {
    this.#page.takeBack();
    return null;
  }

  #read(cursor: Cursor | null): Reading {
    return this.#source.read(this.#order.ref, cursor, { detail: "full", meter: this.#meter });
  }

  #builder(rest?: BuilderAtRest): DraftBuilder {
    return new DraftBuilder(this.#order.ref, this.#head.session_id, { ledger: false, toolDetail: true }, rest);
  }

  /** What the last reading's tail did to what lay at rest before it: the rows still say it. */
  #void(saved: PackedState | null): DraftChanges | null {
    const { tail } = this.#order;
    const rest = tail.length === 0 || saved === null ? null : wakeState(saved);
    if (!rest) return null;
    const builder = this.#builder(rest);
    for (const entry of tail) builder.push(entry);
    return builder.changes(NO_DRIFT);
  }

  #take(builder: DraftBuilder, read: Entry): void {
    const entry = this.#docs.lighten(read);
    this.#entries++;
    // The cursor stays before the first uncertain entry, so what follows it will be read again too.
    if (entry.tentative || this.#tail.length > 0) {
      this.#tail.push(entry);
      return;
    }
    builder.push(entry);
    this.#docs.take(entry, this.#page.add(entry));
    if (this.#entries % COMMIT_EVERY === 0)
      this.#page.commit({ line: entry.line, offset: entry.offset + entry.bytes + 1 });
  }

  #finish(builder: DraftBuilder, reading: Reading, whole: boolean): Ingested {
    const { ref, durable } = this.#order;
    const cursor = reading.cursor();
    const before = whole || this.#order.drift === null ? [] : [this.#order.drift];
    const drift = addDrift([reading.drift(), ...before]);
    const seen = { reader: READER_VERSION, size: ref.size, mtime: ref.mtimeMs, stamp: ref.stamp ?? "", drift };
    this.#page.commit(cursor, { tail: this.#tail, durable, seen });
    return {
      ...unitState(this.#source, ref, builder, this.#tail),
      page: this.#base,
      lines: cursor.line,
      cursor,
      print: fingerprintOf(ref, cursor.offset, this.#meter),
      tail: this.#tail,
      drift: [drift, this.#tail.length === 0 ? drift : withoutDrift(drift, this.#driftAfter(cursor))],
      resting: this.#page.rest(),
      docs: this.#docs.finish(this.#tail),
      whole,
      entries: this.#entries,
      bytes_read: this.#meter.bytes,
    };
  }

  /** The tail alone, read once more: a reading counts what it saw, certain or not. */
  #driftAfter(cursor: Cursor): Drift {
    const reading = this.#read(cursor);
    for (const entry of reading) void entry;
    return reading.drift();
  }
}

/**
 * What a builder says about its file, and the builder at rest. The tail is pushed into it after that: who belongs together must be
 * known before it is certain.
 */
export function unitState(
  source: Source,
  ref: SourceRef,
  builder: DraftBuilder,
  tail: readonly Entry[],
): Pick<StoredFileState, "session_id" | "saved" | "problems" | "links" | "identities"> {
  const saved = packState(builder);
  for (const entry of tail) builder.push(entry);
  const { session_id, diagnostics, ...whole } = builder.summary;
  return {
    session_id,
    saved,
    problems: diagnostics.filter(({ code }) => code !== "line_torn"),
    links: linksOf(whole, ref.source),
    identities: source.capabilities.globalIdentities ? builder.identities() : [],
  };
}

export function headOf(ref: SourceRef, sessionId: string): Omit<PageHead, "first"> {
  const { source, path, container, key = "" } = ref;
  return { source, path, key, container, session_id: sessionId };
}

function linksOf(rest: { children: ChildLink[]; meta: SessionMeta }, source: string): string[] {
  const keys = rest.children.map((link) => `${link.child.source}/${link.child.session_id}`);
  if (rest.meta.parent) keys.push(`${rest.meta.parent.source}/${rest.meta.parent.session_id}`);
  if (rest.meta.forked_from !== null) keys.push(`${source}/${rest.meta.forked_from}`);
  if (rest.meta.copy_of) keys.push(`${rest.meta.copy_of.source}/${rest.meta.copy_of.session_id}`);
  return [...new Set(keys)];
}

function isEqual(a: Entry, b: Entry): boolean {
  return (
    a.line === b.line &&
    a.bytes === b.bytes &&
    a.class === b.class &&
    a.reason === b.reason &&
    a.native === b.native &&
    a.time === b.time &&
    a.position === b.position &&
    a.turnId === b.turnId &&
    a.identity === b.identity &&
    JSON.stringify(a.records) === JSON.stringify(b.records)
  );
}

/** The same row of a store, whatever it says by now. */
function isSameRow(a: Entry, b: Entry): boolean {
  return a.line === b.line && a.native === b.native && a.identity === b.identity;
}

/** The same line of a file, whatever it was taken for. */
function isSameLine(a: Entry, b: Entry): boolean {
  return a.line === b.line && a.bytes === b.bytes && a.time === b.time;
}
