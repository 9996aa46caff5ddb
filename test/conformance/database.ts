import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DaybookError } from "../../src/base/errors.ts";
import { openDatabase } from "../../src/base/io/sqlite.ts";
import type { Entry, SourceRef } from "../../src/agents/contract.ts";
import { FRACTION } from "./damage.ts";
import { draftOf, expectBalance } from "./detail.ts";
import { Follower } from "./live-writer.ts";
import type { Store } from "./store.ts";
import { cases } from "../nightly.ts";

/** Damage to a database file. `at` and `to` are fractions of the file. */
const DAMAGES: Readonly<Record<string, (bytes: Buffer, at: number, to: number) => Buffer>> = {
  truncated: (bytes, at) => bytes.subarray(0, Math.floor(at * bytes.length)),
  "NUL block": (bytes, at, to) => filled(bytes, at, to, 0),
  "foreign bytes": (bytes, at, to) => filled(bytes, at, to, 0xa5),
  "header alone": (bytes) => bytes.subarray(0, 100),
};

function filled(bytes: Buffer, at: number, to: number, value: number): Buffer {
  const start = Math.floor(at * bytes.length);
  return Buffer.from(bytes).fill(value, start, Math.min(bytes.length, start + 1 + Math.floor(to * 20_000)));
}

/** Databases have no lines to cut, so bytes are damaged and messages are deleted instead. */
export function describeDatabase(store: Store): void {
  describe("damage", () => {
    it.each(Object.entries(DAMAGES))(
      "sessions are read with balanced counts or refused with a DaybookError: %s",
      (_, damage) => {
        const [sample] = store.discover();
        const file = relative(store.root, sample?.path ?? "");
        const whole = readFileSync(join(store.root, file));
        fc.assert(
          fc.property(FRACTION, FRACTION, (at, to) => {
            const copy = store.copy([file]);
            const path = join(copy, file);
            writeFileSync(path, damage(whole, at, to));
            const before = store.hash(copy);
            // Sessions known from before the damage are read too, because an index may still list them.
            for (const ref of [...store.discover(copy), ...store.sample().map((known) => ({ ...known, path }))])
              expectReadOrRefused(store, ref);
            expect(store.hash(copy)).toEqual(before);
            store.drop(copy);
          }),
          { numRuns: cases(10, 25) },
        );
      },
    );
  });

  describe("a session that is still being written", () => {
    it("gives the same entries when reading stops after any message and resumes", () => {
      for (const original of store.sample()) {
        const copy = store.copy();
        const path = join(copy, relative(store.root, original.path));
        const ref = { ...original, path };
        const expected = store.read(ref);
        for (let keep = 0; keep < expected.length; keep++) {
          copyFileSync(original.path, path);
          const db = openDatabase(path);
          store.shorten(db, ref.key ?? "", keep);
          db.close();
          const follower = new Follower(store, ref);
          follower.advance();
          const read = follower.certain.length + follower.rest.length;
          copyFileSync(original.path, path);
          follower.advance();
          expect([...follower.certain, ...follower.rest], `${ref.key ?? ""} after ${keep} messages`).toEqual(expected);
          if (read === expected.length) break;
        }
        store.drop(copy);
      }
    });
  });
}

/** A session is either refused with a DaybookError, or all its records are counted. */
function expectReadOrRefused(store: Store, ref: SourceRef): void {
  let entries: Entry[];
  try {
    entries = store.read(ref);
  } catch (error) {
    if (!(error instanceof DaybookError)) throw error;
    return;
  }
  const draft = draftOf(store, ref, "full");
  expectBalance(draft);
  expect(entries).toHaveLength(draft.records.records_read);
}
