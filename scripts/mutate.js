#!/usr/bin/env node
// Mutation testing: makes thousands of small changes to the code and checks that a test fails for each. A mutant that
// no test detects (a survivor) must be listed with a reason in test/mutation/survivors.json, or the run fails. A listed
// mutant that is killed fails too.
//   npm run mutate [-- GROUP…] [--file src/…]   groups: test/mutation/targets.json
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const OWN = join(ROOT, "test/mutation");
const STRYKER = join(OWN, "node_modules/@stryker-mutator/core/bin/stryker.js");
const WANTED = 85;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    file: { type: "string", multiple: true },
    concurrency: { type: "string", default: "2" },
    /** File to write the unlisted survivors to, in the format of the list. */
    unlisted: { type: "string" },
    /** Print the mutants that timed out. */
    "timed-out": { type: "boolean", default: false },
    /** File to copy Stryker's own report to, which names the test that killed each mutant. */
    report: { type: "string" },
  },
});
const targets = readJson("targets.json");
const { reasons, survivors } = readJson("survivors.json");
const groups = positionals.length > 0 ? positionals : Object.keys(targets);
for (const name of groups) if (!targets[name]) fail(`no group ${name}; there are ${Object.keys(targets).join(", ")}`);

if (!existsSync(STRYKER)) run("npm", ["ci", "--no-audit", "--no-fund", "--ignore-scripts"], { cwd: OWN });
const scratch = mkdtempSync(join(tmpdir(), "daybook-mutants-"));
const rows = [];
const unlisted = {};
const stale = [];
/** Mutants that timed out, because they loop forever or the machine was busy. They count as killed. */
const timedOut = [];
try {
  for (const name of groups) {
    for (const [path, found] of Object.entries(mutantsOf(name))) judge(path, found);
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
report();

/** Every mutant of a group, by file. */
function mutantsOf(name) {
  const { mutate, tests } = targets[name];
  const config = join(scratch, `${name}.json`);
  const fileName = join(scratch, `${name}.report.json`);
  writeFileSync(
    config,
    JSON.stringify({
      testRunner: "in-process",
      plugins: [join(OWN, "in-process.js")],
      mutate: values.file ?? [...mutate, "!src/**/*.test.ts", "!src/**/testing.ts"],
      coverageAnalysis: "perTest",
      concurrency: Number(values.concurrency),
      // The test runner has its own timeout.
      timeoutMS: 3_600_000,
      dryRunTimeoutMinutes: 600,
      disableTypeChecks: false,
      reporters: ["json", "progress-append-only"],
      jsonReporter: { fileName },
      tempDirName: join(scratch, "sandboxes"),
      ignorePatterns: ["dist", ".dist-new", "samples", "bench", "test/mutation/node_modules", "test/report"],
      allowConsoleColors: false,
      warnings: { slow: false },
    }),
  );
  mkdirSync(join(scratch, "sandboxes"), { recursive: true });
  run(process.execPath, [STRYKER, "run", config], {
    cwd: ROOT,
    // A test runner that is killed after a timeout leaves its temporary files behind.
    env: { ...process.env, TMPDIR: scratch, MUTATION_TESTS: JSON.stringify(tests) },
  });
  if (values.report) copyFileSync(fileName, values.report);
  return JSON.parse(readFileSync(fileName, "utf8")).files;
}

/** Compares the survivors in a file with the list. */
function judge(path, { source, mutants }) {
  const lines = source.split("\n");
  const alive = mutants.filter(({ status }) => status === "Survived" || status === "NoCoverage");
  const counted = mutants.filter(({ status }) => status !== "Ignored" && status !== "CompileError");
  const late = mutants.filter(({ status }) => status === "Timeout");
  for (const mutant of late) timedOut.push(`${path}:${mutant.location.start.line} ${nameOf(mutant, lines)}`);
  rows.push({ path, mutants: counted.length, killed: counted.length - alive.length });
  const names = new Map();
  for (const mutant of alive) {
    const name = nameOf(mutant, lines);
    names.set(name, [...(names.get(name) ?? []), `${path}:${mutant.location.start.line}`]);
  }
  const allowed = new Map(
    Object.entries(survivors[path] ?? {}).flatMap(([why, list]) => list.map((one) => [one, why])),
  );
  for (const why of new Set(allowed.values())) if (!reasons[why]) fail(`${path}: no reason is called ${why}`);
  for (const [name, places] of names) if (!allowed.has(name)) (unlisted[path] ??= []).push({ name, places });
  for (const name of allowed.keys()) if (!names.has(name)) stale.push(`${path}: ${name}`);
}

/**
 * Names a mutant by the code around it rather than by line number, so that the name survives edits elsewhere in the
 * file.
 */
function nameOf({ location: { start, end }, replacement }, lines) {
  const first = lines[start.line - 1] ?? "";
  const last = lines[end.line - 1] ?? "";
  const before = first.slice(0, start.column - 1).trimStart();
  const after = last.slice(end.column - 1).trimEnd();
  const code =
    start.line === end.line
      ? first.slice(start.column - 1, end.column - 1)
      : `${first.slice(start.column - 1)} … ${last.slice(0, end.column - 1).trimStart()}`;
  return `${before}⟦${code} → ${(replacement ?? "").replace(/\s+/gu, " ")}⟧${after}`;
}

function report() {
  const width = Math.max(...rows.map(({ path }) => path.length));
  for (const { path, mutants, killed } of rows)
    console.log(`${path.padEnd(width)}  ${String(mutants).padStart(5)}  ${share(killed, mutants)}`);
  const mutants = rows.reduce((sum, row) => sum + row.mutants, 0);
  const killed = rows.reduce((sum, row) => sum + row.killed, 0);
  console.log(`${"all".padEnd(width)}  ${String(mutants).padStart(5)}  ${share(killed, mutants)}`);
  if (values["timed-out"]) for (const name of timedOut) console.log(`timed out: ${name}`);
  if (values.unlisted) {
    const listed = Object.entries(unlisted).map(([path, list]) => [path, { unknown: list.map(({ name }) => name) }]);
    writeFileSync(values.unlisted, `${JSON.stringify(Object.fromEntries(listed), null, 2)}\n`);
  }
  for (const list of Object.values(unlisted))
    for (const { name, places } of list) console.log(`survived without a reason: ${places.join(", ")}\n    ${name}`);
  for (const name of stale) console.log(`listed, but it is killed or gone: ${name}`);
  if ((killed / mutants) * 100 < WANTED) fail(`fewer than ${WANTED} % were killed`);
  if (Object.keys(unlisted).length > 0 || stale.length > 0) fail("the list of survivors is out of date");
}

function share(part, all) {
  return `${((part / all) * 100).toFixed(1).padStart(5)} %`;
}

function readJson(name) {
  return JSON.parse(readFileSync(join(OWN, name), "utf8"));
}

function run(command, args, options) {
  const { status } = spawnSync(command, args, { stdio: ["ignore", "inherit", "inherit"], ...options });
  if (status !== 0) fail(`${command} ended with ${status}`);
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
