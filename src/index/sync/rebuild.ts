import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isLocal } from "../../base/errors.ts";
import {
  baseOf,
  generationOf,
  pageName,
  sideBaseOf,
  type PageHead,
  type PageState,
} from "../../book/pages/page-format.ts";
import { PageList } from "../../book/pages/page-list.ts";
import { DAMAGED, openPage, pageExists, readPage, scanLedger, type Page } from "../../book/pages/page-reader.ts";
import { recoverRows } from "../../book/pages/recover.ts";
import { removePage } from "../../book/pages/page.ts";
import { Forgotten } from "../../book/pages/forgotten.ts";
import { removePageFiles } from "./forget.ts";
import { sourceOf } from "../../book/reading/read-file.ts";
import type { Drift, Source, SourceRef } from "../../agents/contract.ts";
import { DraftBuilder } from "../../turns/builder.ts";
import { unitState } from "./ingest.ts";
import type { SessionDescriber } from "../tables/describe.ts";
import { refreshInput, refreshStale } from "./refresh.ts";
import { IndexStore, type StoredFile } from "../tables/index-store.ts";
import { mendTitles, restoreTitles, TITLES } from "../tables/titles.ts";
import { writeDocs } from "../tables/doc-rows.ts";
import { writeFileRow } from "../tables/file-rows.ts";
import { SegmentBuilder } from "../words/segment-builder.ts";
import { tidySegments } from "../words/write-segments.ts";
import { DocPacker, SCRATCH } from "../search/doc-pack.ts";
import { lostInstructions } from "../search/instructions.ts";

export interface RebuildResult {
  pages: number;
  rows: number;
  /** Pages that are damaged. */
  damaged: DamagedPage[];
}

/** What the book has lost of one native file. */
export interface DamagedPage {
  page: string;
  /** Null when the page's header is damaged too. */
  source: string | null;
  session_id: string | null;
  path: string | null;
  /** Lines of the file that cannot be read any more, as first and last. */
  lines: [number, number][];
  /** Written by a later version, and left alone. */
  newer: boolean;
}

const NO_DRIFT: Drift = { versions: {}, unknownTypes: {}, unknownFields: {} };

/** Creates an index where there is no usable one, from the book if it has any pages. */
export function buildIndex(
  home: string,
  describe: SessionDescriber,
  { beat, isUnfinished }: { beat: () => void; isUnfinished: boolean },
): RebuildResult {
  const store = IndexStore.create(home);
  store.beat = beat;
  try {
    const out = rebuild(store, home, { isUnfinished });
    store.setMeta("naming", describe.naming);
    out.rows += refreshStale(store, refreshInput(describe)).rows;
    store.publish();
    return out;
  } catch (error) {
    store.abandon();
    throw error;
  }
}

export interface RebuildOptions {
  /** Read and check every page. */
  verify?: boolean | undefined;
  /** The last sync was interrupted: its pages may end with what was not finished. */
  isUnfinished?: boolean;
}

/**
 * Adds every page of the book that the index lacks: all of them after the index was lost, those of the last batch after
 * a crash. Native files are not needed; one that changed meanwhile is read from its start, because a page does not
 * store the reader's cursor.
 */
export function rebuild(store: IndexStore, home: string, options: RebuildOptions = {}): RebuildResult {
  const { verify = false, isUnfinished = false } = options;
  const out: RebuildResult = { pages: 0, rows: 0, damaged: [] };
  const known = new Map(store.files().map((file) => [file.page, file]));
  if (known.size === 0) store.batched(() => restoreTitles(store, home));
  const forgotten = new Forgotten(home);
  const newest = new Map<string, number>();
  const heads: { page: string; owner: string }[] = [];
  const recovered = new Set<string>();
  /** The index is an older one than the book. */
  let isBehind = false;
  const list = new PageList(home);
  const present = new Map<string, PageHead>();
  for (const name of allPages(home, [...list.heads.keys(), ...known.keys()])) {
    const base = join(home, name);
    const file = known.get(name);
    const listed = list.heads.get(name) ?? null;
    const state = scanLedger(base);
    const lost = isUnfinished ? null : cutPage(base, name, state, listed);
    const cut = lost ?? (isUnfinished ? null : otherPage(name, state, { listed, file }));
    const isRecovered = listed !== null && lost !== null && !existsSync(listed.path);
    isBehind ||= !isUnfinished && file !== undefined && file.lines < state.commit.line;
    if (isRecovered) recoverRows(base, listed);
    if (!pageExists(base)) {
      if (cut) out.damaged.push(cut);
      if (cut && file) store.batched(() => store.run(LOOKS_CHANGED, file.id));
      continue;
    }
    const page = isRecovered ? readPage(base) : openPage(base, state);
    if (isRecovered) recovered.add(name);
    const { head, newer } = page.state;
    const source = head && knownSource(head.source);
    if (head) present.set(name, head);
    const isSuspect = newer || !head || verify || page.state.damage.length > 0;
    const damage = cut ?? (isSuspect ? damageOf(page, name) : null);
    if (damage) out.damaged.push(damage);
    if (!head || !source || newer) continue;
    if (forgotten.has(head.source, head.session_id) || forgotten.hasFile(head)) {
      removePageFiles(base);
      present.delete(name);
      continue;
    }
    const owner = `${head.source}\t${head.path}\t${head.key}`;
    heads.push({ page: name, owner });
    newest.set(owner, Math.max(newest.get(owner) ?? 0, generationOf(name)));
    if (file && isKnown(file, page.state) && !damage) continue;
    out.pages++;
    const isCut = cut !== null && !isRecovered;
    const taken = store.batched(() => takeOrReport(store, source, { page, name, file, isCut }));
    out.rows += taken.rows;
    if (taken.failed)
      out.damaged.push({ page: name, source: head.source, session_id: null, path: null, lines: [], newer: false });
    if (taken.isDamaged && !damage) out.damaged.push(...[damageOf(page, name)].filter((one) => one !== null));
  }
  // Pages that are not listed: the list lost rows, or somebody put them there.
  const isCut =
    !isUnfinished && known.size + list.heads.size > 0 && [...present.keys()].some((page) => !list.heads.has(page));
  if (list.isDamaged || isCut) out.damaged.push({ ...NOTHING_KNOWN, page: PageList.path });
  if (list.isDamaged) list.replace(present);
  else list.add(present);
  if (verify) out.damaged.push(...dropDamagedSides(home), ...readInstructionsAgain(store));
  if (isBehind) out.damaged.push({ ...NOTHING_KNOWN, page: INDEX });
  if (verify && mendTitles(store, home)) out.damaged.push({ ...NOTHING_KNOWN, page: TITLES });
  store.batched(() => {
    for (const { page, owner } of heads) {
      if (generationOf(page) < (newest.get(owner) ?? 0)) store.run("UPDATE file SET gone = 2 WHERE page = ?", page);
    }
    tidySegments(store);
  });
  store.commit();
  // What was mended is said once; what is lost, or waits for a file to be read again, with every answer.
  const isMended = ({ page }: DamagedPage): boolean => recovered.has(page) || MENDED.has(page);
  store.setMeta("damaged_pages", JSON.stringify(out.damaged.filter((one) => !isMended(one))));
  return out;
}

const INDEX = "index.db";
/** Written anew from the rest of the book. */
const MENDED: ReadonlySet<string> = new Set([PageList.path, TITLES, INDEX]);

const NOTHING_KNOWN: DamagedPage = { page: "", source: null, session_id: null, path: null, lines: [], newer: false };

/** A file whose page is lost must look changed, so that it is read again if it is still there. */
const LOOKS_CHANGED = "UPDATE file SET size = 0, mtime = 0, stamp = '' WHERE id = ?";

/** Those with a ledger, and those that book or index name. */
function allPages(home: string, named: readonly string[]): string[] {
  const found = pagesOf(join(home, "book")).map((base) => pageName(home, base));
  return [...new Set([...found, ...named])].toSorted();
}

/**
 * A whole page that is not the one that was written here: an older copy, which has other lines than the index read from
 * it, or the page of another session. Null if it is.
 */
function otherPage(
  name: string,
  { head, commit, newer, ledgerBytes, uncovered }: PageState,
  { listed, file }: { listed: PageHead | null; file: StoredFile | undefined },
): DamagedPage | null {
  if (newer || !head || ledgerBytes === 0) return null;
  // A file that moves keeps its session's id; its header may state another id than its path.
  const isOther = listed !== null && listed.session_id !== head.session_id && listed.path !== head.path;
  const isOlder = file !== undefined && file.lines > (uncovered ?? commit.line);
  const { source, session_id, path } = listed ?? head;
  return isOther || isOlder ? { ...NOTHING_KNOWN, page: name, source, session_id, path } : null;
}

/**
 * A page that lost its ledger or the end of it: the book lists it, its log holds more than the ledger says, or no commit
 * follows its last rows. Null if it is whole. An interrupted sync leaves such pages too, and reads their files again.
 */
function cutPage(base: string, name: string, state: PageState, listed: PageHead | null): DamagedPage | null {
  const { head, beyond, newer, commit, ledgerBytes, uncovered } = state;
  // Earlier versions did not count rows, and may have left more in a log than they committed.
  const isCounted = commit.rows !== undefined || ledgerBytes === 0;
  if (newer || (pageExists(base) && uncovered === null && !(beyond && isCounted))) return null;
  const { source = null, session_id = null, path = null } = head ?? listed ?? {};
  return { ...NOTHING_KNOWN, page: name, source, session_id, path };
}

/** Side pages are derived: a damaged one is reported, deleted, and rebuilt when needed. */
function dropDamagedSides(home: string): DamagedPage[] {
  return sidePagesOf(join(home, "book")).flatMap((base) => {
    const page = pageName(home, base);
    const damage = pageExists(base) ? damageOf(readPage(base), page) : { ...NOTHING_KNOWN, page };
    if (!damage) return [];
    removePage(base);
    return [damage];
  });
}

/** Files that state a lost instruction text must look changed, so that it is read again if they are still there. */
function readInstructionsAgain(store: IndexStore): DamagedPage[] {
  return lostInstructions(store).map(({ path, files }) => {
    store.batched(() => {
      for (const file of files) {
        store.run(LOOKS_CHANGED, file);
        // From its start: what follows need not state the text again.
        store.run("UPDATE read_state SET cursor = NULL, print = NULL WHERE file = ?", file);
      }
    });
    return { ...NOTHING_KNOWN, page: path };
  });
}

/** Null when the page is intact. Reads all of it. */
function damageOf(page: Page, name: string): DamagedPage | null {
  const { head, damage, newer, ledgerBytes } = page.state;
  const lines: [number, number][] = [];
  for (const { entry } of newer ? [] : page.placed()) {
    if (entry.reason !== DAMAGED) continue;
    const last = lines.at(-1);
    if (last && entry.line === last[1] + 1) last[1] = entry.line;
    else lines.push([entry.line, entry.line]);
  }
  // A page without any commit was left by a crash during its first read.
  const isUnfinished = ledgerBytes === 0 && damage.length === 0;
  if (isUnfinished || (head && !newer && damage.length === 0 && lines.length === 0)) return null;
  const { source = null, session_id = null, path = null } = head ?? {};
  return { page: name, source, session_id, path, lines, newer };
}

/** True when the index row matches the page's last commit. */
function isKnown(file: StoredFile, { commit }: PageState): boolean {
  const { size, mtimeMs, stamp = "" } = file.ref;
  const { seen } = commit;
  return file.lines === commit.line && seen?.size === size && seen.mtime === mtimeMs && seen.stamp === stamp;
}

function takePage(
  store: IndexStore,
  source: Source,
  at: { page: Page; name: string; file: StoredFile | undefined; isCut: boolean },
): PageResult {
  const { head, commit, damage, uncovered } = at.page.state;
  if (!head) return { rows: 0, isDamaged: false };
  const { drift = NO_DRIFT } = commit.seen ?? {};
  const seen = at.isCut || damage.length > 0 || uncovered !== null ? null : commit.seen;
  const ref: SourceRef = {
    source: head.source,
    path: head.path,
    ...(head.key === "" ? {} : { key: head.key }),
    // A file whose read was interrupted or damaged must look changed, so that it is read again.
    size: seen?.size ?? 0,
    mtimeMs: seen?.mtime ?? 0,
    container: head.container,
    ...(seen && seen.stamp !== "" ? { stamp: seen.stamp } : {}),
  };
  const builder = new DraftBuilder(ref, head.session_id, { ledger: false, toolDetail: true });
  const words = new SegmentBuilder();
  const docs = new DocPacker(join(store.home, at.name), words);
  let isDamaged = damage.length > 0;
  for (const { entry, places } of at.page.placed()) {
    isDamaged ||= entry.reason === DAMAGED;
    builder.push(entry);
    docs.take(entry, places);
  }
  // Damage in the log is known only now; as above.
  if (isDamaged) Object.assign(ref, { size: 0, mtimeMs: 0 });
  const lines = uncovered ?? commit.line;
  const tail = commit.tail.filter((entry) => entry.line > lines);
  const state = {
    ...unitState(source, ref, builder, tail),
    page: at.name,
    // Pages of the first version name none.
    reader: commit.seen?.reader ?? 0,
    lines,
    cursor: null,
    fingerprint: null,
    whole: true,
    resting: null,
    tail,
    drift: [drift, drift] as [Drift, Drift],
  };
  const texts = docs.finish(tail);
  words.finish();
  return { rows: 1 + writeDocs(store, writeFileRow(store, ref, state, at.file), texts, true), isDamaged };
}

interface PageResult {
  rows: number;
  isDamaged: boolean;
  /** The page could not be processed. */
  failed?: true;
}

/** One page that cannot be processed must not keep the rest of the book from being read. */
function takeOrReport(store: IndexStore, source: Source, at: Parameters<typeof takePage>[2]): PageResult {
  try {
    return takePage(store, source, at);
  } catch (error) {
    if (!isLocal(error)) throw error;
    return { rows: 0, isDamaged: false, failed: true };
  }
}

/** Null for an agent that this version does not know: its pages are left for a version that does. */
function knownSource(id: string): Source | null {
  try {
    return sourceOf({ source: id, path: "", size: 0, mtimeMs: 0, container: "jsonl" });
  } catch {
    return null;
  }
}

function sidePagesOf(dir: string): string[] {
  if (!existsSync(dir)) return [];
  const files = readdirSync(dir, { withFileTypes: true, recursive: true }).filter((entry) => entry.isFile());
  // A log without a ledger has lost it.
  const bases = files.flatMap(({ parentPath, name }) => sideBaseOf(join(parentPath, name)) ?? []);
  return [...new Set(bases)].toSorted();
}

/** All pages of the book. Deletes scratch files of interrupted syncs. */
function pagesOf(dir: string): string[] {
  if (!existsSync(dir)) return [];
  return readdirSync(dir, { withFileTypes: true })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(dir, entry.name);
      if (entry.isDirectory()) return pagesOf(path);
      // Left by a process that was killed.
      if (path.endsWith(SCRATCH)) rmSync(path, { force: true });
      return baseOf(path) ?? [];
    });
}
