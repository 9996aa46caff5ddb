/**
 * Measures Daybook, ccusage and agentsview (if it is installed) on the same generated sessions, checks the answers
 * against the known truth, and writes what it measured into docs/performance.md unless --no-write is given.
 *
 *   npm run bench -- [--size 1g] [--words-size 300m] [--seed 1] [--reps 5] [--only daybook|ccusage] [--skip-large]
 *                    [--keep] [--json] [--no-write]
 *
 * Besides the mixed corpus, it appends to a long session line by line (--append-size 100m), reads a generated OpenCode
 * database (--opencode-size 300m) into a book, appends to a session log and opens a large one.
 *
 * Works in .bench/ (ignored by git): corpora are generated once per set of parameters and removed at the end unless
 * --keep is given; ccusage stays installed there. The result is also written to .bench/result.json.
 */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { open } from "node:fs/promises";
import { cpus, totalmem } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

import { GENERATOR_VERSION, generate, parseSize } from "./generate.js";
import { benchAppend } from "./lib/append.js";
import { findAgentsview, syncAgentsview } from "./lib/agentsview.js";
import { REPORTS, findCcusage, totalsOf } from "./lib/ccusage.js";
import { benchLiveLog } from "./lib/live-log.js";
import { measure, median, method } from "./lib/measure.js";
import { benchOpenCode } from "./lib/opencode.js";
import { ratioOf, writeResults } from "./lib/results.js";

/**
 * @typedef {Record<string, number>} Tokens
 * @typedef {{ case: string, tool: string, what: string, bytes: number, wall_ms: number, cpu_ms: number | null,
 *   rss_kb: number | null, tokens: string }} Row
 * @typedef {{ dir: string, bytes: number, expected: any }} Corpus
 */

const REPO = dirname(dirname(fileURLToPath(import.meta.url)));
const WORK = join(REPO, ".bench");
const DAYBOOK = join(REPO, "bin", "daybook.js");
const SEARCHES = join(REPO, "bench", "lib", "search-times.js");
const SOURCES = /** @type {const} */ (["codex", "claude-code"]);

const { values: flags } = parseArgs({
  options: {
    size: { type: "string", default: "1g" },
    "words-size": { type: "string", default: "300m" },
    seed: { type: "string", default: "1" },
    reps: { type: "string", default: "5" },
    only: { type: "string" },
    "single-size": { type: "string", default: "500m" },
    "line-size": { type: "string", default: "64m" },
    "append-size": { type: "string", default: "100m" },
    "opencode-size": { type: "string", default: "300m" },
    "skip-large": { type: "boolean", default: false },
    keep: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    "no-write": { type: "boolean", default: false },
  },
});
const reps = Math.max(1, Number(flags.reps));
/** @type {string[]} */
const notes = [];
/** @type {Row[]} */
const rows = [];
const say = (/** @type {string} */ text) => process.stderr.write(`${text}\n`);

/**
 * @param {import("./generate.js").Shape} shape
 * @param {string} size
 * @param {import("./generate.js").Source} [source]
 * @returns {Corpus}
 */
function corpus(shape, size, source = "codex") {
  const which = shape === "mixed" || shape === "words" ? "" : `-${source}`;
  const dir = join(WORK, "corpus", `v${GENERATOR_VERSION}-${shape}${which}-${size}-seed${flags.seed}`);
  if (!existsSync(join(dir, "expected.json"))) {
    say(`generating ${shape}${which} ${size} …`);
    // Built under another name, so that an interrupted run leaves nothing that looks complete.
    const part = `${dir}.part`;
    rmSync(part, { recursive: true, force: true });
    rmSync(dir, { recursive: true, force: true });
    generate({ out: part, size: parseSize(size), seed: Number(flags.seed), shape, source, count: 10_000 });
    renameSync(part, dir);
  }
  const expected = JSON.parse(readFileSync(join(dir, "expected.json"), "utf8"));
  const bytes = SOURCES.reduce((sum, name) => sum + (expected.sources[name]?.bytes ?? 0), 0);
  return { dir, bytes, expected };
}

/**
 * Reads every byte once, so that all tools start from a warm page cache.
 * @param {string} dir
 */
async function warm(dir) {
  const buffer = Buffer.allocUnsafe(1 << 20);
  for (const name of readdirSync(dir, { recursive: true, encoding: "utf8" })) {
    if (!name.endsWith(".jsonl")) continue;
    const file = await open(join(dir, name));
    while ((await file.read(buffer, 0, buffer.length)).bytesRead > 0);
    await file.close();
  }
}

/**
 * @param {Corpus} corpus
 * @param {readonly string[]} sources
 * @param {"tokens" | "not_in_token_count"} field
 * @returns {Tokens}
 */
function sumTokens(corpus, sources, field) {
  /** @type {Tokens} */
  const sum = {};
  for (const source of sources) {
    for (const [key, value] of Object.entries(corpus.expected.sources[source]?.[field] ?? {})) {
      sum[key] = (sum[key] ?? 0) + Number(value);
    }
  }
  return sum;
}

/**
 * @param {Corpus} corpus
 * @param {readonly string[]} sources
 * @param {Tokens} got only the kinds a tool reports are compared
 */
function verdict(corpus, sources, got) {
  const expected = sumTokens(corpus, sources, "tokens");
  const hidden = sumTokens(corpus, sources, "not_in_token_count");
  const missed = Object.entries(got).every(([key, value]) => value === expected[key] - hidden[key]);
  if (missed && hidden.output_tokens > 0) return `without the ${hidden.output_tokens} output tokens of killed sessions`;
  const off = Object.entries(got)
    .filter(([key, value]) => value !== expected[key])
    .map(([key, value]) => `${key} ${value - expected[key] > 0 ? "+" : ""}${value - expected[key]}`);
  return off.length === 0 ? "exact" : off.join(", ");
}

/**
 * @param {Omit<Row, "wall_ms" | "cpu_ms" | "rss_kb" | "tokens">} row
 * @param {import("./lib/measure.js").Measured[]} runs
 * @param {(stdout: string) => string} check
 */
function report(row, runs, check) {
  const failed = runs.find((run) => run.code !== 0);
  const { wall_ms, cpu_ms, rss_kb, stdout } = median(runs);
  // Time is the median, memory the worst: a peak that shows up once will show up again.
  const peak = rss_kb === null ? null : Math.max(...runs.map((run) => run.rss_kb ?? 0));
  let tokens = "";
  if (failed) {
    const lines = failed.stderr.trim().split("\n");
    tokens = `exit ${failed.code}: ${lines.find((line) => /error/i.test(line)) ?? lines.at(-1)}`;
  } else {
    try {
      tokens = check(stdout);
    } catch (error) {
      tokens = `unreadable answer: ${String(error)}`;
    }
  }
  rows.push({ ...row, wall_ms, cpu_ms, rss_kb: peak, tokens });
  say(`  ${row.tool} ${row.what}: ${wall_ms} ms, ${peak === null ? "?" : Math.round(peak / 1024)} MB, ${tokens}`);
}

/**
 * Where the sessions of a corpus are, by source.
 *
 * @param {Corpus} corpus
 * @returns {Record<string, string>}
 */
function rootsOf(corpus) {
  const present = SOURCES.filter((source) => corpus.expected.sources[source]);
  return Object.fromEntries(
    present.map((source) => [source, join(corpus.dir, source === "codex" ? "codex" : "claude")]),
  );
}

/**
 * @param {string} name
 * @param {Corpus} corpus
 * @param {number} times
 */
async function daybook(name, corpus, times) {
  const present = SOURCES.filter((source) => corpus.expected.sources[source]);
  const roots = Object.entries(rootsOf(corpus)).flatMap(([source, root]) => ["--root", `${source}=${root}`]);
  const usage = [DAYBOOK, "usage", "daily", "--json", "--offline", "--timezone", "UTC", ...roots];
  const exact = (/** @type {string} */ stdout) => {
    const { totals } = JSON.parse(stdout);
    const kinds = Object.keys(sumTokens(corpus, present, "tokens"));
    return verdict(corpus, present, Object.fromEntries(kinds.map((kind) => [kind, totals[kind]])));
  };
  const row = (/** @type {string} */ what) => ({ case: name, tool: "daybook", what, bytes: corpus.bytes });
  const first = [];
  for (let i = 0; i < times; i += 1) {
    // A fresh home each time: the first answer on a machine is what ccusage, which keeps no index, is compared with.
    const home = mkdtempSync(join(WORK, "home-"));
    first.push(await run([...usage, "--home", home]));
    rmSync(home, { recursive: true, force: true });
  }
  report(row("usage daily, empty home"), first, exact);
  const home = mkdtempSync(join(WORK, "home-"));
  const at = ["--home", home, ...roots];
  report(row("sync from empty, all searchable"), [await run([DAYBOOK, "sync", "--json", ...at])], (stdout) => {
    const { files_read: files, rows_written: written } = JSON.parse(stdout);
    return `${files} files, ${written} rows, book and index ${(sizeOf(home) / corpus.bytes).toFixed(2)} of the sources`;
  });
  for (const [what, args] of /** @type {const} */ ([
    ["sync, nothing new", ["sync", "--json"]],
    ["usage daily, nothing new", ["usage", "daily", "--json", "--timezone", "UTC"]],
    ["sessions, nothing new", ["sessions", "--json"]],
    ["report, nothing new", ["report", "--json", "--timezone", "UTC"]],
    ["search two words", ["search", "cursor", "invoice", "--json"]],
  ])) {
    const runs = [];
    for (let i = 0; i < times; i += 1) runs.push(await run([DAYBOOK, ...args, ...at]));
    report(row(what), runs, what.startsWith("usage") ? exact : () => "");
  }
  const pairs = roots.filter((word) => word !== "--root");
  report(row("searches in process"), [await run([SEARCHES, home, ...pairs])], (stdout) => {
    const { searches, p50_ms: p50, p95_ms: p95, most_ms: most } = JSON.parse(stdout);
    return `${searches} searches: p50 ${p50} ms, p95 ${p95} ms, longest ${most} ms`;
  });
  rmSync(home, { recursive: true, force: true });
}

/** @param {string[]} args */
function run(args) {
  return measure(process.execPath, args);
}

/** @param {string} dir */
function sizeOf(dir) {
  return readdirSync(dir, { recursive: true, withFileTypes: true }).reduce(
    (sum, entry) => sum + (entry.isFile() ? statSync(join(entry.parentPath, entry.name)).size : 0),
    0,
  );
}

/**
 * @param {string} name
 * @param {Corpus} corpus
 * @param {string} binary
 * @param {number} times
 */
async function ccusage(name, corpus, binary, times) {
  // An empty home keeps the sessions and settings of whoever runs this out of the numbers.
  const home = mkdtempSync(join(WORK, "home-"));
  const { PATH } = process.env;
  const env = {
    PATH,
    HOME: home,
    TZ: "UTC",
    CODEX_HOME: join(corpus.dir, "codex"),
    CLAUDE_CONFIG_DIR: join(corpus.dir, "claude"),
  };
  const present = SOURCES.filter((source) => corpus.expected.sources[source]);
  const reports = present.length === 1 ? present : /** @type {const} */ ([...present, "all"]);
  for (const which of reports) {
    const runs = [];
    for (let i = 0; i < times; i += 1) runs.push(await measure(binary, REPORTS[which], { env, cwd: home }));
    const sources = which === "all" ? present : [which];
    const bytes = sources.reduce((sum, source) => sum + corpus.expected.sources[source].bytes, 0);
    report({ case: name, tool: "ccusage", what: REPORTS[which].slice(0, -4).join(" "), bytes }, runs, (stdout) =>
      verdict(corpus, sources, totalsOf(stdout)),
    );
  }
  rmSync(home, { recursive: true, force: true });
}

/**
 * @param {string} name
 * @param {Corpus} corpus
 * @param {string} binary
 */
async function agentsview(name, corpus, binary) {
  const { run: first, kept } = await syncAgentsview({ binary, work: WORK, corpus: corpus.dir, sizeOf });
  report({ case: name, tool: "agentsview", what: "sync from empty", bytes: corpus.bytes }, [first], () => {
    return `${(kept / corpus.bytes).toFixed(2)} of the sources`;
  });
}

function table() {
  const head = ["case", "tool", "what", "MB", "wall ms", "cpu ms", "MB/s", "peak MB", "ratio", "checked"];
  const body = rows.map((row) => [
    row.case,
    row.tool,
    row.what,
    (row.bytes / 1e6).toFixed(0),
    String(row.wall_ms),
    String(row.cpu_ms ?? "?"),
    (row.bytes / 1e3 / row.wall_ms).toFixed(0),
    row.rss_kb === null ? "?" : (row.rss_kb / 1024).toFixed(0),
    ratioOf(row, rows),
    row.tokens,
  ]);
  const widths = head.map((title, i) => Math.max(title.length, ...body.map((line) => line[i].length)));
  const numeric = new Set([3, 4, 5, 6, 7]);
  return [head, ...body]
    .map((line) =>
      line.map((cell, i) => (numeric.has(i) ? cell.padStart(widths[i]) : cell.padEnd(widths[i]))).join("  "),
    )
    .join("\n");
}

async function main() {
  mkdirSync(WORK, { recursive: true });
  const runDaybook = flags.only !== "ccusage" && existsSync(DAYBOOK);
  if (flags.only !== "ccusage" && !runDaybook) notes.push("bin/daybook.js is not there: Daybook was skipped");
  /** @type {ReturnType<typeof findCcusage> | undefined} */
  const rival = flags.only === "daybook" ? undefined : findCcusage(join(WORK, "ccusage"));
  if (rival && "reason" in rival) notes.push(`ccusage was skipped: ${rival.reason}`);
  if (rival && "note" in rival && rival.note) notes.push(rival.note);
  const indexer = flags.only === undefined ? findAgentsview() : undefined;
  if (indexer && "reason" in indexer) notes.push(`agentsview was skipped: ${indexer.reason}`);

  /** @type {(() => [string, Corpus, number])[]} */
  const cases = [
    () => [`mixed ${flags.size}`, corpus("mixed", flags.size), reps],
    () => [`many words ${flags["words-size"]}`, corpus("words", flags["words-size"]), Math.min(reps, 3)],
  ];
  if (!flags["skip-large"]) {
    for (const source of SOURCES) {
      const [single, line] = [flags["single-size"], flags["line-size"]];
      cases.push(() => [`one ${single} ${source} file`, corpus("single", single, source), Math.min(reps, 3)]);
      cases.push(() => [`one ${line} ${source} line`, corpus("hugeline", line, source), Math.min(reps, 3)]);
    }
  }
  for (const prepare of cases) {
    const [name, made, times] = prepare();
    say(`${name}: ${(made.bytes / 1e6).toFixed(0)} MB, ${times} runs each`);
    await warm(made.dir);
    if (runDaybook) await daybook(name, made, times);
    if (runDaybook && name.startsWith("mixed"))
      await benchAppend({
        work: WORK,
        daybook: DAYBOOK,
        size: flags["append-size"],
        seed: Number(flags.seed),
        others: rootsOf(made),
        name,
        times,
        say,
        report,
      });
    if (rival && "binary" in rival) await ccusage(name, made, rival.binary, times);
    if (indexer && "binary" in indexer && /^(?:mixed|many words)/.test(name))
      await agentsview(name, made, indexer.binary);
    if (!flags.keep) rmSync(made.dir, { recursive: true, force: true });
  }
  if (runDaybook) await benchLiveLog({ work: WORK, times: reps, say, report });
  if (runDaybook && !flags["skip-large"])
    await benchOpenCode({
      work: WORK,
      daybook: DAYBOOK,
      size: flags["opencode-size"],
      seed: Number(flags.seed),
      times: reps,
      keep: flags.keep,
      say,
      report,
    });

  const machine = { cpu: cpus()[0]?.model ?? "unknown", cores: cpus().length, memory_mb: Math.round(totalmem() / 1e6) };
  const result = {
    node: process.version,
    agentsview: indexer && "version" in indexer ? indexer.version : null,
    ccusage: rival && "version" in rival ? rival.version : null,
    machine,
    measured_with: method,
    seed: Number(flags.seed),
    notes,
    rows,
  };
  writeFileSync(join(WORK, "result.json"), `${JSON.stringify(result, null, 2)}\n`);
  const versions = `Node ${process.version.slice(1)}, ccusage ${result.ccusage ?? "not there"}, agentsview ${result.agentsview ?? "not there"}`;
  // Rows of one tool alone would replace those of all.
  if (!flags["no-write"] && flags.only === undefined)
    writeResults(join(REPO, "docs", "performance.md"), {
      intro: `${versions}; ${machine.cores} cores; warm page cache; wall time is the median of several runs, memory the largest.`,
      rows,
    });
  if (flags.json) return console.log(JSON.stringify(result));
  console.log(`${versions}, ${machine.cores} × ${machine.cpu}, ${method}\n`);
  console.log(table());
  for (const note of notes) console.log(`note: ${note}`);
}

await main();
