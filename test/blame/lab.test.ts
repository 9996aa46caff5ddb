import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { type BlameView, Daybook, inside } from "../../src/answers/daybook.ts";
import { scratch } from "../store/fixture.ts";
import { copyLedger, LEDGER, LEDGER_ROOTS as roots, ledgerRepository } from "./ledger.ts";
import { madeRepository, scored } from "./made-repositories.ts";

interface Truth {
  steps: { by: "agent" | "human"; source?: string; session_id?: string }[];
  /** By file: which step wrote each line. */
  files: Record<string, number[]>;
}

const truth = JSON.parse(readFileSync(join(LEDGER, "truth.json"), "utf8")) as Truth;

/** The turn of each step, null for a human's. Each step of an agent is the next turn of its session. */
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

/** Compares who really wrote each line with whom Daybook names. */
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

describe("blame in a repository written by agents and a human", () => {
  let repo = "";
  const bare = join(scratch("bare"), "ledger");
  const daybook = new Daybook({ roots, timezone: "UTC" });
  beforeAll(() => {
    repo = ledgerRepository();
    copyLedger(bare);
  });

  async function views(cwd: string, from: Daybook): Promise<Record<string, BlameView>> {
    const out: Record<string, BlameView> = {};
    for (const file of Object.keys(truth.files)) out[file] = await from.blame(file, { cwd });
    return out;
  }

  it("attributes no line wrongly, and at least 95% of the lines agents wrote", async () => {
    const { attributed, wrong, written, found } = measured(await views(repo, daybook));
    process.stdout.write(
      `blame: ${found} of ${written} lines of agents found, ${wrong.length} of ${attributed} attributed lines wrong\n`,
    );
    expect(wrong).toEqual([]);
    expect(found / written).toBeGreaterThanOrEqual(0.95);
  });

  it("attributes without git no line wrongly, and at least 85% of the lines agents wrote", async () => {
    // Only git knows of a rename by the human.
    const { wrong, written, found } = measured(await views(bare, daybook));
    expect(wrong).toEqual([]);
    expect(found / written).toBeGreaterThanOrEqual(0.85);
  });

  it("gives the same answers with a book", async () => {
    const withBook = new Daybook({ roots, timezone: "UTC", book: scratch("book") });
    expect(await views(repo, withBook)).toEqual(await views(repo, daybook));
    withBook.close();
  });

  it("leaves the repository unchanged", async () => {
    const state = (): string =>
      execFileSync("git", ["-C", repo, "status", "--porcelain=v2", "--branch"], { encoding: "utf8" }) +
      readFileSync(join(repo, ".git", "index")).toString("base64");
    const before = state();
    await daybook.blame("book.py", { cwd: repo });
    expect(state()).toBe(before);
  });

  it("cites the request and the line of the session that proves a line", async () => {
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

  it("of a commit shows the file as it was there, and refuses unknown commits, files and lines", async () => {
    const head = execFileSync("git", ["-C", repo, "rev-parse", "HEAD"], { encoding: "utf8" }).trim();
    const view = await daybook.blame("export.py", { cwd: repo, revision: "HEAD" });
    expect(view.revision).toBe(head);
    // A turn after the commit.
    const later = turnNames()[15];
    expect(view.lines.map(({ turn }) => turn)).not.toContain(later);
    expect(view.counts.attributed).toBeGreaterThan(15);
    await expect(daybook.blame("export.py", { cwd: repo, revision: "--output=x" })).rejects.toThrow("no commit");
    await expect(daybook.blame("nothing.py", { cwd: repo })).rejects.toThrow("no file");
    await expect(daybook.blame("export.py:4000", { cwd: repo })).rejects.toThrow("lines");
  });

  it("lists all turns that touched a file, under any name it had", async () => {
    const { names, turns } = await daybook.file("lib/money.ts", { cwd: repo });
    expect(names.map((name) => name.slice(repo.length + 1))).toEqual(["lib/money.ts", "lib/util.ts", "web/util.ts"]);
    const steps = [2, 5, 7].map((step) => turnNames()[step]);
    expect(turns.map(({ turn }) => turn)).toEqual(steps);
    const renamed = await daybook.file("ledger.py", { cwd: repo });
    expect(renamed.turns.map(({ turn }) => turn)).toEqual([0, 2, 3].map((step) => turnNames()[step]));
    // What a sub-agent wrote belongs to the turn that asked for it.
    const [first] = (await daybook.file("export.py", { cwd: repo })).turns;
    expect(first?.turn).toBe(turnNames()[13]);
    expect(first?.changes[0]?.session_id).not.toBe(first?.session_id);
  });

  it("lists the turns that made a commit and those that wrote its lines", async () => {
    const commits = await daybook.commits("HEAD~9..HEAD", { cwd: repo });
    const bySubject = new Map(commits.map((one) => [one.subject, one]));
    const names = turnNames();
    const turnsOf = (subject: string): unknown[] =>
      bySubject.get(subject)?.turns.map(({ turn, made, lines }) => [names.indexOf(turn), made !== null, lines > 0]) ??
      [];
    // Made by an agent, with its own lines.
    expect(turnsOf("Amounts are decimals; money for the page")).toEqual([[2, true, true]]);
    // Made by the human, with lines of two agents and the human.
    expect(turnsOf("Book")).toEqual([
      [3, false, true],
      [5, false, true],
    ]);
    // Made by an agent, without output from git.
    expect(turnsOf("Notes say how to run it")).toEqual([[8, true, true]]);
    expect(turnsOf("Notes: repeats")).toEqual([]);
    await expect(daybook.commits("nothing", { cwd: repo })).rejects.toThrow("no commit");
  });

  it("of a revision as an Agent Trace has the ranges that blame attributes", async () => {
    const trace = await inside(daybook).agentTrace("HEAD", { cwd: repo });
    expect(trace).toMatchObject({ version: "0.1.0", vcs: { type: "git" }, tool: { name: "agent-daybook" } });
    expect(trace.id).toMatch(/^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-a[\da-f]{3}-[\da-f]{12}$/);
    expect(await inside(daybook).agentTrace("HEAD", { cwd: repo })).toEqual(trace);
    expect(trace.files.map(({ path }) => path)).toEqual(
      expect.arrayContaining(["book.py", "lib/money.ts", "export.py"]),
    );
    // Written only by a here-document, and renamed by the human.
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

describe("blame in repositories with commands, moves, stashes and reverts of several agents", () => {
  it.each([
    ["atlas", "atlas", 99],
    // In another directory of another name: recognised by its commits.
    ["atlas", "elsewhere", 99],
    // Without git: renames are recognised by file contents.
    ["quarry", "quarry", 66],
    // Made to mislead: conflicts, squashes, files that return with other contents, loops.
    ["orchard", "orchard", 42],
    // Ordinary work: formatters, generated files, scripts, helpers, squashes.
    ["ferry", "ferry", 148],
    ["lantern", "lantern", 161],
    ["beacon", "beacon", 208],
    ["creek", "creek", 150],
  ])("attributes no line wrongly in %s, checked out as %s, and at least %i lines", async (name, as, least) => {
    const repository = madeRepository(name);
    const daybook = new Daybook({ roots: repository.roots, timezone: "UTC" });
    const cwd = repository.lay(as);
    const views: Record<string, BlameView> = {};
    for (const file of Object.keys(repository.files)) views[file] = await daybook.blame(file, { cwd });
    const { written, found, wrong } = scored(repository, views);
    daybook.close();
    process.stdout.write(`blame of ${name} as ${as}: ${found} of ${written} lines of agents, ${wrong.length} wrong\n`);
    expect(wrong).toEqual([]);
    expect(found).toBeGreaterThanOrEqual(least);
  });

  it("attributes lines by the output of calls with a book too", async () => {
    const repository = madeRepository("ferry");
    const cwd = repository.lay("ferry");
    const daybook = new Daybook({ roots: repository.roots, timezone: "UTC", book: scratch("book") });
    const board = await daybook.blame("data/board.txt", { cwd });
    expect(
      scored(
        { ...repository, files: { "data/board.txt": repository.files["data/board.txt"] ?? [] } },
        { "data/board.txt": board },
      ),
    ).toEqual({ written: 6, found: 6, wrong: [] });
    daybook.close();
  });
});
