import { cpSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeEach, describe, expect, it } from "vitest";
import type { Io } from "../../src/doors/cli/io.ts";
import { main } from "../../src/doors/cli/main.ts";
import { Daybook } from "../../src/answers/daybook.ts";
import { Forgotten } from "../../src/book/pages/forgotten.ts";
import { IndexStore } from "../../src/index/tables/index-store.ts";
import { markSyncStarted } from "../../src/index/tables/seal.ts";
import { DAYS } from "../report/month.ts";
import { scratch } from "./fixture.ts";
import { MonthBook } from "./month-book.ts";

const BIN = fileURLToPath(new URL("../../bin/daybook.js", import.meta.url));
const PRELOAD = fileURLToPath(new URL("../preload/kill.cjs", import.meta.url));
const month = new MonthBook("forget");

/** The content of all files below a directory, as one text. */
function bytesBelow(dir: string): string {
  const entries = readdirSync(dir, { withFileTypes: true, recursive: true }).filter((entry) => entry.isFile());
  return entries.map(({ parentPath, name }) => readFileSync(join(parentPath, name), "latin1")).join("\n");
}

/** Size of the words of all texts, including those of texts that are no longer in the index. */
function textIndexBytes(): number {
  const store = IndexStore.openExisting(month.home);
  const bytes = Number(store?.get("SELECT sum(length(body)) AS n FROM segment_block")?.["n"]);
  store?.close();
  return bytes;
}

const fileStates = (): string[] =>
  readdirSync(month.files, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .map((path) => `${path} ${statSync(path).size} ${statSync(path).mtimeMs}`);

beforeEach(async () => {
  await month.begin();
});

describe("forgetting a session", () => {
  it("gives the same answers as if its file had never existed, and changes no session file", async () => {
    const before = fileStates();
    const [gone] = await month.with((daybook) => daybook.sessions({ project: "shop-api" }));
    if (!gone) throw new Error("no session to forget");
    const after = await month.with(async (daybook) => {
      const plan = await daybook.forgetPlan({ sessions: [gone.session_id] });
      expect(plan.bytes).toBeGreaterThan(0);
      await daybook.forget(plan);
      return {
        keys: plan.sessions.map(({ session_id }) => session_id),
        sessions: await daybook.sessions(),
        turns: await daybook.turns(),
        usage: await daybook.usage({ group: "daily", by: "spent", order: "asc", breakdown: false }),
        lost: await daybook.lost(),
        report: await daybook.report({ date: gone.started_at?.slice(0, 10) }),
      };
    });
    expect(fileStates()).toEqual(before);

    const without = scratch("without");
    cpSync(month.files, without, { recursive: true, preserveTimestamps: true });
    for (const entry of readdirSync(without, { recursive: true, encoding: "utf8" }))
      if (after.keys.some((key) => entry.includes(key))) rmSync(join(without, entry), { recursive: true });
    const other = new Daybook({
      roots: { "claude-code": [join(without, "claude")], codex: [join(without, "codex")] },
      env: {},
      home: "/nowhere",
      now: Date.UTC(2026, 11, 31),
      timezone: "UTC",
    });
    const withOriginalPaths = (value: unknown): unknown =>
      JSON.parse(JSON.stringify(value).replaceAll(without, month.files));
    expect(after.sessions).toEqual(withOriginalPaths(await other.sessions()));
    expect(after.turns).toEqual(withOriginalPaths(await other.turns()));
    expect(after.usage).toEqual(
      withOriginalPaths(await other.usage({ group: "daily", by: "spent", order: "asc", breakdown: false })),
    );
    expect(after.lost.map(({ session_id }) => session_id)).not.toContain(gone.session_id);
    expect(JSON.stringify(after.report)).not.toContain(gone.session_id);
  });

  it("leaves none of its words in any file of the home", async () => {
    const turns = await month.with((daybook) => daybook.turns());
    const words = new Map<string, Set<string>>();
    for (const { session_id, trigger } of turns)
      for (const word of trigger.text?.match(/[a-z]{9,}/g) ?? [])
        words.set(word, (words.get(word) ?? new Set()).add(session_id));
    // A word that occurs in the prompts of only one session.
    const text = bytesBelow(month.home);
    const [word, [id] = []] = [...words].filter(([, ids]) => ids.size === 1).find(([one]) => text.includes(one)) ?? [
      "",
    ];
    const results = await month.with((daybook) => daybook.search(word));
    const found = new Set(results.map(({ session_id }) => session_id));
    const before = textIndexBytes();
    await month.with(async (daybook) => daybook.forget(await daybook.forgetPlan({ sessions: [...found, id ?? ""] })));
    expect(bytesBelow(month.home)).not.toContain(word);
    // What a word shares with the one before it is stored once, so the size is checked too.
    expect(textIndexBytes()).toBeLessThan(before);
    expect(await month.with((daybook) => daybook.search(word))).toEqual([]);
  });

  it("survives full syncs and rebuilds, until the session is allowed again", async () => {
    const all = await month.with((daybook) => daybook.sessions());
    const [codex] = all.filter(({ source, kind }) => source === "codex" && kind === "root");
    const id = codex?.session_id ?? "";
    await month.with(async (daybook) => daybook.forget(await daybook.forgetPlan({ sessions: [id] })));
    const ids = async (): Promise<string[]> =>
      month.with(async (daybook) => (await daybook.sessions()).map(({ session_id }) => session_id));
    const rest = await ids();
    expect(rest).not.toContain(id);
    await month.with((daybook) => daybook.sync({ full: true }));
    expect(await ids()).toEqual(rest);
    await month.with((daybook) => daybook.sync({ repair: true }));
    expect(await ids()).toEqual(rest);
    // Only its id is kept, not its path or content.
    expect(new Forgotten(month.home).all).toMatchObject([{ source: "codex", session_id: id }]);
    expect(readFileSync(join(month.home, "book/forgotten.jsonl"), "utf8")).not.toContain("/");

    await month.with(async (daybook) => {
      expect((await daybook.doctor()).book).toMatchObject({ path: month.home, forgotten: 1, pages: all.length - 1 });
      expect(daybook.forgotten()).toMatchObject([{ session_id: id, in_files: true }]);
      expect(await daybook.allow(id.slice(0, 13))).toMatchObject({ session_id: id });
      expect(await daybook.sessions()).toEqual(all);
      expect(daybook.forgotten()).toEqual([]);
    });
  });

  it("selects by project and day, and includes sub-agents of the selected sessions", async () => {
    await month.with(async (daybook) => {
      const all = await daybook.sessions();
      const project = all[0]?.project ?? "";
      const day = all.at(-10)?.ended_at?.slice(0, 10) ?? "";
      const plan = await daybook.forgetPlan({ project, before: day });
      const wanted = all.filter((one) => one.project === project && (one.ended_at ?? "") < day && one.kind === "root");
      const roots = plan.sessions.filter(({ kind }) => kind === "root");
      expect(roots).toEqual(wanted);
      const child = all.find(({ kind, parent }) => kind === "subagent" && parent !== null);
      const parents = await daybook.forgetPlan({ sessions: [child?.parent?.session_id ?? ""] });
      expect(parents.sessions).toContainEqual(child);
    });
  });

  it("is completed by the next query if the process was killed after recording the decision", async () => {
    const [one] = await month.with((daybook) => daybook.sessions());
    const id = one?.session_id ?? "";
    const line = { source: one?.source, session_id: id, forgotten_at: "2026-12-31T00:00:00.000Z", files: [] };
    // The state after a kill: only the decision is written, and the last line is incomplete.
    markSyncStarted(month.home);
    writeFileSync(join(month.home, "book/forgotten.jsonl"), `${JSON.stringify(line)}\n{"source":"codex","sess`);
    await month.with(async (daybook) => {
      expect((await daybook.sessions()).map(({ session_id }) => session_id)).not.toContain(id);
      // The next decision is written to a line of its own.
      const [next] = await daybook.sessions();
      await daybook.forget(await daybook.forgetPlan({ sessions: [next?.session_id ?? ""] }));
      expect(daybook.forgotten().map(({ session_id }) => session_id)).toEqual([next?.session_id, id]);
    });
    expect(bytesBelow(month.home)).not.toContain(`"session_id":"${id}","seq"`);
  });
});

it("forget killed at any moment has forgotten the whole session or nothing of it", async () => {
  const id = await month.with(async (daybook) => (await daybook.sessions())[0]?.session_id ?? "");
  const words = ["forget", id, "--yes", "--home", month.home, ...month.rootFlags];
  const kill = (at: number): string =>
    spawnSync(process.execPath, ["--require", PRELOAD, BIN, ...words], {
      env: { PATH: process.env["PATH"], HOME: "/nowhere", TZ: "UTC", KILL_AT: String(at) },
      encoding: "utf8",
    }).stderr;
  const original = month.home;
  const outcomes = new Set<boolean>();
  month.home = scratch("count");
  cpSync(original, month.home, { recursive: true, preserveTimestamps: true });
  words[4] = month.home;
  const calls = Number(/calls: (\d+)/.exec(kill(0))?.[1]);
  for (const share of [0.3, 0.75, 0.85, 0.9, 0.94, 0.97, 0.99]) {
    month.home = scratch("killed");
    words[4] = month.home;
    cpSync(original, month.home, { recursive: true, preserveTimestamps: true });
    expect(kill(Math.floor(calls * share))).not.toContain("calls");
    await month.with(async (daybook) => {
      const isThere = (await daybook.sessions()).some(({ session_id }) => session_id === id);
      const isForgotten = daybook.forgotten().some(({ session_id }) => session_id === id);
      expect([share, isThere]).toEqual([share, !isForgotten]);
      expect((await daybook.audit()).balanced).toBe(true);
      outcomes.add(isThere);
    });
    const pages = readdirSync(join(month.home, "book"), { recursive: true, encoding: "utf8" });
    if (new Forgotten(month.home).isEmpty) continue;
    expect(pages.filter((page) => page.includes(id))).toEqual([]);
    rmSync(join(month.home, "index.db"));
    await month.with(async (daybook) => {
      expect((await daybook.sessions()).map(({ session_id }) => session_id)).not.toContain(id);
    });
  }
  // Some kills were before the decision was recorded, some after.
  expect(outcomes.size).toBe(2);
});

describe("daybook forget", () => {
  async function run(words: string[], answer?: string): Promise<{ code: number; out: string; err: string }> {
    let [out, err] = ["", ""];
    const io: Io = {
      out: (text) => void (out += text),
      err: (text) => void (err += text),
      env: {},
      now: Date.UTC(2026, 11, 31),
      columns: 80,
      outIsTerminal: false,
      errIsTerminal: answer !== undefined,
      inIsTerminal: answer !== undefined,
      ask: () => Promise.resolve(answer ?? ""),
    };
    const code = await main(["forget", ...words, "--home", month.home, ...month.rootFlags, "--timezone", "UTC"], io);
    return { code, out, err };
  }
  const count = async (): Promise<number> => month.with(async (daybook) => (await daybook.sessions()).length);

  it("asks for confirmation, and changes nothing without a yes", async () => {
    const before = await count();
    const id = await month.with(async (daybook) => (await daybook.sessions())[0]?.session_id ?? "");
    expect(await run([])).toMatchObject({ code: 2 });
    expect(await run([id])).toMatchObject({ code: 2, err: expect.stringContaining("no terminal to ask on") as string });
    expect((await run([id, "--dry-run"])).out).toMatch(/1 session, .* MB of the book[^]*dry run/);
    expect((await run([id, "--dry-run", "--json"])).out).toContain('"dry_run": true');
    expect((await run([id], "n")).err).toContain("nothing was forgotten");
    expect(await count()).toBe(before);

    expect((await run([id], "y")).out).toContain("Forgotten.");
    expect(await count()).toBe(before - 1);
    expect((await run(["--list"])).out).toContain(id);
    expect((await run(["--allow", id])).code).toBe(0);
    expect(await count()).toBe(before);
  });

  it("does not ask with --yes", async () => {
    const before = await count();
    const { out } = await run(["--before", DAYS[3] ?? "", "--yes", "--json"]);
    const { sessions, dry_run } = JSON.parse(out) as { sessions: unknown[]; dry_run: boolean };
    expect(dry_run).toBe(false);
    expect(await count()).toBe(before - sessions.length);
  });
});
