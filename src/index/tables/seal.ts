import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { reportDiskFull } from "../../base/io/disk.ts";
import { encodeSums, pageSumsOf, readSums, updatedSums, type PageSums } from "./page-sums.ts";
import { moveOver } from "../../base/io/move-over.ts";

/**
 * How Daybook left the index: its size and modification time, in a file beside it. SQLite notices a damaged structure
 * only when it happens to read it, and never a damaged value; the seal shows before any query that something else has
 * written to the file. A copy has another time; the sums of its pages show that it is one.
 */
function sealOf(index: string): string {
  return index.replace(/\.db$/, ".seal");
}

function sumsOf(index: string): string {
  return index.replace(/\.db$/, ".sums");
}

function fileStateOf(index: string): string {
  const file = statSync(index, { throwIfNoEntry: false });
  // Whole milliseconds: every copy that preserves times preserves that much.
  return file ? `${file.size} ${Math.round(file.mtimeMs)}` : "";
}

/** Content of the seal of an index that must not be trusted. */
const CONDEMNED = "damaged";
/** Content of the seal while Daybook is writing to the file, or after it was killed doing so. */
const OPEN = "open";

/** `broken`: something else wrote to the index since `seal`, or it is a copy. */
export type SealState = "whole" | "open" | "broken" | "condemned";

export function sealStateOf(index: string): SealState {
  try {
    const said = readFileSync(sealOf(index), "utf8");
    if (said === CONDEMNED) return "condemned";
    return said === OPEN ? "open" : said === fileStateOf(index) ? "whole" : "broken";
  } catch {
    return "broken";
  }
}

/** What was written to a sealed index: its pages before, and the numbers of those that were changed. */
export interface SealedChange {
  before: PageSums;
  pages: ReadonlySet<number>;
}

/**
 * Seals the index as intact. If the seal cannot be written, the index counts as broken and is rebuilt later. Without a
 * change to start from, all of the file is read.
 */
export function seal(index: string, change: SealedChange | null = null): void {
  // Repeat if another Daybook wrote between reading the state and writing the seal.
  for (let tries = 0; tries < 3 && sealStateOf(index) !== "whole"; tries++) {
    const state = fileStateOf(index);
    const known = tries === 0 ? change : null;
    const sums = tried(() => (known ? updatedSums(index, known.before, known.pages) : pageSumsOf(index)));
    // Written first: without the seal they are of no use.
    if (sums) writeWhole(sumsOf(index), encodeSums(state, sums));
    writeWhole(sealOf(index), state);
  }
}

/** Whether a broken seal is that of a copy: all pages are as they were sealed. Then the copy gets a seal of its own. */
export function sealCopy(index: string): boolean {
  const sealed = tried(() => readFileSync(sealOf(index), "utf8"));
  const known = sealed === null ? null : readSums(sumsOf(index), sealed);
  const state = fileStateOf(index);
  if (sealed === null || known === null || sealed.split(" ")[0] !== state.split(" ")[0]) return false;
  const found = tried(() => pageSumsOf(index));
  if (found === null || !Buffer.from(found.buffer).equals(Buffer.from(known.buffer))) return false;
  // Another Daybook may have sealed it meanwhile, perhaps in a later state.
  if (tried(() => readFileSync(sealOf(index), "utf8")) !== sealed) return sealStateOf(index) === "whole";
  writeWhole(sumsOf(index), encodeSums(state, found));
  writeWhole(sealOf(index), state);
  return true;
}

/** Records that Daybook is about to write to the file. Returns the sums of its pages until then, if it was sealed. */
export function breakSeal(index: string): PageSums | null {
  const before = sealStateOf(index) === "whole" ? readSums(sumsOf(index), fileStateOf(index)) : null;
  writeWhole(sealOf(index), OPEN);
  return before;
}

/** Records that the index must not be trusted. */
export function condemn(index: string): void {
  writeWhole(sealOf(index), CONDEMNED);
}

function writeWhole(path: string, content: string | Buffer): void {
  const draft = `${path}.${process.pid}`;
  try {
    writeFileSync(draft, content, { mode: 0o600 });
    moveOver(draft, path);
  } catch {
    removeQuietly(draft);
  }
}

function tried<T>(work: () => T): T | null {
  try {
    return work();
  } catch {
    return null;
  }
}

/** Removes the seal of a deleted index. */
export function removeSeal(index: string): void {
  removeQuietly(sealOf(index));
  removeQuietly(sumsOf(index));
}

function removeQuietly(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // The home cannot be written to.
  }
}

function unfinishedMark(home: string): string {
  return join(home, "sync.unfinished");
}

/**
 * True while a sync is running, or after it was interrupted: pages may contain what the index lacks. Stored outside the
 * index, because SQLite silently drops the end of a damaged write-ahead log.
 */
export function isUnfinished(home: string): boolean {
  return existsSync(unfinishedMark(home));
}

/** True also if writing the index itself was interrupted: then the index is checked before anything is added. */
export function needsCheck(home: string): boolean {
  return isUnfinished(home) || sealStateOf(join(home, "index.db")) === "open";
}

export function markSyncStarted(home: string): void {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  reportDiskFull(unfinishedMark(home), 0, () => writeFileSync(unfinishedMark(home), "", { mode: 0o600 }));
}

export function markSyncFinished(home: string): void {
  rmSync(unfinishedMark(home), { force: true });
}
