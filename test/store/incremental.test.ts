import { inside } from "../../src/answers/daybook.ts";
import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { cases, isCompared, NIGHTLY } from "../nightly.ts";
import { answers, copyCorpus, differences, LABELS, open, scratch, syncBook, type Roots } from "./fixture.ts";

const LINES = LABELS.filter((label) => !/^(opencode|goose)/.test(label));

/** A copy of corpus files that starts empty and is filled step by step. */
class Growing {
  readonly roots: Roots;
  readonly files: { path: string; bytes: Buffer; at: number }[];

  constructor(labels: readonly string[], wanted: (path: string) => boolean = () => true) {
    const { dir, roots } = copyCorpus(labels);
    this.roots = roots;
    const refs = inside(open(roots)).opened().refs;
    this.files = [...new Set(refs.map((ref) => ref.path))].map((path) => ({ path, bytes: readFileSync(path), at: 0 }));
    for (const file of this.files) {
      rmSync(file.path);
      if (!wanted(relative(dir, file.path))) file.at = file.bytes.length;
    }
    this.files = this.files.filter((file) => file.at === 0);
  }

  grow(file: Growing["files"][number], bytes: number): void {
    mkdirSync(dirname(file.path), { recursive: true });
    const piece = file.bytes.subarray(file.at, file.at + bytes);
    if (file.at === 0) writeFileSync(file.path, piece);
    else appendFileSync(file.path, piece);
    file.at += piece.length;
  }
}

/**
 * A file with more lines than this grows in larger steps. Nightly, only a pretty-printed document, whose lines are not
 * records, has so many.
 */
const MAX_LINES = cases(40, 150);

/** Sizes of writes as an agent's buffer may cause them: a whole line, half a line, a line and a byte, a single byte. */
function* steps(bytes: Buffer, seed: number): Generator<number, void, undefined> {
  const isLong = bytes.filter((byte) => byte === 0x0a).length > MAX_LINES;
  const least = isLong ? Math.ceil(bytes.length / MAX_LINES) : 0;
  let random = seed;
  for (let at = 0; at < bytes.length;) {
    random = (random * 1103515245 + 12345) % 2147483648;
    const line = bytes.indexOf(0x0a, at) + 1 || bytes.length;
    const kinds = [line - at, line - at, line - at + 1, Math.ceil((line - at) / 2), 1];
    const step = Math.min(bytes.length - at, least + (kinds[random % kinds.length] ?? 1));
    yield step;
    at += step;
  }
}

async function expectSameAnswers(roots: Roots, book: string): Promise<void> {
  const direct = await answers(open(roots), 4);
  const fromBook = await answers(open(roots, book), 4);
  const different = differences(direct, fromBook);
  for (const key of different.slice(0, 3)) expect({ [key]: fromBook[key] }).toEqual({ [key]: direct[key] });
  expect(different).toEqual([]);
}

describe("a directory that grows between syncs", () => {
  it.each(LINES)("gives the same answers as reading the files directly: %s", async (label) => {
    const tree = new Growing([label]);
    const book = scratch("book");
    // The smallest file, nightly three, grows in small steps, with a sync after each.
    const sample = tree.files.toSorted((a, b) => a.bytes.length - b.bytes.length).slice(0, cases(1, 3));
    for (const [seed, file] of sample.entries()) {
      for (const step of steps(file.bytes, seed + 1)) {
        tree.grow(file, step);
        await syncBook(tree.roots, book);
      }
    }
    if (NIGHTLY) await expectSameAnswers(tree.roots, book);
    // The other files grow in thirds, all at once: forks and sub-agents appear before, after and along with their parents.
    for (let third = 0; third < 3; third++) {
      for (const file of tree.files.toReversed()) tree.grow(file, Math.ceil(file.bytes.length / 3));
      await syncBook(tree.roots, book);
      if (isCompared(LINES.indexOf(label) + third, third === 2)) await expectSameAnswers(tree.roots, book);
    }
  });

  it.each(["codex-0.166.0", "claude-2.1.325", "pi-0.87.1", "gemini-0.61.0"])(
    "gives the same answers whatever the order in which files appear: %s",
    async (label) => {
      const tree = new Growing([label]);
      const book = scratch("book");
      const order = tree.files.toSorted((a, b) => (a.bytes.length % 97) - (b.bytes.length % 97));
      for (const file of order) {
        tree.grow(file, file.bytes.length);
        await syncBook(tree.roots, book);
      }
      await expectSameAnswers(tree.roots, book);
    },
  );

  it("gives the same answers for a history file with several sessions", async () => {
    const dir = scratch("aider");
    const roots = { aider: [dir] };
    const book = scratch("book");
    const path = join(dir, ".aider.chat.history.md");
    const text = Buffer.from(
      ["2026-05-12 08:00:00", "2026-05-12 09:00:00"]
        .map((time) => `\n# aider chat started at ${time}\n\n> Aider v0.86.1\n> Model: gpt-5\n`)
        .map((head, i) => `${head}\n#### question ${i}\n\nAn answer, **${i}**.\n\n> Tokens: 2k sent, 30 received.\n`)
        .join(""),
    );
    // Starts with 60 bytes, because a file without its first header is not recognised as a history.
    let at = 60;
    writeFileSync(path, text.subarray(0, at));
    for (; at < text.length; at += 23) {
      appendFileSync(path, text.subarray(at, at + 23));
      await syncBook(roots, book);
    }
    await expectSameAnswers(roots, book);
    expect((await syncBook(roots, book)).bytes_read).toBe(0);
  });

  // Bytes of a piece; 140 is a multiple of both.
  const PIECE = cases(4, 1);

  it(`gives the same answers when the first 700 bytes of a file are written ${PIECE} at a time`, async () => {
    const tree = new Growing(["codex-0.63.0"]);
    const [file] = tree.files.toSorted((a, b) => a.bytes.length - b.bytes.length);
    if (!file) throw new Error("no file in the corpus");
    let book = scratch("book");
    const text = file.bytes.subarray(0, Math.min(file.bytes.length, 700));
    for (let at = 0; at < text.length; at += PIECE) {
      tree.grow(file, PIECE);
      await syncBook(tree.roots, book);
      if (at % 140 !== 0) continue;
      await expectSameAnswers(tree.roots, book);
      // A new book, because every sync adds a commit row to the page: with hundreds of them, reading the page takes longer than
      // reading the file.
      book = scratch("book");
      await syncBook(tree.roots, book);
    }
    tree.grow(file, file.bytes.length);
    await expectSameAnswers(tree.roots, book);
  });
});
