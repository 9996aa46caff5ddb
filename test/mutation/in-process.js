// A runner for Stryker that costs a mutant little more than the tests that reach it: they are bundled once, with the mutants
// in them, and for each mutant the bundle is run anew in the same thread. vitest takes a second to begin and loads every
// file again. A mutant that goes round for ever is told by the time of the processor it takes, and not by the clock: on a busy
// machine every test is late. Its thread is ended, and another begun.
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { SHARE_ENV, Worker } from "node:worker_threads";
import { rolldown } from "rolldown";

const TESTS = fileURLToPath(new URL("./in-process-tests.js", import.meta.url));
const THREAD = new URL("./in-process-thread.js", import.meta.url);

/** What a test may take of a mutant: this many times as long as it took without it, and so many ms besides. */
const [TIMES, AND] = [4, 3000];
const LOOK_EVERY = 200;
/** Who does nothing at all for so many ms waits for what never comes. */
const IDLE = 20_000;

/**
 * Files that a thread may leave open before another takes its place: one engine of databases keeps them until memory is collected.
 * Were none left to open, every test would fail, and every mutant be taken for killed.
 */
const MOST_OPEN = 1000;

class InProcess {
  #code = "";
  #thread = null;
  #temp = mkdtempSync(join(tmpdir(), "daybook-mutant-"));
  /** Of each test, in ms of the processor. */
  #costs = new Map();
  /** Tests that killed a mutant, the last first: they are tried first. */
  #kills = [];

  capabilities() {
    return { reloadEnvironment: true };
  }

  async init() {
    Object.assign(process.env, { TZ: "UTC", NO_COLOR: "1", COLUMNS: "100", TMPDIR: this.#temp });
    this.#code = await bundled(JSON.parse(process.env.MUTATION_TESTS ?? "[]").flatMap(filesOf));
  }

  async dryRun({ coverageAnalysis }) {
    const result = await this.#ask("dryRun", { coverageAnalysis });
    for (const { id, timeSpentMs } of result.tests) this.#costs.set(id, timeSpentMs);
    return result;
  }

  async mutantRun({ activeMutant, testFilter, hitLimit, mutantActivation }) {
    const options = { activeMutant, testFilter, hitLimit, mutantActivation, kills: this.#kills };
    const result = await this.#ask("mutantRun", options);
    const by = new Set(result.killedBy);
    if (by.size > 0) this.#kills = [...by, ...this.#kills.filter((id) => !by.has(id))];
    return result;
  }

  async dispose() {
    await this.#thread?.terminate();
    rmSync(this.#temp, { recursive: true, force: true });
  }

  /** The thread's answer; a timeout when one of its tests took more of the processor than it may. */
  async #ask(name, options) {
    const thread = (this.#thread ??= new Worker(THREAD, { workerData: this.#code, env: SHARE_ENV }));
    // Before the first test the modules are run.
    let [began, most] = [process.cpuUsage(), name === "mutantRun" ? 3 * AND : Infinity];
    let watch;
    let isCrowded = false;
    try {
      const result = await new Promise((done, fail) => {
        let [active, since] = [-1, 0];
        watch = setInterval(() => {
          const { user, system } = process.cpuUsage(began);
          const now = thread.performance.eventLoopUtilization().active;
          if (now !== active) [active, since] = [now, performance.now()];
          const isIdle = name === "mutantRun" && performance.now() - since > IDLE;
          if ((user + system) / 1000 > most || isIdle) done(null);
        }, LOOK_EVERY);
        thread.on("message", ({ begins, result, open, error }) => {
          if (begins !== undefined) {
            [began, most] = [process.cpuUsage(), (this.#costs.get(begins) ?? 0) * TIMES + AND];
            return;
          }
          isCrowded = open > MOST_OPEN;
          if (error === undefined) done(result);
          else fail(new Error(error));
        });
        thread.once("error", fail);
        thread.once("exit", (code) => fail(new Error(`the tests ended with ${code}`)));
        thread.postMessage({ name, options });
      });
      if (result === null || isCrowded) await this.#end();
      if (result !== null) return result;
      return { status: "timeout", reason: "it took too long" };
    } catch (error) {
      // Whatever ends the thread is noticed.
      await this.#end();
      return name === "dryRun"
        ? { status: "error", errorMessage: String(error) }
        : { status: "killed", failureMessage: String(error), killedBy: [], nrOfTests: 0 };
    } finally {
      clearInterval(watch);
      for (const event of ["message", "error", "exit"]) thread.removeAllListeners(event);
    }
  }

  async #end() {
    const thread = this.#thread;
    this.#thread = null;
    await thread?.terminate();
  }
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

/**
 * The tests and all they import of this project in one script; short ones first, because the first that fails is the last.
 * Databases do not wait for the disk: it would take most of the time, and no test here asks what a crash of the machine leaves.
 */
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
        load: (id) => (id === "\0entry" ? `${entry}\nexport { tests, end } from "vitest";` : null),
        transform(code, id) {
          const head = id.endsWith(".test.ts")
            ? `import { inFile as $inFile } from "vitest"; $inFile(${JSON.stringify(relative(process.cwd(), id))});`
            : "";
          return (head + code)
            .replaceAll("import.meta.url", JSON.stringify(pathToFileURL(id).href))
            .replaceAll("PRAGMA synchronous = NORMAL", "PRAGMA synchronous = OFF");
        },
      },
    ],
  });
  const { output } = await made.generate({ format: "cjs", codeSplitting: false });
  await made.close();
  return output[0].code;
}

export const strykerPlugins = [{ kind: "TestRunner", name: "in-process", factory: () => new InProcess() }];
