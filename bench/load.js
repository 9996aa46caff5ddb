/**
 * Measures a server under load: `node bench/load.js --root codex=DIR --root claude-code=DIR [--clients 200]
 * [--seconds 60] [--first]`, after a build. Syncs the given sessions into a temporary home (with `--first` the server
 * does that itself while it is asked, until it is done), starts `serve`, and lets the clients ask one question after the
 * other. Prints what they were answered, the times of searches, those of single searches afterwards and after a restart,
 * and the memory and open files of the server, as JSON.
 *
 * With `--appends` a session grows every second meanwhile; every thirty seconds a line of JSON says how far the server
 * has got and what memory, files and write-ahead log it has: `node bench/load.js --appends --clients 10 --seconds 600 …`.
 */
import { spawn } from "node:child_process";
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
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
    appends: { type: "boolean", default: false },
  },
});
const WORDS = ["parser", "error", "the", "function", "session agent", "await promise", "buffer line", "rg config"];
const SESSION = "01a00000-0000-7000-a000-000000000001";
const token = "token-of-the-bench";
const home = mkdtempSync(join(tmpdir(), "daybook-load-"));
const growing = join(home, "growing");
const roots = flags.appends ? [...flags.root, `codex=${growing}`] : flags.root;
const at = ["--home", home, ...roots.flatMap((root) => ["--root", root])];
const sleep = (/** @type {number} */ ms) => new Promise((resolve) => setTimeout(resolve, ms));
/** @type {import("node:child_process").ChildProcess | null} */
let server = null;
try {
  if (flags.appends) startSession();
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
  const append = async () => {
    for (let turn = 1, told = 0; flags.appends && performance.now() < end; turn++) {
      addTurn(turn);
      await sleep(1000);
      const seconds = Number(flags.seconds) - Math.round((end - performance.now()) / 1000);
      if (seconds < told + 30 && performance.now() < end) continue;
      told = seconds;
      const asked = await textAt(new URL(`/api/turns?source=codex&session=${SESSION}&limit=500`, url));
      const seen = asked.split('"turn_ref"').length - 1;
      console.log(JSON.stringify({ seconds, written: turn, seen, ...stateOf(pid), statuses }));
    }
  };
  await Promise.all([untilRead(), append(), ...Array.from({ length: Number(flags.clients) }, (_, n) => client(n))]);
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

function stateOf(/** @type {number} */ pid) {
  const open_files = readdirSync(`/proc/${pid}/fd`).length;
  const log = statSync(join(home, "index.db-wal"), { throwIfNoEntry: false })?.size ?? 0;
  return { memory_mb: memoryOf(pid), open_files, index_log_bytes: log };
}

function sessionFile() {
  return join(growing, "sessions", "2026", "05", "30", `rollout-2026-05-30T00-00-00-${SESSION}.jsonl`);
}

function line(/** @type {string} */ type, /** @type {object} */ payload) {
  return `${JSON.stringify({ timestamp: new Date().toISOString(), type, payload })}\n`;
}

/** A session of Codex, as version 0.130 writes it. */
function startSession() {
  mkdirSync(dirname(sessionFile()), { recursive: true });
  const meta = { id: SESSION, timestamp: new Date().toISOString(), cwd: "/home/dev/bench", originator: "codex_cli_rs" };
  writeFileSync(sessionFile(), line("session_meta", { ...meta, cli_version: "0.130.0", source: "cli" }));
}

function addTurn(/** @type {number} */ n) {
  const message = `Question ${n}: does the parser read the buffer?`;
  const content = [{ type: "input_text", text: message }];
  const answer = [{ type: "output_text", text: `Answer ${n}. ${"It reads the buffer line by line. ".repeat(40)}` }];
  const call = {
    call_id: `call_${n}`,
    name: "shell_command",
    arguments: JSON.stringify({ command: `rg parser ${n}` }),
  };
  appendFileSync(
    sessionFile(),
    [
      line("event_msg", { type: "task_started", turn_id: `turn-${n}` }),
      line("response_item", { type: "message", role: "user", content }),
      line("event_msg", { type: "user_message", message, images: [] }),
      line("response_item", { type: "function_call", ...call }),
      line("response_item", {
        type: "function_call_output",
        call_id: call.call_id,
        output: "Exit code: 0\nOutput:\nx",
      }),
      line("response_item", { type: "message", role: "assistant", content: answer }),
      line("event_msg", { type: "task_complete", last_agent_message: "done" }),
    ].join(""),
  );
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
