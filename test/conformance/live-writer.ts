import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Cursor, Entry, SourceRef } from "../../src/agents/contract.ts";
import { isLineByLine, type Store } from "./store.ts";
import { cases } from "../nightly.ts";

/** A program that appends a file to another in pieces that end anywhere, even inside a character, like a buffer. */
const WRITER = `
const { appendFileSync, readFileSync } = require("node:fs");
const [from, to, start] = process.argv.slice(1);
const rest = readFileSync(from).subarray(Number(start));
const step = Math.max(1, Math.ceil(rest.length / 40));
let at = 0;
const timer = setInterval(() => {
  appendFileSync(to, rest.subarray(at, at + step));
  at += step;
  if (at >= rest.length) clearInterval(timer);
}, 3);
`;

/** Reading a session in pieces while it is written gives the same entries as reading it at once. */
export function describeLiveWriter(store: Store): void {
  describe("a session that is still being written", () => {
    it("gives the same entries when reading stops at any byte and resumes", ({ skip }) => {
      const refs = growing(store);
      if (refs.length === 0) skip("no session file grows by lines");
      for (const original of refs) {
        const copy = store.copy();
        const path = join(copy, relative(store.root, original.path));
        const ref = { ...original, path };
        const whole = readFileSync(path);
        const expected = store.read(ref);
        // Before its own first line is written, a session inside a larger file does not exist yet.
        const min = expected[1]?.offset ?? whole.length;
        fc.assert(
          fc.property(fc.integer({ min, max: whole.length }), (cut) => {
            writeFileSync(path, whole.subarray(0, cut));
            const follower = new Follower(store, ref);
            follower.advance();
            writeFileSync(path, whole);
            follower.advance();
            expect([...follower.certain, ...follower.rest]).toEqual(expected);
          }),
          { numRuns: cases(15, 40) },
        );
        store.drop(copy);
      }
    });

    it("gives the same entries when it is read while another process writes it", async ({ skip }) => {
      const refs = growing(store);
      if (refs.length === 0) skip("no session file grows by lines");
      for (const ref of refs.slice(0, 3)) await follow(store, ref);
    });
  });
}

/** Reads a session in several passes, each from the cursor of the last, and keeps the entries that are certain. */
export class Follower {
  readonly certain: Entry[] = [];
  /** Entries that the last pass read after its cursor. */
  rest: Entry[] = [];
  readonly #store: Store;
  readonly #ref: SourceRef;
  #cursor: Cursor | null = null;

  constructor(store: Store, ref: SourceRef) {
    this.#store = store;
    this.#ref = ref;
  }

  advance(): void {
    const reading = this.#store.source.read(this.#ref, this.#cursor, { detail: "full" });
    const entries = [...reading];
    const next = JSON.parse(JSON.stringify(reading.cursor())) as Cursor;
    const certain = entries.filter((entry) => entry.line <= next.line);
    expect(certain.filter((entry) => entry.tentative)).toEqual([]);
    // Rows of a database are updated in place, so a source may start over, and then returns the whole session.
    if (!isLineByLine(this.#ref) && entries[0]?.line === 1) this.certain.length = 0;
    this.certain.push(...certain);
    this.rest = entries.slice(certain.length);
    this.#cursor = next;
  }
}

/** Sessions of the sample that can grow by appended lines. */
function growing(store: Store): SourceRef[] {
  return store.sample().filter((ref) => reachesEnd(store, ref));
}

/** Only the last session of a file grows. */
function reachesEnd(store: Store, ref: SourceRef): boolean {
  if (!isLineByLine(ref)) return false;
  const last = store.read(ref).at(-1);
  return last !== undefined && last.offset + last.bytes + 1 >= readFileSync(ref.path).length;
}

async function follow(store: Store, original: SourceRef): Promise<void> {
  const first = store.read(original)[0];
  const bytes = readFileSync(original.path);
  const origin = first?.offset ?? 0;
  const start = origin + Math.floor((bytes.length - origin) / 3);
  const file = relative(store.root, original.path);
  const copy = store.copy();
  const path = join(copy, file);
  writeFileSync(path, bytes.subarray(0, start));
  const ref = { ...original, path };

  const writer = spawn(process.execPath, ["-e", WRITER, original.path, path, String(start)], { stdio: "ignore" });
  const done = new Promise<void>((resolve) => writer.on("exit", () => resolve()));

  const follower = new Follower(store, ref);
  while (writer.exitCode === null) {
    follower.advance();
    await sleep(1);
  }
  await done;
  follower.advance();
  expect([...follower.certain, ...follower.rest]).toEqual(store.read(ref));
  store.drop(copy);
}
