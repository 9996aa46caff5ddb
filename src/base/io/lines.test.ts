import { describe, expect, it } from "vitest";
import type { ByteStream } from "./bytes.ts";
import { readLines, type RawLine } from "./lines.ts";

/** A stream that returns at most `step` bytes per read, so that reads end at every possible position. */
function streamOf(bytes: Buffer, step: number = bytes.length + 1): ByteStream {
  let at = 0;
  return {
    read(into, start) {
      const taken = Math.min(step, into.length - start, bytes.length - at);
      bytes.copy(into, start, at, at + taken);
      at += taken;
      return taken;
    },
    close: () => undefined,
  };
}

function linesOf(bytes: Buffer, step?: number): RawLine[] {
  return [...readLines(streamOf(bytes, step), { line: 0, offset: 0 })];
}

describe("lines", () => {
  it("end at \\n only, because other line separators may be unescaped inside JSON strings", () => {
    const text = '{"a":"x\u2028y\u2029z\u0085"}\r\n{"b":1}\n';
    const lines = linesOf(Buffer.from(text));
    expect(lines.map((line) => line.text)).toEqual(['{"a":"x\u2028y\u2029z\u0085"}\r', '{"b":1}']);
    expect(lines.map(({ line, offset }) => [line, offset])).toEqual([
      [1, 0],
      [2, Buffer.byteLength('{"a":"x\u2028y\u2029z\u0085"}\r\n')],
    ]);
  });

  it.each([1, 2, 3, 7])("are the same when the stream returns %i bytes at a time", (step) => {
    const bytes = Buffer.from('{"a":"grün 数据 🙂"}\n\n{"b":2}\ntorn');
    expect(linesOf(bytes, step)).toEqual(linesOf(bytes));
    expect(linesOf(bytes).at(-1)).toMatchObject({ line: 4, text: "torn", terminated: false });
  });

  it.each([
    ["letters, ideographs and emoji", Buffer.from("\ufeffgrün 数据 🙂 \ufffd".repeat(200))],
    ["an invalid byte", Buffer.concat([Buffer.from("数据".repeat(300)), Buffer.from([0x80]), Buffer.from("x")])],
    [
      "an encoded lone surrogate, as some programs write it",
      Buffer.concat([Buffer.from("数".repeat(500)), Buffer.from([0xed, 0xa0, 0x80])]),
    ],
    ["a truncated character", Buffer.from("🙂".repeat(400)).subarray(0, -1)],
  ])("that are long are decoded like short ones: %s", (_, bytes) => {
    const [line] = linesOf(Buffer.concat([bytes, Buffer.from("\n{}\n")]));
    expect(line?.text).toBe(bytes.toString("utf8"));
    expect(line?.replaced).toBe(bytes.toString("utf8").includes("\ufffd"));
  });

  it("are marked if undecodable bytes were replaced, and the next line is read", () => {
    const bytes = Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}\n{"b":1}\n')]);
    expect(linesOf(bytes).map((line) => line.replaced)).toEqual([true, false]);
  });

  it("of 64 MB are read as valid JSON with long strings truncated, and the lines around them intact", () => {
    const before = Buffer.from('{"n":1}\n');
    const huge = Buffer.concat([
      Buffer.from('{"type":"t","text":"'),
      Buffer.alloc(64 * 1024 * 1024, 'ä\\n\\"'),
      Buffer.from('","end":true}\n'),
    ]);
    const lines = linesOf(Buffer.concat([before, huge, Buffer.from('{"n":3}\n')]), 1 << 20);
    expect(lines.map((line) => [line.line, line.shrunk])).toEqual([
      [1, false],
      [2, true],
      [3, false],
    ]);
    const value = JSON.parse(lines[1]?.text ?? "") as { type: string; text: string; end: boolean };
    expect([value.type, value.end]).toEqual(["t", true]);
    // Text is kept up to the maximum length of a log line.
    expect(Buffer.byteLength(value.text)).toBeLessThan(4 * 1024 * 1024);
    expect(value.text).toMatch(/bytes left out\]$/);
    expect(lines[2]).toMatchObject({ text: '{"n":3}', offset: before.length + huge.length });
  });

  it("that a skimmer recognises have a name but no text, or are dropped", () => {
    const skim = { head: 4, name: (head: string) => (head.startsWith("skip") ? "skipped" : null) };
    const bytes = Buffer.from("skip this\nread this\n");
    const all = [...readLines(streamOf(bytes), { line: 0, offset: 0 }, skim)];
    expect(all.map((line) => [line.skimmed, line.text])).toEqual([
      ["skipped", ""],
      [null, "read this"],
    ]);
    const remaining = [...readLines(streamOf(bytes), { line: 0, offset: 0 }, { ...skim, drop: true })];
    expect(remaining.map((line) => [line.line, line.offset])).toEqual([[2, 10]]);
  });
});
