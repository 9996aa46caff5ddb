import {
  ANEW,
  isFromOlderReader,
  nextGeneration,
  type PageHead,
  type PageState,
} from "../../book/pages/page-format.ts";
import { ClosedPageError, movePage, PageWriter, removePage, type RestingPage } from "../../book/pages/page.ts";
import { pageExists, readPage, type Page, type PlacedEntry } from "../../book/pages/page-reader.ts";
import type { ReadMeter } from "../../base/io/bytes.ts";
import { readerVersion } from "../../stored-versions.ts";
import type { Job } from "../../book/reading/pool.ts";
import { addDrift, withoutDrift } from "../../book/reading/drift.ts";
import { sourceOf } from "../../book/reading/read-file.ts";
import type { Cursor, Diagnostic, Drift, Entry, Reading, Source, SourceRef } from "../../agents/contract.ts";
import { DraftBuilder, type StoredBuilder } from "../../turns/builder.ts";
import type { ChildLink, DraftChanges, FileDraft, SessionMeta } from "../../turns/model.ts";
import { packState, wakeState, type PackedState } from "../tables/packed-state.ts";
import { draftSession, type DraftedSession, type RowContext } from "./drafted-session.ts";
import { EarlyFacts } from "./early-facts.ts";
import { isContinued, isStream, fingerprintOf, type Fingerprint } from "./fingerprint.ts";
import { DiskFullError } from "../../base/io/disk.ts";
import { DamagedIndex } from "../tables/damaged-index.ts";
import { DocPacker, type DocPacks } from "../search/doc-pack.ts";
import { SegmentBuilder } from "../words/segment-builder.ts";
import { sessionKey, keyOfSession } from "../../record/session-key.ts";

/** Reads what is new in one file into its page. Runs in any thread; does not use the database. */
export interface IngestOrder {
  ref: SourceRef;
  /** Path of the page without its suffixes. */
  page: string;
  /** Set when the file may be one that was known under another path: the page to use if it is not. */
  otherwise: string | null;
  cursor: Cursor | null;
  fingerprint: Fingerprint | null;
  /** The turn builder's saved state. */
  saved: PackedState | null;
  /** State of the page after its last commit. */
  resting: RestingPage | null;
  /** Entries that were tentative and are read again. */
  tail: Entry[];
  /** Drift of the certain lines. */
  drift: Drift | null;
  durable: boolean;
  /** What the rows of its session need; null if the file is known, or rows are not wanted. */
  rows: RowContext | null;
}

/** Everything the index stores about a file except its texts. */
export interface StoredFileState {
  page: string;
  /** Version of the reader that wrote the page. */
  reader: number;
  session_id: string;
  /** Number of certain lines. */
  lines: number;
  cursor: Cursor | null;
  fingerprint: Fingerprint | null;
  /** The builder's state with the pieces that are new; with all pieces when the file was read from its start. */
  saved: PackedState;
  whole: boolean;
  resting: RestingPage | null;
  tail: Entry[];
  /** Of the whole file, and of the certain lines only: the others will be read, and counted, again. */
  drift: [whole: Drift, certain: Drift];
  problems: Diagnostic[];
  /** Keys of the sessions that this one names as parent, child or origin. */
  links: string[];
  identities: string[];
}

export interface IngestedFile extends StoredFileState {
  /** The new texts; all texts when the file was read from its start. */
  docs: DocPacks;
  /** What reports need of the records, packed; null where only the assembled session can tell. */
  facts: Uint8Array | null;
  /** The rows of its session, if the file alone decides them. */
  drafted: DraftedSession | null;
  entries: number;
  bytes_read: number;
}

export type IngestJob = Job & IngestOrder & { want: "ingest" };

/** Failures are values: one unreadable file does not stop the others. */
export interface IngestResult {
  done?: IngestedFile;
  /** Set when reading continued where it stopped. Only within a thread. */
  growth?: Growth | null;
  error?: string;
  /** The disk of the book is full: path, and bytes that were to be written. */
  full?: [path: string, bytes: number | null];
}

/** What became of a file whose reading continued where it stopped. */
export interface Growth {
  /** Still in memory, including the tentative tail. */
  builder: DraftBuilder;
  /** What the tail of the previous read had changed; null when there was no tail. */
  void: DraftChanges | null;
}

export function ingestHere(job: IngestJob): IngestResult {
  const words = new SegmentBuilder();
  const result = ingestInto(words, job);
  words.finish();
  return result;
}

function ingestInto(words: SegmentBuilder, job: IngestJob): IngestResult {
  try {
    return ingest(sourceOf(job.ref), job, words);
  } catch (error) {
    const result = { error: error instanceof Error ? error.message : String(error) };
    return error instanceof DiskFullError ? { ...result, full: [error.path ?? "", error.bytes] } : result;
  }
}

/** Like `ingestHere`, for results that are sent to another thread, together with the words once these are finished. */
export function ingestJob(job: IngestJob, words: SegmentBuilder): Omit<IngestResult, "growth"> {
  const { growth: _, ...result } = ingestInto(words, job);
  return result;
}

/** Larger files are stored compressed. In smaller ones it saves less than a page of the disk. */
export const LARGE: number = 8 * 1024;
const COMMIT_EVERY = 20_000;
const NO_DRIFT: Drift = { versions: {}, unknownTypes: {}, unknownFields: {} };

type IngestOutcome = Required<Pick<IngestResult, "done" | "growth">>;

function ingest(source: Source, order: IngestOrder, words: SegmentBuilder): IngestOutcome {
  const { ref, cursor, saved, fingerprint, otherwise } = order;
  const meter: ReadMeter = { bytes: 0, opens: 0 };
  let page = otherwise ?? order.page;
  const known = cursor !== null && saved !== null && fingerprint !== null && pageExists(order.page);
  if (known && isContinued(ref, fingerprint, otherwise !== null, meter)) {
    page = order.page;
    const pass = openPass(source, order, page, meter, words);
    const rest = wakeState(saved);
    // After a crash page and index may be at different lines: read the file from its start.
    const done = pass?.line === cursor.line && rest ? resume(pass, cursor, rest) : pass?.close();
    if (done) return done;
  }
  // A file that moved since an older reader read it: its page is replaced, as if it had stayed where it was.
  const moved = otherwise !== null && cursor === null && isStream(ref) ? readPage(order.page) : null;
  if (moved && !isDamaged(moved.state) && isFromOlderReader(moved.state.commit, ref.source)) {
    const done = readAnew(source, order, order.page, moved, meter, words);
    if (done) return done;
  }
  // Leave a damaged page as it is, and write what the file still contains to a new page.
  let found = readPage(page);
  const next = (): void => void (found = readPage((page = nextGeneration(page))));
  while (isDamaged(found.state)) next();
  if (cursor === null && isStream(ref) && isFromOlderReader(found.state.commit, ref.source)) {
    const done = readAnew(source, order, page, found, meter, words);
    if (done) return done;
  }
  for (; ; next()) {
    const done = new Pass(source, order, page, meter, words, found.state).readWhole();
    if (done) return done;
  }
}

/** Null when the saved state is damaged: then the file is read from its start as well. */
function resume(pass: Pass, cursor: Cursor, rest: StoredBuilder): IngestOutcome | null {
  try {
    return pass.resume(cursor, rest);
  } catch (error) {
    if (error instanceof DamagedIndex) return null;
    throw error;
  }
}

/** Null when the page is damaged. */
function openPass(
  source: Source,
  order: IngestOrder,
  page: string,
  meter: ReadMeter,
  words: SegmentBuilder,
): Pass | null {
  try {
    return new Pass(source, order, page, meter, words);
  } catch (error) {
    if (error instanceof ClosedPageError) return null;
    throw error;
  }
}

function isDamaged({ damage, newer }: PageState): boolean {
  return damage.length > 0 && !newer;
}

/**
 * Replaces a page of an older reader if the file still contains everything the page does: kept beside the new page, the
 * old reader's mistakes would look like content that the file has lost. Null when the file has changed.
 */
function readAnew(
  source: Source,
  order: IngestOrder,
  page: string,
  older: Page,
  meter: ReadMeter,
  words: SegmentBuilder,
): IngestOutcome | null {
  const fresh = page + ANEW;
  removePage(fresh);
  const result = new Pass(source, order, fresh, meter, words).readBeside(older);
  if (result) movePage(fresh, page);
  else removePage(fresh);
  return result && { ...result, done: { ...result.done, page } };
}

/** One pass over a file, written to one page. */
class Pass {
  readonly #source: Source;
  readonly #order: IngestOrder;
  readonly #base: string;
  readonly #page: PageWriter;
  readonly #head: Omit<PageHead, "first">;
  readonly #meter: ReadMeter;
  readonly #docs: DocPacker;
  readonly #tail: Entry[] = [];
  /** Only while a file is read from its start into a page that was empty. */
  #facts: EarlyFacts | null = null;
  #entries = 0;

  constructor(
    source: Source,
    order: IngestOrder,
    base: string,
    meter: ReadMeter,
    words: SegmentBuilder,
    state: PageState | null = null,
  ) {
    this.#source = source;
    this.#order = order;
    this.#base = base;
    this.#docs = new DocPacker(base, words);
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

  resume(cursor: Cursor, rest: StoredBuilder): IngestOutcome {
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
   * Reads the file from its start and compares it with the page. The page is extended where the two agree; a database
   * row that changed in place is written again. Null when they differ: the file then gets a new page.
   */
  readWhole(): IngestOutcome | null {
    try {
      const reading = this.#read(null);
      const builder = this.#builder();
      this.#facts = new EarlyFacts(this.#order.ref, builder);
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

  /** Reads the file from its start into a new page. Null when the other page was not made from this file. */
  readBeside(other: Page): IngestOutcome | null {
    try {
      const reading = this.#read(null);
      const builder = this.#builder();
      this.#facts = new EarlyFacts(this.#order.ref, builder);
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

  #agree(before: PlacedEntry, read: Entry, builder: DraftBuilder): boolean {
    const entry = this.#docs.stripInstructions(read);
    let { places } = before;
    if (!isEqual(before.entry, entry)) {
      if (isStream(this.#order.ref) || !isSameRow(before.entry, entry)) return false;
      places = this.#page.add(entry);
    }
    this.#entries++;
    this.#facts = null;
    builder.push(entry);
    this.#docs.take(entry, places);
    return true;
  }

  #abandon(): null {
    this.#page.discard();
    return null;
  }

  #read(cursor: Cursor | null): Reading {
    return this.#source.read(this.#order.ref, cursor, { detail: "full", meter: this.#meter });
  }

  #builder(rest?: StoredBuilder): DraftBuilder {
    return new DraftBuilder(this.#order.ref, this.#head.session_id, { ledger: false, toolDetail: true }, rest);
  }

  /** What the tail of the previous read changed in the saved state: the index rows still contain it. */
  #void(saved: PackedState | null): DraftChanges | null {
    const { tail } = this.#order;
    const rest = tail.length === 0 || saved === null ? null : wakeState(saved);
    if (!rest) return null;
    const builder = this.#builder(rest);
    for (const entry of tail) builder.push(entry);
    return builder.changes(NO_DRIFT);
  }

  #take(builder: DraftBuilder, read: Entry): void {
    const entry = this.#docs.stripInstructions(read);
    this.#entries++;
    // The cursor stays before the first tentative entry, so everything after it is read again too.
    if (entry.tentative || this.#tail.length > 0) {
      this.#tail.push(entry);
      return;
    }
    const owner = builder.push(entry);
    this.#facts?.take(entry, owner);
    this.#docs.take(entry, this.#page.add(entry));
    if (this.#entries % COMMIT_EVERY === 0)
      this.#page.commit({ line: entry.line, offset: entry.offset + entry.bytes + 1 });
  }

  #finish(builder: DraftBuilder, reading: Reading, whole: boolean): IngestedFile {
    const { ref, durable } = this.#order;
    const cursor = reading.cursor();
    const before = whole || this.#order.drift === null ? [] : [this.#order.drift];
    const drift = addDrift([reading.drift(), ...before]);
    const reader = readerVersion(ref.source);
    const seen = { reader, size: ref.size, mtime: ref.mtimeMs, stamp: ref.stamp ?? "", drift };
    this.#page.commit(cursor, { tail: this.#tail, durable, seen });
    const state = unitState(this.#source, ref, builder, this.#tail, this.#facts);
    const draft = this.#facts === null ? null : builder.finish(drift);
    return {
      ...state,
      page: this.#base,
      reader,
      lines: cursor.line,
      cursor,
      fingerprint: fingerprintOf(ref, cursor.offset, this.#meter),
      tail: this.#tail,
      drift: [drift, this.#tail.length === 0 ? drift : withoutDrift(drift, this.#driftAfter(cursor))],
      resting: this.#page.rest(),
      docs: this.#docs.finish(this.#tail),
      facts: draft && (this.#facts?.finish(draft.turns) ?? null),
      drafted: draft && this.#draftSession(draft, state.links),
      whole,
      entries: this.#entries,
      bytes_read: this.#meter.bytes,
    };
  }

  /** A session that names others is assembled together with them. */
  #draftSession(draft: FileDraft, links: readonly string[]): DraftedSession | null {
    const { rows, page } = this.#order;
    if (!rows || links.length > 0 || this.#base !== page) return null;
    return draftSession({ ...draft, page, gone: null }, rows);
  }

  /** Drift of the tail alone, which is read once more: a read counts everything it sees, certain or not. */
  #driftAfter(cursor: Cursor): Drift {
    const reading = this.#read(cursor);
    for (const entry of reading) void entry;
    return reading.drift();
  }
}

/**
 * What a builder knows about its file, and its saved state. The tail is pushed after saving: links between sessions
 * must be known even before they are certain.
 */
export function unitState(
  source: Source,
  ref: SourceRef,
  builder: DraftBuilder,
  tail: readonly Entry[],
  facts: EarlyFacts | null = null,
): Pick<StoredFileState, "session_id" | "saved" | "problems" | "links" | "identities"> {
  const saved = packState(builder);
  for (const entry of tail) {
    const owner = builder.push(entry);
    facts?.take(entry, owner);
  }
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
  const keys = rest.children.map((link) => sessionKey(link.child));
  if (rest.meta.parent) keys.push(sessionKey(rest.meta.parent));
  if (rest.meta.forked_from !== null) keys.push(keyOfSession(source, rest.meta.forked_from));
  if (rest.meta.copy_of) keys.push(sessionKey(rest.meta.copy_of));
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
    a.turnLine === b.turnLine &&
    a.identity === b.identity &&
    JSON.stringify(a.records) === JSON.stringify(b.records)
  );
}

/** The same row of a database, whatever its content is now. */
function isSameRow(a: Entry, b: Entry): boolean {
  return a.line === b.line && a.native === b.native && a.identity === b.identity;
}

/** The same line of a file, however it was classified. */
function isSameLine(a: Entry, b: Entry): boolean {
  return a.line === b.line && a.bytes === b.bytes && a.time === b.time;
}
