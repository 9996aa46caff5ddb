import { inside } from "../../src/answers/daybook.ts";
import { appendFileSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { isUnfinished } from "../../src/index/tables/seal.ts";
import { cases } from "../nightly.ts";
import { ended, flagsOf, run, start } from "./cli.ts";
import { answers, copyCorpus, differences, open, scratch, type Roots } from "./fixture.ts";

/** Of each of two homes. */
const KILLS = cases(14, 60);

/** Kills the process at the given file system call, so that it stops at the same point on every machine. */
const PRELOAD = fileURLToPath(new URL("../preload/kill.cjs", import.meta.url));
/** File system calls before a sync begins, and during a typical one. */
const [CALLS_BEFORE, CALLS_DURING] = [90, 400];

/** Sessions that grow between syncs that are killed. */
class KilledSyncs {
  readonly home = scratch("home");
  readonly roots: Roots;
  readonly #files: { path: string; bytes: Buffer; at: number }[];
  readonly #reported = new Set<string>();
  #random: number;
  /** Number of kills that left a sync unfinished. */
  unfinished = 0;

  constructor(labels: readonly string[], seed: number) {
    const { roots } = copyCorpus(labels);
    this.roots = roots;
    this.#random = seed;
    const paths = new Set(
      inside(open(roots))
        .opened()
        .refs.map((ref) => ref.path),
    );
    this.#files = [...paths]
      .filter((path) => path.endsWith(".jsonl"))
      .map((path) => ({ path, bytes: readFileSync(path), at: 0 }));
    for (const { path } of this.#files) rmSync(path);
  }

  next(below: number): number {
    this.#random = (this.#random * 1103515245 + 12345) % 2147483648;
    return Math.floor((this.#random / 2147483648) * below);
  }

  grow(all: boolean): void {
    for (const file of this.#files) {
      if (!all && this.next(3) > 0) continue;
      const piece = file.bytes.subarray(file.at, all ? undefined : file.at + 1 + this.next(file.bytes.length / 12));
      file.at += piece.length;
      mkdirSync(dirname(file.path), { recursive: true });
      appendFileSync(file.path, piece);
    }
  }

  async kill(): Promise<void> {
    const KILL_AT = String(CALLS_BEFORE + this.next(CALLS_DURING));
    const child = start(["sync", ...flagsOf(this.roots, this.home)], undefined, {
      KILL_AT,
      NODE_OPTIONS: `--require "${PRELOAD}"`,
    });
    const { err } = await ended(child);
    // A sync with little to do may finish before the kill.
    expect(err).toMatch(/^(?:calls: \d+\n)?$/);
    if (isUnfinished(this.home)) this.unfinished++;
  }

  /** Checks that every turn reported before is still reported. */
  async checkTurns(): Promise<void> {
    const daybook = open(this.roots, this.home, { noSync: this.next(2) === 0 });
    // Not by session: which of two files with a shared history is the copy becomes clear only when both have grown.
    const turns = new Set((await daybook.turns()).map(({ trigger }) => `${trigger.time ?? ""} ${trigger.text}`));
    const audit = await daybook.audit();
    daybook.close();
    expect([...this.#reported].filter((turn) => !turns.has(turn))).toEqual([]);
    expect(audit.problems).toEqual([]);
    for (const turn of turns) this.#reported.add(turn);
  }
}

async function killRepeatedly(one: KilledSyncs): Promise<void> {
  for (let n = 1; n <= KILLS; n++) {
    one.grow(false);
    await one.kill();
    if (n % 7 === 0) await one.checkTurns();
    // Sometimes the index is deleted as well.
    if (n % 13 === 0) rmSync(join(one.home, "index.db"), { force: true });
  }
}

describe("a sync", () => {
  it(`loses nothing though it is killed ${2 * KILLS} times at random points`, async () => {
    const runs = [
      new KilledSyncs(["codex-0.63.0", "codex-0.130.0-tui", "gemini-0.61.0"], 7),
      new KilledSyncs(["claude-2.1.325-tui", "pi-0.87.1", "qwen-0.24.4", "codex-0.166.0-classic"], 11),
    ];
    await Promise.all(runs.map(killRepeatedly));
    expect(runs.reduce((sum, one) => sum + one.unfinished, 0)).toBeGreaterThan(KILLS);
    for (const one of runs) {
      one.grow(true);
      const flags = flagsOf(one.roots, one.home);
      expect((await run(["sync", ...flags])).code).toBe(0);
      await one.checkTurns();
      const fresh = flagsOf(one.roots, scratch("fresh"));
      expect((await run(["sync", ...fresh])).code).toBe(0);
      for (const command of [
        ["export"],
        ["sessions", "-j"],
        ["turns", "-j"],
        ["tools", "-j"],
        ["usage", "-j"],
        ["usage", "turn", "-j"],
        ["audit", "-j"],
        ["context", "-j"],
        ["decisions", "-j"],
        ["search", "the", "-j", "--limit", "1000"],
        ["report", "-j"],
        ["doctor", "-j"],
      ]) {
        const [killed, clean] = await Promise.all([run([...command, ...flags]), run([...command, ...fresh])]);
        expect({ command, ...killed, out: "" }).toEqual({ command, ...clean, out: "" });
        if (command[0] === "search") expect(found(killed.out)).toEqual(found(clean.out));
        // Path and size of the book differ between the two homes.
        else if (command[0] === "doctor") expect(withoutBook(killed.out)).toEqual(withoutBook(clean.out));
        else expect(killed.out === clean.out, command.join(" ")).toBe(true);
      }
      expect(differences(await answers(open(one.roots)), await answers(open(one.roots, one.home)))).toEqual([]);
    }
  });
});

/** The results without their scores, which depend on how many texts FTS5 has ever indexed. */
function found(json: string): string[] {
  const { results } = JSON.parse(json) as { results: { score: number }[] };
  return results.map((result) => JSON.stringify({ ...result, score: 0 })).toSorted();
}

function withoutBook(json: string): unknown {
  return { ...(JSON.parse(json) as object), book: null };
}
