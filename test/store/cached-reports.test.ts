import { appendFileSync, mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { openDatabase } from "../../src/io/sqlite.ts";
import type { DayReport } from "../../src/report/model.ts";
import { copyCorpus, open, scratch, type Roots } from "./fixture.ts";

const LABELS = ["codex-0.130.0-tui", "claude-2.1.325"];

function cachedReports(home: string): number {
  const db = openDatabase(join(home, "index.db"));
  try {
    return Number(db.prepare("SELECT count(*) AS n FROM answer").get()?.["n"]);
  } finally {
    db.close();
  }
}

/** As it is, however it was made: nothing kept, everything put together from the same book. */
async function anew(roots: Roots, home: string): Promise<DayReport> {
  const db = openDatabase(join(home, "index.db"));
  db.exec("DELETE FROM answer; DELETE FROM facts");
  db.close();
  return ask(roots, home);
}

async function ask(roots: Roots, home: string, query: Parameters<ReturnType<typeof open>["report"]>[0] = {}) {
  const daybook = open(roots, home);
  try {
    return await daybook.report({ since: "2020-01-01", ...query });
  } finally {
    daybook.close();
  }
}

function titles(report: DayReport): (string | null)[] {
  return report.projects.flatMap((project) => project.sessions.map(({ title }) => title));
}

describe("an answer that is kept", () => {
  it("is the answer that was given", async () => {
    const { roots } = copyCorpus(LABELS);
    const home = scratch("home");
    const first = await ask(roots, home);
    expect(cachedReports(home)).toBe(1);
    expect(await ask(roots, home)).toEqual(first);
    expect(cachedReports(home)).toBe(1);
    expect(await anew(roots, home)).toEqual(first);
    expect(first.projects.flatMap((project) => project.turns).length).toBeGreaterThan(0);
  });

  it("answers no other question", async () => {
    const { roots } = copyCorpus(LABELS);
    const home = scratch("home");
    const all = await ask(roots, home);
    const [project] = all.projects;
    const some = await ask(roots, home, { project: project?.project });
    expect(some.projects.map((one) => one.project)).toEqual([project?.project]);
    const [codex] = Object.keys(roots);
    const part = await ask({ [codex as string]: roots[codex as string] ?? [] }, home);
    expect(new Set(part.projects.flatMap((one) => one.sessions.map(({ source }) => source)))).toEqual(new Set([codex]));
    const other = open(roots, home, { timezone: "America/New_York" });
    expect((await other.report({ since: "2020-01-01" })).span.timezone).toBe("America/New_York");
    other.close();
    expect(await ask(roots, home)).toEqual(all);
  });

  it("is void when a session goes on", async () => {
    const { roots } = copyCorpus(LABELS);
    const home = scratch("home");
    const before = await ask(roots, home);
    const [root = ""] = roots["claude-code"] ?? [];
    const [file = ""] = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((name) =>
      /projects\/[^/]+\/[0-9a-f-]{36}\.jsonl$/.test(name),
    );
    const said = { type: "user", message: { role: "user", content: "and now something else" }, isSidechain: false };
    const more = { timestamp: "2026-11-30T10:00:00.000Z", uuid: "u-new", sessionId: "x", userType: "external" };
    appendFileSync(join(root, file), `${JSON.stringify({ ...said, ...more, version: "2.1.325", cwd: "/w" })}\n`);
    const after = await ask(roots, home);
    expect(turnsOf(after)).toBe(turnsOf(before) + 1);
    expect(await anew(roots, home)).toEqual(after);
  });

  it("is void when a title changes beside a session that does not", async () => {
    const { roots } = copyCorpus(LABELS);
    const home = scratch("home");
    const before = await ask(roots, home);
    expect(titles(before)).not.toContain("a better name");
    const [id = ""] = before.projects
      .flatMap((project) => project.sessions)
      .flatMap((session) => (session.source === "codex" ? [session.session_id] : []));
    const [codex = ""] = roots["codex"] ?? [];
    const index = join(codex, "session_index.jsonl");
    writeFileSync(index, `${JSON.stringify({ id, thread_name: "a better name" })}\n`);
    expect(titles(await ask(roots, home))).toContain("a better name");
    appendFileSync(index, `${JSON.stringify({ id, thread_name: "the last name" })}\n`);
    const after = await ask(roots, home);
    expect(titles(after)).toContain("the last name");
    // What the agent forgets, the book does not.
    rmSync(index);
    expect(titles(await ask(roots, home))).toContain("the last name");
  });

  it("is void when a session is renamed in a file of its own", async () => {
    const { roots } = copyCorpus(["claude-2.1.325"]);
    const home = scratch("home");
    const [session] = (await ask(roots, home)).projects.flatMap((project) => project.sessions);
    const side = join(dirname(session?.session_path ?? ""), session?.session_id ?? "", "custom-title.json");
    mkdirSync(dirname(side), { recursive: true });
    for (const name of ["one", "two"]) {
      writeFileSync(side, JSON.stringify({ customTitle: name }));
      utimesSync(side, 1_790_000_000, 1_790_000_000 + name.length + Number(name === "two"));
      const daybook = open(roots, home);
      const listed = (await daybook.sessions()).find(({ session_id }) => session_id === session?.session_id);
      daybook.close();
      expect([listed?.title, titles(await ask(roots, home)).includes(name)]).toEqual([name, true]);
    }
  });

  it("is one of a few", async () => {
    const { roots } = copyCorpus(["codex-0.130.0-tui"]);
    const home = scratch("home");
    for (let month = 1; month <= 12; month++)
      await ask(roots, home, { since: `2026-${String(month).padStart(2, "0")}-01`, until: "2026-12-31" });
    expect(cachedReports(home)).toBe(8);
  });
});

function turnsOf(report: DayReport): number {
  return report.totals.turns;
}
