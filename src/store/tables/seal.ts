import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { keeping } from "../../io/disk.ts";

/**
 * How Daybook left the index: its size and the time of its last byte, in a file beside it. SQLite notices a damaged structure when
 * it happens to read it, and never a damaged value; a file that somebody else has written to is noticed here, before it is asked.
 */
function sealOf(index: string): string {
  return index.replace(/\.db$/, ".seal");
}

function lookOf(index: string): string {
  const file = statSync(index, { throwIfNoEntry: false });
  // Whole milliseconds: that much of a time every copy keeps that keeps times at all.
  return file ? `${file.size} ${Math.round(file.mtimeMs)}` : "";
}

/** What stands for a look in the seal of an index that is not to be trusted, whatever it looks like. */
const CONDEMNED = "damaged";
/** The same where Daybook is just writing to the file, or was killed while it did. */
const OPEN = "open";

/** `broken`: something else wrote to the index since `seal`. */
export type Seal = "whole" | "open" | "broken" | "condemned";

export function sealStateOf(index: string): Seal {
  try {
    const said = readFileSync(sealOf(index), "utf8");
    if (said === CONDEMNED) return "condemned";
    return said === OPEN ? "open" : said === lookOf(index) ? "whole" : "broken";
  } catch {
    return "broken";
  }
}

/** Says that the index is now as it should be. Without room for that it stands as broken, and is made again when there is. */
export function seal(index: string): void {
  // Again when another Daybook wrote between the look and the word.
  for (let tries = 0; tries < 3 && sealStateOf(index) !== "whole"; tries++) say(index, lookOf(index));
}

/** Says that Daybook is about to write to the file. */
export function breakSeal(index: string): void {
  say(index, OPEN);
}

/** Says that the index is not to be trusted. */
export function condemn(index: string): void {
  say(index, CONDEMNED);
}

function say(index: string, text: string): void {
  const path = sealOf(index);
  const draft = `${path}.${process.pid}`;
  try {
    writeFileSync(draft, text, { mode: 0o600 });
    renameSync(draft, path);
  } catch {
    forget(draft);
  }
}

/** Of an index that is no more. */
export function unseal(index: string): void {
  forget(sealOf(index));
}

function forget(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // A home that cannot be written to.
  }
}

function mark(home: string): string {
  return join(home, "sync.unfinished");
}

/**
 * A sync is at work, or was cut short: pages may hold what the index does not know. Kept outside the index, because the end of a
 * damaged write-ahead log is lost without a word.
 */
export function isUnfinished(home: string): boolean {
  return existsSync(mark(home));
}

/** The same, or the index itself was not written to its end: what is in it is checked before it is added to. */
export function isUnsettled(home: string): boolean {
  return isUnfinished(home) || sealStateOf(join(home, "index.db")) === "open";
}

export function begin(home: string): void {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  keeping(mark(home), 0, () => writeFileSync(mark(home), "", { mode: 0o600 }));
}

export function finish(home: string): void {
  rmSync(mark(home), { force: true });
}
