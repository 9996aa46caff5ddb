#!/usr/bin/env node
// Kills `daybook push` again and again at random points, and compares the final content of the store with that of one
// clean push: node scripts/push-kills.js [--kills 50] [--seed 1] [--partitions 16]. Needs PostgreSQL as packaged by
// Debian, and a build.
import { spawn, spawnSync } from "node:child_process";
import { chownSync, cpSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { Client } from "pg";

const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "50" },
    seed: { type: "string", default: "1" },
    partitions: { type: "string", default: "0" },
  },
});
const root = fileURLToPath(new URL("..", import.meta.url));
const versions = existsSync("/usr/lib/postgresql") ? readdirSync("/usr/lib/postgresql") : [];
const bin = join("/usr/lib/postgresql", versions.toSorted((a, b) => Number(b) - Number(a))[0] ?? "", "bin");
if (!existsSync(join(bin, "initdb"))) {
  console.error("there is no PostgreSQL in /usr/lib/postgresql: apt-get install postgresql");
  process.exit(1);
}

const dir = mkdtempSync(join(tmpdir(), "daybook-push-kills-"));
const server = await startServer();
try {
  process.exitCode = await run();
} finally {
  server.kill("SIGINT");
  await new Promise((resolve) => server.once("exit", resolve));
  rmSync(dir, { recursive: true, force: true });
}

async function run() {
  for (const name of ["claude", "codex"])
    cpSync(join(root, "test/fixtures/month", name), join(dir, name), { recursive: true });
  for (const name of ["clean", "killed"]) await makeStore(name);
  // Make the books first, so that only the push itself is timed.
  for (const store of ["killed", "clean"]) await push(store, "totals", null, ["--dry-run"]);
  const begun = performance.now();
  const first = await push("clean", "full", null);
  if (first.code !== 0) throw new Error(first.err);
  const took = performance.now() - begun;
  let random = Number(values.seed);
  const next = () => (random = (random * 1103515245 + 12345) % 2147483648) / 2147483648;
  let struck = 0;
  let done = 0;
  for (let n = 0; struck < Number(values.kills); n++) {
    // Change the level every two pushes, so that there is always something to write.
    const { code } = await push("killed", n % 4 < 2 ? "full" : "totals", took * (0.1 + 0.9 * next()));
    if (code === null) struck++;
    else if (code === 0) done++;
  }
  const last = await push("killed", "full", null);
  if (last.code !== 0) throw new Error(last.err);
  const [clean, killed] = [await dump("clean"), await dump("killed")];
  const different = Object.keys(clean).filter((table) => clean[table] !== killed[table]);
  console.log(`${struck} pushes killed, ${done} done before they could be; then one to the end: ${last.out.trim()}`);
  console.log(different.length === 0 ? "the store is as after one clean push" : `different: ${different.join(", ")}`);
  return different.length === 0 ? 0 : 1;
}

async function startServer() {
  const user = process.getuid?.() === 0 ? { uid: idOf("-u"), gid: idOf("-g") } : {};
  const data = join(dir, "pg");
  spawnSync("mkdir", [data]);
  if (user.uid !== undefined) {
    chownSync(dir, user.uid, user.gid);
    chownSync(data, user.uid, user.gid);
  }
  const how = { cwd: dir, encoding: "utf8", ...user };
  const made = spawnSync(
    join(bin, "initdb"),
    ["-D", data, "-U", "admin", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"],
    how,
  );
  if (made.status !== 0) throw new Error(made.stderr);
  const started = spawn(join(bin, "postgres"), ["-D", data, "-k", dir, "-c", "listen_addresses=", "-c", "fsync=off"], {
    cwd: dir,
    stdio: "ignore",
    ...user,
  });
  for (let n = 0; ; n++) {
    try {
      return await ask("postgres", "SELECT 1").then(() => started);
    } catch (error) {
      if (n === 200) throw error;
      await sleep(50);
    }
  }
}

function idOf(flag) {
  return Number(spawnSync("id", [flag, "postgres"], { encoding: "utf8" }).stdout);
}

function urlOf(database) {
  return `postgres://admin@/${database}?host=${encodeURIComponent(dir)}`;
}

async function ask(database, sql) {
  const client = new Client({ connectionString: urlOf(database) });
  client.on("error", () => undefined);
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

async function makeStore(name) {
  await ask("postgres", `CREATE DATABASE ${name}`);
  const words = [
    "team",
    "init",
    "--store",
    urlOf(name),
    "--owner",
    "ann",
    "-z",
    "UTC",
    "--partitions",
    values.partitions,
  ];
  const { status, stderr } = spawnSync(process.execPath, [join(root, "bin/daybook.js"), ...words], {
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(stderr);
}

/** Runs one push of the built program; kills it after `ms` unless that is null. */
async function push(store, level, ms, more = []) {
  const words = ["push", "--to", urlOf(store), "--owner", "ann", "--machine", "desk", "--level", level, "-z", "UTC"];
  const where = ["--root", `claude-code=${join(dir, "claude")}`, "--root", `codex=${join(dir, "codex")}`];
  const child = spawn(
    process.execPath,
    [join(root, "bin/daybook.js"), ...words, ...more, ...where, "--home", join(dir, store)],
    {
      env: { PATH: process.env["PATH"], HOME: dir },
    },
  );
  const ran = { code: null, out: "", err: "" };
  child.stdout.setEncoding("utf8").on("data", (text) => (ran.out += text));
  child.stderr.setEncoding("utf8").on("data", (text) => (ran.err += text));
  const timer = ms === null ? null : setTimeout(() => child.kill("SIGKILL"), ms);
  ran.code = await new Promise((resolve) => child.on("close", resolve));
  if (timer) clearTimeout(timer);
  return ran;
}

/** The rows of every table, without the columns that depend on time, order and machine. */
async function dump(store) {
  const hidden = ["seq", "machine_id", "seen", "forgotten"];
  const tables = ["sessions", "session_copies", "turns", "tool_calls", "usage_responses", "usage_days", "decisions"];
  const out = {};
  for (const table of [...tables, "details", "facts", "texts", "machines"]) {
    const rows = await ask(store, `SELECT * FROM daybook.${table}`);
    const lines = rows.map((row) => {
      const { owner_id: _, ...rest } = row;
      return JSON.stringify(Object.entries(rest).filter(([name]) => !hidden.includes(name)));
    });
    out[table] = lines.toSorted().join("\n");
  }
  return out;
}
