import { appendFileSync, mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { openDatabase } from "../../src/base/io/sqlite.ts";
import type { DayReport } from "../../src/answers/report/model.ts";
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

/** The report from the same book without any cache. */
async function uncached(roots: Roots, home: string): Promise<DayReport> {
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

describe("a cached report", () => {
  it("is the same as the first one and as one made without the cache", async () => {
    const { roots } = copyCorpus(LABELS);
    const home = scratch("home");
    const first = await ask(roots, home);
    expect(cachedReports(home)).toBe(1);
    expect(await ask(roots, home)).toEqual(first);
    expect(cachedReports(home)).toBe(1);
    expect(await uncached(roots, home)).toEqual(first);
    expect(first.projects.flatMap((project) => project.turns).length).toBeGreaterThan(0);
  });

  it("is not used for another project, other roots or another timezone", async () => {
    const { roots } = copyCorpus(LABELS);
    const home = scratch("home");
    const all = await ask(roots, home);
    const [project] = all.projects;
    const ofProject = await ask(roots, home, { project: project?.project });
    expect(ofProject.projects.map((one) => one.project)).toEqual([project?.project]);
    const [codex] = Object.keys(roots);
    const codexOnly = await ask({ [codex as string]: roots[codex as string] ?? [] }, home);
    expect(new Set(codexOnly.projects.flatMap((one) => one.sessions.map(({ source }) => source)))).toEqual(
      new Set([codex]),
    );
    const inNewYork = open(roots, home, { timezone: "America/New_York" });
    expect((await inNewYork.report({ since: "2020-01-01" })).span.timezone).toBe("America/New_York");
    inNewYork.close();
    expect(await ask(roots, home)).toEqual(all);
  });

  it("is not used for a query or options that differ in anything, known today or not", async () => {
    const { roots } = copyCorpus(LABELS);
    const home = scratch("home");
    await ask(roots, home);
    await ask(roots, home, { added: 1 } as object);
    expect(cachedReports(home)).toBe(2);
    const other = open(roots, home, { added: { to: "options" } } as object);
    await other.report({ since: "2020-01-01" });
    other.close();
    expect(cachedReports(home)).toBe(3);
    // How a question is answered does not change its answer.
    const same = open(roots, home, { lookOnce: true, onProgress: () => undefined, env: { A: "b" } });
    await same.report({ since: "2020-01-01" });
    same.close();
    await ask(roots, home, { since: "2020-01-01", project: undefined });
    expect(cachedReports(home)).toBe(3);
  });

  it("is invalidated when a session grows", async () => {
    const { roots } = copyCorpus(LABELS);
    const home = scratch("home");
    const before = await ask(roots, home);
    const [root = ""] = roots["claude-code"] ?? [];
    const [file = ""] = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((name) =>
      /projects\/[^/]+\/[0-9a-f-]{36}\.jsonl$/.test(name),
    );
    const prompt = { type: "user", message: { role: "user", content: "and now something else" }, isSidechain: false };
    const more = { timestamp: "2026-11-30T10:00:00.000Z", uuid: "u-new", sessionId: "x", userType: "external" };
    appendFileSync(join(root, file), `${JSON.stringify({ ...prompt, ...more, version: "2.1.325", cwd: "/w" })}\n`);
    const after = await ask(roots, home);
    expect(turnsOf(after)).toBe(turnsOf(before) + 1);
    expect(await uncached(roots, home)).toEqual(after);
  });

  it("is invalidated when a title changes in Codex's session index", async () => {
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
    // The book keeps titles that the agent deletes.
    rmSync(index);
    expect(titles(await ask(roots, home))).toContain("the last name");
  });

  it("is invalidated when a title changes in a file beside the session", async () => {
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

  it("is evicted so that at most eight are stored", async () => {
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
