import { mkdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { afterEach, expect, it } from "vitest";
import { scratch } from "../../../test/store/fixture.ts";
import { IndexStore } from "./index-store.ts";

/**
 * Reads in short transactions that overlap, on two connections: at every moment one of them is open, as on a server
 * that is asked all the time.
 */
const READER = `
const { workerData, parentPort } = require("node:worker_threads");
const engine = process.getBuiltinModule?.("node:sqlite") ?? require("@photostructure/sqlite");
const [a, b] = [0, 1].map(() => new engine.DatabaseSync(workerData, { timeout: 10000 }));
const begin = (db) => { db.exec("BEGIN"); db.prepare("SELECT count(*) FROM meta").all(); };
begin(a);
parentPort.postMessage("reading");
setInterval(() => { begin(b); a.exec("COMMIT"); begin(a); b.exec("COMMIT"); }, 20);
`;

let reader: Worker | null = null;
afterEach(async () => {
  await reader?.terminate();
});

it("the log of the index is emptied while somebody always reads it", async () => {
  const home = scratch("log");
  mkdirSync(home, { recursive: true });
  IndexStore.create(home).publish();
  const store = IndexStore.openExisting(home);
  if (!store) throw new Error("there is no index");
  reader = new Worker(READER, { eval: true, workerData: store.path });
  await new Promise((resolve) => reader?.once("message", resolve));
  let longest = 0;
  const text = "x".repeat(1_000_000);
  for (let i = 0; i < 200; i++) {
    store.batched(() => store.setMeta(`key ${i}`, text));
    store.commit();
    longest = Math.max(longest, statSync(join(home, "index.db-wal")).size);
  }
  expect(longest).toBeLessThan(80_000_000);
  expect(store.get("SELECT count(*) AS n FROM meta WHERE key LIKE 'key %'")).toEqual({ n: 200 });
  store.close();
  IndexStore.release(home);
  rmSync(home, { recursive: true });
});
