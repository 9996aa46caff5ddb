import { appendFileSync, existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it, vi } from "vitest";
import type { Changes, Daybook } from "../../src/daybook.ts";
import { openDatabase } from "../../src/io/sqlite.ts";
import { IndexStore } from "../../src/store/tables/index-store.ts";
import { A, CALL, E, M, OUT, R, TD, TS, write, type Line } from "../cases/build.ts";
import { ended, flagsOf, start } from "./cli.ts";
import { answers, copyCorpus, differences, open, scratch, type Roots } from "./fixture.ts";

/** One place with small sessions in it, each of one turn with one call. */
function place(): { dir: string; roots: Roots; add: (id: string) => string } {
  const dir = scratch("sessions");
  const add = (id: string): string => write(join(dir, `rollout-${id}.jsonl`), [M(id), ...turn(id, 1)]);
  return { dir, roots: { codex: [dir] }, add };
}

function turn(id: string, n: number): Line[] {
  const asked = `question ${n} of ${id}`;
  const call = `${id}-${n}`;
  return [TS(call), R(asked), E(asked), CALL(call, "shell", { command: ["ls"] }), OUT(call, "ok"), A("done"), TD(call)];
}

function grow(path: string, lines: readonly Line[]): void {
  appendFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
}

async function ids(daybook: Daybook): Promise<string[]> {
  return (await daybook.sessions()).map(({ session_id }) => session_id).toSorted();
}

/** All that can be asked, one after the other. */
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
    daybook.sessionJson(found.session),
  ];
}

describe("a Daybook that lives on", () => {
  it("sees new, grown and deleted files with every sync", async () => {
    const { roots, add } = place();
    const first = add("one");
    const daybook = open(roots, scratch("home"));
    expect(await ids(daybook)).toEqual(["one"]);
    const second = add("two");
    // Until it is told to look, it answers from what it knows.
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

  it("answers as one that was just opened", async () => {
    const { dir, roots } = copyCorpus(["codex-0.130.0-tui", "claude-2.1.325"]);
    const home = scratch("home");
    const living = open(roots, home);
    await living.turns();
    write(join(dir, "codex-0.130.0-tui", "sessions", "2026", "rollout-new.jsonl"), [M("new"), ...turn("new", 1)]);
    await living.sync();
    const answered = await answers(living);
    expect(differences(answered, await answers(open(roots, home)))).toEqual([]);
    expect(differences(answered, await answers(open(roots)))).toEqual([]);
  });

  it("syncs one at a time, and answers meanwhile from what was there", async () => {
    const { roots, add } = place();
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

  it("sees what another process wrote", async () => {
    const { roots, add } = place();
    add("one");
    const home = scratch("home");
    const daybook = open(roots, home, { noSync: true });
    await daybook.sync();
    expect(await ids(daybook)).toEqual(["one"]);
    add("two");
    const other = open(roots, home);
    await other.sync();
    expect(await ids(daybook)).toEqual(["one", "two"]);
    // Also where the index was made again in another file.
    add("three");
    await other.sync({ repair: true });
    other.close();
    expect(await ids(daybook)).toEqual(["one", "three", "two"]);
    daybook.close();
  });

  it("waits for nobody who writes", async () => {
    const { roots, add } = place();
    add("one");
    const home = scratch("home");
    const daybook = open(roots, home);
    await daybook.sync();
    // Asked elsewhere: nothing of it is kept yet.
    const before = await askAll(open(roots));
    const writer = openDatabase(join(home, "index.db"));
    // As a sync does, that has written much and not yet committed. Whoever waited would do so for ten seconds.
    writer.exec("BEGIN IMMEDIATE; DELETE FROM facts; DELETE FROM answer; DELETE FROM turn");
    const started = process.uptime();
    expect(await askAll(daybook)).toEqual(before);
    expect(process.uptime() - started).toBeLessThan(8);
    writer.exec("ROLLBACK");
    writer.close();
    daybook.close();
  });

  it("answers from one moment, though another commits in the middle", async () => {
    const { roots, add } = place();
    for (const id of ["one", "two", "three"]) add(id);
    const home = scratch("home");
    const daybook = open(roots, home);
    await daybook.sync();
    const before = await daybook.tools();
    const writer = openDatabase(join(home, "index.db"));
    // Between the choice of the calls and the look at them.
    const all = vi.spyOn(IndexStore.prototype, "all");
    all.mockImplementation(function (this: IndexStore, ...asked) {
      all.mockRestore();
      const rows = this.all(...asked);
      writer.exec("DELETE FROM call");
      return rows;
    });
    expect(await daybook.tools()).toEqual(before);
    expect(await daybook.tools()).toEqual([]);
    writer.close();
    daybook.close();
  });

  it("answers while a child reads everything anew", async () => {
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
    // But for the weights of a search: words that were told twice weigh more until the engine tidies up.
    expect((await askAll(daybook)).slice(0, 8)).toEqual(before.slice(0, 8));
    daybook.close();
  });
});

describe("changes", () => {
  // Of all files only those that were written lately are looked at in between.
  it.each([undefined, 1e9])("name the sessions that appeared and changed, whoever read them (all: %s)", async (all) => {
    const { roots, add } = place();
    const first = add("one");
    const home = scratch("home");
    const daybook = open(roots, home);
    const other = open(roots, home);
    const stop = new AbortController();
    const steps: (() => unknown)[] = [
      () => add("two"),
      () => grow(first, turn("one", 2)),
      // Read by another before it is looked for.
      async () => {
        add("three");
        await other.sync();
      },
      () => stop.abort(),
    ];
    const found: Changes[] = [];
    for await (const changes of daybook.watch({
      every: 1,
      signal: stop.signal,
      ...(all === undefined ? {} : { all }),
    })) {
      found.push(changes);
      await steps.shift()?.();
    }
    const answered = found.map(({ sessions }) => sessions.map(({ session_id, change }) => `${session_id} ${change}`));
    expect(answered).toEqual([["one appeared"], ["two appeared"], ["one changed"], ["three appeared"]]);
    expect(await ids(daybook)).toEqual(["one", "three", "two"]);
    daybook.close();
    other.close();
  });

  it("are told of a title that is changed beside its session", async () => {
    const { dir, roots } = copyCorpus(["codex-0.130.0-tui"]);
    const daybook = open(roots, scratch("home"));
    const [some] = await daybook.sessions();
    const id = some?.session_id ?? "";
    const titles = join(dir, "codex-0.130.0-tui", "session_index.jsonl");
    const answered: Changes["sessions"][] = [];
    for await (const { sessions } of daybook.watch({ every: 1 })) {
      answered.push(sessions);
      if (answered.length === 2) break;
      appendFileSync(titles, `${JSON.stringify({ id, thread_name: "a better name" })}\n`);
    }
    expect(answered).toEqual([[], [{ source: "codex", session_id: id, change: "changed" }]]);
    expect((await daybook.sessions({ session: id }))[0]?.title).toBe("a better name");
    daybook.close();
  });
});

describe("thousands of questions", () => {
  it("leave no more in memory, and no more files open, than the first ones", async () => {
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
    await ask(100);
    const before = { heap: heapUsed(), files: openFiles() };
    await ask(400);
    expect(heapUsed() - before.heap).toBeLessThan(4e6);
    expect(openFiles()).toBeLessThanOrEqual(before.files + 2);
    daybook.close();
    // What was kept meanwhile left the index as Daybook knows it.
    expect(IndexStore.stateOf(home)).toBe("usable");
  });
});

function heapUsed(): number {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  collect();
  return process.memoryUsage().heapUsed;
}

function openFiles(): number {
  return existsSync("/proc/self/fd") ? readdirSync("/proc/self/fd").length : 0;
}
