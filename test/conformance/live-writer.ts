import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Cursor, Entry, SourceRef } from "../../src/sources/contract.ts";
import { isLineByLine, type Store } from "./store.ts";

/** Appends a file to another in pieces that respect neither lines nor characters, as a writer's buffer may. */
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

/** A session read piece by piece while it is written is the session read at once. */
export function describeLiveWriter(store: Store): void {
  describe("a session that is still being written", () => {
    it("is read to the same end wherever it was cut", () => {
      for (const original of growing(store)) {
        const copy = store.copy();
        const path = join(copy, relative(store.root, original.path));
        const ref = { ...original, path };
        const whole = readFileSync(path);
        const expected = store.read(ref);
        // Without its own first line a session inside a larger file is not there yet.
        const min = expected[1]?.offset ?? whole.length;
        fc.assert(
          fc.property(fc.integer({ min, max: whole.length }), (cut) => {
            writeFileSync(path, whole.subarray(0, cut));
            const pass = new Follower(store, ref);
            pass.advance();
            writeFileSync(path, whole);
            pass.advance();
            expect([...pass.certain, ...pass.rest]).toEqual(expected);
          }),
          { numRuns: 40 },
        );
        store.drop(copy);
      }
    });

    it("is read to the same end beside the process that writes it", async () => {
      for (const ref of growing(store).slice(0, 3)) await follow(store, ref);
    });
  });
}

/** Reads on from where it stopped, keeping what is certain. */
export class Follower {
  readonly certain: Entry[] = [];
  /** What the newest pass saw beyond the certain part. */
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
    const settled = entries.filter((entry) => entry.line <= next.line);
    expect(settled.filter((entry) => entry.tentative)).toEqual([]);
    // Rows of a database are rewritten in place: a source may tell a session anew, and then tells all of it.
    if (!isLineByLine(this.#ref) && entries[0]?.line === 1) this.certain.length = 0;
    this.certain.push(...settled);
    this.rest = entries.slice(settled.length);
    this.#cursor = next;
  }
}

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

  const pass = new Follower(store, ref);
  while (writer.exitCode === null) {
    pass.advance();
    await sleep(1);
  }
  await done;
  pass.advance();
  expect([...pass.certain, ...pass.rest]).toEqual(store.read(ref));
  store.drop(copy);
}
