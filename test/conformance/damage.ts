import { readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { SourceRef } from "../../src/agents/contract.ts";
import { buildDraft } from "../../src/turns/builder.ts";
import { expectBalance } from "./detail.ts";
import { countLines, isLineByLine, type Store } from "./store.ts";
import { cases } from "../nightly.ts";

/** Damage to files as caused by crashes, full disks, editors and merges. `at` and `to` are fractions of the file. */
const DAMAGES: Readonly<Record<string, (bytes: Buffer, at: number, to: number) => Buffer>> = {
  truncated: (bytes, at) => bytes.subarray(0, Math.floor(at * bytes.length)),
  "NUL block": (bytes, at, to) => {
    const start = Math.floor(at * bytes.length);
    return Buffer.from(bytes).fill(0, start, Math.min(bytes.length, start + 1 + Math.floor(to * 2000)));
  },
  "lines swapped": (bytes, at, to) =>
    withLines(bytes, (lines) => {
      const [i, j] = [index(lines, at), index(lines, to)];
      [lines[i], lines[j]] = [lines[j] ?? "", lines[i] ?? ""];
    }),
  "line duplicated": (bytes, at, to) =>
    withLines(bytes, (lines) => lines.splice(index(lines, to), 0, lines[index(lines, at)] ?? "")),
  "line deleted": (bytes, at) => withLines(bytes, (lines) => lines.splice(index(lines, at), 1)),
  "foreign line": (bytes, at, to) =>
    withLines(bytes, (lines) => lines.splice(index(lines, at), 0, FOREIGN[Math.floor(to * FOREIGN.length)] ?? "")),
  "invalid UTF-8": (bytes, at) => {
    const start = Math.floor(at * bytes.length);
    return Buffer.concat([bytes.subarray(0, start), Buffer.from([0xff, 0xc3, 0x28, 0xed]), bytes.subarray(start)]);
  },
};

const FOREIGN = ["", "{}", "[]", "null", '{"type":"message"}', '{"type":42}', "#### ", "> ", "```", "\r", "\uFEFF{}"];

/** A position anywhere in a file. Not `fc.double`, which mostly generates tiny numbers, that is, the beginning. */
export const FRACTION: fc.Arbitrary<number> = fc.integer({ min: 0, max: 999_999 }).map((part) => part / 1_000_000);

function withLines(bytes: Buffer, change: (lines: string[]) => void): Buffer {
  const lines = bytes.toString("latin1").split("\n");
  change(lines);
  return Buffer.from(lines.join("\n"), "latin1");
}

function index(lines: readonly string[], fraction: number): number {
  return Math.min(lines.length - 1, Math.floor(fraction * lines.length));
}

/** Damaged files cause no exception, and every line still has an entry. */
export function describeDamage(store: Store): void {
  describe("damage", () => {
    it.for(Object.entries(DAMAGES))(
      "every line still has an entry, and files stay unchanged: %s",
      ([, damage], { skip }) => {
        const refs = store.sample().filter(isLineByLine);
        if (refs.length === 0) skip("no file is read line by line");
        fc.assert(
          fc.property(fc.constantFrom(...refs), FRACTION, FRACTION, (ref, at, to) => {
            const file = relative(store.root, ref.path);
            const copy = store.copy([file]);
            const path = join(copy, file);
            writeFileSync(path, damage(readFileSync(ref.path), at, to));
            const before = store.hash(copy);
            expectReadable(store, copy, path, ref);
            expect(store.hash(copy)).toEqual(before);
            store.drop(copy);
          }),
          { numRuns: cases(10, 25) },
        );
      },
    );
  });
}

function expectReadable(store: Store, root: string, path: string, original: SourceRef): void {
  const found = store.discover(root).filter((ref) => ref.path === path);
  let read = 0;
  for (const ref of found) {
    const reading = store.source.read(ref, null, { detail: "full" });
    const draft = buildDraft(ref, store.source.sessionId(ref), reading, { ledger: false, toolDetail: false });
    expectBalance(draft);
    read += draft.records.records_read;
    expect(store.read(ref, { detail: "lean" })).toHaveLength(draft.records.records_read);
    expect(store.read(ref, { detail: "usage" })).toHaveLength(draft.records.records_read);
  }
  // A file without its beginning may no longer be recognised, and an empty file has no sessions.
  if (found.length > 0) expect(read).toBe(countLines(readFileSync(path)));
  else if (original.key === undefined) expect(() => store.read({ ...original, path })).not.toThrow();
}
