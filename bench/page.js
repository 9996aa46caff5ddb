/**
 * Measures the page: `node bench/page.js [--sessions 500] [--turns 100] [--long 32m] [--soak 1000] [--keep]`, after a
 * build. Needs Chromium (or $CHROMIUM). Generates a home of `sessions` × `turns` turns and one long session, serves it
 * with the built program, and uses the page as a reader would. Times are wall times and only meaningful on an idle
 * machine; the CPU time of the server, given beside them, is meaningful on any. Results are printed as JSON and written
 * to .bench/page.json.
 */
import { spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { chromium } from "playwright-core";

import { parseSize } from "./generate.js";
import { pageHome, saySomething } from "./lib/page-home.js";

const REPO = dirname(dirname(fileURLToPath(import.meta.url)));
const WORK = join(REPO, ".bench");
const DAYBOOK = join(REPO, "bin", "daybook.js");
const TICK_MS = 10;
/** What clients of the server send. */
const TOKEN = "token-of-the-bench";
const OWN = { headers: { authorization: `Bearer ${TOKEN}` } };
const WORDS = [
  "cursor",
  "invoice",
  "error",
  "the",
  "function",
  "session",
  "ledger",
  "window",
  "cursor invoice",
  "npm test",
];
const WORDS_TYPED = ["inv", "inve", "sched", "retry queue", "prune parser", "test", "git status", "shard replay cache"];

const { values: flags } = parseArgs({
  options: {
    sessions: { type: "string", default: "500" },
    turns: { type: "string", default: "100" },
    long: { type: "string", default: "32m" },
    soak: { type: "string", default: "1000" },
    keep: { type: "boolean", default: false },
  },
});
const say = (/** @type {string} */ text) => process.stderr.write(`${text}\n`);
const round = (/** @type {number} */ n) => Math.round(n * 10) / 10;
const sleep = (/** @type {number} */ ms) => new Promise((resolve) => setTimeout(resolve, ms));

mkdirSync(WORK, { recursive: true });
const dir = mkdtempSync(join(WORK, "page-"));
const result = /** @type {Record<string, unknown>} */ ({});
/** @type {import("node:child_process").ChildProcess | null} */
let server = null;
try {
  say("generating …");
  const [sessions, turns] = [Number(flags.sessions), Number(flags.turns)];
  const size = parseSize(flags.long);
  const home = pageHome({ out: join(dir, "sessions"), seed: 3, sessions, turns, size, now: Date.now() });
  const at = ["--home", join(dir, "home"), "--root", `codex=${home.root}`];
  say("syncing …");
  await run([DAYBOOK, "sync", ...at]);
  server = spawn(process.execPath, [DAYBOOK, "serve", "--port", "0", ...at], {
    env: { ...process.env, DAYBOOK_TOKEN: TOKEN },
    stdio: ["ignore", "pipe", "ignore"],
  });
  const { pid } = server;
  const url = await address(server);
  await sleep(1000);
  const ask = async (/** @type {string} */ path) => {
    const start = performance.now();
    const response = await fetch(new URL(path, url), OWN);
    const body = await response.arrayBuffer();
    if (!response.ok) throw new Error(`${path}: ${response.status}`);
    return { ms: performance.now() - start, bytes: body.byteLength };
  };
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox"],
  });

  // Warm up the server; every browser context still starts with an empty cache.
  await look(browser, url, pid, "/", "main h2");
  say("first load …");
  const first = [];
  for (let i = 0; i < 5; i += 1) first.push(await look(browser, url, pid, "/", "main h2"));
  result["first load"] = medianRun(first);
  say("the long session …");
  const long = [];
  for (let i = 0; i < 5; i += 1)
    long.push(await look(browser, url, pid, `/session/codex/${home.long}`, "section[id^=T0] .body p", scrolled));
  result["a long session"] = medianRun(long);
  say("lists …");
  const list = [];
  for (let i = 0; i < 3; i += 1)
    list.push(await look(browser, url, pid, "/sessions", 'main a[href^="/session/"]', scrolled));
  result["list of sessions"] = medianRun(list);

  say("a session that grows …");
  const page = await (await letIn(await browser.newContext(), url)).newPage();
  await page.goto(new URL(`/session/codex/${home.growing.id}`, url).href);
  await page.locator("section[id^=T0]").first().waitFor();
  await sleep(1500);
  const shown = [];
  for (let i = 0; i < 5; i += 1) {
    const text = `What was just written, ${i}.`;
    await page.evaluate("window.scrollTo(0, document.body.scrollHeight)");
    const start = performance.now();
    saySomething(home.growing.file, text);
    await page.getByText(text).first().waitFor({ state: "attached" });
    shown.push(performance.now() - start);
    await sleep(300);
  }
  result["shown after it was written, ms"] = shown.map(Math.round);

  say("an idle page …");
  // The server's sync process lingers for a while; its reads are added to the server's count when it exits.
  for (let i = 0; i < 20 && childOf(pid) !== 0; i += 1) await sleep(1000);
  await sleep(3000);
  const [reads, cpu] = [readOf(pid), cpuOf(pid)];
  await sleep(10_000);
  result["idle for 10 s"] = { read_bytes: readOf(pid) - reads, server_cpu_ms: cpuOf(pid) - cpu };
  await page.close();

  say("searching while a sync runs …");
  const other = join(dir, "more");
  pageHome({ out: other, seed: 11, sessions: 200, turns: 50, size: parseSize("8m"), now: Date.now() });
  const events = new AbortController();
  void listen(new URL("/api/events", url), events.signal);
  cpSync(join(other, "codex"), home.root, { recursive: true });
  const times = [];
  for (let i = 0; i < 6; i += 1)
    for (const words of [...WORDS, ...WORDS_TYPED])
      times.push((await ask(`/api/search?q=${encodeURIComponent(words)}`)).ms);
  const { syncing } = await (await fetch(new URL("/api/overview", url), OWN)).json();
  times.sort((a, b) => a - b);
  result["search while a sync runs"] = {
    searches: times.length,
    p50_ms: round(times[Math.floor(times.length * 0.5)] ?? 0),
    p95_ms: round(times[Math.floor(times.length * 0.95)] ?? 0),
    still_syncing_at_the_end: syncing,
  };

  say("soaking …");
  const soak = Number(flags.soak);
  let [most, whole] = [0, 0];
  for (let i = 0; i < soak; i += 1) {
    await ask(["/api/overview", "/api/now", "/api/days", "/api/sessions?limit=100"][i % 4]);
    if (i % 10 === 0) saySomething(home.growing.file, `Said while it soaks, ${i}.`);
    if (i % 50 === 0) await ask(`/api/sessions/codex/${home.long}/records?turn=T0100`);
    most = Math.max(most, memoryOf(pid));
    whole = Math.max(whole, memoryOf(pid) + memoryOf(childOf(pid)));
  }
  // The server's sync process lingers for ten seconds.
  await sleep(15_000);
  const end = memoryOf(pid) + memoryOf(childOf(pid));
  result["memory of the server, MB"] = { questions: soak, most, with_what_reads_for_it: whole, at_the_end: end };
  events.abort();
  await browser.close();
} finally {
  server?.kill();
  if (!flags.keep) rmSync(dir, { recursive: true, force: true });
}
writeFileSync(join(WORK, "page.json"), `${JSON.stringify(result, null, 2)}\n`);
console.log(JSON.stringify(result, null, 2));

/**
 * Opens a page in a fresh browser context and measures the time until an element is there.
 *
 * @param {import("playwright-core").Browser} browser
 * @param {URL} url
 * @param {number | undefined} pid
 * @param {string} path
 * @param {string} until a selector
 * @param {(page: import("playwright-core").Page) => Promise<object>} [then]
 */
async function look(browser, url, pid, path, until, then) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  await letIn(context, url);
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send("Network.enable");
  let bytes = 0;
  session.on("Network.loadingFinished", ({ encodedDataLength }) => (bytes += encodedDataLength));
  const before = cpuOf(pid);
  await page.addInitScript(`new MutationObserver((_, all) => {
    if (!document.querySelector(${JSON.stringify(until)})) return;
    performance.mark("there");
    all.disconnect();
  }).observe(document, { childList: true, subtree: true });`);
  await page.goto(new URL(path, url).href);
  await page.locator(until).first().waitFor();
  await sleep(1000);
  const seen = await page.evaluate(`(() => {
    const paint = performance.getEntriesByName("first-contentful-paint")[0];
    return { painted_ms: paint?.startTime ?? 0, there_ms: performance.getEntriesByName("there")[0]?.startTime ?? 0 };
  })()`);
  const cpu = cpuOf(pid) - before;
  const more = then ? await then(page) : {};
  const { painted_ms: painted, there_ms: there } = /** @type {Record<string, number>} */ (seen);
  await context.close();
  return { painted_ms: round(painted), there_ms: round(there), kb: round(bytes / 1024), server_cpu_ms: cpu, ...more };
}

/**
 * The largest number of elements in the document at several scroll positions.
 *
 * @param {import("playwright-core").Page} page
 */
async function scrolled(page) {
  let most = 0;
  for (const part of [0, 0.25, 0.5, 0.75, 1]) {
    await page.evaluate(`window.scrollTo(0, document.body.scrollHeight * ${part})`);
    await sleep(250);
    most = Math.max(most, Number(await page.evaluate("document.querySelectorAll('*').length")));
  }
  return { most_elements: most };
}

/** @param {{ there_ms: number }[]} runs */
function medianRun(runs) {
  return runs.toSorted((a, b) => a.there_ms - b.there_ms)[Math.floor((runs.length - 1) / 2)];
}

/** @param {number | undefined} pid */
function cpuOf(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

/** @param {number | undefined} pid */
function memoryOf(pid) {
  try {
    return Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024);
  } catch {
    return 0;
  }
}

/** @param {number | undefined} pid */
function childOf(pid) {
  return Number.parseInt(readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8"), 10) || 0;
}

/**
 * Reads the event stream until aborted: the server closes a stream that nobody reads.
 *
 * @param {URL} url
 * @param {AbortSignal} signal
 */
async function listen(url, signal) {
  try {
    for await (const _ of (await fetch(url, { ...OWN, signal })).body ?? []);
  } catch {
    // Aborted.
  }
}

/**
 * Bytes that the process has read so far, from any source.
 *
 * @param {number | undefined} pid
 */
function readOf(pid) {
  return Number(/rchar: (\d+)/.exec(readFileSync(`/proc/${pid}/io`, "utf8"))?.[1] ?? 0);
}

/**
 * Gives a browser its cookie.
 *
 * @param {import("playwright-core").BrowserContext} context
 * @param {URL} url
 */
async function letIn(context, url) {
  await context.request.get(new URL(`/?key=${TOKEN}`, url).href);
  return context;
}

/** @param {import("node:child_process").ChildProcess} child */
async function address(child) {
  let printed = "";
  for await (const chunk of child.stdout ?? []) {
    printed += String(chunk);
    const found = /Daybook is at (\S+)/.exec(printed)?.[1];
    if (found !== undefined) return new URL(found);
  }
  throw new Error("the server printed no address");
}

/** @param {string[]} args */
function run(args) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "inherit"] });
    child.on("close", (code) => (code === 0 ? resolve(code) : reject(new Error(`exit ${code}`))));
  });
}
