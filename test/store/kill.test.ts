import { appendFileSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { isUnfinished } from "../../src/store/tables/seal.ts";
import { ended, flagsOf, run, start } from "./cli.ts";
import { answers, copyCorpus, differences, open, scratch, type Roots } from "./fixture.ts";

const KILLS = 60;

/** Dies at a given call of the file system: where it was then is the same on every machine. */
const PRELOAD = fileURLToPath(new URL("../preload/kill.cjs", import.meta.url));
/** Calls before a sync begins, and of a usual one. */
const [BEFORE, USUAL] = [90, 400];

/** Sessions that are written while Daybook reads them and dies. */
class Lane {
  readonly home = scratch("home");
  readonly roots: Roots;
  readonly #files: { path: string; bytes: Buffer; at: number }[];
  readonly #reported = new Set<string>();
  #random: number;
  /** Kills that left work half done. */
  struck = 0;

  constructor(labels: readonly string[], seed: number) {
    const { roots } = copyCorpus(labels);
    this.roots = roots;
    this.#random = seed;
    const paths = new Set(
      open(roots)
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
    const KILL_AT = String(BEFORE + this.next(USUAL));
    const child = start(["sync", ...flagsOf(this.roots, this.home)], undefined, {
      KILL_AT,
      NODE_OPTIONS: `--require "${PRELOAD}"`,
    });
    const { err } = await ended(child);
    // One that had less to do was done before.
    expect(err).toMatch(/^(?:calls: \d+\n)?$/);
    if (isUnfinished(this.home)) this.struck++;
  }

  /** What a person was told must be told ever after. */
  async look(): Promise<void> {
    const daybook = open(this.roots, this.home, { noSync: this.next(2) === 0 });
    // Not by session: of two files that share a history, the one that is the copy shows only when more of both is written.
    const asked = new Set((await daybook.turns()).map(({ trigger }) => `${trigger.time ?? ""} ${trigger.text}`));
    const audit = await daybook.audit();
    daybook.close();
    expect([...this.#reported].filter((turn) => !asked.has(turn))).toEqual([]);
    expect(audit.problems).toEqual([]);
    for (const turn of asked) this.#reported.add(turn);
  }
}

async function strike(lane: Lane): Promise<void> {
  for (let n = 1; n <= KILLS; n++) {
    lane.grow(false);
    await lane.kill();
    if (n % 10 === 0) await lane.look();
    // Now and then the index is lost as well.
    if (n % 37 === 0) rmSync(join(lane.home, "index.db"), { force: true });
  }
}

describe("a sync that is killed", () => {
  it("a hundred and twenty times loses nothing", async () => {
    const lanes = [
      new Lane(["codex-0.63.0", "codex-0.130.0-tui", "gemini-0.61.0"], 7),
      new Lane(["claude-2.1.325-tui", "pi-0.87.1", "qwen-0.24.4", "codex-0.166.0-classic"], 11),
    ];
    await Promise.all(lanes.map(strike));
    expect(lanes.reduce((sum, lane) => sum + lane.struck, 0)).toBeGreaterThan(60);
    for (const lane of lanes) {
      lane.grow(true);
      const flags = flagsOf(lane.roots, lane.home);
      expect((await run(["sync", ...flags])).code).toBe(0);
      await lane.look();
      const fresh = flagsOf(lane.roots, scratch("fresh"));
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
        const [killed, whole] = await Promise.all([run([...command, ...flags]), run([...command, ...fresh])]);
        expect({ command, ...killed, out: "" }).toEqual({ command, ...whole, out: "" });
        if (command[0] === "search") expect(found(killed.out)).toEqual(found(whole.out));
        // Where the book is and how large it grew is each home's own.
        else if (command[0] === "doctor") expect(withoutBook(killed.out)).toEqual(withoutBook(whole.out));
        else expect(killed.out === whole.out, command.join(" ")).toBe(true);
      }
      expect(differences(await answers(open(lane.roots)), await answers(open(lane.roots, lane.home)))).toEqual([]);
    }
  });
});

/** Ranks depend on how many texts the engine has ever seen; what is found does not. */
function found(json: string): string[] {
  const { results } = JSON.parse(json) as { results: { score: number }[] };
  return results.map((result) => JSON.stringify({ ...result, score: 0 })).toSorted();
}

function withoutBook(json: string): unknown {
  return { ...(JSON.parse(json) as object), book: null };
}
