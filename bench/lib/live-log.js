/**
 * A live session log: appending 100,000 records with batched sync, and opening a log of 100 MB to continue it.
 *
 * @typedef {import("./measure.js").Measured} Measured
 * @typedef {{ case: string, tool: string, what: string, bytes: number }} RowHead
 * @typedef {{ work: string, times: number, say: (text: string) => void,
 *   report: (row: RowHead, runs: Measured[], check: (stdout: string) => string) => void }} Bench
 */
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { measure } from "./measure.js";

const PROGRAM = join(dirname(fileURLToPath(import.meta.url)), "live-log-program.js");
/** Session id, number of records, and length of each record's text. */
const SHAPES = /** @type {const} */ ([
  ["append", 100_000, 300],
  ["large", 40_000, 2400],
]);

/** @param {Bench} bench */
export async function benchLiveLog({ work, times, say, report }) {
  const dir = mkdtempSync(join(work, "live-log-"));
  say("a live session log");
  for (const [id, records, text] of SHAPES) {
    const write = () => measure(process.execPath, [PROGRAM, "write", dir, id, String(records), String(text)]);
    const runs = [];
    for (let i = 0; i < (id === "append" ? times : 1); i += 1) {
      rmSync(join(dir, `${id}.jsonl`), { force: true });
      runs.push(await write());
    }
    const bytes = statSync(join(dir, `${id}.jsonl`)).size;
    const isWhole = (/** @type {string} */ stdout) => (stdout.trim() === String(records + 1) ? "exact" : stdout.trim());
    if (id === "append") report({ case: "log", tool: "daybook", what: "append 100,000 records", bytes }, runs, isWhole);
    const opened = [];
    for (let i = 0; i < times; i += 1) opened.push(await measure(process.execPath, [PROGRAM, "open", dir, id]));
    if (id === "large") report({ case: "log", tool: "daybook", what: "open to go on", bytes }, opened, isWhole);
  }
  rmSync(dir, { recursive: true, force: true });
}
