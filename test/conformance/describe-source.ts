import { readFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import * as fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { DaybookError } from "../../src/base/errors.ts";
import { addDrift } from "../../src/book/reading/drift.ts";
import type { Database } from "../../src/base/io/sqlite.ts";
import { BESIDE, type Cursor, type Drift, type Entry, type Source, type SourceRef } from "../../src/agents/contract.ts";
import { describeDamage } from "./damage.ts";
import { describeDatabase } from "./database.ts";
import { describeDetail } from "./detail.ts";
import { describeLiveWriter } from "./live-writer.ts";
import { countLines, isLineByLine, Store } from "./store.ts";
import { cases } from "../nightly.ts";

export interface SourceUnderTest {
  source: Source;
  /** First word of every reason. */
  reasonPrefix: string;
  /** A directory with genuine or synthetic sessions. It is copied before the tests, which change the copy. */
  fixture: string | (() => string);
  /** Names the fixture in titles; the name of its directory when left out. */
  label?: string;
  /** Number of sessions used by the slow tests, spread evenly over the store. */
  sample?: number;
  /** The roots that a user would name for a store at this path; the path itself when left out. */
  roots?(store: string): readonly string[];
  /**
   * Only for stores that are databases, which have no lines to cut, damage or append: deletes all but the first `keep`
   * messages of a session, as if the others had not been written yet.
   */
  shorten?(db: Database, session: string, keep: number): void;
}

const CLASSES: ReadonlySet<string> = new Set([
  "trigger",
  "echo",
  "setup",
  "reaction",
  "early",
  "session",
  "inherited",
  "duplicate",
  "unknown",
  "corrupt",
]);

/** The tests that every source must pass. They require the contract in `src/agents/contract.ts` and nothing more. */
export function describeSource(options: SourceUnderTest): void {
  const { source, fixture } = options;
  const label = options.label ?? (typeof fixture === "string" ? basename(fixture) : "generated");
  describe(`source ${source.id}, ${label}`, () => {
    const store = new Store(options);
    beforeAll(() => store.open());

    describe("discovery", () => {
      it("finds sessions, the same in the same order every time, each once", () => {
        const refs = store.discover();
        expect(refs.length).toBeGreaterThan(0);
        expect(store.discover()).toEqual(refs);
        const locations = refs.map((ref) => `${ref.path}#${ref.key ?? ""}`);
        expect(new Set(locations).size).toBe(locations.length);
      });

      it("does not depend on the order of files in a directory", () => {
        const expected = names(store.discover(), store.root);
        fc.assert(
          fc.property(fc.shuffledSubarray(store.files(), { minLength: store.files().length }), (files) => {
            const copy = store.copy(files);
            expect(names(store.discover(copy), copy)).toEqual(expected);
          }),
          { numRuns: 3 },
        );
      });

      it("reports a missing root instead of throwing", () => {
        const codes: string[] = [];
        const roots = [join(store.root, "no", "such", "root")];
        expect([...source.discover(store.context(roots, (diagnostic) => codes.push(diagnostic.code)))]).toEqual([]);
        expect(codes).toEqual(["root_missing"]);
      });

      it("recognises the files it finds, and has an id for each session", () => {
        for (const ref of store.discover()) {
          expect(ref.source).toBe(source.id);
          expect(source.recognises(ref), ref.path).toBe(true);
          expect(source.sessionId(ref)).not.toBe("");
        }
      });
    });

    describe("reading", () => {
      it("gives every record a class and a reason, in order", () => {
        for (const ref of store.discover()) {
          const entries = store.read(ref);
          for (const [i, entry] of entries.entries()) {
            expect(CLASSES.has(entry.class), entry.class).toBe(true);
            expect(entry.reason.startsWith(`${options.reasonPrefix}.`), entry.reason).toBe(true);
            expect(entry.native).not.toBe("");
            if (entry.class === "trigger") expect(entry.identity ?? "").not.toBe("");
            const before = entries[i - 1];
            if (!before) continue;
            expect(entry.line).toBe(before.line + 1);
            expect(entry.offset).toBeGreaterThanOrEqual(before.offset);
            expect(entry.position).toBeGreaterThanOrEqual(before.position);
          }
        }
      });

      it.skipIf(store.isDatabase)("gives one entry per physical line", ({ skip }) => {
        const files = [...store.byFile()].filter(([, refs]) => refs.every(isLineByLine));
        if (files.length === 0) skip("no file is read line by line");
        for (const [path, refs] of files) {
          const lines = countLines(readFileSync(path));
          expect(
            refs.reduce((sum, ref) => sum + store.read(ref).filter(isInFile).length, 0),
            path,
          ).toBe(lines);
        }
      });

      it("gives the same entries when a session is read twice", () => {
        for (const ref of store.discover()) expect(store.read(ref)).toEqual(store.read(ref));
      });

      it("gives the same entries when reading resumes from any cursor", () => {
        for (const ref of store.sample()) {
          const { entries, cursors } = walk(store, ref);
          fc.assert(
            fc.property(fc.nat({ max: Math.max(0, cursors.length - 1) }), (at) => {
              const cursor = cursors[at];
              if (!cursor) return;
              const done = entries.filter((entry) => entry.line <= cursor.line);
              expect(done.some((entry) => entry.tentative)).toBe(false);
              expect([...done, ...store.read(ref, { detail: "full" }, cursor)]).toEqual(entries);
            }),
            { numRuns: cases(6, 12) },
          );
        }
      });

      it("counts the same versions, types and fields in one pass as in two", () => {
        for (const ref of store.sample()) {
          const { cursors, drifts } = walk(store, ref);
          const whole = drifts.at(-1);
          for (const [at, cursor] of cursors.entries()) {
            // Only where the cursor is right behind the entry: anything read beyond a cursor is read and counted again.
            const before = cursor.line === at + 1 ? drifts[at] : undefined;
            if (!before || at % 7 !== 0) continue;
            const rest = store.source.read(ref, cursor, { detail: "full" });
            for (const entry of rest) void entry;
            expect(addDrift([before, rest.drift()])).toEqual(whole);
          }
        }
      });

      it("stops when aborted, and throws a DaybookError when the file cannot be opened", () => {
        const [ref] = store.discover();
        if (!ref) throw new Error("no session found");
        expect(store.read(ref, { detail: "full", signal: AbortSignal.abort() })).toEqual([]);
        const missing = { ...ref, path: join(store.root, "gone") };
        expect(() => [...source.read(missing, null, { detail: "full" })]).toThrow(DaybookError);
        expect(source.recognises(missing)).toBe(false);
      });

      it("leaves all files unchanged", () => {
        const before = store.hash();
        for (const ref of store.discover()) store.read(ref);
        const facts = source.facts?.(store.context());
        facts?.titles();
        facts?.prompts();
        expect(store.hash()).toEqual(before);
      });
    });

    describeDetail(store);
    if (store.isDatabase) describeDatabase(store);
    else {
      describeDamage(store);
      describeLiveWriter(store);
    }
  });
}

/** Entries of files beside a log come in addition to its lines. */
function isInFile({ native }: Entry): boolean {
  return !native.startsWith(BESIDE);
}

function names(refs: readonly SourceRef[], root: string): string[] {
  return refs.map((ref) => `${relative(root, ref.path)}#${ref.key ?? ""}`);
}

/** All entries of a session; and, after each entry, the cursor as restored from JSON, and the drift counted so far. */
function walk(store: Store, ref: SourceRef): { entries: Entry[]; cursors: Cursor[]; drifts: Drift[] } {
  const reading = store.source.read(ref, null, { detail: "full" });
  const entries: Entry[] = [];
  const cursors: Cursor[] = [];
  const drifts: Drift[] = [];
  for (const entry of reading) {
    entries.push(entry);
    drifts.push(reading.drift());
    const cursor = reading.cursor();
    cursors.push(JSON.parse(JSON.stringify(cursor)) as Cursor);
    expect(cursors.at(-1)).toEqual(cursor);
  }
  return { entries, cursors, drifts };
}
