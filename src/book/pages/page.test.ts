import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { Entry } from "../../agents/contract.ts";
import { generationOf, nextGeneration, pagePaths } from "./page-format.ts";
import { DAMAGED, readPage, readRecord } from "./page-reader.ts";
import { PageWriter, type RestingPage } from "./page.ts";

const dir = mkdtempSync(join(tmpdir(), "daybook-page-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

let serial = 0;
const fresh = (): string => join(dir, `page-${++serial}`);
const HEAD = { source: "codex", path: "/x/a.jsonl", key: "", container: "jsonl", session_id: "s" } as const;

function entry(line: number, text: string, more: Partial<Entry> = {}): Entry {
  const records: Entry["records"] = [{ type: "assistant_finished", text, turn_ended: false }];
  const place = { line, offset: (line - 1) * 11, bytes: 10, position: line, time: line * 1000 };
  return { ...place, class: "reaction", reason: "r", native: "n", records, tentative: false, ...more };
}

function fill(base: string, from: number, to: number, large = false): void {
  const writer = new PageWriter(base, HEAD, large);
  for (let line = from; line <= to; line++) writer.add(entry(line, `text ${line}`));
  writer.commit({ line: to, offset: to * 11 });
  writer.close();
}

const lines = (base: string): number[] => [...readPage(base).entries()].map((e) => e.line);

describe.each([
  ["plain", false],
  ["compressed", true],
])("a %s page", (_, large) => {
  it("returns the entries that were added in one or several commits, also by their place in the log", () => {
    const base = fresh();
    fill(base, 1, 3, large);
    fill(base, 4, 9, large);
    const expected = Array.from({ length: 9 }, (__, i) => entry(i + 1, `text ${i + 1}`));
    expect([...readPage(base).entries()]).toEqual(expected);
    const placed = [...readPage(base).placed()];
    expect(placed.map(({ places }) => places.length)).toEqual(expected.map(({ records }) => records.length));
    for (const { entry: stored, places } of placed) {
      for (const [i, [at, bytes]] of places.entries()) expect(readRecord(base, at, bytes)).toEqual(stored.records[i]);
    }
  });

  it("continues from a resting state, and reads the ledger if the files changed since", () => {
    const base = fresh();
    const append = (from: number, to: number, resting: RestingPage | null, reason: string): RestingPage | null => {
      const writer = new PageWriter(base, HEAD, large, resting);
      expect(writer.line).toBe(from - 1);
      for (let line = from; line <= to; line++) writer.add(entry(line, `text ${line}`, { reason }));
      writer.commit({ line: to, offset: to * 11 });
      const state = writer.rest();
      writer.close();
      return state;
    };
    const first = append(1, 3000, null, "r");
    const second = append(3001, 3002, first, "other");
    expect(first).not.toBeNull();
    // A new kind of entry, then a known kind; then from an outdated resting state.
    const third = append(3003, 3004, second, "other");
    append(3005, 3006, first, "r");
    const stored = [...readPage(base).entries()];
    expect(stored.map((one) => one.line)).toEqual(Array.from({ length: 3006 }, (__, i) => i + 1));
    expect(stored.slice(2998).map((one) => one.reason)).toEqual(["r", "r", ...Array(4).fill("other"), "r", "r"]);
    const { ledger } = pagePaths(base);
    const text = readFileSync(ledger, "utf8");
    writeFileSync(ledger, text.replace("[0,1500,", "{0,1500,"));
    expect(statSync(ledger).size).toBe(text.length);
    // A damaged page is neither truncated nor extended.
    expect(() => new PageWriter(base, HEAD, large, third)).toThrow("damaged");
    expect(readPage(base).state.damage).toEqual([{ from: 1500, to: 1500, part: "ledger" }]);
    expect(statSync(ledger).size).toBe(text.length);
  });

  it("keeps positions, ids, and empty, unusual or very long texts", () => {
    const base = fresh();
    const odd = [
      entry(1, "", { position: 0, turnId: "t", identity: "i" }),
      entry(2, "\u2028\u0000 \ud83d\ude00 \ud800 数据库", { time: null, records: [] }),
      entry(3, "x".repeat(5_000_000), { time: Number.MAX_SAFE_INTEGER }),
    ];
    const writer = new PageWriter(base, HEAD, large);
    for (const one of odd) writer.add(one);
    writer.commit({ line: 3, offset: 33 }, { tail: [entry(4, "tail", { tentative: true })] });
    writer.close();
    expect([...readPage(base).entries()]).toEqual([...odd, entry(4, "tail", { tentative: true })]);
  });

  it("drops entries that were never committed", () => {
    const base = fresh();
    fill(base, 1, 3, large);
    const writer = new PageWriter(base, HEAD, large);
    for (let line = 4; line < 5000; line++) writer.add(entry(line, "y".repeat(1000)));
    writer.close();
    expect(lines(base)).toEqual([1, 2, 3]);
    fill(base, 4, 5, large);
    expect(lines(base)).toEqual([1, 2, 3, 4, 5]);
  });

  it("returns the intact entries wherever its files are truncated, and reports a truncated log as damaged", () => {
    const base = fresh();
    fill(base, 1, 3, large);
    fill(base, 4, 6, large);
    const paths = pagePaths(base);
    const log = large ? paths.packed : paths.log;
    for (const path of [paths.ledger, log]) {
      const whole = readFileSync(path);
      for (let cut = 0; cut <= whole.length; cut += 3) {
        writeFileSync(path, whole.subarray(0, cut));
        // Intact rows are valid, whether or not a commit covers them.
        expect(lines(base)).toEqual([1, 2, 3, 4, 5, 6].slice(0, lines(base).length));
        // A truncated ledger ends earlier; a truncated log is noticed by its ledger.
        const isDamaged = path !== paths.ledger && cut < whole.length;
        expect(readPage(base).state.damage.length > 0).toBe(isDamaged);
      }
      writeFileSync(path, whole);
    }
    appendFileSync(paths.ledger, '{"commit":{"line":99,"log":99999');
    appendFileSync(log, "rubbish");
    expect(lines(base)).toHaveLength(6);
    truncateSync(log, statSync(log).size - 12);
    const { damage } = readPage(base).state;
    expect(damage).toEqual([{ from: 4, to: 6, part: "log" }]);
    const stored = [...readPage(base).entries()];
    expect(stored.slice(0, 3)).toEqual([1, 2, 3].map((line) => entry(line, `text ${line}`)));
    expect(stored.at(-1)).toMatchObject({ line: 6, class: "corrupt", reason: DAMAGED });
    expect(() => fill(base, 4, 7, large)).toThrow("damaged");
  });

  it("reports overwritten bytes as damage and never throws or returns wrong records", () => {
    const base = fresh();
    fill(base, 1, 6, large);
    const paths = pagePaths(base);
    for (const path of [paths.ledger, large ? paths.packed : paths.log]) {
      const whole = readFileSync(path);
      for (let at = 0; at < whole.length; at += 5) {
        writeFileSync(path, Buffer.from(whole).fill(0, at, Math.min(whole.length, at + 5)));
        const page = readPage(base);
        const stored = [...page.entries()];
        for (const one of stored) {
          if (one.reason === DAMAGED) continue;
          // Offsets are counted from the lines before.
          expect({ ...one, offset: 0 }).toEqual({ ...entry(one.line, `text ${one.line}`), offset: 0 });
        }
        // Any damage is reported, unless it hit a commit and everything that the commit covered is intact.
        if (stored.length === 6 && stored.every(({ reason }) => reason !== DAMAGED)) continue;
        expect(page.state.damage.length > 0 || stored.some(({ reason }) => reason === DAMAGED), `${path} ${at}`).toBe(
          true,
        );
      }
      writeFileSync(path, whole);
    }
  });

  it("returns the last version of a line that was written twice, without discarded entries", () => {
    const base = fresh();
    fill(base, 1, 4, large);
    const writer = new PageWriter(base, { ...HEAD, path: "/y/b.jsonl" }, large);
    expect(writer.moved).toBe(true);
    writer.add(entry(2, "changed"));
    writer.discard();
    writer.add(entry(3, "new words"));
    writer.add(entry(5, "text 5"));
    writer.commit({ line: 5, offset: 55 });
    writer.close();
    const expected = [1, 2, 3, 4, 5].map((line) => entry(line, line === 3 ? "new words" : `text ${line}`));
    expect([...readPage(base).entries()].map((e) => e.records)).toEqual(expected.map((e) => e.records));
    expect(readPage(base).state.head?.path).toBe("/y/b.jsonl");
  });
});

describe("the name of a page", () => {
  it("ends with its generation from the second on", () => {
    expect(generationOf("a-1")).toBe(1);
    expect(nextGeneration("a-1")).toBe("a-1.g2");
    expect(nextGeneration("a-1.g9")).toBe("a-1.g10");
  });
});
