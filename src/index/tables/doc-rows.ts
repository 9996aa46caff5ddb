import type { Row, SqlValue } from "../../base/io/sqlite.ts";
import { addTo } from "../../base/maps.ts";
import { unpackDocs, type Doc, type DocPacks, type UnpackedDocs } from "../search/doc-pack.ts";
import { keepInstructionUses, writeInstructionUses } from "../search/instructions.ts";
import { toIndexText } from "../search/terms.ts";
import { DOC_KINDS } from "../search/text-kinds.ts";
import { SegmentBuilder } from "../words/segment-builder.ts";
import type { Segment } from "../words/segment.ts";
import { addSegment, markTexts } from "../words/write-segments.ts";
import type { IndexStore } from "./index-store.ts";

/**
 * Makes these the texts of a file; texts that are already there stay untouched. `whole`: these are all texts, else only
 * the tentative ones are replaced. Returns the rows written.
 */
export function writeDocs(store: IndexStore, file: number, docs: DocPacks, whole: boolean): number {
  const uncertain = store.all("SELECT id, words FROM doc WHERE file = ? AND at < 0", file);
  const known = new KnownDocs(whole ? docsOf(store, file) : []);
  let written = 0;
  for (const pack of unpackDocs(docs)) {
    const news = pack.docs
      .map((doc, i): NewDoc => ({ ...doc, file, text: pack.first + i }))
      .filter((doc) => !known.take(doc));
    insertDocs(store, pack, news);
    written += news.length;
  }
  const forgotten = deleteDocs(store, [...uncertain, ...known.rest()]);
  return written * 2 + forgotten * 2 + writeInstructionUses(store, file, docs, whole);
}

/** Certain texts of a file by their place in its page. */
class KnownDocs {
  readonly #byPlace = new Map<string, Row[]>();

  constructor(rows: readonly Row[]) {
    for (const row of rows) {
      const { id, line, time, at, bytes } = row;
      if (Number(at) < 0) continue;
      const name = placeName(Number(line), Number(id) % DOC_KINDS.length, time ?? null, Number(at), Number(bytes));
      addTo(this.#byPlace, name, row);
    }
  }

  /** Consumes one matching text: a second call is true only if it is there twice. */
  take({ line, kind, time, at, bytes }: Doc): boolean {
    if (this.#byPlace.size === 0) return false;
    return this.#byPlace.get(placeName(line, DOC_KINDS.indexOf(kind), time, at, bytes))?.pop() !== undefined;
  }

  /** Texts that were not asked for. */
  rest(): Row[] {
    return [...this.#byPlace.values()].flat();
  }
}

function placeName(line: number, kind: number, time: SqlValue, at: number, bytes: number): string {
  return `${line} ${kind} ${String(time)} ${at} ${bytes}`;
}

/** A text that is not in the index, with its number in its segment. */
interface NewDoc extends Doc {
  file: number;
  text: number;
}

/** Segments that are stored already, by the number of their first text: several files may be in one. */
const stored = new WeakMap<Segment, number>();

function insertDocs(
  store: IndexStore,
  { segment, blocks }: Pick<UnpackedDocs, "segment" | "blocks">,
  docs: NewDoc[],
): void {
  if (docs.length === 0) return;
  const first = stored.get(segment) ?? addSegment(store, segment, blocks);
  stored.set(segment, first);
  const texts = docs.map(({ text, kind, file, line, time, at, bytes, words }): [number, number] => {
    const id = (first + text) * DOC_KINDS.length + DOC_KINDS.indexOf(kind);
    store.run(
      "INSERT INTO doc (id, file, line, time, at, bytes, words) VALUES (?, ?, ?, ?, ?, ?, ?)",
      id,
      file,
      line,
      time,
      at,
      bytes,
      words,
    );
    return [id, words];
  });
  markTexts(store, texts, true);
}

/** Adds texts of no page to the index. */
export class DocWriter {
  readonly #store: IndexStore;
  readonly #words = new SegmentBuilder();
  #docs: NewDoc[] = [];

  constructor(store: IndexStore) {
    this.#store = store;
  }

  add(file: number, doc: Omit<Doc, "words">, text: string): void {
    const number = this.#words.texts;
    const words = this.#words.add(toIndexText(text), DOC_KINDS.indexOf(doc.kind));
    this.#docs.push({ ...doc, file, words, text: number });
    if (this.#words.isFull) this.finish();
  }

  /** Until then nothing of it need be found. */
  finish(): void {
    const segment = this.#words.finish();
    if (segment.blocks instanceof Uint8Array) insertDocs(this.#store, { segment, blocks: segment.blocks }, this.#docs);
    this.#docs = [];
  }
}

/** Deletes the texts of lines that are not in this set. */
export function keepDocs(store: IndexStore, file: number, lines: ReadonlySet<number>): number {
  keepInstructionUses(store, file, lines);
  return deleteDocs(
    store,
    docsOf(store, file).filter((row) => !lines.has(Number(row["line"]))),
  );
}

/** Deletes all texts of a file. */
export function dropDocs(store: IndexStore, file: number): void {
  deleteDocs(store, docsOf(store, file));
}

function docsOf(store: IndexStore, file: number): Row[] {
  return store.all("SELECT id, line, time, at, bytes, words FROM doc WHERE file = ?", file);
}

function deleteDocs(store: IndexStore, docs: readonly Row[]): number {
  for (const row of docs) store.run("DELETE FROM doc WHERE id = ?", Number(row["id"]));
  markTexts(
    store,
    docs.map((row): [number, number] => [Number(row["id"]), Number(row["words"])]),
    false,
  );
  return docs.length;
}
