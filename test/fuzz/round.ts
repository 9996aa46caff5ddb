import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Io } from "../../src/doors/cli/io.ts";
import { DaybookError } from "../../src/base/errors.ts";
import { main } from "../../src/doors/cli/main.ts";
import type { Daybook } from "../../src/answers/daybook.ts";
import { open, type Roots } from "../store/fixture.ts";
import { Random } from "./random.ts";
import { writeMutated, type FuzzStore } from "./stores.ts";

const FIXTURES = fileURLToPath(new URL("../fixtures/corpus/", import.meta.url));

/** Maximum CPU seconds of one query over a few sessions. CPU time, so that a busy machine does not count as a hang. */
const MAX_SECONDS = 2;
/** Extra time for large files, because some mutations make a file a hundred times as large. */
const BYTES_PER_SECOND = 30_000_000;

/** Genuine sessions that are read together with the mutated ones. The answers about them must not change. */
const BYSTANDERS: readonly { source: string; file: string; replacements: [RegExp, string][] }[] = [
  {
    source: "codex",
    file: "codex-0.166.0/sessions/2026/11/15/rollout-2026-11-15T07-00-47-01a1de02-2de4-7962-91dc-25738c2bbab8.jsonl",
    replacements: [[/\/srv\/dev\/labs\/codex-0\.166\.0/g, "/srv/lighthouse"]],
  },
  {
    source: "claude-code",
    file: "claude-1.0.64/projects/-srv-dev-labs-claude-1-0-64/9901c14a-e2b5-4efa-9aff-bee6d4346504.jsonl",
    replacements: [[/\/srv\/dev\/labs\/claude-1\.0\.64/g, "/srv/beacon"]],
  },
];

export function bystanderNames(): string[] {
  return BYSTANDERS.map(({ file }) => basename(file));
}

/** Gives them their own prompts and directories: a prompt that occurs in many sessions counts as automated. */
function writeBystanders(dir: string): Roots {
  const roots: Roots = {};
  for (const { source, file, replacements } of BYSTANDERS) {
    const path = join(dir, source, basename(file));
    mkdirSync(dirname(path), { recursive: true });
    let text = readFileSync(join(FIXTURES, file), "utf8").replaceAll("[lab:", "[lantern:");
    for (const [pattern, replacement] of replacements) text = text.replaceAll(pattern, replacement);
    writeFileSync(path, text);
    roots[source] = [join(dir, source)];
  }
  return roots;
}

export interface Found {
  seed: number;
  label: string;
  what: string;
  why: string;
}

/** Runs rounds over mutated session files, and holds what they share and what they found. */
export class Fuzzing {
  readonly #dir: string;
  readonly #stores: readonly FuzzStore[];
  readonly #roots: Roots;
  /** Answers about the bystanders when they are read alone. */
  #expected: string | null = null;
  records = 0;
  rounds = 0;
  slowest = 0;
  readonly found: Found[] = [];

  constructor(dir: string, stores: readonly FuzzStore[]) {
    this.#dir = dir;
    this.#stores = stores;
    this.#roots = writeBystanders(join(dir, "bystanders"));
  }

  /** Mutates one store by the seed and queries it. `only`: a store of this source. */
  async round(seed: number, only?: string): Promise<void> {
    const random = new Random(seed);
    // The source is picked first, so that each agent is tested equally often, however many releases the fixtures have.
    const source = only ?? random.pick([...new Set(this.#stores.map((store) => store.source))]);
    const store = random.pick(this.#stores.filter((one) => one.source === source));
    const root = join(this.#dir, "changed");
    rmSync(root, { recursive: true, force: true });
    rmSync(join(this.#dir, "home"), { recursive: true, force: true });
    const written = writeMutated(store, random, root);
    this.records += written.records;
    this.rounds++;
    const roots = { ...this.#roots, [source]: [...(this.#roots[source] ?? []), root] };
    const bytes = written.files.reduce((sum, file) => sum + file.bytes.length, 0);
    const check = new Check(seed, store.label, this.found, MAX_SECONDS + bytes / BYTES_PER_SECOND);
    await check.step("ask", () => this.#queryFiles(roots, random, check));
    if (random.chance(0.12)) await check.step("book", () => this.#queryBook(roots, written.files, random, check));
    this.slowest = Math.max(this.slowest, check.slowest);
  }

  async #queryFiles(roots: Roots, random: Random, check: Check): Promise<void> {
    const daybook = open(roots);
    const answers = await askCommon(daybook, check);
    await this.#checkBystanders(answers, check);
    if (random.chance(0.5)) await askOne(daybook, roots, random, check);
    daybook.close();
  }

  /** A book that was filled while the file grew gives the same answers as the file itself. */
  async #queryBook(
    roots: Roots,
    files: { path: string; bytes: Buffer }[],
    random: Random,
    check: Check,
  ): Promise<void> {
    const home = join(this.#dir, "home");
    // Only files of lines have a valid earlier state: any prefix.
    if (files.length > 0 && files.every(({ path }) => path.endsWith(".jsonl"))) {
      for (const { path, bytes } of files) writeFileSync(path, bytes.subarray(0, random.below(bytes.length + 1)));
      const partial = open(roots, home);
      await check.step("sync half", () => partial.sync());
      partial.close();
      for (const { path, bytes } of files) if (existsSync(path)) writeFileSync(path, bytes);
    }
    const daybook = open(roots, home);
    const fromBook = await askCommon(daybook, check);
    await check.step("search", () => daybook.search("lantern"));
    await askOne(daybook, roots, random, check);
    const unreadable = (await daybook.problems()).filter(({ code }) => code === "file_unreadable").length;
    daybook.close();
    await this.#checkBystanders(fromBook, check);
    const direct = open(roots);
    const fromFiles = await askCommon(direct, check);
    const isUnreadable = unreadable > (await direct.problems()).filter(({ code }) => code === "file_unreadable").length;
    direct.close();
    // A book cannot store every value that a log may contain; such a file is reported as unreadable instead.
    if (isUnreadable) return;
    for (const [name, value] of Object.entries(fromFiles)) {
      const [expected, stored] = [JSON.stringify(value) ?? "", JSON.stringify(fromBook[name]) ?? ""];
      if (expected !== stored) check.fail("book", `${name} is not as read directly: ${difference(expected, stored)}`);
    }
  }

  async #checkBystanders(answers: Record<string, unknown>, check: Check): Promise<void> {
    this.#expected ??= ofBystanders(await askCommon(open(this.#roots), check));
    const now = ofBystanders(answers);
    if (now !== this.#expected) check.fail("bystanders", `have other answers: ${difference(this.#expected, now)}`);
  }
}

function ofBystanders(answers: Record<string, unknown>): string {
  const ids = /01a1de02-2de4|9901c14a/;
  const lists = [answers["sessions"], answers["turns"]] as { session_id: string; source: string }[][];
  // A mutated session of another source may have taken the same id.
  const isBystander = (one: { session_id: string; source: string }): boolean =>
    ids.test(one.session_id) && BYSTANDERS.some(({ source }) => source === one.source);
  return JSON.stringify(lists.map((list) => list.filter(isBystander)));
}

function difference(before: string, now: string): string {
  let at = 0;
  while (before[at] === now[at] && at < before.length) at++;
  return `${before.slice(Math.max(0, at - 80), at + 80)} is now ${now.slice(Math.max(0, at - 80), at + 80)}`;
}

/** Collects failures without throwing, so that a round continues. */
class Check {
  readonly #seed: number;
  readonly #label: string;
  readonly #found: Found[];
  readonly #maxSeconds: number;
  slowest = 0;

  constructor(seed: number, label: string, found: Found[], maxSeconds: number) {
    this.#maxSeconds = maxSeconds;
    this.#seed = seed;
    this.#label = label;
    this.#found = found;
  }

  fail(what: string, why: string): void {
    this.#found.push({ seed: this.#seed, label: this.#label, what, why });
  }

  async step<T>(what: string, work: () => Promise<T>): Promise<T | undefined> {
    const before = process.cpuUsage();
    try {
      return await work();
    } catch (error) {
      this.fail(what, error instanceof Error ? (error.stack ?? error.message).slice(0, 900) : String(error));
      return undefined;
    } finally {
      const { user, system } = process.cpuUsage(before);
      const seconds = (user + system) / 1e6;
      if (what !== "ask" && what !== "book") {
        this.slowest = Math.max(this.slowest, seconds);
        if (seconds > this.#maxSeconds) this.fail(what, `took ${seconds.toFixed(1)} s`);
      }
    }
  }
}

/** A mutated file may contradict its own total; then the audit is right to report it. */
const CONTRADICTS = /^counted tokens against the agent's own total/;

async function askCommon(daybook: Daybook, check: Check): Promise<Record<string, unknown>> {
  const turns = await check.step("turns", () => daybook.turns());
  const sessions = await check.step("sessions", () => daybook.sessions());
  const audit = await check.step("audit", () => daybook.audit());
  const problems = [...(audit?.problems ?? []), ...(audit?.sessions.flatMap((one) => one.problems) ?? [])].filter(
    (problem) => !CONTRADICTS.test(problem),
  );
  const isExact = (audit?.totals.tokens.tokens_read ?? 0) <= Number.MAX_SAFE_INTEGER;
  if (problems.length > 0 && isExact) check.fail("audit", problems.slice(0, 3).join("; "));
  return { turns: turns ?? [], sessions: sessions ?? [], audit };
}

const FORMATS = ["terminal", "markdown", "html", "json"];

/** Runs one randomly chosen query. */
async function askOne(daybook: Daybook, roots: Roots, random: Random, check: Check): Promise<void> {
  const sessions = (await daybook.sessions()).map(({ source, session_id }) => `${source}/${session_id}`);
  const target = sessions.length === 0 ? null : random.pick(sessions);
  switch (random.below(10)) {
    case 9:
      await check.step("tools", () => daybook.tools());
      return;
    case 0:
      await check.step("context", () => daybook.context());
      return;
    case 1:
      await check.step("decisions", () => daybook.decisions());
      return;
    case 2:
      await check.step("report", () => daybook.report({ since: "1970-01-01" }));
      return;
    case 3:
      await check.step("report", () => daybook.report());
      await check.step("limits", () => daybook.limits());
      return;
    case 4: {
      const by = random.pick(["spent", "trigger"] as const);
      for (const group of ["daily", "session", "turn"] as const)
        await check.step("usage", () => daybook.usage({ group, by, breakdown: true, order: "asc" }));
      return;
    }
    case 5:
      await check.step("export", async () => {
        for (const key of sessions.slice(0, 6)) for await (const record of daybook.records(key)) JSON.stringify(record);
      });
      return;
    case 6:
      await check.step("doctor", () => daybook.doctor());
      if (target !== null) await check.step("explain", () => explain(daybook, target, random));
      return;
    case 7:
      await cli(["report", "--since", "1970-01-01", "--format", random.pick(FORMATS)], roots, check);
      return;
    default:
      if (target !== null) await cli(["show", target, "--format", random.pick(FORMATS)], roots, check);
  }
}

async function explain(daybook: Daybook, target: string, random: Random): Promise<void> {
  const { session } = await daybook.find(target);
  const last = session.parts.at(-1)?.last_line ?? 0;
  if (last === 0 || target.includes(":")) return;
  try {
    await daybook.explain(`${target}:${1 + random.below(last)}`);
  } catch (error) {
    // A file may contain several sessions, so not every line belongs to this one.
    if (!(error instanceof DaybookError && error.code === "not_found")) throw error;
  }
}

async function cli(argv: readonly string[], roots: Roots, check: Check): Promise<void> {
  const rootFlags = Object.entries(roots).flatMap(([id, paths]) =>
    paths.flatMap((path) => ["--root", `${id}=${path}`]),
  );
  let err = "";
  const io: Io = {
    out: () => undefined,
    err: (text) => void (err += text),
    env: { HOME: "/nowhere", DAYBOOK_DEBUG: "1" },
    now: Date.UTC(2026, 11, 31),
    columns: 100,
    outIsTerminal: false,
    errIsTerminal: false,
  };
  const code = await check.step(argv.join(" "), () => main([...argv, ...rootFlags, "-z", "UTC"], io));
  if (code !== 0 && code !== 3 && code !== undefined) check.fail(argv.join(" "), `exit ${code}: ${err.slice(0, 500)}`);
}
