import { appendFileSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { OpenedSources } from "../../book/reading/library.ts";
import type { SourceRef } from "../../agents/contract.ts";
import { suspectMoves } from "./moved-files.ts";
import { hasChanges, isSame, knownFiles, unknownFiles } from "./changed-files.ts";
import { isContinued, isStream, fingerprintOf } from "./fingerprint.ts";
import type { IndexStore, StoredFile } from "../tables/index-store.ts";

/** The checks that decide whether a file is continued, read from its start, or not read at all. */
const root = mkdtempSync(join(tmpdir(), "read-on-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const ref = (path: string, more: Partial<SourceRef> = {}): SourceRef => ({
  source: "toy",
  path,
  size: 1,
  mtimeMs: 2,
  container: "jsonl",
  ...more,
});
const file = (path: string, more: Partial<SourceRef> = {}, gone = false): StoredFile =>
  ({ ref: ref(path, more), gone }) as unknown as StoredFile;

describe("a file is suspected to have moved", () => {
  const moves = (changed: SourceRef[], gone: StoredFile[]): [string, string][] =>
    [...suspectMoves(changed, gone)].map(([to, from]) => [to.path, from.ref.path]);

  it("if a gone file of the same source has its name, compressed or not", () => {
    expect(moves([ref("/b/s.jsonl")], [file("/a/s.jsonl")])).toEqual([["/b/s.jsonl", "/a/s.jsonl"]]);
    expect(moves([ref("/b/s.jsonl.zst")], [file("/a/s.jsonl")])).toEqual([["/b/s.jsonl.zst", "/a/s.jsonl"]]);
    expect(moves([ref("C:\\b\\s.jsonl")], [file("/a/s.jsonl")])).toEqual([["C:\\b\\s.jsonl", "/a/s.jsonl"]]);
    expect(moves([ref("/b/s.zst.jsonl")], [file("/a/s.jsonl")])).toEqual([]);
    expect(moves([ref("/b/t.jsonl")], [file("/a/s.jsonl")])).toEqual([]);
    expect(moves([ref("/b/s.jsonl", { source: "other" })], [file("/a/s.jsonl")])).toEqual([]);
    expect(moves([], [file("/a/s.jsonl")])).toEqual([]);
  });

  it("unless one of the two is a session inside a database", () => {
    expect(moves([ref("/b/s.db", { key: "k" })], [file("/a/s.db")])).toEqual([]);
    expect(moves([ref("/b/s.db")], [file("/a/s.db", { key: "k" })])).toEqual([]);
  });

  it("from the gone file that shares most directories, or from none if several share equally many", () => {
    const gone = [file("/a/p/chat.json"), file("/a/q/chat.json")];
    const expected = [
      ["/b/q/chat.json", "/a/q/chat.json"],
      ["/b/p/chat.json", "/a/p/chat.json"],
    ];
    expect(moves([ref("/b/q/chat.json"), ref("/b/p/chat.json")], gone)).toEqual(expected);
    expect(moves([ref("/b/q/chat.json"), ref("/b/p/chat.json")], gone.toReversed())).toEqual(expected);
    expect(moves([ref("/b/r/chat.json")], gone)).toEqual([]);
    // Each gone file is matched at most once.
    expect(moves([ref("/b/q/chat.json"), ref("/c/r/chat.json")], gone)).toEqual([
      ["/b/q/chat.json", "/a/q/chat.json"],
      ["/c/r/chat.json", "/a/p/chat.json"],
    ]);
    // A path that is a suffix of the other shares all its directories with it.
    expect(moves([ref("q/chat.json")], [file("/z/r/chat.json"), file("/a/q/chat.json")])).toEqual([
      ["q/chat.json", "/a/q/chat.json"],
    ]);
    expect(moves([ref("/a/q/chat.json")], [file("/z/r/chat.json"), file("q/chat.json")])).toEqual([
      ["/a/q/chat.json", "q/chat.json"],
    ]);
  });
});

describe("isSame", () => {
  it("compares size and modification time, or only the stamp if either file has one", () => {
    expect(isSame(ref("a"), ref("a"))).toBe(true);
    expect(isSame(ref("a"), ref("a", { size: 9 }))).toBe(false);
    expect(isSame(ref("a"), ref("a", { mtimeMs: 9 }))).toBe(false);
    expect(isSame(ref("a", { stamp: "x" }), ref("a", { stamp: "x", size: 9 }))).toBe(true);
    expect(isSame(ref("a", { stamp: "x" }), ref("a", { stamp: "y" }))).toBe(false);
    expect(isSame(ref("a", { stamp: "x" }), ref("a"))).toBe(false);
    expect(isSame(ref("a"), ref("a", { stamp: "x" }))).toBe(false);
  });
});

describe("change detection", () => {
  const existing = join(root, "here.db");
  writeFileSync(existing, "x");
  const given = { "/d": "n" };
  const store = (files: StoredFile[], naming: string | null = JSON.stringify(given)): IndexStore =>
    ({
      files: () => files,
      meta: (name: string) => (name === "naming" ? naming : null),
      home: join(root, "nowhere"),
    }) as unknown as IndexStore;
  const opened = (refs: SourceRef[], more: object = {}): OpenedSources =>
    ({ refs, notes: new Map(), sources: [{ id: "toy" }], ...more }) as unknown as OpenedSources;
  const changed = (files: StoredFile[], refs: SourceRef[], more: object = {}, naming?: string | null): boolean => {
    const known = store(files, naming);
    return hasChanges(known, knownFiles(known), opened(refs, more), { home: "", given });
  };

  it("finds nothing to do while no file has changed", () => {
    expect(changed([file("/a"), file("/b")], [ref("/a"), ref("/b")])).toBe(false);
    expect(changed([], [])).toBe(false);
    const keys = [file(existing, { key: "1" }), file(existing, { key: "2" })];
    expect(changed(keys, [ref(existing, { key: "2" }), ref(existing, { key: "1" })])).toBe(false);
    // Already known to be gone; of a source that was not searched; or existing but not in a searched place.
    expect(changed([file("/a"), file("/gone", {}, true)], [ref("/a")])).toBe(false);
    expect(changed([file("/a"), file("/gone", { source: "other" })], [ref("/a")])).toBe(false);
    expect(changed([file("/a"), file(existing)], [ref("/a")])).toBe(false);
    expect(changed([file("/a"), ...keys], [ref("/a")])).toBe(false);
  });

  it("finds something to do if a file is new, changed, back or gone", () => {
    expect(changed([file("/a")], [ref("/a"), ref("/b")])).toBe(true);
    expect(changed([file("/a")], [ref("/a", { size: 7 })])).toBe(true);
    expect(changed([file("/a", {}, true)], [ref("/a")])).toBe(true);
    expect(changed([file("/a", { source: "other" })], [ref("/a")])).toBe(true);
    expect(changed([file("/a"), file("/gone")], [ref("/a")])).toBe(true);
    const keys = [file(existing, { key: "1" }), file(existing, { key: "2" })];
    expect(changed(keys, [ref(existing, { key: "1" })])).toBe(true);
    expect(changed([], [ref(existing, { key: "1" })])).toBe(true);
    expect(changed(keys, [ref(existing, { key: "1" }), ref(existing, { key: "3" })])).toBe(true);
  });

  it("lists new and changed files", () => {
    const refs = [ref("/a"), ref("/b", { size: 9 }), ref("/c"), ref("/d", { source: "other" })];
    const known = knownFiles(store([file("/a"), file("/b"), file("/d")]));
    expect(unknownFiles(known, refs).map(({ path }) => path)).toEqual(["/b", "/c", "/d"]);
    expect(unknownFiles(null, refs)).toEqual(refs);
  });

  it("finds something to do if a source has a note or the project names in the configuration changed", () => {
    expect(changed([file("/a")], [ref("/a")], { notes: new Map([["/a", "x"]]) })).toBe(true);
    expect(changed([file("/a")], [ref("/a")], {}, "other")).toBe(true);
    expect(changed([file("/a")], [ref("/a")], {}, null)).toBe(true);
    const first = store([], null);
    expect(hasChanges(first, knownFiles(first), opened([]), { home: "", given: {} })).toBe(false);
  });
});

describe("the fingerprint of a file that was read up to an offset", () => {
  const meter = (): { bytes: number; opens: number } => ({ bytes: 0, opens: 0 });
  const text = (n: number): string => Array.from({ length: n }, (_, i) => `line ${i}\n`).join("");
  let serial = 0;
  const file = (content: string, more: Partial<SourceRef> = {}): SourceRef => {
    const path = join(root, `${serial++}.jsonl`);
    writeFileSync(path, content);
    return ref(path, { size: content.length, ...more });
  };
  const continues = (one: SourceRef, offset: number, change: () => void, moved = false): boolean => {
    const fingerprint = fingerprintOf(one, offset, meter());
    change();
    return fingerprint !== null && isContinued(one, fingerprint, moved, meter());
  };

  it("covers the beginning of the file and the bytes before the offset", () => {
    const long = text(2000);
    const one = file(long);
    const fingerprint = fingerprintOf(one, 10_000, meter());
    expect(fingerprint).toMatchObject({ inode: statSync(one.path).ino, offset: 10_000 });
    expect(fingerprint?.head).toMatch(/^[\w-]{22}$/u);
    expect(fingerprint?.tail).toMatch(/^[\w-]{22}$/u);
    expect(fingerprint?.tail).not.toBe(fingerprint?.head);
    expect(continues(one, 10_000, () => appendFileSync(one.path, "more\n"))).toBe(true);
    const changeByte =
      (at: number): (() => void) =>
      () =>
        writeFileSync(one.path, `${long.slice(0, at)}#${long.slice(at + 1)}`);
    expect(continues(one, 10_000, changeByte(100))).toBe(false);
    writeFileSync(one.path, long);
    expect(continues(one, 10_000, changeByte(9999))).toBe(false);
    writeFileSync(one.path, long);
    expect(continues(one, 10_000, changeByte(10_000))).toBe(true);
    writeFileSync(one.path, long);
    // Changes between the two windows are not noticed.
    expect(continues(one, 10_000, changeByte(5000))).toBe(true);
  });

  it("takes two short reads, however long the file is", () => {
    const one = file(text(2000));
    const long = meter();
    fingerprintOf(one, 10_000, long);
    expect(long).toEqual({ bytes: 8192, opens: 2 });
    const short = meter();
    fingerprintOf(one, 10, short);
    expect(short.bytes).toBe(20);
  });

  it("does not match a file put in its place, unless the file is known to have moved", () => {
    const one = file("a\nb\n");
    const replace = (): void => {
      writeFileSync(`${one.path}.new`, "a\nb\nc\n");
      renameSync(`${one.path}.new`, one.path);
    };
    expect(continues(one, 4, replace)).toBe(false);
    expect(continues(one, 4, replace, true)).toBe(true);
    expect(continues(one, 4, () => writeFileSync(one.path, "a\n"))).toBe(false);
    expect(continues(one, 4, () => rmSync(one.path))).toBe(false);
  });

  it("has empty hashes if nothing was read, and then matches only a moved file", () => {
    const one = file("a\n");
    expect(fingerprintOf(one, 0, meter())).toMatchObject({ offset: 0, head: "", tail: "" });
    expect(continues(one, 0, () => undefined)).toBe(false);
    expect(continues(one, 0, () => undefined, true)).toBe(true);
  });

  it("exists for streams only, as databases and JSON files are compared row by row", () => {
    expect(
      ["jsonl", "jsonl.zst", "text", "sqlite", "json"].map((container) =>
        isStream(ref("a", { container } as Partial<SourceRef>)),
      ),
    ).toEqual([true, true, true, false, false]);
    const store = file("a\n", { container: "sqlite" });
    expect(fingerprintOf(store, 2, meter())).toBeNull();
    const fingerprint = { inode: statSync(store.path).ino, offset: 0, head: "", tail: "" };
    expect(isContinued(store, fingerprint, true, meter())).toBe(false);
  });

  it("covers only the beginning of a compressed file, and matches it only if it moved", () => {
    const content = Buffer.from("one\ntwo\n");
    // A zstd frame with a single raw block.
    const frame = Buffer.concat([
      Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x20, content.length, (content.length << 3) | 1, 0, 0]),
      content,
    ]);
    const path = join(root, "packed.jsonl.zst");
    writeFileSync(path, frame);
    const packed = ref(path, { container: "jsonl.zst" });
    const plain = file("one\ntwo\n");
    const fingerprint = fingerprintOf(packed, 8, meter());
    expect(fingerprint?.tail).toBe("");
    expect(fingerprint?.head).toBe(fingerprintOf(plain, 8, meter())?.head);
    expect(fingerprint && isContinued(packed, fingerprint, true, meter())).toBe(true);
    expect(fingerprint && isContinued(packed, fingerprint, false, meter())).toBe(false);
  });
});
