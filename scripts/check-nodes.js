#!/usr/bin/env node
// Installs the package into an empty project and runs it on many versions of Node: npm run check:nodes. Needs the network
// once, for the versions, which npm keeps as packages.
//
//   node scripts/check-nodes.js [--package DIR] [--nodes DIR] [version ...]
//
// `--package` is the built checkout to pack (default: this one), `--nodes` where the versions are kept.
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const { cachePlace } = createRequire(import.meta.url)("../bin/code-cache.js");

/** The oldest Node the package supports, one that V8 once crashed on, and the first and last of every line since. */
const VERSIONS = ["20.19.0", "20.19.4", "20.20.0", "20", "22.2", "22.12", "22", "24.0", "24", "latest"];
const PATIENCE = 60_000;

const { values: flags, positionals } = parseArgs({
  options: { package: { type: "string" }, nodes: { type: "string" } },
  allowPositionals: true,
});
const root = resolve(flags.package ?? fileURLToPath(new URL("..", import.meta.url)));
const nodes = resolve(flags.nodes ?? join(...(cachePlace(process.env, process.platform) ?? [tmpdir()]), "check-nodes"));
const wanted = positionals.length > 0 ? positionals : VERSIONS;
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

const dir = mkdtempSync(join(tmpdir(), "daybook-nodes-"));
try {
  const project = install();
  // One home for all: whatever one version leaves there, the others meet.
  const home = join(dir, "home");
  mkdirSync(home);
  let passed = 0;
  for (const version of wanted.map(exact)) {
    const program = fetchNode(version);
    const problems = [];
    for (const [name, attempt] of Object.entries(attempts())) {
      try {
        await attempt(contextOf(program, project, home));
      } catch (error) {
        problems.push(`  ${name}: ${error.message}`);
      }
    }
    if (problems.length === 0) passed++;
    console.log([`Node ${version}: ${problems.length === 0 ? "ok" : "failed"}`, ...problems].join("\n"));
  }
  console.log(`${passed} of ${wanted.length} versions run the package`);
  if (passed < wanted.length) process.exitCode = 1;
} finally {
  rmSync(dir, { recursive: true, force: true });
}

/** The package in a project of its own, as npm installs it. */
function install() {
  const project = join(dir, "project");
  mkdirSync(project);
  npm(root, "pack", "--ignore-scripts", "--pack-destination", dir);
  const tarball = readdirSync(dir).find((name) => name.endsWith(".tgz"));
  writeFileSync(join(project, "package.json"), "{}");
  npm(project, "install", "--no-audit", "--no-fund", join(dir, tarball));
  return project;
}

/** The newest version that a wanted one stands for. */
function exact(version) {
  const told = JSON.parse(npm(dir, "view", `${packageOfNode()}@${version}`, "version", "--json"));
  return [told].flat().toSorted(byNumbers).at(-1);
}

function byNumbers(a, b) {
  return a.localeCompare(b, "en", { numeric: true });
}

/** The program of that version, fetched if it is not there yet. */
function fetchNode(version) {
  const into = join(nodes, version);
  const at = join(into, "node_modules", packageOfNode(), "bin", process.platform === "win32" ? "node.exe" : "node");
  if (!existsSync(at)) {
    mkdirSync(into, { recursive: true });
    const where = ["--prefix", into, "--no-save", "--no-audit", "--no-fund", "--ignore-scripts"];
    npm(into, "install", ...where, `${packageOfNode()}@${version}`);
  }
  return at;
}

function packageOfNode() {
  const system = process.platform === "win32" ? "win" : process.platform;
  return `node-${system}-${process.arch}`;
}

function npm(cwd, ...words) {
  const shell = process.platform === "win32";
  return execFileSync("npm", words, { cwd, shell, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

function contextOf(node, project, home) {
  const env = { PATH: process.env.PATH, HOME: home, USERPROFILE: home, LOCALAPPDATA: home, TZ: "UTC" };
  const bin = join(project, "node_modules", manifest.name, manifest.bin.daybook);
  return { start: (...words) => spawn(node, words, { cwd: project, env }), bin };
}

/** What is tried on each version, the short commands twice: without and with what the first run left in the caches. */
function attempts() {
  return {
    "--version": version,
    "--version again": version,
    "report --sample": report,
    "report --sample again": report,
    "report with a home": ownBook,
    serve,
    mcp,
    library,
  };
}

async function version({ start, bin }) {
  holds(await ended(start(bin, "--version")), manifest.version);
}

async function report({ start, bin }) {
  holds(await ended(start(bin, "report", "--sample")), "Loose ends");
}

/** A book is written, so the database is used. */
async function ownBook({ start, bin }) {
  const samples = join(bin, "../../samples/codex");
  const where = ["--root", `codex=${samples}`, "--home", mkdtempSync(join(dir, "book-"))];
  holds(await ended(start(bin, "sessions", "--json", ...where)), "session_id");
}

async function serve({ start, bin }) {
  const child = start(bin, "serve", "--sample", "--port", "0");
  const end = ended(child);
  try {
    const address = await Promise.race([firstMatch(child.stdout, /http:\/\/\S+/), end.then(unexpected)]);
    await answered(new URL("/api/sessions", address), "session_id");
  } finally {
    child.kill("SIGINT");
  }
  const { code, signal } = await end;
  if (code !== 0 && signal !== "SIGINT" && code !== 130) throw new Error(`stopped with exit code ${code}, ${signal}`);
}

/** Asks until the answer contains a text: it is empty while the sessions are being read. */
async function answered(address, text) {
  const patience = AbortSignal.timeout(PATIENCE);
  for (;;) {
    const answer = await fetch(address, { signal: patience });
    if (answer.status !== 200) throw new Error(`status ${answer.status}`);
    if ((await answer.text()).includes(text)) return;
    await delay(100, undefined, { signal: patience });
  }
}

async function mcp({ start, bin }) {
  const child = start(bin, "mcp", "--root", `codex=${join(bin, "../../samples/codex")}`);
  const end = ended(child);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ask = async (id, method, params) => {
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    const { value, done } = await Promise.race([lines.next(), end.then(unexpected)]);
    if (done) throw new Error(`${method}: no answer`);
    return JSON.parse(value).result;
  };
  try {
    const clientInfo = { name: "check", version: "1" };
    const { serverInfo } = await ask(1, "initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`);
    const { tools } = await ask(2, "tools/list", {});
    if (!serverInfo.name || tools.length < 5) throw new Error(`${tools.length} tools`);
  } finally {
    child.stdin.end();
  }
  holds(await end, "");
}

async function library({ start }) {
  const text = `import { sourceIds } from "${manifest.name}";
    import { RECORD_TYPES } from "${manifest.name}/schema";
    console.log(sourceIds().length > 5 && RECORD_TYPES.length > 5 ? "both entries" : "too little")`;
  holds(await ended(start("--input-type=module", "-e", text)), "both entries");
}

/** How a process ended and what it printed; it is killed if it does not end. */
function ended(child) {
  return new Promise((resolve, reject) => {
    let [out, err] = ["", ""];
    child.stdout.on("data", (chunk) => (out += chunk));
    child.stderr.on("data", (chunk) => (err += chunk));
    child.stdin.on("error", () => undefined);
    child.on("error", reject);
    child.on("close", (code, signal) => resolve({ code, signal, out, err }));
    void delay(PATIENCE, undefined, { ref: false }).then(() => child.kill("SIGKILL"));
  });
}

function holds({ code, signal, out, err = "" }, text) {
  if (code === 0 && out.includes(text)) return;
  const how = signal ? `ended by ${signal}` : `exit code ${code}`;
  throw new Error(`${how}, ${out.includes(text) ? "" : `no "${text}" in: ${out.slice(0, 200)}, `}${err.slice(0, 500)}`);
}

function unexpected({ code, signal, err }) {
  throw new Error(`ended too early: exit code ${code}, ${signal}, ${err.slice(0, 500)}`);
}

async function firstMatch(stream, pattern) {
  for await (const line of createInterface({ input: stream })) {
    const [found] = pattern.exec(line) ?? [];
    if (found !== undefined) return found;
  }
  throw new Error(`no ${pattern} was printed`);
}
