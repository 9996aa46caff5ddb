import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readLog, type LogDiagnostic } from "./reader.ts";
import { parseRecord } from "./schema.ts";

const meta = { source: "x", kind: "root", cwd: null, started_at: null, agent_version: null };
const line = (seq: number, extra: object = {}): string =>
  JSON.stringify({
    schema_version: 1,
    seq,
    time: null,
    session_id: "s",
    origin: { line: seq + 1 },
    ...(seq === 0 ? { type: "session_meta", ...meta } : { type: "reasoning_finished", text: `thought ${seq}` }),
    ...extra,
  });

let dir = "";
let path = "";
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "daybook-reader-"));
  path = join(dir, "s.jsonl");
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

function read(content: string | Buffer, file = path): { seqs: number[]; found: [string, number][] } {
  writeFileSync(file, content);
  const all: LogDiagnostic[] = [];
  const reading = readLog(file, { report: (d) => all.push(d) });
  const seqs = [...reading].map((record) => record.seq);
  expect(reading.diagnostics).toEqual(all.slice(0, 200));
  expect(reading.records).toBe(seqs.length);
  return { seqs, found: all.map((d) => [d.code, d.line]) };
}
const log = (...lines: string[]): string => `${lines.join("\n")}\n`;

describe("readLog", () => {
  it("reads an intact log without diagnostics", () => {
    expect(read(log(line(0), line(1), line(2)))).toEqual({ seqs: [0, 1, 2], found: [] });
    expect(read("")).toEqual({ seqs: [], found: [] });
  });

  it("skips damaged lines and reports their line numbers", () => {
    expect(read(log(line(0), "{nope", line(1), "", "[1]", line(2, { text: 5 })))).toEqual({
      seqs: [0, 1],
      found: [
        ["line_corrupt", 2],
        ["line_corrupt", 4],
        ["record_invalid", 5],
        ["record_invalid", 6],
      ],
    });
  });

  it("skips a torn last line, but reads a complete one without a newline", () => {
    expect(read(`${log(line(0), line(1))}${line(2).slice(0, 30)}`)).toEqual({
      seqs: [0, 1],
      found: [["line_torn", 3]],
    });
    expect(read(`${log(line(0))}${line(1)}`)).toEqual({ seqs: [0, 1], found: [] });
  });

  it("reports gaps, duplicates and records out of order", () => {
    expect(read(log(line(0), line(1), line(4), line(1), line(3), line(3), line(5)))).toEqual({
      seqs: [0, 1, 4, 3, 5],
      found: [
        ["seq_gap", 3],
        ["seq_duplicate", 4],
        ["seq_backwards", 5],
        ["seq_duplicate", 6],
      ],
    });
  });

  it("skips unknown types, later versions and records of other sessions", () => {
    const lines = [line(0), line(1, { type: "later" }), line(2, { schema_version: 2 }), line(3, { session_id: "t" })];
    expect(read(log(...lines, line(3)))).toEqual({
      seqs: [0, 3],
      found: [
        ["type_unknown", 2],
        ["version_unsupported", 3],
        ["session_foreign", 4],
      ],
    });
  });

  it("reports a missing header and invalid UTF-8, and keeps unknown fields", () => {
    const bad = Buffer.from(line(1, { text: "a?b", later: [1] }));
    bad[bad.indexOf("?")] = 0xff;
    expect(read(Buffer.concat([bad, Buffer.from("\n")]))).toEqual({
      seqs: [1],
      found: [
        ["line_invalid_utf8", 1],
        ["seq_gap", 1],
        ["meta_missing", 1],
      ],
    });
    expect([...readLog(path)][0]).toMatchObject({ later: [1] });
    expect(read(log(line(0), line(1, { text: "\uFFFD\u2028" }))).found).toEqual([]);
    expect(read(`\uFEFF${log(line(0))}`)).toEqual({ seqs: [0], found: [] });
  });

  it("cuts long texts of a huge line and reports it", () => {
    const { seqs, found } = read(log(line(0), line(1, { text: "x".repeat(12_000_000) }), line(2)));
    expect({ seqs, found }).toEqual({ seqs: [0, 1, 2], found: [["line_shrunk", 2]] });
  });

  it("validates records in full if the full check is passed", () => {
    writeFileSync(path, log(line(0), line(1, { type: "user", text: "x", author: "ghost" })));
    expect([...readLog(path)]).toHaveLength(2);
    const strict = readLog(path, { check: parseRecord });
    expect([...strict]).toHaveLength(1);
    expect(strict.diagnostics[0]?.message).toContain("author");
  });

  it("reads compressed logs, and the beginning of a truncated one", () => {
    const lines = Array.from({ length: 50 }, (_, i) => line(i));
    const packed = zstdRaw(Buffer.from(log(...lines)));
    const file = `${path}.zst`;
    expect(read(packed, file)).toEqual({ seqs: [...lines.keys()], found: [] });
    const cut = read(packed.subarray(0, packed.length - 2000), file);
    expect(cut.seqs.length).toBeGreaterThan(0);
    expect(cut.seqs).toEqual([...cut.seqs.keys()]);
    expect(cut.found.length).toBeGreaterThan(0);
  });

  it("throws for a missing file, not before it is read", () => {
    const reading = readLog(join(dir, "none.jsonl"));
    expect(() => [...reading]).toThrow("there is no such log");
  });

  it("never throws on damage, and reads every line the damage did not touch", () => {
    const lines = Array.from({ length: 6 }, (_, i) => line(i));
    const whole = Buffer.from(log(...lines));
    const place = fc.nat({ max: whole.length - 1 });
    fc.assert(
      fc.property(place, fc.uint8Array({ minLength: 1, maxLength: 20 }), (at, noise) => {
        const damaged = Buffer.from(whole);
        damaged.set(noise.subarray(0, damaged.length - at), at);
        const end = Math.min(at + noise.length, whole.length);
        let offset = 0;
        const untouched: number[] = [];
        for (const [seq, text] of lines.entries()) {
          const next = offset + Buffer.byteLength(text) + 1;
          const newlineBefore = offset === 0 || at > offset - 1 || end <= offset - 1;
          if ((next <= at || offset >= end) && newlineBefore) untouched.push(seq);
          offset = next;
        }
        writeFileSync(path, damaged);
        const seqs = [...readLog(path)].map((r) => r.seq);
        // Damage to a number can produce another valid number; the header determines the session of the log.
        if (at > Buffer.byteLength(lines[0] as string) && !seqs.some((seq) => seq > 5)) {
          const found = new Set(seqs);
          for (const seq of untouched) expect(found.has(seq)).toBe(true);
        }
      }),
      { numRuns: 300 },
    );
  });
});

/** A zstd frame of raw (uncompressed) blocks: enough of the format to write it by hand. */
function zstdRaw(data: Buffer): Buffer {
  const parts: Buffer[] = [Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58])];
  const BLOCK = 2048;
  for (let at = 0; at < data.length; at += BLOCK) {
    const block = data.subarray(at, at + BLOCK);
    const head = (block.length << 3) | Number(at + BLOCK >= data.length);
    parts.push(Buffer.from([head & 0xff, (head >> 8) & 0xff, (head >> 16) & 0xff]), block);
  }
  return Buffer.concat(parts);
}
