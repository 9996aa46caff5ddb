/**
 * Live sessions: one line is appended to a long file, then a question is asked. The cost must depend on the line, not
 * on the length of the file or on the rest of the book.
 *
 * @typedef {import("./measure.js").Measured} Measured
 * @typedef {{ case: string, tool: string, what: string, bytes: number }} RowHead
 * @typedef {{ work: string, daybook: string, size: string, seed: number, times: number, others: Record<string, string>,
 *   name: string, say: (text: string) => void,
 *   report: (row: RowHead, runs: Measured[], check: (stdout: string) => string) => void }} Bench
 */
import { appendFileSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";

import { generate, parseSize } from "../generate.js";
import { measure } from "./measure.js";

const SOURCES = /** @type {const} */ (["codex", "claude-code"]);
/** All turns, a common first question; and the last few, where the cost of the appended line dominates. */
const QUESTIONS = /** @type {const} */ ([
  ["turns", []],
  ["turns --limit 5", ["--limit", "5"]],
]);

/**
 * `others`: the directories of the other sessions in the book, by source.
 *
 * @param {Bench} bench
 */
export async function benchAppend({ work, daybook, size, seed, times, others, name, say, report }) {
  // Generated for each run, because they are modified; with other seeds, or they would be copies of the other sessions.
  const dir = mkdtempSync(join(work, "append-"));
  const files = SOURCES.map((source, i) => {
    const out = join(dir, source);
    generate({ out, size: parseSize(size), seed: seed + 1000 + i, shape: "single", source, count: 1 });
    const root = join(out, source === "codex" ? "codex" : "claude");
    const [file] = readdirSync(root, { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".jsonl"))
      .map((path) => join(root, path))
      .toSorted((a, b) => statSync(b).size - statSync(a).size);
    return { source, root, file };
  });
  const roots = [...Object.entries(others), ...files.map(({ source, root }) => [source, root])];
  const at = ["--home", join(dir, "home"), ...roots.flatMap(([source, root]) => ["--root", `${source}=${root}`])];
  say(`a ${size} session of each source in ${name}, growing`);
  await measure(process.execPath, [daybook, "sync", ...at]);
  for (const { source, file } of files) {
    const said = copiesOfLastMessage(file);
    for (const [question, flags] of QUESTIONS) {
      const ask = () => measure(process.execPath, [daybook, "turns", "--json", ...flags, ...at]);
      await ask();
      const warm = [];
      const grown = [];
      for (let i = 1; i <= times; i += 1) {
        warm.push(await ask());
        appendFileSync(file, `${JSON.stringify(said())}\n`);
        grown.push(await ask());
      }
      const row = (/** @type {string} */ what) => ({
        case: `${size} ${source} in ${name}`,
        tool: "daybook",
        what: `${question}, ${what}`,
        bytes: statSync(file).size,
      });
      report(row("nothing new"), warm, () => "");
      report(row("one line appended"), grown, () => "");
    }
  }
  rmSync(dir, { recursive: true, force: true });
}

/**
 * Returns a function that makes copies of the agent's last message, each with a later time and new ids.
 *
 * @param {string} file
 */
function copiesOfLastMessage(file) {
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  const last = lines.findLast((line) => line.includes('"role":"assistant"'));
  if (last === undefined) throw new Error(`${file}: no message of the agent`);
  const time = Date.parse(JSON.parse(lines.findLast((line) => line.includes('"timestamp"')) ?? "{}").timestamp);
  let i = 0;
  return () => {
    const said = JSON.parse(last);
    i += 1;
    said.timestamp = new Date(time + i * 1000).toISOString();
    if (said.uuid) Object.assign(said, { uuid: `${said.uuid.slice(0, -4)}${String(i).padStart(4, "0")}` });
    if (said.message) said.message.id = `${said.message.id}${i}`;
    if (said.payload?.id) said.payload.id = `${said.payload.id}${i}`;
    return said;
  };
}
