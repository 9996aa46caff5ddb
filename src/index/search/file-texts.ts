import type { Row } from "../../base/io/sqlite.ts";
import type { Progress } from "../../book/reading/pool.ts";
import { sourceOf } from "../../book/reading/read-file.ts";
import type { Entry, SharedText, SourceRef } from "../../agents/contract.ts";
import { DocWriter } from "../tables/doc-rows.ts";
import type { IndexStore } from "../tables/index-store.ts";
import { addInstructionUses, instructionUsesOf, type InstructionUse, type InstructionTexts } from "./instructions.ts";
import type { TextStore } from "./search.ts";
import { textOf } from "./text-kinds.ts";

/** The texts of files that are in no book. They stay in their files, and are read again for matches. */
export class FileTexts implements TextStore {
  readonly store: IndexStore;
  readonly #refs = new Map<number, SourceRef>();
  readonly #given: InstructionTexts = {
    text: (hash) => this.instruction(hash),
    save: (hash, text) => void this.store.run("INSERT OR IGNORE INTO kept_text (hash, text) VALUES (?, ?)", hash, text),
  };

  constructor(store: IndexStore) {
    this.store = store;
  }

  /** The number of a file, which its texts are indexed under. */
  file(ref: SourceRef): number {
    const file = this.#refs.size + 1;
    this.#refs.set(file, ref);
    return file;
  }

  /** Indexes the words of all files. `failed`: a file could not be read to its end; what was read of it is indexed. */
  add(failed: (ref: SourceRef, error: unknown) => void, progress: Progress | undefined): void {
    const docs = new DocWriter(this.store);
    const ofBytes = [...this.#refs.values()].reduce((sum, { size }) => sum + size, 0);
    let bytes = 0;
    for (const [file, ref] of this.#refs) {
      try {
        this.#take(docs, file, ref);
      } catch (error) {
        failed(ref, error);
      }
      bytes += ref.size;
      progress?.({ files: file, of: this.#refs.size, bytes, ofBytes });
    }
    docs.finish();
  }

  instruction(hash: string): string | null {
    const text = this.store.get("SELECT text FROM kept_text WHERE hash = ?", hash)?.["text"];
    return typeof text === "string" ? text : null;
  }

  /** Reads each file once, up to its last match. */
  texts(rows: readonly Row[]): string[] {
    const found = new Map<Row, string>();
    for (const [file, ref] of this.#refs) {
      const wanted = rows.filter((row) => Number(row["file"]) === file);
      if (wanted.length > 0) for (const [row, text] of textsIn(ref, wanted)) found.set(row, text);
    }
    return rows.map((row) => found.get(row) ?? "");
  }

  #take(docs: DocWriter, file: number, ref: SourceRef): void {
    const forces: InstructionUse[] = [];
    const instructions = new Map<string, SharedText>();
    try {
      for (const entry of sourceOf(ref).read(ref, null, { detail: "full" })) {
        for (const shared of entry.texts ?? []) instructions.set(shared.hash, shared);
        for (const [i, body] of entry.records.entries()) {
          if (body.type === "context" && body.sources !== undefined)
            forces.push(...instructionUsesOf(entry, body.sources, i));
          const found = textOf(body);
          // `at` is the index of the record within its line: the text is not stored elsewhere.
          if (found) {
            const [kind, text] = found;
            docs.add(file, { line: entry.line, kind, time: entry.time, at: i, bytes: 0 }, text);
          }
        }
      }
    } finally {
      addInstructionUses(this.store, file, { forces, instructions: [...instructions.values()] }, this.#given);
    }
  }
}

function* textsIn(ref: SourceRef, rows: readonly Row[]): Generator<[Row, string], void, undefined> {
  const last = Math.max(...rows.map((row) => Number(row["line"])));
  for (const entry of sourceOf(ref).read(ref, null, { detail: "full" })) {
    for (const row of rows) if (Number(row["line"]) === entry.line) yield [row, textAt(entry, Number(row["at"]))];
    if (entry.line >= last) return;
  }
}

function textAt(entry: Entry, record: number): string {
  const body = entry.records[record];
  return (body && textOf(body)?.[1]) ?? "";
}
