/**
 * Measures a server under load: `node bench/load.js --root codex=DIR --root claude-code=DIR [--clients 200]
 * [--seconds 60] [--first]`, after a build. Syncs the given sessions into a temporary home (with `--first` the server
 * does that itself while it is asked, until it is done), starts `serve`, and lets the clients ask one question after the
 * other. Prints what they were answered, the times of searches, those of single searches afterwards and after a restart,
 * and the memory and open files of the server, as JSON.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const DAYBOOK = join(dirname(dirname(fileURLToPath(import.meta.url))), "bin", "daybook.js");
const { values: flags } = parseArgs({
  options: {
    root: { type: "string", multiple: true, default: [] },
    clients: { type: "string", default: "200" },
    seconds: { type: "string", default: "60" },
    first: { type: "boolean", default: false },
  },
});
const WORDS = ["parser", "error", "the", "function", "session agent", "await promise", "buffer line", "rg config"];
const token = "token-of-the-bench";
const home = mkdtempSync(join(tmpdir(), "daybook-load-"));
const at = ["--home", home, ...flags.root.flatMap((root) => ["--root", root])];
const sleep = (/** @type {number} */ ms) => new Promise((resolve) => setTimeout(resolve, ms));
/** @type {import("node:child_process").ChildProcess | null} */
let server = null;
try {
  if (!flags.first) await run(["sync", ...at]);
  server = start();
  const url = await address(server);
  const pid = server.pid ?? 0;
  const agent = new Agent({ keepAlive: true, maxSockets: Infinity });
  /** @type {Record<string, number>} */
  const statuses = {};
  /** @type {number[]} */
  const searches = [];
  let memory = memoryOf(pid);
  const before = memory;
  const end = performance.now() + Number(flags.seconds) * 1000;
  const meter = setInterval(() => (memory = Math.max(memory, memoryOf(pid))), 200);
  // The first sync counts as done when an overview says so.
  const first = { isRead: !flags.first };
  const untilRead = async () => {
    while (!first.isRead) {
      await sleep(1000);
      first.isRead = !(await textAt(new URL("/api/overview", url))).includes('"syncing":true');
    }
  };
  const client = async (/** @type {number} */ n) => {
    for (let asked = 0; performance.now() < end || !first.isRead; asked++) {
      const path = pathOf(n, asked);
      const began = performance.now();
      const status = await ask(agent, new URL(path, url));
      statuses[status] = (statuses[status] ?? 0) + 1;
      if (path.startsWith("/api/search") && status === "200") searches.push(performance.now() - began);
      // A client that is told to come back later does.
      if (status === "503") await sleep(1000);
    }
  };
  await Promise.all([untilRead(), ...Array.from({ length: Number(flags.clients) }, (_, n) => client(n))]);
  clearInterval(meter);
  const files = readdirSync(`/proc/${pid}/fd`).length;
  await sleep(5000);
  searches.sort((a, b) => a - b);
  const of = (/** @type {number} */ share) => Math.round(searches[Math.floor(searches.length * share)] ?? NaN);
  const alone = await searchesAlone(url);
  const log = statSync(join(home, "index.db-wal"), { throwIfNoEntry: false })?.size ?? 0;
  const after = memoryOf(pid);
  await stop(server);
  server = start();
  const again = await address(server);
  const found = {
    statuses,
    search: { answers: searches.length, p50_ms: of(0.5), p95_ms: of(0.95), max_ms: of(0.9999) },
    alone_ms: { server: alone, restarted: await searchesAlone(again) },
    memory_mb: { before, most: memory, after },
    open_files: files,
    index_log_bytes: log,
  };
  console.log(JSON.stringify(found, null, 2));
} finally {
  if (server) await stop(server);
  rmSync(home, { recursive: true, force: true });
}

function start() {
  const words = ["serve", "--port", "0", ...at];
  const env = { ...process.env, DAYBOOK_TOKEN: token };
  return spawn(process.execPath, [DAYBOOK, ...words], { env, stdio: ["ignore", "pipe", "inherit"] });
}

function stop(/** @type {import("node:child_process").ChildProcess} */ child) {
  return new Promise((resolve) => {
    child.once("exit", resolve);
    child.kill();
  });
}

async function textAt(/** @type {URL} */ url) {
  const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
  return response.text();
}

/** The times of one search after the other, in ms. */
async function searchesAlone(/** @type {string} */ url) {
  const times = [];
  for (const word of WORDS) {
    const began = performance.now();
    await textAt(new URL(`/api/search?q=${encodeURIComponent(word)}`, url));
    times.push(Math.round(performance.now() - began));
  }
  return times;
}

/** What a reader of the page asks, and searches, in a fixed order per client. */
function pathOf(/** @type {number} */ client, /** @type {number} */ asked) {
  const kind = (client + asked) % 5;
  if (kind === 0) return "/api/overview";
  if (kind === 1) return `/api/sessions?limit=50&sort=${["newest", "cost", "active"][client % 3]}`;
  if (kind === 2) return `/api/report?date=2026-05-${10 + (client % 15)}`;
  return `/api/search?q=${encodeURIComponent(WORDS[(client * 3 + asked) % WORDS.length] ?? "")}`;
}

/** The status, or the code of the error. */
function ask(/** @type {Agent} */ agent, /** @type {URL} */ url) {
  return new Promise((resolve) => {
    const headers = { authorization: `Bearer ${token}` };
    const asked = request(url, { agent, headers }, (response) => {
      response.resume();
      response.on("end", () => resolve(String(response.statusCode)));
      response.on("error", (error) => resolve(String(/** @type {NodeJS.ErrnoException} */ (error).code)));
    });
    asked.on("error", (error) => resolve(String(/** @type {NodeJS.ErrnoException} */ (error).code)));
    asked.end();
  });
}

function memoryOf(/** @type {number} */ pid) {
  const [, kb = "0"] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Math.round(Number(kb) / 1024);
}

function run(/** @type {string[]} */ words) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [DAYBOOK, ...words], { stdio: ["ignore", "ignore", "inherit"] });
    child.on("exit", (code) => (code === 0 ? resolve(null) : reject(new Error(`daybook ${words[0]}: ${code}`))));
  });
}

/** The address that `serve` printed, without its ticket. */
function address(/** @type {import("node:child_process").ChildProcess} */ child) {
  return new Promise((resolve, reject) => {
    let text = "";
    child.stdout?.on("data", (chunk) => {
      text += chunk;
      const [, found] = /Daybook is at (\S+?)(?:\?|\s)/.exec(text) ?? [];
      if (found !== undefined) resolve(found);
    });
    child.on("exit", () => reject(new Error("serve ended")));
  });
}
