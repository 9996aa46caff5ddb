import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { afterAll } from "vitest";
import type { Database } from "../../src/base/io/sqlite.ts";
import type {
  Cursor,
  Diagnostic,
  DiscoverContext,
  Entry,
  ReadContext,
  Source,
  SourceRef,
} from "../../src/agents/contract.ts";
import type { SourceUnderTest } from "./describe-source.ts";

const NEWLINE = 0x0a;

/** A temporary copy of a fixture, and the source that reads it. */
export class Store {
  readonly source: Source;
  readonly #options: SourceUnderTest;
  #root = "";
  #copies: string[] = [];

  constructor(options: SourceUnderTest) {
    this.source = options.source;
    this.#options = options;
    afterAll(() => {
      for (const copy of this.#copies) rmSync(copy, { recursive: true, force: true });
    });
  }

  get root(): string {
    return this.#root;
  }

  get isDatabase(): boolean {
    return this.#options.shorten !== undefined;
  }

  /** See `SourceUnderTest.shorten`. */
  shorten(db: Database, session: string, keep: number): void {
    this.#options.shorten?.(db, session, keep);
  }

  open(): void {
    const { fixture } = this.#options;
    const from = typeof fixture === "string" ? fixture : fixture();
    this.#root = this.#copyOf(from, filesBelow(from));
  }

  /** Paths of all files relative to the root, sorted. */
  files(): string[] {
    return filesBelow(this.#root);
  }

  /** Copies the files in the given order, because many file systems list files in the order of their creation. */
  copy(files: readonly string[] = this.files()): string {
    return this.#copyOf(this.#root, files);
  }

  #copyOf(from: string, files: readonly string[]): string {
    const to = mkdtempSync(join(tmpdir(), `daybook-conformance-${this.source.id}-`));
    this.#copies.push(to);
    for (const file of files) {
      mkdirSync(dirname(join(to, file)), { recursive: true });
      copyFileSync(join(from, file), join(to, file));
    }
    return to;
  }

  /** Deletes a copy before the end of the tests, which make thousands of copies. */
  drop(copy: string): void {
    rmSync(copy, { recursive: true, force: true });
    this.#copies = this.#copies.filter((other) => other !== copy);
  }

  rootsOf(root: string = this.#root): readonly string[] {
    return this.#options.roots?.(root) ?? [root];
  }

  context(
    roots: readonly string[] = this.rootsOf(),
    report: (diagnostic: Diagnostic) => void = () => undefined,
  ): DiscoverContext {
    return { env: {}, home: join(this.#root, "no-home"), roots, report };
  }

  discover(root: string = this.#root): SourceRef[] {
    return [...this.source.discover(this.context(this.rootsOf(root)))];
  }

  /** Some sessions, spread evenly over the store. */
  sample(): SourceRef[] {
    const refs = this.discover();
    const count = Math.min(refs.length, this.#options.sample ?? 6);
    const picked = Array.from({ length: count }, (_, i) => refs[Math.floor((i * refs.length) / count)]);
    return picked.filter((ref) => ref !== undefined);
  }

  /** Sessions grouped by file. */
  byFile(root: string = this.#root): Map<string, SourceRef[]> {
    const out = new Map<string, SourceRef[]>();
    for (const ref of this.discover(root)) out.set(ref.path, [...(out.get(ref.path) ?? []), ref]);
    return out;
  }

  read(ref: SourceRef, ctx: ReadContext = { detail: "full" }, cursor: Cursor | null = null): Entry[] {
    return [...this.source.read(ref, cursor, ctx)];
  }

  /** Digest and modification time of every file, to detect any change. */
  hash(root: string = this.#root): Record<string, string> {
    const out: Record<string, string> = {};
    for (const file of filesBelow(root)) {
      const path = join(root, file);
      out[file] = `${createHash("sha256").update(readFileSync(path)).digest("hex")} ${statSync(path).mtimeMs}`;
    }
    return out;
  }
}

/** Whether every physical line of the file is a record, so that lines can be counted, damaged and appended. */
export function isLineByLine({ container }: SourceRef): boolean {
  return container === "jsonl" || container === "text";
}

export function countLines(bytes: Buffer): number {
  let lines = 0;
  for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) lines++;
  return bytes.length > 0 && bytes.at(-1) !== NEWLINE ? lines + 1 : lines;
}

function filesBelow(root: string): string[] {
  return readdirSync(root, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .sort();
}
