import { inside } from "../../src/answers/daybook.ts";
import {
  copyFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import { A, CA, CU, E, M, R, TC, TD, TS, U, write, type Line } from "../cases/build.ts";
import { answers, copyCorpus, differences, open, scratch, syncBook, type Roots } from "./fixture.ts";

/** A valid zstd frame of raw blocks, without compression. */
function zstd(data: Buffer): Buffer {
  const head = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0xa0, 0, 0, 0, 0]);
  head.writeUInt32LE(data.length, 5);
  const blocks: Buffer[] = [];
  const size = 100_000;
  for (let at = 0; at < data.length || at === 0; at += size) {
    const piece = data.subarray(at, at + size);
    const blockHeader = Buffer.alloc(3);
    blockHeader.writeUIntLE((piece.length << 3) | Number(at + size >= data.length), 0, 3);
    blocks.push(blockHeader, piece);
  }
  return Buffer.concat([head, ...blocks]);
}

function compress(path: string): void {
  const { mtime } = statSync(path);
  writeFileSync(`${path}.zst`, zstd(readFileSync(path)));
  utimesSync(`${path}.zst`, mtime, mtime);
  rmSync(path);
}

async function expectSameAnswers(roots: Roots, book: string): Promise<void> {
  expect(differences(await answers(open(roots)), await answers(open(roots, book)))).toEqual([]);
}

const turn = (n: number, words = `question ${n}`): Line[] => [
  TS(`t${n}`),
  TC({ turn_id: `t${n}` }),
  R(words),
  E(words),
  A(`answer ${n}`),
  U(n * 100, 100),
  TD(`t${n}`),
];

async function promptTexts(roots: Roots, book: string): Promise<string[]> {
  const daybook = open(roots, book);
  const turns = await daybook.turns();
  expect((await daybook.audit()).balanced).toBe(true);
  daybook.close();
  return turns.map((turn) => turn.trigger.text ?? "").toSorted();
}

describe("files that are moved or copied", () => {
  it("to the archive give the same answers under the new path, and are not read whole again", async () => {
    const { dir, roots } = copyCorpus(["codex-0.166.0"]);
    const book = scratch("book");
    await syncBook(roots, book);
    const root = join(dir, "codex-0.166.0");
    mkdirSync(join(root, "archived_sessions"));
    const refs = inside(open(roots))
      .opened()
      .refs.filter((_, i) => i % 2 === 0);
    for (const { path } of refs) renameSync(path, join(root, "archived_sessions", basename(path)));
    const report = await syncBook(roots, book);
    expect(report.files_read).toBe(refs.length);
    expect(report.gone).toBe(0);
    expect(report.bytes_read).toBeLessThan(refs.length * 20_000);
    await expectSameAnswers(roots, book);
  });

  it("and compressed give the same answers, including lines written just before", async () => {
    const { roots } = copyCorpus(["codex-0.130.0"]);
    const book = scratch("book");
    const refs = inside(open(roots)).opened().refs;
    const cut = new Map(refs.map((ref) => [ref.path, readFileSync(ref.path)]));
    for (const [path, bytes] of cut) writeFileSync(path, bytes.subarray(0, Math.floor(bytes.length * 0.8)));
    await syncBook(roots, book);
    for (const [path, bytes] of cut) {
      writeFileSync(path, bytes);
      compress(path);
    }
    const report = await syncBook(roots, book);
    expect(report.gone).toBe(0);
    await expectSameAnswers(roots, book);
    for (const ref of inside(open(roots)).opened().refs) rmSync(ref.path);
    const daybook = open(roots, book);
    expect((await daybook.sessions()).length).toBe(refs.length);
    daybook.close();
  });

  it("with their whole directory are recognised although all have the same name", async () => {
    const { dir } = copyCorpus(["copilot-1.0.102"]);
    const book = scratch("book");
    await syncBook({ copilot: [join(dir, "copilot-1.0.102")] }, book);
    renameSync(join(dir, "copilot-1.0.102"), join(dir, "elsewhere"));
    const roots = { copilot: [join(dir, "elsewhere")] };
    const report = await syncBook(roots, book);
    expect(report.gone).toBe(0);
    await expectSameAnswers(roots, book);
  });

  it("are recognised by their content, not by their name alone", async () => {
    const dir = scratch("files");
    const roots = { codex: [dir] };
    const book = scratch("book");
    const path = write(join(dir, "a", "rollout-x.jsonl"), [M("x"), ...turn(1)]);
    await syncBook(roots, book);
    mkdirSync(join(dir, "b"));
    copyFileSync(path, join(dir, "b", "rollout-x.jsonl"));
    await expectSameAnswers(roots, book);
    // Another session under the file name of a deleted one.
    rmSync(path);
    rmSync(join(dir, "b", "rollout-x.jsonl"));
    write(join(dir, "c", "rollout-x.jsonl"), [M("y"), ...turn(2)]);
    expect(await promptTexts(roots, book)).toEqual(["question 1", "question 2"]);
    // The first session is restored at its old path, with one more turn.
    write(path, [M("x"), ...turn(1), ...turn(3)]);
    expect(await promptTexts(roots, book)).toEqual(["question 1", "question 2", "question 3"]);
  });

  it("leave their old path free for another session", async () => {
    const dir = scratch("files");
    const roots = { codex: [dir] };
    const book = scratch("book");
    const path = write(join(dir, "sessions", "rollout-x.jsonl"), [M("x"), ...turn(1)]);
    await syncBook(roots, book);
    mkdirSync(join(dir, "archived_sessions"));
    renameSync(path, join(dir, "archived_sessions", "rollout-x.jsonl"));
    await syncBook(roots, book);
    write(path, [M("z"), ...turn(9)]);
    expect(await promptTexts(roots, book)).toEqual(["question 1", "question 9"]);
    await expectSameAnswers(roots, book);
  });
});

describe("files that are rewritten", () => {
  const codex = [M("x"), ...turn(1), ...turn(2), ...turn(3)];
  const claude = [
    CU("one"),
    CA("1", { output: 5 }),
    CU("two"),
    CA("2", { output: 5 }),
    CU("three"),
    CA("3", { output: 5 }),
  ];
  const cases: [string, Line[], Line[], string[]][] = [
    ["shorter", codex, codex.slice(0, 8), ["question 1", "question 2", "question 3"]],
    [
      "a turn changed",
      codex,
      [M("x"), ...turn(1), ...turn(2, "other"), ...turn(3)],
      ["other", "question 1", "question 2", "question 3"],
    ],
    ["all new", codex, [M("x"), ...turn(7)], ["question 1", "question 2", "question 3", "question 7"]],
    ["emptied", codex, [], ["question 1", "question 2", "question 3"]],
    [
      "longer, with another beginning",
      codex,
      [M("x"), TC({ model: "other" }), ...codex.slice(1), ...turn(4)],
      ["question 1", "question 2", "question 3", "question 4"],
    ],
  ];
  it.each(cases)("keep the turns that were lost and add the new ones: %s", async (_, first, then, expected) => {
    const dir = scratch("files");
    const roots = { codex: [dir] };
    const book = scratch("book");
    const path = write(join(dir, "rollout-x.jsonl"), first);
    expect(await promptTexts(roots, book)).toHaveLength(3);
    write(path, then);
    expect(await promptTexts(roots, book)).toEqual(expected);
    // The file can still grow, be deleted, and have its index rebuilt.
    if (then.length > 0) {
      write(path, [...then, ...turn(5)]);
      expected = [...expected, "question 5"].toSorted();
      expect(await promptTexts(roots, book)).toEqual(expected);
    }
    rmSync(path);
    expect(await promptTexts(roots, book)).toEqual(expected);
    rmSync(join(book, "index.db"));
    expect(await promptTexts(roots, book)).toEqual(expected);
  });

  it("have each response counted once over all versions of the file", async () => {
    const dir = scratch("files");
    const roots = { "claude-code": [dir] };
    const book = scratch("book");
    const path = write(join(dir, "case.jsonl"), claude);
    await syncBook(roots, book);
    write(path, [...claude.slice(2), CU("four"), CA("4", { output: 5 })]);
    expect(await promptTexts(roots, book)).toEqual(["four", "one", "three", "two"]);
    const daybook = open(roots, book);
    const { totals } = await daybook.usage({ group: "daily", by: "spent", breakdown: false, order: "asc" });
    expect(totals.output_tokens).toBe(20);
    daybook.close();
  });

  it("give the same answers as reading directly: a new inode, appended lines, an edit of equal length", async () => {
    const dir = scratch("files");
    const roots = { codex: [dir] };
    const book = scratch("book");
    const path = write(join(dir, "rollout-x.jsonl"), codex);
    await syncBook(roots, book);
    const replaceFile = (lines: Line[]): void => {
      write(`${path}.new`, lines);
      renameSync(`${path}.new`, path);
    };
    replaceFile(codex);
    await expectSameAnswers(roots, book);
    replaceFile([...codex, ...turn(4)]);
    await expectSameAnswers(roots, book);
    // Edited in place, without a change of size.
    const text = readFileSync(path, "utf8").replace("answer 2", "ANSWER 2");
    writeFileSync(path, text);
    utimesSync(path, new Date(), new Date(Date.now() + 2000));
    await expectSameAnswers(roots, book);
  });
});
