import { createHash } from "node:crypto";
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isBuiltIn } from "../../agents/registry.ts";
import type { SourceRef } from "../../agents/contract.ts";
import { readerVersion, TABLES } from "../../stored-versions.ts";
import type { QuickAnswer } from "./usage-job.ts";
import { moveOver } from "../../base/io/move-over.ts";

const NAME = "usage.cache";
/** What is counted is decided by the code that makes rows; each file also names the reader it was read by. */
const VERSION = `rows ${TABLES.version}`;
const BYTES = 8;

/** State of a file, and its usage except for the numbers. */
interface CachedFile extends Pick<SourceRef, "source" | "path" | "size" | "mtimeMs"> {
  key: string;
  stamp: string;
  reader: number;
  session_id: string;
  models: string[];
  statements: QuickAnswer["statements"];
  /** How many of the numbers that follow the header belong to it. */
  numbers: number;
}

interface FileUsage {
  ref: Omit<SourceRef, "container">;
  answer: QuickAnswer;
}

interface Head {
  version: string;
  /** Checksum of the numbers: a file that something else wrote to is not trusted. */
  sum: string;
  files: CachedFile[];
}

/**
 * Sums over everything are asked for before there is a book, mostly by scripts, which do not wait for one to be built.
 * The usage of each file is cached where the book would be, so that the next question reads only changed files. The
 * cache may be lost at any time, and is deleted when the book is built.
 */
export class UsageCache {
  readonly #home: string;
  readonly #known: ReadonlyMap<string, { file: CachedFile; answer: QuickAnswer }>;
  readonly #usages = new Map<string, FileUsage>();
  #isNew = false;

  constructor(home: string) {
    this.#home = home;
    this.#known = readCache(join(home, NAME));
  }

  static drop(home: string): void {
    rmSync(join(home, NAME), { force: true });
  }

  /** The cached answer, if the file has not changed since. */
  get(ref: SourceRef): QuickAnswer | undefined {
    const known = this.#known.get(keyOf(ref));
    if (!known || !isSame(known.file, ref)) return undefined;
    this.#usages.set(keyOf(ref), { ref, answer: known.answer });
    return known.answer;
  }

  put(ref: SourceRef, answer: QuickAnswer): void {
    // Results of a source registered by the user of the library may change with the user's program.
    if (!isBuiltIn(ref.source)) return;
    this.#isNew = true;
    this.#usages.set(keyOf(ref), { ref, answer });
  }

  /** Writes the cache. If that fails, the next question reads the files again. */
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
      moveOver(fresh, path);
    } catch {
      // Nothing is lost but time.
    }
  }

  /** Cached files that this question was not about, as long as they exist. */
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

/**
 * One header line that says which numbers belong to which file, padded so that the numbers are aligned; then the
 * numbers.
 */
function piecesOf(usages: readonly FileUsage[]): Buffer[] {
  const numbers = usages.map(({ answer: { packed } }) =>
    Buffer.from(packed.rows.buffer, packed.rows.byteOffset, packed.rows.byteLength),
  );
  const files = usages.map(({ ref, answer }): CachedFile => {
    const { source, path, size, mtimeMs, key = "", stamp = "" } = ref;
    const { session_id, statements, packed } = answer;
    return {
      source,
      path,
      size,
      mtimeMs,
      key,
      stamp,
      reader: readerVersion(source),
      session_id,
      statements,
      models: packed.models,
      numbers: packed.rows.length,
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

function readCache(path: string): Map<string, { file: CachedFile; answer: QuickAnswer }> {
  const known = new Map<string, { file: CachedFile; answer: QuickAnswer }>();
  try {
    const bytes = readFileSync(path);
    const at = bytes.indexOf(NEWLINE) + 1;
    const { version, sum, files } = JSON.parse(bytes.toString("utf8", 0, at)) as Head;
    const numbers = bytes.subarray(at);
    if (version !== VERSION || sum !== sumOf([numbers])) return known;
    // Copied, because the file's bytes may not be aligned.
    const all = new Float64Array(numbers.buffer.slice(numbers.byteOffset, numbers.byteOffset + numbers.byteLength));
    let from = 0;
    for (const file of files) {
      const { session_id, statements, models } = file;
      const rows = all.subarray(from, (from += file.numbers));
      if (file.reader === readerVersion(file.source))
        known.set(keyOf(file), { file, answer: { session_id, statements, packed: { rows, models } } });
    }
    return known;
  } catch {
    // The file is missing or not a cache.
    return new Map();
  }
}
