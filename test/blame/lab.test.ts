import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { Daybook, type BlameView } from "../../src/daybook.ts";
import { scratch } from "../store/fixture.ts";
import { copyLedger, LEDGER, LEDGER_ROOTS as roots, ledgerRepository } from "./ledger.ts";
import { madeRepository, scored } from "./made-repositories.ts";

interface Truth {
  steps: { by: "agent" | "human"; source?: string; session_id?: string }[];
  /** By file: which step wrote each line. */
  files: Record<string, number[]>;
}

const truth = JSON.parse(readFileSync(join(LEDGER, "truth.json"), "utf8")) as Truth;
/** Each step of an agent is the next turn of its session. */
function turnNames(): (string | null)[] {
  const turns = new Map<string, number>();
  return truth.steps.map(({ by, source, session_id }) => {
    if (by === "human") return null;
    const session = `${source}/${session_id}`;
    const turn = (turns.get(session) ?? 0) + 1;
    turns.set(session, turn);
    return `${session}/T${String(turn).padStart(4, "0")}`;
  });
}

interface Measured {
  attributed: number;
  wrong: string[];
  written: number;
  found: number;
}

/** Who wrote a line in truth, and who did by what Daybook says. */
function measured(views: Readonly<Record<string, BlameView>>): Measured {
  const names = turnNames();
  const out: Measured = { attributed: 0, wrong: [], written: 0, found: 0 };
  for (const [file, steps] of Object.entries(truth.files)) {
    const lines = views[file]?.lines ?? [];
    expect(lines, file).toHaveLength(steps.length);
    for (const [i, { text, turn }] of lines.entries()) {
      const wanted = names[steps[i] ?? -1] ?? null;
      if (wanted !== null) out.written++;
      if (turn === null) continue;
      out.attributed++;
      if (turn === wanted) out.found++;
      else out.wrong.push(`${file}:${i + 1} ${text}: ${turn}, not ${wanted ?? "the human"}`);
    }
  }
  return out;
}

describe("lines written by real agents and a human in turns", () => {
  let repo = "";
  const bare = join(scratch("bare"), "ledger");
  const daybook = new Daybook({ roots, timezone: "UTC" });
  beforeAll(() => {
    repo = ledgerRepository();
    copyLedger(bare);
  });

  async function views(cwd: string, asked: Daybook): Promise<Record<string, BlameView>> {
    const out: Record<string, BlameView> = {};
    for (const file of Object.keys(truth.files)) out[file] = await asked.blame(file, { cwd });
    return out;
  }

  it("are told right, each that is told, and nearly all are", async () => {
    const { attributed, wrong, written, found } = measured(await views(repo, daybook));
    process.stdout.write(
      `blame: ${found} of ${written} lines of agents found, ${wrong.length} of ${attributed} attributed lines wrong\n`,
    );
    expect(wrong).toEqual([]);
    expect(found / written).toBeGreaterThanOrEqual(0.95);
  });

  it("are told right without git, fewer of them: it alone knows of the human's rename", async () => {
    const { wrong, written, found } = measured(await views(bare, daybook));
    expect(wrong).toEqual([]);
    expect(found / written).toBeGreaterThanOrEqual(0.85);
  });

  it("are told the same with a book", async () => {
    const kept = new Daybook({ roots, timezone: "UTC", book: scratch("book") });
    expect(await views(repo, kept)).toEqual(await views(repo, daybook));
    kept.close();
  });

  it("leave the repository as it was", async () => {
    const state = (): string =>
      execFileSync("git", ["-C", repo, "status", "--porcelain=v2", "--branch"], { encoding: "utf8" }) +
      readFileSync(join(repo, ".git", "index")).toString("base64");
    const before = state();
    await daybook.blame("book.py", { cwd: repo });
    expect(state()).toBe(before);
  });

  it("lead to the request and to the line of the session that proves it", async () => {
    const { lines, turns, names, counts } = await daybook.blame("book.py:8", { cwd: repo });
    expect(names.map((name) => name.slice(repo.length + 1))).toEqual(["book.py", "ledger.py"]);
    expect(counts).toEqual({ lines: 1, attributed: 1, unknown: 0 });
    const [turn] = turns;
    expect(turn).toMatchObject({ turn_ref: "T0001", lines: 1, request: expect.stringContaining("ledger") as string });
    const recorded = lines[0]?.recorded;
    const native = readFileSync(recorded?.session_path ?? "", "utf8").split("\n")[(recorded?.line ?? 0) - 1] ?? "";
    expect(native).toContain("Rows of a day, an amount and a memo.");
    expect(native).toContain(recorded?.call_id ?? "?");
  });

  it("are told of a commit as they were in it", async () => {
    const head = execFileSync("git", ["-C", repo, "rev-parse", "HEAD"], { encoding: "utf8" }).trim();
    const view = await daybook.blame("export.py", { cwd: repo, revision: "HEAD" });
    expect(view.revision).toBe(head);
    // What was written after the commit is no part of it.
    const later = turnNames()[15];
    expect(view.lines.map(({ turn }) => turn)).not.toContain(later);
    expect(view.counts.attributed).toBeGreaterThan(15);
    await expect(daybook.blame("export.py", { cwd: repo, revision: "--output=x" })).rejects.toThrow("no commit");
    await expect(daybook.blame("nothing.py", { cwd: repo })).rejects.toThrow("no file");
    await expect(daybook.blame("export.py:4000", { cwd: repo })).rejects.toThrow("lines");
  });

  it("lead from a file to all turns that touched it under any name", async () => {
    const { names, turns } = await daybook.file("lib/money.ts", { cwd: repo });
    expect(names.map((name) => name.slice(repo.length + 1))).toEqual(["lib/money.ts", "lib/util.ts", "web/util.ts"]);
    const steps = [2, 5, 7].map((step) => turnNames()[step]);
    expect(turns.map(({ turn }) => turn)).toEqual(steps);
    const gone = await daybook.file("ledger.py", { cwd: repo });
    expect(gone.turns.map(({ turn }) => turn)).toEqual([0, 2, 3].map((step) => turnNames()[step]));
    // What a sub-agent wrote belongs to the turn that asked for it.
    const [made] = (await daybook.file("export.py", { cwd: repo })).turns;
    expect(made?.turn).toBe(turnNames()[13]);
    expect(made?.changes[0]?.session_id).not.toBe(made?.session_id);
  });

  it("lead from a commit to the turns that made it and wrote it", async () => {
    const commits = await daybook.commits("HEAD~9..HEAD", { cwd: repo });
    const bySubject = new Map(commits.map((one) => [one.subject, one]));
    const names = turnNames();
    const told = (subject: string): unknown[] =>
      bySubject.get(subject)?.turns.map(({ turn, made, lines }) => [names.indexOf(turn), made !== null, lines > 0]) ??
      [];
    // Made by the agent, with what it wrote.
    expect(told("Amounts are decimals; money for the page")).toEqual([[2, true, true]]);
    // Made by the human, with what two agents and the human wrote.
    expect(told("Book")).toEqual([
      [3, false, true],
      [5, false, true],
    ]);
    // Made by the agent without a word from git.
    expect(told("Notes say how to run it")).toEqual([[8, true, true]]);
    expect(told("Notes: repeats")).toEqual([]);
    await expect(daybook.commits("nothing", { cwd: repo })).rejects.toThrow("no commit");
  });

  it("are told of a revision as Agent Trace has it", async () => {
    const trace = await daybook.agentTrace("HEAD", { cwd: repo });
    expect(trace).toMatchObject({ version: "0.1.0", vcs: { type: "git" }, tool: { name: "agent-daybook" } });
    expect(trace.id).toMatch(/^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-a[\da-f]{3}-[\da-f]{12}$/);
    expect(await daybook.agentTrace("HEAD", { cwd: repo })).toEqual(trace);
    expect(trace.files.map(({ path }) => path)).toEqual(
      expect.arrayContaining(["book.py", "lib/money.ts", "export.py"]),
    );
    // Written by a here-document alone, and renamed by hand.
    expect(trace.files.map(({ path }) => path)).toContain("docs/notes.md");
    const models = new Set(
      trace.files.flatMap((file) => file.conversations.map(({ contributor }) => contributor.model_id)),
    );
    for (const model of models) expect(model).toMatch(/^(?:anthropic|openai)\/[^/]+$/);
    const [range] = trace.files[0]?.conversations[0]?.ranges ?? [];
    const own = (await daybook.blame(trace.files[0]?.path ?? "", { cwd: repo, revision: "HEAD" })).lines;
    const text = own.slice((range?.start_line ?? 0) - 1, range?.end_line).map((line) => line.text);
    const hash = createHash("sha256").update(text.join("\n")).digest("hex");
    expect(range?.content_hash).toBe(`sha256:${hash}`);
    for (const { path, conversations } of trace.files) {
      const { lines } = await daybook.blame(path, { cwd: repo, revision: "HEAD" });
      const covered = conversations.flatMap(({ ranges }) =>
        ranges.flatMap(({ start_line, end_line }) => lines.slice(start_line - 1, end_line).map(({ line }) => line)),
      );
      const written = lines.filter(({ turn }) => turn !== null).map(({ line }) => line);
      expect(
        covered.toSorted((a, b) => a - b),
        path,
      ).toEqual(written);
    }
  });
});

describe("repositories made by more agents, with commands, moves, stashes and reverts", () => {
  it.each([
    ["atlas", "atlas", 99],
    // Elsewhere and called otherwise it is known by its commits.
    ["atlas", "elsewhere", 99],
    // Without git: renames are known by what files hold.
    ["quarry", "quarry", 66],
    // Made to mislead: conflicts, squashes, files that come back as others, loops.
    ["orchard", "orchard", 42],
    // Ordinary work: formatters, generated files, scripts, helpers, squashes.
    ["ferry", "ferry", 148],
    ["lantern", "lantern", 161],
    ["beacon", "beacon", 208],
    ["creek", "creek", 150],
  ])("%s, laid out as %s, are told right: %i lines", async (name, as, least) => {
    const made = madeRepository(name);
    const daybook = new Daybook({ roots: made.roots, timezone: "UTC" });
    const cwd = made.lay(as);
    const views: Record<string, BlameView> = {};
    for (const file of Object.keys(made.files)) views[file] = await daybook.blame(file, { cwd });
    const { written, found, wrong } = scored(made, views);
    daybook.close();
    process.stdout.write(`blame of ${name} as ${as}: ${found} of ${written} lines of agents, ${wrong.length} wrong\n`);
    expect(wrong).toEqual([]);
    expect(found).toBeGreaterThanOrEqual(least);
  });

  it("are found the same in a book: there what calls printed is read where it stands", async () => {
    const made = madeRepository("ferry");
    const cwd = made.lay("ferry");
    const daybook = new Daybook({ roots: made.roots, timezone: "UTC", book: scratch("book") });
    const board = await daybook.blame("data/board.txt", { cwd });
    expect(
      scored({ ...made, files: { "data/board.txt": made.files["data/board.txt"] ?? [] } }, { "data/board.txt": board }),
    ).toEqual({ written: 6, found: 6, wrong: [] });
    daybook.close();
  });
});
