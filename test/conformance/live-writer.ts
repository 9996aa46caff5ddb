import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { Cursor, Entry, SourceRef } from "../../src/sources/source.ts";
import type { Store } from "./store.ts";

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
    it("is read to the same end", async () => {
      const live = store
        .sample()
        .filter((ref) => reachesEnd(store, ref))
        .slice(0, 3);
      for (const ref of live) await follow(store, ref);
    });
  });
}

/** Only the last session of a file grows. */
function reachesEnd(store: Store, ref: SourceRef): boolean {
  if (ref.container !== "jsonl" && ref.container !== "text") return false;
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
  let writing = true;
  void done.then(() => (writing = false));

  const certain: Entry[] = [];
  let cursor: Cursor | null = null;
  const advance = (): Entry[] => {
    const reading = store.source.read(ref, cursor, { detail: "full" });
    const entries = [...reading];
    const next = JSON.parse(JSON.stringify(reading.cursor())) as Cursor;
    const settled = entries.filter((entry) => entry.line <= next.line);
    expect(settled.every((entry) => !entry.tentative)).toBe(true);
    certain.push(...settled);
    cursor = next;
    return entries.slice(settled.length);
  };
  while (writing) {
    advance();
    await sleep(1);
  }
  await done;
  const rest = advance();
  expect([...certain, ...rest]).toEqual(store.read(ref));
  store.drop(copy);
}
