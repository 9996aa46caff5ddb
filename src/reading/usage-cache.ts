import { createHash } from "node:crypto";
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isBuiltIn } from "../sources/registry.ts";
import type { SourceRef } from "../sources/contract.ts";
import { READER_VERSION } from "../store/pages/page-format.ts";
import type { QuickAnswer } from "./usage-job.ts";

const NAME = "usage.cache";
/** Raised when what is kept changes; what another reader found is not cached either. */
const VERSION = `1, readers ${READER_VERSION}`;
const BYTES = 8;

/** A file as it looked, and what was said of it but for its numbers. */
interface CachedFile extends Pick<SourceRef, "source" | "path" | "size" | "mtimeMs"> {
  key: string;
  stamp: string;
  session_id: string;
  models: string[];
  statements: QuickAnswer["statements"];
  /** Numbers that are its own, of all that follow. */
  numbers: number;
}

interface FileUsage {
  ref: Omit<SourceRef, "container">;
  answer: QuickAnswer;
}

interface Head {
  version: string;
  /** Of the numbers: a file that something else wrote to is not believed. */
  sum: string;
  files: CachedFile[];
}

/**
 * Sums over everything are asked for before there is a book, by scripts above all, which do not wait for one to be made. What each
 * file said is kept beside the place of the book, so that the next question reads only files that changed. Only a help: it
 * may be lost at any time, and is thrown away when the book is made.
 */
export class UsageCache {
  readonly #home: string;
  readonly #known: ReadonlyMap<string, { file: CachedFile; answer: QuickAnswer }>;
  readonly #usages = new Map<string, FileUsage>();
  #isNew = false;

  constructor(home: string) {
    this.#home = home;
    this.#known = read(join(home, NAME));
  }

  static drop(home: string): void {
    rmSync(join(home, NAME), { force: true });
  }

  /** What was said of the file as it looks now. */
  get(ref: SourceRef): QuickAnswer | undefined {
    const known = this.#known.get(keyOf(ref));
    if (!known || !isSame(known.file, ref)) return undefined;
    this.#usages.set(keyOf(ref), { ref, answer: known.answer });
    return known.answer;
  }

  put(ref: SourceRef, answer: QuickAnswer): void {
    // What a source of the library's user tells may change with the user's program.
    if (!isBuiltIn(ref.source)) return;
    this.#isNew = true;
    this.#usages.set(keyOf(ref), { ref, answer });
  }

  /** Caches what was said of the files that are there. Where that cannot be written the next question reads them again. */
  save(): void {
    if (!this.#isNew) return;
    try {
      mkdirSync(this.#home, { recursive: true, mode: 0o700 });
      const path = join(this.#home, NAME);
      const fresh = `${path}.${process.pid}`;
      const file = openSync(fresh, "w", 0o600);
      try {
        for (const piece of piecesOf([...this.#others(), ...this.#usages.values()])) writeFileSync(file, piece);
      } finally {
        closeSync(file);
      }
      renameSync(fresh, path);
    } catch {
      // Nothing is lost but time.
    }
  }

  /** Files this question was not about, as long as they are there. */
  *#others(): Generator<FileUsage, void, undefined> {
    for (const [name, { file, answer }] of this.#known)
      if (!this.#usages.has(name) && existsSync(file.path)) yield { ref: file, answer };
  }
}

function keyOf({ source, path, key = "" }: Pick<SourceRef, "source" | "path" | "key">): string {
  return `${source}\t${path}\t${key}`;
}

function isSame(file: CachedFile, { size, mtimeMs, stamp = "" }: SourceRef): boolean {
  return file.size === size && file.mtimeMs === mtimeMs && file.stamp === stamp;
}

/** One line that says which numbers are whose, filled up so that numbers begin at a multiple of their size; then the numbers. */
function piecesOf(usages: readonly FileUsage[]): Buffer[] {
  const numbers = usages.map(({ answer: { packed } }) =>
    Buffer.from(packed.rows.buffer, packed.rows.byteOffset, packed.rows.byteLength),
  );
  const files = usages.map(({ ref, answer }): CachedFile => {
    const { source, path, size, mtimeMs, key = "", stamp = "" } = ref;
    const { session_id, statements, packed } = answer;
    return {
      ...{ source, path, size, mtimeMs, key, stamp, session_id, statements },
      ...{ models: packed.models, numbers: packed.rows.length },
    };
  });
  const head = Buffer.from(JSON.stringify({ version: VERSION, sum: sumOf(numbers), files } satisfies Head));
  const fill = Buffer.alloc(BYTES - (head.length % BYTES), " ");
  fill[fill.length - 1] = NEWLINE;
  return [head, fill, ...numbers];
}

const NEWLINE = 0x0a;

function sumOf(pieces: readonly Buffer[]): string {
  const hash = createHash("sha1");
  for (const piece of pieces) hash.update(piece);
  return hash.digest("hex");
}

function read(path: string): Map<string, { file: CachedFile; answer: QuickAnswer }> {
  const known = new Map<string, { file: CachedFile; answer: QuickAnswer }>();
  try {
    const bytes = readFileSync(path);
    const at = bytes.indexOf(NEWLINE) + 1;
    const { version, sum, files } = JSON.parse(bytes.toString("utf8", 0, at)) as Head;
    const numbers = bytes.subarray(at);
    if (version !== VERSION || sum !== sumOf([numbers])) return known;
    // A copy of its own: the bytes of a file may begin anywhere.
    const all = new Float64Array(numbers.buffer.slice(numbers.byteOffset, numbers.byteOffset + numbers.byteLength));
    let from = 0;
    for (const file of files) {
      const { session_id, statements, models } = file;
      const rows = all.subarray(from, (from += file.numbers));
      known.set(keyOf(file), { file, answer: { session_id, statements, packed: { rows, models } } });
    }
    return known;
  } catch {
    // There is none, or it is no such file.
    return new Map();
  }
}
