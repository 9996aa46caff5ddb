/**
 * A large OpenCode database: how fast its rows are read into the book, and what checking for changes costs.
 *
 * @typedef {import("./measure.js").Measured} Measured
 * @typedef {{ case: string, tool: string, what: string, bytes: number }} RowHead
 * @typedef {{ work: string, daybook: string, size: string, seed: number, times: number, keep: boolean,
 *   say: (text: string) => void, report: (row: RowHead, runs: Measured[], check: (stdout: string) => string) => void }} Bench
 */
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";

import { OPENCODE_VERSION, changeRow, generateOpenCode } from "../generate-opencode.js";
import { parseSize } from "../generate.js";
import { measure } from "./measure.js";

/** @param {string} stdout */
function counts(stdout) {
  const { files_read: read, files_seen: seen, rows_written: written } = JSON.parse(stdout);
  return `${read} of ${seen} sessions read, ${written} rows`;
}

/** @param {Bench} bench */
export async function benchOpenCode({ work, daybook, size, seed, times, keep, say, report }) {
  const dir = join(work, "corpus", `v${OPENCODE_VERSION}-opencode-${size}-seed${seed}`);
  if (!existsSync(join(dir, "expected.json"))) {
    say(`generating opencode ${size} …`);
    rmSync(dir, { recursive: true, force: true });
    rmSync(`${dir}.part`, { recursive: true, force: true });
    generateOpenCode({ out: `${dir}.part`, size: parseSize(size), seed });
    renameSync(`${dir}.part`, dir);
  }
  const { tokens, bytes } = JSON.parse(readFileSync(join(dir, "expected.json"), "utf8")).sources.opencode;
  const run = (/** @type {string[]} */ args) =>
    measure(process.execPath, [daybook, ...args, "--json", "--root", `opencode=${dir}`]);
  const row = (/** @type {string} */ what) => ({ case: `opencode ${size}`, tool: "daybook", what, bytes });
  const exact = (/** @type {string} */ stdout) => {
    const { totals } = JSON.parse(stdout);
    const off = Object.keys(tokens).filter((kind) => totals[kind] !== tokens[kind]);
    return off.length === 0 ? "exact" : `wrong: ${off.join(", ")}`;
  };
  say(`opencode ${size}: ${(bytes / 1e6).toFixed(0)} MB of documents`);
  const home = mkdtempSync(join(work, "home-"));
  report(row("sync from empty, all searchable"), [await run(["sync", "--home", home])], counts);
  const warm = [];
  for (let i = 0; i < times; i += 1) warm.push(await run(["sync", "--home", home]));
  report(row("sync, nothing new"), warm, counts);
  report(row("usage daily, nothing new"), [await run(["usage", "daily", "--timezone", "UTC", "--home", home])], exact);
  changeRow(join(dir, "opencode.db"));
  report(row("sync, one row changed in place"), [await run(["sync", "--home", home])], counts);
  rmSync(home, { recursive: true, force: true });
  if (!keep) rmSync(dir, { recursive: true, force: true });
}
