/**
 * A live session: one line is written to a long file, then somebody asks. What it costs must follow the line, not the file.
 *
 * @typedef {import("./measure.js").Measured} Measured
 * @typedef {{ case: string, tool: string, what: string, bytes: number }} RowHead
 * @typedef {{ work: string, daybook: string, size: string, seed: number, times: number, say: (text: string) => void,
 *   report: (row: RowHead, runs: Measured[], check: (stdout: string) => string) => void }} Bench
 */
import { appendFileSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";

import { generate, parseSize } from "../generate.js";
import { measure } from "./measure.js";

/** @param {Bench} bench */
export async function benchAppend({ work, daybook, size, seed, times, say, report }) {
  for (const source of /** @type {const} */ (["codex", "claude-code"])) {
    // Generated each time, because it is written to.
    const dir = mkdtempSync(join(work, "append-"));
    generate({ out: dir, size: parseSize(size), seed, shape: "single", source, count: 1 });
    const root = join(dir, source === "codex" ? "codex" : "claude");
    const [file] = readdirSync(root, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".jsonl"))
      .map((name) => join(root, name))
      .toSorted((a, b) => statSync(b).size - statSync(a).size);
    const bytes = statSync(file).size;
    const said = lastSaid(file);
    const at = ["--home", join(dir, "home"), "--root", `${source}=${root}`];
    const ask = () => measure(process.execPath, [daybook, "turns", "--json", "--limit", "5", ...at]);
    const row = (/** @type {string} */ what) => ({ case: `one ${size} ${source} file`, tool: "daybook", what, bytes });
    say(`one ${size} ${source} file, growing`);
    await measure(process.execPath, [daybook, "sync", ...at]);
    await ask();
    const warm = [];
    const grown = [];
    for (let i = 1; i <= times; i += 1) {
      warm.push(await ask());
      appendFileSync(file, `${JSON.stringify(said(i))}\n`);
      grown.push(await ask());
    }
    report(row("turns, nothing new"), warm, () => "");
    report(row("turns, one line appended"), grown, () => "");
    rmSync(dir, { recursive: true, force: true });
  }
}

/**
 * The last thing the agent said, said again later under other ids.
 *
 * @param {string} file
 */
function lastSaid(file) {
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  const last = lines.findLast((line) => line.includes('"role":"assistant"'));
  if (last === undefined) throw new Error(`${file}: nobody said anything`);
  const time = Date.parse(JSON.parse(lines.at(-1) ?? "{}").timestamp);
  return (/** @type {number} */ i) => {
    const said = JSON.parse(last);
    said.timestamp = new Date(time + i * 1000).toISOString();
    if (said.uuid) Object.assign(said, { uuid: `${said.uuid.slice(0, -4)}${String(i).padStart(4, "0")}` });
    if (said.message) said.message.id = `${said.message.id}${i}`;
    if (said.payload?.id) said.payload.id = `${said.payload.id}${i}`;
    return said;
  };
}
