import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { JsonLines, problemEntry, skimmedEntry, type JsonLine } from "./json-lines.ts";
import type { LineStartCursor, SourceRef } from "../contract.ts";

const dir = mkdtempSync(join(tmpdir(), "json-lines-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));
let fileCount = 0;

function refOf(content: string | Buffer, container: SourceRef["container"] = "jsonl"): SourceRef {
  const path = join(dir, `${fileCount++}.jsonl`);
  writeFileSync(path, content);
  return { source: "toy", path, size: 0, mtimeMs: 0, container };
}

function open(content: string | Buffer, from: LineStartCursor | null = null): JsonLines {
  return new JsonLines(refOf(content), from, { detail: "full" });
}

function all(lines: JsonLines): JsonLine[] {
  const out: JsonLine[] = [];
  for (let line = lines.next(); line; line = lines.next()) out.push(line);
  return out;
}

describe("JSON lines", () => {
  it("are objects with line number, offset and length", () => {
    const [first, second] = all(open('{"a":"ü"}\n{"b":2}\n'));
    expect(first).toEqual({
      line: 1,
      offset: 0,
      bytes: 10,
      terminated: true,
      value: { a: "ü" },
      problem: null,
      blemish: null,
      skimmed: null,
      memo: null,
    });
    expect(second).toMatchObject({ line: 2, offset: 11, bytes: 7, value: { b: 2 } });
  });

  it("state their problem if malformed, and reading continues", () => {
    const text = ["", "  ", "nope", "[1]", "7", "null", '"x"', '{"a":"\0', '{"ok":1}', '{"cut'].join("\n");
    const lines = all(open(text));
    expect(lines.map(({ problem, value }) => problem ?? value)).toEqual([
      "blank",
      "blank",
      "not_json",
      "not_object",
      "not_object",
      "not_object",
      "not_object",
      "nul_bytes",
      { ok: 1 },
      "torn",
    ]);
    expect(lines.map(({ terminated }) => terminated)).toEqual([...Array.from({ length: 9 }, () => true), false]);
  });

  it("are not parsed if nested too deeply", () => {
    const nested = (depth: number): string => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
    expect(all(open(`${nested(200)}\n${nested(3000)}\n{}\n`)).map(({ problem }) => problem)).toEqual([
      null,
      "too_deep",
      null,
    ]);
  });

  it("may begin with a byte order mark only at the start of the file", () => {
    expect(all(open("\uFEFF{}\n\uFEFF{}\n")).map(({ problem }) => problem)).toEqual([null, "not_json"]);
    const bom = open("\uFEFF{}\n");
    expect(bom.next()?.bytes).toBe(5);
    expect(bom.position.offset).toBe(6);
  });

  it("state whether bytes were replaced or left out", () => {
    const bad = Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff]), Buffer.from('"}\n')]);
    const long = Buffer.from(`{"a":"${"x".repeat(9 * 1024 * 1024)}"}\n{}\n`);
    expect(all(open(Buffer.concat([bad, long]))).map(({ blemish }) => blemish)).toEqual([
      "invalid_utf8",
      "shrunk",
      null,
    ]);
    const tooLarge = Buffer.from(`[${"1,".repeat(5 * 1024 * 1024)}1]\n{}\n`);
    expect(all(open(tooLarge)).map(({ problem, line }) => [problem, line])).toEqual([
      ["too_large", 1],
      [null, 2],
    ]);
  });

  it("can be peeked at before they are consumed", () => {
    const lines = open('{"n":1}\n{"n":2}\n{"n":3}\n');
    expect(lines.peek(2)?.value).toEqual({ n: 3 });
    expect(lines.peek()?.value).toEqual({ n: 1 });
    expect(lines.peek(3)).toBeNull();
    expect(lines.peek(9)).toBeNull();
    expect(lines.position).toEqual({ line: 0, offset: 0 });
    const ahead = lines.peek(1);
    expect(lines.next()?.value).toEqual({ n: 1 });
    expect(lines.next()).toBe(ahead);
    expect(lines.position).toEqual({ line: 2, offset: 16 });
  });

  it("are the same with or without peeking, and reading can resume after each", () => {
    const texts = fc.array(fc.constantFrom('{"a":1}', '{"b":"äöü"}', "", "x", "[2]"), { maxLength: 30 });
    fc.assert(
      fc.property(texts, fc.boolean(), fc.array(fc.nat(5), { minLength: 30, maxLength: 30 }), (list, ends, peeks) => {
        const text = list.join("\n") + (ends && list.length > 0 ? "\n" : "");
        const plain = all(open(text));
        const peeked = open(text);
        for (const [i, line] of plain.entries()) {
          for (let k = 0; k <= (peeks[i] ?? 0); k++) expect(peeked.peek(k)).toEqual(plain[i + k] ?? null);
          expect(peeked.next()).toEqual(line);
          const end = line.offset + line.bytes + (line.terminated ? 1 : 0);
          expect(peeked.position).toEqual({ line: line.line, offset: end });
          const rest = all(open(text, peeked.position));
          expect(rest).toEqual(plain.slice(i + 1));
        }
        expect(peeked.next()).toBeNull();
        expect(peeked.next()).toBeNull();
      }),
      { numRuns: 60 },
    );
  });

  it("end with a torn line if the container is damaged", () => {
    const lines = new JsonLines(refOf("no zstd at all, and long enough", "jsonl.zst"), null, { detail: "full" });
    expect(lines.peek()).toEqual({
      line: 1,
      offset: 0,
      bytes: 0,
      terminated: false,
      value: null,
      problem: "torn",
      blemish: null,
      skimmed: null,
      memo: null,
    });
    expect(lines.peek(1)).toBeNull();
    expect(lines.next()?.problem).toBe("torn");
    expect(lines.next()).toBeNull();
    expect(lines.position).toEqual({ line: 1, offset: 0 });
    const later = new JsonLines(
      refOf("no zstd at all, and long enough", "jsonl.zst"),
      { line: 4, offset: 90 },
      { detail: "full" },
    );
    expect(later.next()).toMatchObject({ line: 5, offset: 90 });
  });

  it("are still read up to the damage in a container", () => {
    const good = Buffer.from('{"n":1}\n{"n":2}\n{"n":3}\n');
    // A zstd frame: one raw block, then one of a kind that does not exist.
    const block = [0, good.length << 3, good.length >> 5, 0].slice(1);
    const frame = Buffer.concat([
      Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x20, 200, ...block]),
      good,
      Buffer.from([0x07, 0, 0, 9]),
    ]);
    const lines = new JsonLines(refOf(frame, "jsonl.zst"), null, { detail: "full" });
    expect(lines.peek(3)).toMatchObject({ line: 4, offset: 24, bytes: 0, problem: "torn" });
    expect(all(lines).map(({ line, offset, value }) => [line, offset, value])).toEqual([
      [1, 0, { n: 1 }],
      [2, 8, { n: 2 }],
      [3, 16, { n: 3 }],
      [4, 24, null],
    ]);
  });

  it("are counted by the meter, in bytes and opened files", () => {
    const meter = { bytes: 0, opens: 0 };
    all(new JsonLines(refOf('{"a":1}\n'), null, { detail: "full", meter }));
    expect(meter).toEqual({ bytes: 8, opens: 1 });
  });

  it("can be closed early and twice", () => {
    const lines = open('{"n":1}\n{"n":2}\n');
    lines.peek();
    lines.close();
    lines.close();
    expect(lines.next()?.value).toEqual({ n: 1 });
    expect(lines.next()).toBeNull();
  });

  it("leave no file open when reading ends early", () => {
    // Open files can be counted only where the system has /dev/fd; elsewhere nothing is checked.
    const handles = (): number => (existsSync("/dev/fd") ? readdirSync("/dev/fd").length : 0);
    const ref = refOf('{"n":1}\n{"n":2}\n');
    const before = handles();
    for (let i = 0; i < 50; i++) {
      const lines = new JsonLines(ref, null, { detail: "full" });
      lines.next();
      lines.close();
    }
    expect(handles()).toBeLessThan(before + 25);
  });

  it("name the file that cannot be opened", () => {
    const missing: SourceRef = { ...refOf(""), path: join(dir, "missing") };
    expect(() => new JsonLines(missing, null, { detail: "full" })).toThrow(
      expect.objectContaining({
        message: `cannot open ${missing.path}`,
        code: "unreadable",
        path: missing.path,
        hint: "check that the file exists and that you may read it",
      }),
    );
  });

  it("are not parsed if a skimmer names them", () => {
    const skim = { head: 4, name: (head: string) => (head.startsWith('{"s"') ? "s" : null) };
    const lines = all(new JsonLines(refOf('{"s":1}\n{"t":1}\n'), null, { detail: "usage" }, skim));
    expect(lines.map(({ skimmed, value, problem }) => [skimmed, value, problem])).toEqual([
      ["s", null, null],
      [null, { t: 1 }, null],
    ]);
  });
});

describe("the entry of a line without a record", () => {
  const entryOf = (text: string): unknown => {
    const line = open(text).next();
    return line && problemEntry(line, "toy");
  };

  it("states position, problem and hint", () => {
    expect(entryOf("nope\n")).toEqual({
      line: 1,
      offset: 0,
      bytes: 4,
      position: 1,
      time: null,
      class: "corrupt",
      reason: "toy.line.not_json",
      native: "(unreadable)",
      tentative: false,
      records: [
        {
          type: "unreadable",
          reason: "not_json",
          bytes: 4,
          hint: "this line is not valid JSON and was skipped; everything else in the file is still read",
        },
      ],
    });
    expect(entryOf("{")).toMatchObject({ class: "corrupt", reason: "toy.line.torn", tentative: true });
    for (const [text, hint] of [
      ["{", /still be writing/u],
      ["[]\n", /not an object/u],
      ["\0\n", /NUL bytes/u],
      [`${'{"a":'.repeat(300)}1${"}".repeat(300)}\n`, /more than 256 deep/u],
      [`[${"1,".repeat(5 * 1024 * 1024)}1]\n`, /too large/u],
    ] as const)
      expect(entryOf(text)).toMatchObject({ records: [{ hint: expect.stringMatching(hint) as string }] });
  });

  it("belongs to the session if the line is blank", () => {
    expect(entryOf("\n")).toEqual({
      line: 1,
      offset: 0,
      bytes: 0,
      position: 1,
      time: null,
      class: "session",
      reason: "toy.line.blank",
      native: "(blank)",
      records: [],
      tentative: false,
    });
    expect(entryOf("  ")).toMatchObject({ class: "session", tentative: true });
  });

  it("is a reaction if the line was skimmed", () => {
    const line = { ...(open('{"a":1}\n').next() as JsonLine), skimmed: "native" };
    expect(skimmedEntry(line, "toy")).toEqual({
      line: 1,
      offset: 0,
      bytes: 7,
      position: 1,
      time: null,
      class: "reaction",
      reason: "toy.skimmed",
      native: "native",
      records: [],
      tentative: false,
    });
  });
});
