// The thread in which in-process.js has the tests run, for one mutant after the other.
import fs, { closeSync, openSync } from "node:fs";
import { createRequire, syncBuiltinESMExports } from "node:module";
import { basename, join, resolve } from "node:path";
import { constants, Script } from "node:vm";
import { parentPort, workerData } from "node:worker_threads";
import * as vitest from "vitest";

/** What Stryker's mutants ask which of them is active. */
const mutants = (globalThis["__stryker__"] ??= {});
/** Failures that say nothing of a mutant: no more files, no room. */
const NOT_OF_THE_CODE = new Set(["EMFILE", "ENFILE", "ENOMEM"]);

const ofProject = createRequire(join(process.cwd(), "package.json"));
// No test waits until something is on the disk (see in-process.js).
fs.fsyncSync = fs.fdatasyncSync = () => undefined;
syncBuiltinESMExports();
const script = new Script(`(function (require, module, exports) {${workerData}\n})`, {
  filename: join(process.cwd(), "mutants.cjs"),
  importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
});

// A mutant may leave a promise behind that nobody waits for.
process.on("unhandledRejection", () => undefined);
process.on("uncaughtException", () => undefined);

parentPort.on("message", async ({ name, options }) => {
  try {
    const result = await (name === "dryRun" ? dryRun(options) : mutantRun(options));
    parentPort.postMessage({ result, open: openFiles() });
  } catch (error) {
    parentPort.postMessage({ error: String(error?.stack ?? error) });
  }
});

/** The number of a file is the lowest that is free: how many are open. */
function openFiles() {
  const fd = openSync(join(process.cwd(), "package.json"));
  closeSync(fd);
  return fd;
}

/** All tests, of modules that were never run before. */
function load() {
  const module = { exports: {} };
  script.runInThisContext()((id) => (id === "vitest" ? vitest : ofProject(id)), module, module.exports);
  return module.exports;
}

/** Of the processor, in ms: nothing else is done in this process. */
function spent(began) {
  const { user, system } = process.cpuUsage(began);
  return (user + system) / 1000;
}

/**
 * Each test on modules that were never run before: what is made once and kept (a table of rules, a compiled pattern) is
 * else said to be reached by the first test that needs it and by no other, and its mutants live.
 */
async function dryRun({ coverageAnalysis }) {
  Object.assign(mutants, { activeMutant: undefined, hitCount: undefined, mutantCoverage: undefined });
  const tests = [];
  let loaded = load();
  const atLoad = { ...mutants.mutantCoverage?.static };
  for (let n = 0; n < loaded.tests().length; n++) {
    const { id, name, file, run } = loaded.tests()[n];
    mutants.currentTestId = id;
    const began = process.cpuUsage();
    const failure = await run();
    mutants.currentTestId = undefined;
    const status = failure === null ? 0 : 1;
    tests.push({ id, name, fileName: resolve(file), timeSpentMs: spent(began), status });
    if (failure !== null) tests.at(-1).failureMessage = String(failure?.stack ?? failure);
    await loaded.end();
    loaded = load();
  }
  const mutantCoverage = coverageAnalysis === "off" ? undefined : { ...mutants.mutantCoverage, static: atLoad };
  return { status: "complete", tests, mutantCoverage };
}

/** `kills`: tests that killed a mutant, the last first. */
async function mutantRun({ activeMutant, testFilter, hitLimit, mutantActivation, kills }) {
  const wanted = testFilter && new Set(testFilter);
  Object.assign(mutants, {
    hitCount: 0,
    hitLimit,
    activeMutant: mutantActivation === "static" ? activeMutant.id : undefined,
  });
  let nrOfTests = 0;
  let loaded;
  try {
    loaded = load();
    const tests = loaded.tests().filter(({ id }) => !wanted || wanted.has(id));
    mutants.activeMutant = activeMutant.id;
    for (const { id, run } of tests.toSorted(likelyFirst(activeMutant.fileName, kills))) {
      nrOfTests += 1;
      parentPort.postMessage({ begins: id });
      const failure = await run();
      if (mutants.hitCount > hitLimit) return { status: "timeout", reason: "it went round too often" };
      if (failure === null) continue;
      if (NOT_OF_THE_CODE.has(failure.code)) return { status: "error", errorMessage: String(failure) };
      return { status: "killed", failureMessage: String(failure), killedBy: [id], nrOfTests };
    }
  } catch (error) {
    return { status: "killed", failureMessage: String(error), killedBy: [], nrOfTests };
  } finally {
    mutants.activeMutant = undefined;
    await loaded?.end().catch(() => undefined);
  }
  return { status: "survived", nrOfTests };
}

/** Mutants come in the order of the code: what killed the one before, then the tests named after the file. */
function likelyFirst(mutated, kills) {
  const stem = `${basename(mutated, ".ts")}.test.ts`;
  const places = new Map(kills.map((id, n) => [id, n - kills.length]));
  const rank = ({ id, file }) => places.get(id) ?? (basename(file) === stem ? 0 : 1);
  return (a, b) => rank(a) - rank(b);
}
