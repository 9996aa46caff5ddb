import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { reportDiskFull } from "../../base/io/disk.ts";
import { dirname, join, relative, sep } from "node:path";
import type { Row } from "../../base/io/sqlite.ts";
import type { ContextSource } from "../../record/record.ts";
import type { Entry, SharedText } from "../../agents/contract.ts";
import type { IndexStore } from "../tables/index-store.ts";
import { toIndexText } from "./terms.ts";
import { sessionKeySql } from "../../record/session-key.ts";
import { moveOver } from "../../base/io/move-over.ts";

/** A line on which an instruction text came into force. */
export interface InstructionUse {
  line: number;
  time: number | null;
  hash: string;
  kind: string;
  path: string;
  sure: boolean;
}

/** `at`: where the record is in the log; negative while it is tentative. */
export function instructionUsesOf(
  { line, time }: Entry,
  sources: readonly ContextSource[],
  at: number,
): InstructionUse[] {
  return sources.flatMap(({ hash, kind, path }) =>
    hash === null ? [] : [{ line, time, hash, kind, path: path ?? "", sure: at >= 0 }],
  );
}

/** What a file says about instructions. */
interface FileInstructions {
  forces: readonly InstructionUse[];
  instructions: readonly SharedText[];
}

/** Where the texts themselves are stored. */
export interface InstructionTexts {
  /** Null when the text is not known. */
  text(hash: string): string | null;
  save(hash: string, text: string): void;
}

/** Stores where instructions came into force in a file, and indexes new texts. Returns the number of rows written. */
export function writeInstructionUses(
  store: IndexStore,
  file: number,
  stated: FileInstructions,
  whole: boolean,
): number {
  dropUses(store, file, (row) => whole || row["sure"] === 0);
  const { home } = store;
  return addInstructionUses(store, file, stated, {
    text: (hash) => instructionText(home, hash),
    save: (hash, text) => saveText(home, hash, text),
  });
}

/** Like `writeInstructionUses`, for a file without rows. */
export function addInstructionUses(
  store: IndexStore,
  file: number,
  stated: FileInstructions,
  textStore: InstructionTexts,
): number {
  const texts = new Map(stated.instructions.map(({ hash, text }) => [hash, text]));
  let written = 0;
  for (const { line, time, hash, kind, path, sure } of stated.forces) {
    written += 1 + keepInstruction(store, hash, texts.get(hash), textStore);
    store.run(
      "INSERT OR REPLACE INTO instruction_use (hash, file, line, kind, path, time, sure) VALUES (?, ?, ?, ?, ?, ?, ?)",
      hash,
      file,
      line,
      kind,
      path,
      time,
      Number(sure),
    );
  }
  return written;
}

/** Deletes the rows of lines that are not in this set. */
export function keepInstructionUses(store: IndexStore, file: number, lines: ReadonlySet<number>): void {
  dropUses(store, file, (row) => !lines.has(Number(row["line"])));
}

/** One statement per row: see `markAssembled` in `refresh.ts`. */
function dropUses(store: IndexStore, file: number, isVoid: (row: Row) => boolean): void {
  for (const row of store
    .all("SELECT hash, line, kind, path, sure FROM instruction_use WHERE file = ?", file)
    .filter(isVoid))
    store.run(
      "DELETE FROM instruction_use WHERE hash = ? AND file = ? AND line = ? AND kind = ? AND path = ?",
      String(row["hash"]),
      file,
      Number(row["line"]),
      String(row["kind"]),
      String(row["path"]),
    );
}

/** Deletes texts that are in force in no file of the book. */
export function dropUnusedInstructions(store: IndexStore): void {
  const unused = store.all(
    "SELECT id, hash FROM instruction i WHERE NOT EXISTS (SELECT 1 FROM instruction_use f WHERE f.hash = i.hash)",
  );
  for (const { id = 0, hash } of unused) {
    rmSync(fileOf(store.home, String(hash)), { force: true });
    store.run("DELETE FROM instruction_text WHERE rowid = ?", Number(id));
    store.run("DELETE FROM instruction WHERE id = ?", Number(id));
  }
}

/** If the text was not read this time, the book may still have it: that happens when the index was lost. */
function keepInstruction(
  store: IndexStore,
  hash: string,
  read: string | undefined,
  textStore: InstructionTexts,
): number {
  // Also where the text is indexed: its file may have been lost.
  if (read !== undefined) textStore.save(hash, read);
  if (store.get("SELECT 1 FROM instruction WHERE hash = ?", hash)) return 0;
  const text = read ?? textStore.text(hash);
  if (text === null) return 0;
  const id = store.run("INSERT INTO instruction (hash) VALUES (?)", hash);
  store.run("INSERT INTO instruction_text (rowid, body) VALUES (?, ?)", id, toIndexText(text));
  return 2;
}

function fileOf(home: string, hash: string): string {
  return join(home, "book", "instructions", hash.slice(0, 2), `${hash}.md`);
}

/** The text as the model received it; null when the book does not have it, or no longer as it was. */
export function instructionText(home: string, hash: string): string | null {
  try {
    const text = readFileSync(fileOf(home, hash));
    return createHash("sha256").update(text).digest("hex") === hash ? text.toString("utf8") : null;
  } catch {
    return null;
  }
}

/** A text that the book had, and the files in which it came into force. */
export interface LostInstruction {
  /** Relative to the home. */
  path: string;
  files: readonly number[];
}

/**
 * Texts that are missing or were changed. What is left of a changed one is put aside, so that the text can be written
 * again when a file that states it is read.
 */
export function lostInstructions(store: IndexStore): LostInstruction[] {
  // An index made from the book knows no text that could not be read then, but where it was in force.
  const known = store.all("SELECT hash FROM instruction UNION SELECT hash FROM instruction_use ORDER BY hash");
  return known.flatMap((row) => {
    const hash = String(row["hash"]);
    if (instructionText(store.home, hash) !== null) return [];
    const path = fileOf(store.home, hash);
    if (existsSync(path)) moveOver(path, `${path}.damaged`);
    const files = store.all("SELECT DISTINCT file FROM instruction_use WHERE hash = ? ORDER BY file", hash);
    return [{ path: relative(store.home, path).split(sep).join("/"), files: files.map(({ file }) => Number(file)) }];
  });
}

/** Written atomically. The file is named by the hash of its content, so an existing one is right. */
function saveText(home: string, hash: string, text: string): void {
  const path = fileOf(home, hash);
  if (existsSync(path)) return;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  reportDiskFull(path, text.length, () => writeFileSync(`${path}.new`, text, { mode: 0o600 }));
  moveOver(`${path}.new`, path);
}

/** A matching text, and where it was first and last in force. */
export interface FoundInstruction {
  hash: string;
  score: number;
  sessions: number;
  first: Row;
  last: Row;
}

const PLACE = `SELECT d.line, d.time, d.kind, d.path AS instruction_path, u.path, u.source, u.session_id, s.key, s.project
  FROM instruction_use d JOIN file u ON u.id = d.file JOIN session s ON s.key = ${sessionKeySql("u")}`;

/** `where`: conditions on the places `d` where texts were in force. */
export function findInstructions(
  store: IndexStore,
  match: string,
  { where, score, most }: { where: readonly string[]; score: string; most: number },
): FoundInstruction[] {
  const chosen = where.length === 0 ? "" : ` AND ${where.join(" AND ")}`;
  const texts = store.all(
    `SELECT i.hash, ${score} AS score FROM instruction_text CROSS JOIN instruction i ON i.id = instruction_text.rowid
     WHERE instruction_text MATCH ? AND EXISTS (SELECT 1 FROM instruction_use d WHERE d.hash = i.hash${chosen})
     ORDER BY score, i.hash LIMIT ?`,
    match,
    most,
  );
  return texts.flatMap((row) => {
    const hash = String(row["hash"]);
    const end = (order: string): Row | undefined =>
      store.get(
        `${PLACE} WHERE d.hash = ?${chosen} ORDER BY COALESCE(d.time, 0) ${order}, s.key ${order}, d.line ${order} LIMIT 1`,
        hash,
      );
    const [first, last] = [end("ASC"), end("DESC")];
    const count = store.get(`SELECT count(DISTINCT s.key) AS n FROM (${PLACE} WHERE d.hash = ?${chosen}) s`, hash);
    return first && last ? [{ hash, score: Number(row["score"]), sessions: Number(count?.["n"]), first, last }] : [];
  });
}
