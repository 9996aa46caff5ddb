// A runner for Stryker that costs a mutant little more than the tests that reach it: they are bundled once, with the mutants
// in them, and for each mutant the bundle is run anew in the same process. vitest takes a second to begin and loads every
// file again.
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { constants, Script } from "node:vm";
import { rolldown } from "rolldown";
import * as vitest from "vitest";

const TESTS = fileURLToPath(new URL("./in-process-tests.js", import.meta.url));
/** What Stryker's mutants ask which of them is active. */
const mutants = (globalThis["__stryker__"] ??= {});

class InProcess {
  #script;
  #require;
  /** Tests that killed a mutant, and which was their last. */
  #kills = new Map();
  #lastKill = 0;
  #temp = mkdtempSync(join(tmpdir(), "daybook-mutant-"));

  capabilities() {
    return { reloadEnvironment: true };
  }

  async init() {
    // A mutant may leave a promise behind that nobody waits for.
    process.on("unhandledRejection", () => undefined);
    process.on("uncaughtException", () => undefined);
    Object.assign(process.env, { TZ: "UTC", NO_COLOR: "1", COLUMNS: "100", TMPDIR: this.#temp });
    const require = createRequire(join(process.cwd(), "package.json"));
    this.#require = (id) => (id === "vitest" ? vitest : require(id));
    const code = await bundled(JSON.parse(process.env.MUTATION_TESTS ?? "[]").flatMap(filesOf));
    this.#script = new Script(`(function (require, module, exports) {${code}\n})`, {
      filename: join(process.cwd(), "mutants.cjs"),
      importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    });
  }

  /**
   * Each test on modules that were never run before: what is made once and kept (a table of rules, a compiled pattern) is
   * else said to be reached by the first test that needs it and by no other, and its mutants live.
   */
  async dryRun({ coverageAnalysis }) {
    Object.assign(mutants, { activeMutant: undefined, hitCount: undefined, mutantCoverage: undefined });
    const tests = [];
    let list = this.#load();
    const atLoad = { ...mutants.mutantCoverage?.static };
    for (let n = 0; n < list.length; n++) {
      const { id, name, file, run } = list[n];
      mutants.currentTestId = id;
      const began = performance.now();
      const failure = await run();
      mutants.currentTestId = undefined;
      const status = failure === null ? 0 : 1;
      tests.push({ id, name, fileName: resolve(file), timeSpentMs: performance.now() - began, status });
      if (failure !== null) tests.at(-1).failureMessage = String(failure?.stack ?? failure);
      list = this.#load();
    }
    const mutantCoverage = coverageAnalysis === "off" ? undefined : { ...mutants.mutantCoverage, static: atLoad };
    return { status: "complete", tests, mutantCoverage };
  }

  async mutantRun({ activeMutant, testFilter, hitLimit, mutantActivation }) {
    const wanted = testFilter && new Set(testFilter);
    Object.assign(mutants, {
      hitCount: 0,
      hitLimit,
      activeMutant: mutantActivation === "static" ? activeMutant.id : undefined,
    });
    let nrOfTests = 0;
    try {
      const tests = this.#load().filter(({ id }) => !wanted || wanted.has(id));
      mutants.activeMutant = activeMutant.id;
      for (const { id, run } of tests.toSorted(likelyFirst(activeMutant.fileName, this.#kills))) {
        nrOfTests += 1;
        const failure = await run();
        if (mutants.hitCount > hitLimit) return { status: "timeout", reason: "it went round too often" };
        if (failure === null) continue;
        this.#kills.set(id, (this.#lastKill += 1));
        return { status: "killed", failureMessage: String(failure), killedBy: [id], nrOfTests };
      }
    } catch (error) {
      return { status: "killed", failureMessage: String(error), killedBy: [], nrOfTests };
    }
    return { status: "survived", nrOfTests };
  }

  async dispose() {
    rmSync(this.#temp, { recursive: true, force: true });
  }

  /** All tests, of modules that were never run before. */
  #load() {
    const module = { exports: {} };
    this.#script.runInThisContext()(this.#require, module, module.exports);
    return module.exports.tests();
  }
}

/** Mutants come in the order of the code: what killed the one before, then the tests named after the file. */
function likelyFirst(mutated, kills) {
  const stem = `${basename(mutated, ".ts")}.test.ts`;
  const rank = ({ id, file }) => kills.get(id) ?? (basename(file) === stem ? 0 : -1);
  return (a, b) => rank(b) - rank(a);
}

/** Of `*`, `[ab]` and `{a,b}` in names; Node 20 has no patterns of its own. */
function filesOf(pattern) {
  const name = basename(pattern)
    .replaceAll(".", "\\.")
    .replaceAll("*", "[^/]*")
    .replaceAll(/\{([^}]*)\}/g, (_, list) => `(?:${list.replaceAll(",", "|")})`);
  const matcher = new RegExp(`^${name}$`);
  return readdirSync(dirname(pattern))
    .filter((file) => matcher.test(file))
    .map((file) => join(dirname(pattern), file));
}

/** The tests and all they import of this project in one script; short ones first, because the first that fails is the last. */
async function bundled(files) {
  const cost = (file) => Number(/\.property\.|^test\//.test(file));
  const ordered = files.toSorted((a, b) => cost(a) - cost(b) || (a < b ? -1 : 1));
  const setup = ["test/seed.ts", "test/mutation/setup.ts"];
  const entry = [...setup, ...ordered].map((file) => `import ${JSON.stringify(resolve(file))};`).join("\n");
  const made = await rolldown({
    input: "entry",
    platform: "node",
    treeshake: false,
    external: (id, importer) => (id === "vitest" ? importer === TESTS : !/^[./]|^entry$/.test(id)),
    plugins: [
      {
        name: "tests",
        resolveId: (id) => (id === "entry" ? "\0entry" : id === "vitest" ? TESTS : null),
        load: (id) => (id === "\0entry" ? `${entry}\nexport { tests } from "vitest";` : null),
        transform(code, id) {
          const head = id.endsWith(".test.ts")
            ? `import { inFile as $inFile } from "vitest"; $inFile(${JSON.stringify(relative(process.cwd(), id))});`
            : "";
          return head + code.replaceAll("import.meta.url", JSON.stringify(pathToFileURL(id).href));
        },
      },
    ],
  });
  const { output } = await made.generate({ format: "cjs", codeSplitting: false });
  await made.close();
  return output[0].code;
}

export const strykerPlugins = [{ kind: "TestRunner", name: "in-process", factory: () => new InProcess() }];
