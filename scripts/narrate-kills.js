#!/usr/bin/env node
// Kills the built program with SIGKILL at random points while it narrates the sample day, fifty times or --kills N,
// each time running the same command again, and compares the result with that of an uninterrupted run: npm run
// narrate-kills. Needs a build.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const DAY = "2026-05-12";
/** In ms: how long the narrator takes to answer, and roughly how long the program takes to start. */
const PAUSE = 40;
const START = 600;

/**
 * Narrates the day again and again, each time in a fresh home and killed repeatedly until it is done, until there were
 * enough kills. `random` returns numbers from 0 to 1. In the result, `repeated` counts requests that were sent although
 * their answer was stored, according to the journal and to the narrator; `different` lists files that are not the same
 * as those of an uninterrupted run.
 */
export async function narrateKilled(kills, random) {
  const dir = mkdtempSync(join(tmpdir(), "daybook-kills-"));
  try {
    const found = { kills: 0, days: 0, requests: 0, repeated: 0, different: [] };
    const whole = join(dir, "whole");
    await ended(start(whole));
    const expected = filesOf(whole);
    while (found.kills < kills) {
      const home = join(dir, String(found.days++));
      for (let isDone = false; !isDone;) {
        const child = start(home);
        if (found.kills >= kills) await ended(child);
        const isKilled = found.kills < kills && (await killedAt(child, Math.floor(random() * 7), random));
        if (isKilled) found.kills++;
        isDone = !isKilled;
      }
      found.requests += sentIn(home).length;
      found.repeated += repeatedIn(home);
      found.different.push(...differing(expected, filesOf(home)));
      rmSync(home, { recursive: true, force: true });
    }
    return found;
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

function start(home) {
  mkdirSync(home, { recursive: true });
  const config = join(home, "config.toml");
  const writer = [process.execPath, join(root, "scripts/kills-writer.js"), join(home, "asked.jsonl"), String(PAUSE)];
  writeFileSync(config, `[narrate]\nattempts = 2\ncommand = ${JSON.stringify(writer)}\n`);
  const roots = ["codex", "claude-code"].flatMap((source) => ["--root", `${source}=${join(root, "samples", source)}`]);
  const words = ["narrate", ...roots, "--home", join(home, "book"), "--timezone", "Etc/UTC", "--date", DAY];
  const env = { PATH: process.env.PATH, HOME: home, DAYBOOK_CONFIG: config };
  return spawn(process.execPath, [join(root, "bin/daybook.js"), ...words], { cwd: home, env });
}

/**
 * Kills the process after it has printed `steps` lines, or during its start if 0. Returns false if it ended before
 * that.
 */
async function killedAt(child, steps, random) {
  const kill = (most) => void setTimeout(() => child.kill("SIGKILL"), random() * most);
  let printed = 0;
  if (steps === 0) kill(START);
  child.stderr.on("data", (chunk) => {
    const before = printed;
    printed += String(chunk).split("\n").length - 1;
    if (before < steps && printed >= steps) kill(2 * PAUSE);
  });
  return (await ended(child)) === "SIGKILL";
}

function ended(child) {
  let err = "";
  child.stderr.on("data", (chunk) => (err += chunk));
  child.stdout.resume();
  return new Promise((resolve, reject) => {
    child.on("close", (code, signal) => {
      if (code === 0 || signal === "SIGKILL") resolve(signal);
      else reject(new Error(`exit ${code}: ${err.slice(-1000)}`));
    });
  });
}

const workspaceIn = (home) => join(home, "book", "work", DAY);

/** The files of a narration by name, without the journal, which also lists requests that were interrupted. */
function filesOf(home) {
  const workspace = workspaceIn(home);
  return readdirSync(workspace, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !/narration\/(?:journal|lock)|metadata\.json$/.test(path))
    .sort()
    .reduce((files, path) => files.set(path.slice(workspace.length), readFileSync(path, "utf8")), new Map());
}

function differing(expected, files) {
  return [...new Set([...expected.keys(), ...files.keys()])].filter((name) => expected.get(name) !== files.get(name));
}

function sentIn(home) {
  return journalOf(home).filter(({ state }) => state === "sent");
}

function repeatedIn(home) {
  const answered = new Set();
  let repeated = 0;
  for (const { state, request } of journalOf(home)) {
    if (answered.has(request)) repeated++;
    if (state === "answered") answered.add(request);
  }
  const asked = join(home, "asked.jsonl");
  return repeated + linesOf(asked).filter(({ again }) => again).length;
}

function journalOf(home) {
  return linesOf(join(workspaceIn(home), "narration", "journal.jsonl"));
}

/** Parses JSON lines; a line cut short by a kill is skipped. */
function linesOf(path) {
  if (!existsSync(path)) return [];
  return readFileSync(path, "utf8")
    .split("\n")
    .flatMap((line) => {
      try {
        return line === "" ? [] : [JSON.parse(line)];
      } catch {
        return [];
      }
    });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const at = process.argv.indexOf("--kills");
  const found = await narrateKilled(at === -1 ? 50 : Number(process.argv[at + 1]), Math.random);
  const { kills, days, requests, repeated, different } = found;
  console.log(
    `${kills} kills over ${days} days: ${different.length} files came to other bytes; of ${requests} requests ${repeated} were sent again after their answer was kept`,
  );
  for (const name of different) console.log(name);
  process.exitCode = repeated + different.length === 0 ? 0 : 1;
}
