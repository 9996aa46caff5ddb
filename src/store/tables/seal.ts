import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { reportDiskFull } from "../../io/disk.ts";

/**
 * How Daybook left the index: its size and modification time, in a file beside it. SQLite notices a damaged structure
 * only when it happens to read it, and never a damaged value; the seal shows before any query that something else has
 * written to the file.
 */
function sealOf(index: string): string {
  return index.replace(/\.db$/, ".seal");
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

/** `broken`: something else wrote to the index since `seal`. */
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

/** Seals the index as intact. If the seal cannot be written, the index counts as broken and is rebuilt later. */
export function seal(index: string): void {
  // Repeat if another Daybook wrote between reading the state and writing the seal.
  for (let tries = 0; tries < 3 && sealStateOf(index) !== "whole"; tries++) writeSeal(index, fileStateOf(index));
}

/** Records that Daybook is about to write to the file. */
export function breakSeal(index: string): void {
  writeSeal(index, OPEN);
}

/** Records that the index must not be trusted. */
export function condemn(index: string): void {
  writeSeal(index, CONDEMNED);
}

function writeSeal(index: string, text: string): void {
  const path = sealOf(index);
  const draft = `${path}.${process.pid}`;
  try {
    writeFileSync(draft, text, { mode: 0o600 });
    renameSync(draft, path);
  } catch {
    removeQuietly(draft);
  }
}

/** Removes the seal of a deleted index. */
export function removeSeal(index: string): void {
  removeQuietly(sealOf(index));
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
