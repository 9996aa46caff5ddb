import { appendFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { type Changes, type Daybook, inside } from "../../src/answers/daybook.ts";
import { openDatabase } from "../../src/base/io/sqlite.ts";
import { IndexStore } from "../../src/index/tables/index-store.ts";
import { A, CALL, E, M, OUT, R, TD, TS, write, type Line } from "../cases/build.ts";
import { cases } from "../nightly.ts";
import { ended, flagsOf, start } from "./cli.ts";
import { answers, copyCorpus, differences, open, scratch, type Roots } from "./fixture.ts";
import { collectGarbage, openFiles } from "../garbage.ts";

/** A directory for small sessions, each of one turn with one tool call. */
function sessionDirectory(): { dir: string; roots: Roots; add: (id: string) => string } {
  const dir = scratch("sessions");
  const add = (id: string): string => write(join(dir, `rollout-${id}.jsonl`), [M(id), ...turn(id, 1)]);
  return { dir, roots: { codex: [dir] }, add };
}

function turn(id: string, n: number): Line[] {
  const prompt = `question ${n} of ${id}`;
  const call = `${id}-${n}`;
  return [
    TS(call),
    R(prompt),
    E(prompt),
    CALL(call, "shell", { command: ["ls"] }),
    OUT(call, "ok"),
    A("done"),
    TD(call),
  ];
}

function grow(path: string, lines: readonly Line[]): void {
  appendFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
}

async function ids(daybook: Daybook): Promise<string[]> {
  return (await daybook.sessions()).map(({ session_id }) => session_id).toSorted();
}

/** Asks one question of every kind. */
async function askAll(daybook: Daybook): Promise<unknown[]> {
  const [session] = await daybook.sessions();
  const found = await daybook.find(session?.session_id ?? "");
  return [
    await daybook.turns(),
    await daybook.tools(),
    await daybook.usage({ group: "daily", by: "spent", breakdown: true, order: "asc" }),
    await daybook.report(),
    await daybook.decisions(),
    await daybook.context(),
    await daybook.audit(),
    await daybook.limits(),
    await daybook.search("question"),
    inside(daybook).sessionJson(found.session),
  ];
}

describe("a long-lived Daybook", () => {
  it("finds new, grown and deleted files with every sync, and nothing in between", async () => {
    const { roots, add } = sessionDirectory();
    const first = add("one");
    const daybook = open(roots, scratch("home"));
    expect(await ids(daybook)).toEqual(["one"]);
    const second = add("two");
    // Without a sync it answers from what it has already read.
    expect(await ids(daybook)).toEqual(["one"]);
    expect((await daybook.sync()).files_read).toBe(1);
    expect(await ids(daybook)).toEqual(["one", "two"]);
    grow(first, turn("one", 2));
    expect((await daybook.sync()).files_read).toBe(1);
    expect((await daybook.turns({ session: "one" })).length).toBe(2);
    rmSync(second);
    expect((await daybook.sync()).gone).toBe(1);
    expect(await ids(daybook)).toEqual(["one", "two"]);
    expect((await daybook.sync()).files_read).toBe(0);
    const [fromBook, direct] = [await answers(daybook), await answers(open(roots, undefined))];
    expect(differences(fromBook, direct)).toContain("sessions");
    daybook.close();
  });

  it("answers the same as one just opened, with or without a book", async () => {
    const { dir, roots } = copyCorpus(["codex-0.130.0-tui", "claude-2.1.325"]);
    const home = scratch("home");
    const longLived = open(roots, home);
    await longLived.turns();
    write(join(dir, "codex-0.130.0-tui", "sessions", "2026", "rollout-new.jsonl"), [M("new"), ...turn("new", 1)]);
    await longLived.sync();
    const fromLongLived = await answers(longLived);
    expect(differences(fromLongLived, await answers(open(roots, home)))).toEqual([]);
    expect(differences(fromLongLived, await answers(open(roots)))).toEqual([]);
  });

  it("runs one sync at a time, and answers from the previous state meanwhile", async () => {
    const { roots, add } = sessionDirectory();
    add("one");
    const notes: string[] = [];
    const daybook = open(roots, scratch("home"), { onNote: (text) => notes.push(text) });
    await daybook.sync();
    add("two");
    const [first, second, meanwhile] = await Promise.all([daybook.sync(), daybook.sync(), ids(daybook)]);
    expect([first.files_read, second.files_read]).toEqual([1, 0]);
    expect(meanwhile).toEqual(["one"]);
    expect(await ids(daybook)).toEqual(["one", "two"]);
    expect(notes).toEqual([]);
    daybook.close();
  });

  it("sees what another Daybook synced, also after that one rebuilt the index", async () => {
    const { roots, add } = sessionDirectory();
    add("one");
    const home = scratch("home");
    const daybook = open(roots, home, { noSync: true });
    await daybook.sync();
    expect(await ids(daybook)).toEqual(["one"]);
    add("two");
    const other = open(roots, home);
    await other.sync();
    expect(await ids(daybook)).toEqual(["one", "two"]);
    // A repair replaces the index by a new file.
    add("three");
    await other.sync({ repair: true });
    other.close();
    expect(await ids(daybook)).toEqual(["one", "three", "two"]);
    daybook.close();
  });

  it("does not wait for a writer with an open transaction", async () => {
    const { roots, add } = sessionDirectory();
    add("one");
    const home = scratch("home");
    const daybook = open(roots, home);
    await daybook.sync();
    // Asked without a book, so that nothing is cached in this one yet.
    const before = await askAll(open(roots));
    const writer = openDatabase(join(home, "index.db"));
    // Like a sync that has written much and not yet committed. Waiting for it would take ten seconds.
    writer.exec("BEGIN IMMEDIATE; DELETE FROM facts; DELETE FROM answer; DELETE FROM turn");
    const started = process.uptime();
    expect(await askAll(daybook)).toEqual(before);
    expect(process.uptime() - started).toBeLessThan(8);
    writer.exec("ROLLBACK");
    writer.close();
    daybook.close();
  });

  it("answers from one state of the index though a writer commits in the middle", async () => {
    const { roots, add } = sessionDirectory();
    for (const id of ["one", "two", "three"]) add(id);
    const home = scratch("home");
    const daybook = open(roots, home);
    await daybook.sync();
    const before = await daybook.tools();
    const writer = openDatabase(join(home, "index.db"));
    // Commits between the query that selects the calls and those that load them.
    const all = vi.spyOn(IndexStore.prototype, "all");
    all.mockImplementation(function (this: IndexStore, ...query) {
      all.mockRestore();
      const rows = this.all(...query);
      writer.exec("DELETE FROM call");
      return rows;
    });
    expect(await daybook.tools()).toEqual(before);
    expect(await daybook.tools()).toEqual([]);
    writer.close();
    daybook.close();
  });

  it("gives the same answers while another process runs a full sync", async () => {
    const { roots } = copyCorpus(["codex-0.130.0-tui", "claude-2.1.325", "pi-0.87.1"]);
    const home = scratch("home");
    const daybook = open(roots, home, { noSync: true });
    await daybook.sync();
    const sessions = await ids(daybook);
    const before = await askAll(daybook);
    const child = start(["sync", "--full", ...flagsOf(roots, home)]);
    const over = ended(child);
    while (child.exitCode === null) {
      expect(await ids(daybook)).toEqual(sessions);
      const [turns, tools] = [await daybook.turns(), await daybook.tools()];
      expect([turns, tools]).toEqual(before.slice(0, 2));
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect((await over).code).toBe(0);
    // Without the search: words indexed twice weigh more until FTS5 merges its segments.
    expect((await askAll(daybook)).slice(0, 8)).toEqual(before.slice(0, 8));
    daybook.close();
  });
});

describe("watch", () => {
  // `all`: how often all files are checked; in between, only recently written ones are.
  it.each([undefined, 1e9])(
    "names the sessions that appeared or changed, also if another Daybook synced them (all: %s)",
    async (all) => {
      const { roots, add } = sessionDirectory();
      const first = add("one");
      const home = scratch("home");
      const daybook = open(roots, home);
      const other = open(roots, home);
      const stop = new AbortController();
      const steps: (() => unknown)[] = [
        () => add("two"),
        () => grow(first, turn("one", 2)),
        // Synced by another Daybook before this one checks the files.
        async () => {
          add("three");
          await other.sync();
        },
        () => stop.abort(),
      ];
      const batches: Changes[] = [];
      for await (const changes of daybook.watch({
        every: 1,
        signal: stop.signal,
        ...(all === undefined ? {} : { all }),
      })) {
        batches.push(changes);
        await steps.shift()?.();
      }
      const changed = batches.map(({ sessions }) =>
        sessions.map(({ session_id, change }) => `${session_id} ${change}`),
      );
      expect(changed).toEqual([["one appeared"], ["two appeared"], ["one changed"], ["three appeared"]]);
      expect(await ids(daybook)).toEqual(["one", "three", "two"]);
      daybook.close();
      other.close();
    },
  );

  it("names a session whose title changes in a separate file", async () => {
    const { dir, roots } = copyCorpus(["codex-0.130.0-tui"]);
    const daybook = open(roots, scratch("home"));
    const [some] = await daybook.sessions();
    const id = some?.session_id ?? "";
    const titles = join(dir, "codex-0.130.0-tui", "session_index.jsonl");
    const batches: Changes["sessions"][] = [];
    for await (const { sessions } of daybook.watch({ every: 1 })) {
      batches.push(sessions);
      if (batches.length === 2) break;
      appendFileSync(titles, `${JSON.stringify({ id, thread_name: "a better name" })}\n`);
    }
    expect(batches).toEqual([[], [{ source: "codex", session_id: id, change: "changed" }]]);
    expect((await daybook.sessions({ session: id }))[0]?.title).toBe("a better name");
    daybook.close();
  });
});

describe("hundreds of questions", () => {
  it("do not increase heap size or the number of open files", async () => {
    const { roots } = copyCorpus(["codex-0.130.0-tui"]);
    const home = scratch("home");
    const daybook = open(roots, home, { noSync: true });
    await daybook.sync();
    const [some] = await daybook.sessions();
    const ask = async (times: number): Promise<void> => {
      for (let i = 0; i < times; i++) {
        await daybook.find(some?.session_id ?? "");
        await daybook.decisions();
        await daybook.search("a", { since: `${1900 + (i % 100)}-01-01` });
        await daybook.turns({ until: `${2000 + (i % 1000)}-01-01` });
        if (i % 20 === 0) await daybook.report({ since: `${1700 + (i % 300)}-01-01` });
        if (i % 50 === 0) await daybook.sync();
      }
    };
    await ask(50);
    const before = { heap: heapUsed(), files: openFiles() };
    const times = cases(100, 200);
    await ask(times);
    expect(heapUsed() - before.heap).toBeLessThan(times * 1e4);
    expect(openFiles()).toBeLessThanOrEqual(before.files + 2);
    daybook.close();
    // Caching answers in the index leaves its seal valid.
    expect(IndexStore.stateOf(home)).toBe("usable");
  });
});

function heapUsed(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}
