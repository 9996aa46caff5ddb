import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { acquireLock } from "../../src/record/write-lock.ts";
import type { Manifest } from "../../src/answers/workspace/manifest.ts";
import { prepareWorkspace, type Prepared } from "../../src/answers/workspace/prepare.ts";
import { type Daybook, inside } from "../../src/answers/daybook.ts";
import { copyCorpus, LABELS, open as openRoots } from "../store/fixture.ts";
import { A, CA, CT, CU, folder, M, R, toolUse, write, type Lines } from "./build.ts";
import { filesBelow, json, rowsIn, run } from "./workspace.ts";

const DAY = "work/2026-05-12";

interface PreparedDay {
  home: string;
  flags: string[];
  codex: string;
  claude: string;
}

/** Two sessions, one with a sub-agent, both read into a book. */
async function prepareDay(): Promise<PreparedDay> {
  const [home, files] = [join(folder(), "home"), folder()];
  const codex = write(join(files, "codex/rollout-x.jsonl"), [M("x"), R("first"), A("a"), R("second"), A("b")]);
  const claude = join(files, "claude/p/parent.jsonl");
  const task = [toolUse("c1", "Task", { prompt: "look", subagent_type: "Explore" })];
  write(claude, [CU("look around"), CA(task, { output: 3 }), CT("c1"), CA("done", { output: 1, stop: "end_turn" })]);
  write(join(files, "claude/p/parent/subagents/agent-a1.jsonl"), [
    CU("look", { isSidechain: true, agentId: "a1" }),
    CA("seen", { output: 2 }, { isSidechain: true, agentId: "a1" }),
  ]);
  const roots = ["--root", `codex=${join(files, "codex")}`, "--root", `claude-code=${join(files, "claude")}`];
  const flags = [...roots, "--home", home];
  expect((await run(["sync", ...flags], {})).code).toBe(0);
  return { home, flags, codex, claude };
}

const prepare = ["prepare", "--date", "2026-05-12", "--timezone", "UTC", "--force"];

function notes(home: string): Manifest {
  return json(join(home, "private/2026-05-12/audit.manifest.json")) as Manifest;
}

/** The prompt of each turn, found in the workspace's file at the lines that the index names. */
function promptsIn(workspace: string): string[] {
  const root = join(workspace, "projects");
  return Object.values(rowsIn(workspace))
    .flat()
    .flatMap(({ session_path, turns, source }) => {
      const path = Object.keys(filesBelow(root)).find((file) => file.endsWith(session_path)) ?? "";
      const lines = readFileSync(join(root, path), "utf8").split("\n");
      return turns.map((turn) => {
        const line = lines.slice(turn.turn_start_line - 1, turn.turn_end_line).join("\n");
        return `${source}: ${["first", "second", "third", "look around"].filter((word) => line.includes(`"${word}"`)).join()}`;
      });
    });
}

describe("sessions with deleted or rewritten files in the workspace", () => {
  it("are written from the book, and the deleted files are reported", async () => {
    const { home, flags, codex, claude } = await prepareDay();
    rmSync(codex);
    rmSync(join(claude, "..", "parent"), { recursive: true });
    const ran = await run([...prepare, ...flags], {});
    expect(ran.code).toBe(0);
    expect(ran.err).toContain(`deleted, taken from the book: ${codex}\n`);
    expect(ran.out).toContain("2 sessions, 3 requests");
    const rows = Object.values(rowsIn(join(home, DAY))).flat();
    expect(rows.map((row) => [row.source_session_id, row.session_format, row.session_path])).toEqual([
      ["parent", undefined, "sessions/claude-code/parent.jsonl"],
      ["x", "daybook-log", "sessions/codex/rollout-x.daybook.jsonl"],
    ]);
    expect(promptsIn(join(home, DAY))).toEqual(["claude-code: look around", "codex: first", "codex: second"]);
    const { sessions, gone } = notes(home);
    expect(gone).toEqual([{ source: "codex", source_session_id: "x", source_path: codex, reason: "deleted" }]);
    const [, x] = sessions;
    expect(x).toMatchObject({ source_path: codex, source_checksum_sha256: null });
    expect(x?.warnings).toEqual(["the file was deleted; laid out from the book"]);
    // The same with --json, and after all files are deleted.
    rmSync(join(claude, "..", ".."), { recursive: true });
    const again = await run([...prepare, ...flags, "--json"], {});
    const summary = JSON.parse(again.out) as { sessions: number; gone: { source_path: string }[] };
    expect([summary.sessions, summary.gone.map((file) => file.source_path)]).toEqual([2, [claude, codex]]);
    expect(promptsIn(join(home, DAY))).toEqual(["claude-code: look around", "codex: first", "codex: second"]);
    const counted = await run([...prepare, ...flags, "--min-output", "5"], {});
    expect(counted.err).toContain("left out: claude-code/parent");
  });

  it("have lost turns written beside the current file if it was rewritten", async () => {
    const { home, flags, codex } = await prepareDay();
    write(codex, [M("x"), R("first"), A("a"), R("third"), A("c")]);
    const ran = await run([...prepare, ...flags], {});
    expect(ran.err).toContain(`rewritten, taken from the book: ${codex}\n`);
    const rows = Object.values(rowsIn(join(home, DAY))).flat();
    const paths = rows.filter(({ source }) => source === "codex").map((row) => row.session_path);
    expect(paths).toEqual(["sessions/codex/rollout-x.daybook.jsonl", "sessions/codex/rollout-x.jsonl"]);
    expect(promptsIn(join(home, DAY))).toEqual([
      "claude-code: look around",
      "codex: second",
      "codex: first",
      "codex: third",
    ]);
  });

  it("are left out if there is no book, and none is created", async () => {
    const { flags, codex } = await prepareDay();
    rmSync(codex);
    const home = join(folder(), "other");
    const ran = await run([...prepare, ...flags.slice(0, -1), home], {});
    expect([ran.out.includes("1 session, 1 request"), ran.err.includes("taken from the book")]).toEqual([true, false]);
    expect(existsSync(join(home, "book"))).toBe(false);
  });

  it("are not looked up while another process writes the book, and existing files are read directly", async () => {
    const { flags, home, codex } = await prepareDay();
    const lock = acquireLock(join(home, "sync.lock"));
    const lines: Lines = [M("x"), R("first"), A("a"), R("second"), A("b"), R("third"), A("c")];
    write(codex, lines);
    const ran = await run([...prepare, ...flags], {});
    lock.release();
    expect(ran.err).toContain("deleted files are not looked up");
    expect(promptsIn(join(home, DAY))).toContain("codex: third");
  });

  it("of a deleted database are written from the book with the same bytes", async () => {
    const { dir, roots } = copyCorpus(["goose-1.34.0"]);
    const home = join(folder(), "home");
    const flags = ["--root", `goose=${(roots["goose"] ?? [])[0] ?? ""}`, "--home", home, "--timezone", "UTC"];
    expect((await run(["sync", ...flags], {})).code).toBe(0);
    const days = await openRoots(roots).turns();
    const date = days[0]?.trigger.time?.slice(0, 10) ?? "";
    const now = Date.parse("2099-01-01T00:00:00Z");
    const before = await run(["prepare", "--date", date, "--force", "--json", ...flags], {}, now);
    const files = filesBelow(join(home, "work", date, "projects"));
    rmSync(dir, { recursive: true });
    mkdirSync(dir);
    const after = await run(["prepare", "--date", date, "--force", "--json", ...flags], {}, now);
    expect(after.code).toBe(0);
    const [one, two] = [before, after].map((ran) => JSON.parse(ran.out) as { sessions: number; gone: unknown[] });
    expect([two?.sessions, one?.gone, two?.gone.length]).toEqual([one?.sessions, [], one?.sessions]);
    expect(filesBelow(join(home, "work", date, "projects"))).toEqual(files);
  });
});

it("a book does not change the workspace while the files exist, and replaces them when all are deleted", async () => {
  const { dir, roots } = copyCorpus(LABELS.filter((label) => /^(claude-2|codex-0.1|pi|gemini-0.6)/.test(label)));
  const book = join(folder(), "book");
  const direct = openRoots(roots);
  const days = new Set(
    (await direct.turns()).flatMap(({ trigger: { time } }) => (time ? direct.zone.day(Date.parse(time)) : [])),
  );
  expect(days.size).toBeGreaterThan(0);
  const prepareFrom = async (from: Daybook, date: string): Promise<Prepared> =>
    prepareWorkspace(inside(from), { date, now: Date.parse("2099-01-01T00:00:00Z"), home: folder() });
  const before = new Map<string, Prepared>();
  for (const date of days) {
    const [plain, indexed] = [await prepareFrom(direct, date), await prepareFrom(openRoots(roots, book), date)];
    expect(indexed.gone).toEqual([]);
    expect(filesBelow(indexed.workspace)).toEqual(filesBelow(plain.workspace));
    before.set(date, plain);
  }
  rmSync(dir, { recursive: true });
  for (const [date, { projects, sessions, turns, subagents, left_out }] of before) {
    const after = await prepareFrom(openRoots(roots, book), date);
    expect(after).toMatchObject({ projects, sessions, turns, subagents, left_out });
    expect(subagents).toBeGreaterThan(0);
    expect(new Set(after.gone.map((file) => file.source_path)).size).toBe(sessions + subagents);
  }
});
