import { appendFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openDatabase } from "../src/base/io/sqlite.ts";
import { at, codexLine, CU, E, M, R, write } from "./cases/build.ts";
import { run } from "./cases/workspace.ts";
import { open, scratch, type Roots } from "./store/fixture.ts";

const GONE = "019e2f1c-0000-7000-8000-00000000000d";
const SECONDS = Date.UTC(2026, 4, 12, 9) / 1000;

/** Homes of two agents, each with one session file and one session that only the input history mentions. */
function homes(): { codex: string; claude: string; roots: Roots } {
  const [codex, claude] = [scratch("codex"), scratch("claude")];
  write(join(codex, "sessions", "rollout-here.jsonl"), [M("here", { cwd: "/nowhere/app" }), R("go"), E("go")]);
  write(join(codex, "history.jsonl"), [
    { session_id: "here", ts: SECONDS, text: "go" },
    { session_id: GONE, ts: SECONDS + 60, text: "the lost one" },
  ] as never);
  write(join(claude, "projects", "-nowhere-app", "kept.jsonl"), [CU("hello", { cwd: "/nowhere/app" })]);
  write(join(claude, "history.jsonl"), [
    { display: "hello", timestamp: SECONDS * 1000, project: "/nowhere/app", sessionId: "kept" },
    { display: "/exit", timestamp: SECONDS * 1000, project: "/nowhere/app", sessionId: "never" },
    { display: "from天気", timestamp: (SECONDS + 30) * 1000, project: "/nowhere/天気予報", sessionId: "never" },
    { display: "of nobody", timestamp: SECONDS * 1000, project: "/nowhere/app" },
  ] as never);
  return { codex, claude, roots: { codex: [codex], "claude-code": [claude] } };
}

const flags = (roots: Roots): string[] =>
  Object.entries(roots).flatMap(([id, paths]) => paths.flatMap((path) => ["--root", `${id}=${path}`]));

describe("prompts found only in an input history", () => {
  it("are listed with text, time, agent, project and line", async () => {
    const { codex, claude, roots } = homes();
    const { code, out } = await run(["sessions", "--lost", "--json", ...flags(roots)], {});
    expect(code).toBe(0);
    expect(JSON.parse(out)).toEqual({
      schema_version: 1,
      lost_prompts: [
        {
          source: "codex",
          session_id: GONE,
          time: "2026-05-12T09:01:00.000Z",
          text: "the lost one",
          cwd: null,
          project: null,
          project_key: null,
          path: join(codex, "history.jsonl"),
          line: 2,
        },
        {
          source: "claude-code",
          session_id: "never",
          time: "2026-05-12T09:00:30.000Z",
          text: "from天気",
          cwd: "/nowhere/天気予報",
          project: "天気予報",
          project_key: expect.stringMatching(/^天気予報-/) as string,
          path: join(claude, "history.jsonl"),
          line: 3,
        },
      ],
    });
    const shown = await run(["sessions", "--lost", "-z", "UTC", ...flags(roots)], {});
    // A path that is too long for the line is printed on a line of its own.
    expect(shown.out.replace(/\s+/g, " ")).toContain(
      `2026-05-12 09:01 codex ${join(codex, "history.jsonl")}:2 the lost one`,
    );
    expect(shown.out).toContain("2 prompts without a transcript");
  });

  it("are found by search, which names the history file, with and without a book", async () => {
    const { codex, roots } = homes();
    for (const daybook of [open(roots), open(roots, scratch("home"))]) {
      const found = await daybook.ask("search", { words: "lost" });
      expect(found).toMatchObject({
        results: [
          { session_id: GONE, kind: "prompt", lost: true, line: 2, session_path: join(codex, "history.jsonl") },
        ],
        total: 1,
      });
      expect((await daybook.search("天気")).map(({ project }) => project)).toEqual(["天気予報"]);
      // This session has a transcript, so the prompt is found there alone.
      expect((await daybook.search("go")).map(({ lost = false }) => lost)).toEqual([false]);
      expect(await daybook.search("lost", { kinds: ["output"] })).toEqual([]);
      expect(await daybook.search("lost", { until: "2026-05-11" })).toEqual([]);
      daybook.close();
    }
    const { out } = await run(["search", "lost", "-z", "UTC", ...flags(roots)], {});
    expect(out.replaceAll(/\s+/g, " ")).toContain(
      `the lost one only in ${join(codex, "history.jsonl")}:2: its session has no transcript`,
    );
  });

  it("keep a quarter of a list that matches in sessions would fill", async () => {
    const { codex, roots } = homes();
    const many = Array.from({ length: 8 }, (_, i) => [R(`lost ${i}`), E(`lost ${i}`)]).flat();
    write(join(codex, "sessions", "rollout-many.jsonl"), [M("many", { cwd: "/nowhere/app" }), ...many]);
    const daybook = open(roots);
    const found = await daybook.ask("search", { words: "lost", limit: 4 });
    expect(found.results.map(({ lost = false }) => lost)).toEqual([false, false, false, true]);
    expect(found.total).toBe(9);
    daybook.close();
  });

  it("can be filtered by day, project and session, with and without a book", async () => {
    const { roots } = homes();
    for (const daybook of [open(roots), open(roots, scratch("home"))]) {
      const texts = async (query: object): Promise<string[]> => (await daybook.lost(query)).map(({ text }) => text);
      expect(await texts({})).toEqual(["the lost one", "from天気"]);
      expect(await texts({ limit: 1 })).toEqual(["the lost one"]);
      expect(await texts({ project: "天気予報" })).toEqual(["from天気"]);
      expect(await texts({ project: "/nowhere/天気予報/" })).toEqual(["from天気"]);
      expect(await texts({ since: "2026-05-13" })).toEqual([]);
      expect(await texts({ session: "019e2f1c" })).toEqual(["the lost one"]);
    }
  });

  it("do not include those of a session in the book, even if its file is deleted", async () => {
    const { codex, roots } = homes();
    const home = scratch("home");
    const first = open(roots, home);
    await first.sync();
    first.close();
    rmSync(join(codex, "sessions", "rollout-here.jsonl"));
    expect((await open(roots, home).lost()).map(({ text }) => text)).not.toContain("go");
    expect((await open(roots).lost()).map(({ text }) => text)).toContain("go");
  });

  it("are counted in the report of their day, which names the command that lists them", async () => {
    const { codex, roots } = homes();
    const home = scratch("home");
    const lost = async (): Promise<unknown> => {
      const daybook = open(roots, home, { timezone: "UTC" });
      const { diagnostics } = await daybook.report({ date: "2026-05-12" });
      daybook.close();
      return diagnostics.filter(({ code, path }) => code === "prompt_lost" && path === join(codex, "history.jsonl"));
    };
    const message = "prompts that only the input history has: `daybook sessions --lost`";
    const problem = { code: "prompt_lost", message, path: join(codex, "history.jsonl"), line: 2, count: 1 };
    expect(await lost()).toEqual([problem]);
    // The cached report must not be used: the history grew, although no session changed.
    appendFileSync(
      join(codex, "history.jsonl"),
      `${JSON.stringify({ session_id: GONE, ts: SECONDS + 61, text: "again" })}\n`,
    );
    expect(await lost()).toEqual([{ ...problem, line: 3, count: 2 }]);
    const other = open(roots, home, { timezone: "UTC" });
    expect((await other.report({ date: "2026-05-11" })).diagnostics).toEqual([]);
    const { out } = await run(["report", "--date", "2026-05-12", "-z", "UTC", ...flags(roots)], {});
    expect(out).toContain("daybook sessions --lost");
  });
});

describe("doctor", () => {
  /** Checks that the printed verdict agrees with `healthy`, and returns it. */
  const isHealthy = async (roots: Roots): Promise<boolean> => {
    const { out } = await run(["doctor", ...flags(roots)], {});
    const { healthy } = await open(roots).doctor();
    expect(out.includes("All well")).toBe(healthy);
    return healthy;
  };
  const codexWith = (...lines: object[]): Roots => {
    const dir = scratch("doctor");
    write(join(dir, "rollout-a.jsonl"), [M("a", { cli_version: "0.130.0" }), R("go"), E("go"), ...lines] as never);
    return { codex: [dir] };
  };

  it('prints "All well" only without unknown records and lost prompts', async () => {
    expect(await isHealthy(codexWith())).toBe(true);
    expect(await isHealthy({ codex: [scratch("empty")] })).toBe(true);
    expect(await isHealthy(codexWith(codexLine("event_msg", { type: "surprise_from_the_future" })))).toBe(false);
    expect(await isHealthy(codexWith(at("2026-05-12T08:00:00.000Z", codexLine("new_kind_of_record", {}))))).toBe(false);
    expect(await isHealthy(homes().roots)).toBe(false);
  });

  it('does not print "All well" if a database was refused', async () => {
    const dir = scratch("refused");
    const db = openDatabase(join(dir, "opencode.db"));
    db.exec("CREATE TABLE goose_db_version (id INTEGER); CREATE TABLE wonders (id TEXT)");
    db.close();
    expect(await isHealthy({ opencode: [dir] })).toBe(false);
    const other = scratch("refused");
    const foreign = openDatabase(join(other, "sessions.db"));
    foreign.exec("CREATE TABLE wonders (id TEXT)");
    foreign.close();
    expect(await isHealthy({ goose: [join(other, "sessions.db")] })).toBe(false);
  });
});
