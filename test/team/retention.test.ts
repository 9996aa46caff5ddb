import { appendFileSync, cpSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RetentionRun } from "../../src/views/team.ts";
import { main } from "../../src/doors/cli/main.ts";
import { Daybook, inside } from "../../src/answers/daybook.ts";
import { fromStore } from "../../src/team/read/open-store.ts";
import { StoreAdmin } from "../../src/team/admin.ts";
import { applySession, forgetSession, type Machine } from "../../src/team/push/apply.ts";
import { applyRetention, type RetentionWanted } from "../../src/team/retention/retain.ts";
import type { Cell, RowBatch, HeadRow } from "../../src/team/rows/tables.ts";
import { openPool } from "../../src/team/store/connect.ts";
import { transaction } from "../../src/team/store/transaction.ts";
import { copyCorpus, scratch } from "../store/fixture.ts";
import { addWork } from "./people.ts";
import { NO_POSTGRES, teamStore, withClient, type TeamStore } from "./postgres.ts";
import {
  addOwners,
  ask,
  book,
  copyOf,
  dump,
  NO_WAIT,
  OTHER,
  OWNER,
  pushHome,
  writes,
  type Roots,
} from "./push-fixture.ts";

import { NOW as NOW_OF_SERVER, teamServing } from "./serving.ts";

const SAMPLES = fileURLToPath(new URL("../../samples/", import.meta.url));
/** The sessions are of 11 and 12 May, one of them across midnight, and some of November, which are not old yet. */
const NOW = Date.UTC(2026, 5, 1, 12);
/** Removes all texts of May, and calls and turns before 12 May. */
const POLICY = { texts: 10, calls: 20, turns: 20 };
const NUMBERS = ["turns", "tool_calls", "usage_responses", "decisions"];

async function run(store: TeamStore, more: Partial<RetentionWanted> = {}): Promise<RetentionRun> {
  const pool = openPool(store.url, 1);
  try {
    return await applyRetention(pool, { change: POLICY, now: NOW, isDry: false, how: NO_WAIT, ...more });
  } finally {
    await pool.end();
  }
}

/** All rows but those that depend on which machines pushed, and how often. */
const contents = (store: TeamStore): Promise<Record<string, string[]>> =>
  dump(store, ["heads", "machines", "session_copies"]);

const days = (store: TeamStore): Promise<object[]> =>
  ask(store, "SELECT * FROM daybook.usage_days ORDER BY owner_id, day, source, project, model");

const rowsIn = (removed: RetentionRun["removed"]): Record<string, number> =>
  Object.fromEntries(
    Object.entries(removed)
      .map(([table, { rows }]) => [table, rows] as const)
      .filter(([, rows]) => rows > 0),
  );

describe.skipIf(NO_POSTGRES !== null).each([0, 4])("retention in a store with %i partitions", (partitions) => {
  const { dir, roots } = copyCorpus(["codex-0.130.0-tui", "qwen-0.21.2"]);
  const home = scratch("home");
  let full: TeamStore;
  let thin: TeamStore;
  let plan: RetentionRun;
  let done: RetentionRun;
  const stores: TeamStore[] = [];
  const copy = async (store: TeamStore): Promise<TeamStore> => {
    stores.push(await copyOf(store));
    return stores.at(-1) ?? store;
  };

  beforeAll(async () => {
    for (const source of ["claude-code", "codex"]) {
      cpSync(join(SAMPLES, source), join(dir, "samples", source), { recursive: true });
      (roots[source] ??= []).push(join(dir, "samples", source));
    }
    full = await teamStore({ partitions });
    await addOwners(full);
    await pushHome(full, roots, home, { level: "full" });
    // Rows of another person on the same days.
    await pushHome(full, roots, scratch("other"), { level: "totals", login: "bob" });
    thin = await copy(full);
    plan = await run(thin, { isDry: true });
    done = await run(thin);
  });

  it("shows in a dry run what it would remove, and writes nothing", async () => {
    const store = await copy(full);
    const before = await writes(store);
    const dryRun = await run(store, { isDry: true });
    expect(await writes(store)).toBe(before);
    expect(dryRun).toEqual(plan);
    expect(await contents(store)).toEqual(await contents(full));
    expect(rowsIn(plan.removed)).toEqual(rowsIn(done.removed));
    for (const { rows, bytes } of Object.values(plan.removed)) expect(bytes >= rows * 50).toBe(true);
    expect(plan.retention).toEqual({
      texts: { days: 10, before: "2026-05-22" },
      calls: { days: 20, before: "2026-05-12" },
      turns: { days: 20, before: "2026-05-12" },
    });
  });

  it("removes old rows and no others", async () => {
    expect(Object.keys(rowsIn(done.removed))).toEqual(
      expect.arrayContaining(["turns", "tool_calls", "usage_responses", "texts", "details"]),
    );
    const [before, after] = [await contents(full), await contents(thin)];
    for (const table of [...NUMBERS, "texts", "details"]) {
      const [was, is] = [before[table] ?? [], after[table] ?? []];
      expect([table, is.filter((row) => !was.includes(row))]).toEqual([table, []]);
      expect([table, was.length - is.length]).toEqual([table, done.removed[table]?.rows ?? 0]);
    }
    for (const [table, mark] of [...NUMBERS.map((name) => [name, "2026-05-12"]), ["texts", "2026-05-22"]])
      expect([table, await ask(thin, `SELECT 1 FROM daybook.${table} WHERE ts < '${mark}'`)]).toEqual([table, []]);
    // The later part of the session across midnight is still there.
    const split = await ask(thin, "SELECT n FROM daybook.turns WHERE ts >= '2026-05-12' AND ts < '2026-05-12 01:00'");
    expect(split.length).toBeGreaterThan(0);
    expect(await ask(thin, "SELECT 1 FROM daybook.texts WHERE ts > '2026-11-01' LIMIT 1")).toHaveLength(1);
    expect(await ask(thin, "SELECT count(*)::int4 AS n FROM daybook.sessions")).toEqual(
      await ask(full, "SELECT count(*)::int4 AS n FROM daybook.sessions"),
    );
  });

  it("keeps the daily sums, also when every session is pushed again", async () => {
    expect(await days(thin)).toEqual(await days(full));
    const store = await copy(thin);
    // As if nothing had been pushed: every session is sent, and all its daily sums are computed again.
    await withClient(store.url, (client) =>
      client.query("UPDATE daybook.sessions SET hash = '\\x'; DELETE FROM daybook.session_copies"),
    );
    const { sent, texts_before } = await pushHome(store, roots, home, { level: "full" });
    expect([sent > 8, texts_before]).toEqual([true, "2026-05-22"]);
    await pushHome(store, roots, scratch("again"), { level: "totals", login: "bob" });
    expect(await days(store)).toEqual(await days(full));
    expect(await contents(store)).toEqual(await contents(thin));
  });

  it("leaves nothing to remove for the next run, and nothing to send for the next push", async () => {
    const store = await copy(thin);
    expect(rowsIn((await run(store, { change: {} })).removed)).toEqual({});
    const before = await writes(store);
    expect(await run(store, { change: {}, isDry: true })).toMatchObject({ people: 0, sessions: 0 });
    expect((await pushHome(store, roots, home, { level: "full" })).sent).toBe(0);
    expect(await writes(store)).toBe(before);
    // Another machine with the same files does not restore anything either.
    await pushHome(store, roots, scratch("second"), { level: "full" });
    expect(await contents(store)).toEqual(await contents(thin));
  });

  it("does not restore old rows of a session that grew, and its new days are counted", async () => {
    const grown = grownCopy(roots);
    const [store, clean] = [await copy(thin), await teamStore({ partitions })];
    await addOwners(clean);
    const other = scratch("grown");
    await pushHome(clean, grown, other, { level: "full" });
    cpSync(join(home, "machine-id"), join(other, "machine-id"));
    expect((await pushHome(store, grown, other, { level: "full" })).sent).toBeGreaterThan(0);
    const own = (all: object[]): object[] => all.filter((row) => "owner_id" in row && row.owner_id === OWNER);
    expect(own(await days(store))).toEqual(own(await days(clean)));
    expect(own(await days(store))).not.toEqual(own(await days(full)));
    for (const table of NUMBERS)
      expect([table, await ask(store, `SELECT 1 FROM daybook.${table} WHERE ts < '2026-05-12'`)]).toEqual([table, []]);
    // Rows removed by a run and rows dropped during a push leave the same contents.
    await run(clean);
    const mine = async (one: TeamStore): Promise<string[]> =>
      Object.values(await contents(one))
        .flat()
        .filter((row) => row.includes(OWNER));
    expect(await mine(store)).toEqual(await mine(clean));
  });

  it("lets a session that is forgotten leave the daily sums", async () => {
    const [store, whole] = [await copy(thin), await copy(full)];
    const [old] = await ask<{ session_id: string }>(
      full,
      "SELECT session_id FROM daybook.turns WHERE ts < '2026-05-11 10:00' AND owner_id = $1",
      [OWNER],
    );
    const machine = { machine_id: OWNER, label: "desk" };
    for (const one of [store, whole])
      await inPool(one, (sql) => forgetSession(sql, OWNER, machine, old?.session_id ?? ""));
    expect(await days(store)).toEqual(await days(whole));
    expect(await days(store)).not.toEqual(await days(full));
  });

  it("is completed by the next run after it was killed", async () => {
    const wanted = await contents(thin);
    for (const after of [2, 3, 4, 5]) {
      const store = await copy(full);
      const pool = openPool(store.url, 1);
      let left = after;
      const dying = Object.create(pool, {
        connect: { value: () => ((left -= 1) < 0 ? Promise.reject(new Error("killed")) : pool.connect()) },
      }) as typeof pool;
      await expect(
        applyRetention(dying, { change: POLICY, now: NOW, isDry: false, how: NO_WAIT, most: 30 }),
      ).rejects.toThrow();
      await pool.end();
      // Pushes already respect the limits of the run that was begun.
      const [marks] = await ask<{ turns_before: Date | null }>(store, "SELECT turns_before FROM daybook.stores");
      expect(marks?.turns_before?.toISOString()).toBe("2026-05-12T00:00:00.000Z");
      await run(store, { change: {} });
      expect(await contents(store)).toEqual(wanted);
      expect(await days(store)).toEqual(await days(full));
    }
  });

  it("is completed by the next run after it was stopped", async () => {
    const store = await copy(full);
    const stop = new AbortController();
    const half = await run(store, {
      signal: stop.signal,
      onProgress: (at) => void (at === 1 && stop.abort()),
      most: 30,
    });
    expect(half.unfinished).toBe(true);
    expect((await run(store, { change: {} })).unfinished).toBe(false);
    expect(await contents(store)).toEqual(await contents(thin));
  });

  it("lets the next push restore everything after the policy was lifted", async () => {
    const store = await copy(thin);
    const other = scratch("back");
    cpSync(join(home, "machine-id"), join(other, "machine-id"));
    // A stricter policy does not request sessions again.
    expect(await run(store, { change: { texts: 9 }, isDry: true })).toMatchObject({ asked_again: 0 });
    const forever = { texts: null, calls: null, turns: null };
    const dryRun = await run(store, { change: forever, isDry: true });
    const actual = await run(store, { change: forever });
    expect(actual.asked_again).toBeGreaterThan(0);
    expect(dryRun.asked_again).toBe(actual.asked_again);
    expect(await days(store)).toEqual(await days(full));
    await pushHome(store, roots, home, { level: "full" });
    await pushHome(store, roots, other, { level: "totals", login: "bob" });
    expect(await contents(store)).toEqual(await contents(full));
  });

  it("does not request sessions again if the clock goes back", async () => {
    const store = await copy(thin);
    const again = await run(store, { change: {}, now: NOW - 30 * 86_400_000 });
    expect(again).toMatchObject({ asked_again: 0, retention: { turns: { before: "2026-05-12" } } });
  });

  it("is reported to readers of the store, and changes no usage", async () => {
    const [before, after] = [opened(full), opened(thin)];
    for (const group of ["daily", "weekly", "monthly", "model"] as const) {
      const how = { group, by: "spent", breakdown: true, order: "asc" } as const;
      expect([group, await after.usage(how)]).toEqual([group, await before.usage(how)]);
    }
    const [was, is] = [await before.sessions(), await after.sessions()];
    expect(is.length).toBe(was.length);
    const spent = (all: typeof was): string[] =>
      all.map(({ started_at, usage }) => `${started_at} ${JSON.stringify({ ...usage, models: [] })}`).toSorted();
    expect(spent(is)).toEqual(spent(was));
    const removed_before = { texts: "2026-05-22", calls: "2026-05-12", turns: "2026-05-12" };
    expect(await inside(after).notPushed()).toMatchObject({ removed_before });
    expect(await inside(before).notPushed()).not.toHaveProperty("removed_before");
    for (const { started_at, title, not_pushed } of is)
      expect([started_at, title === null, not_pushed?.removed_before]).toEqual(
        String(started_at) < "2026-06"
          ? [started_at, true, removed_before]
          : [started_at, expect.any(Boolean), undefined],
      );
    const turns = (await after.turns()).filter(({ started_at }) => String(started_at) < "2026-06");
    expect(turns.length).toBeGreaterThan(0);
    for (const { started_at, trigger, not_pushed } of turns) {
      expect([trigger.text, not_pushed?.removed_before]).toEqual([null, removed_before]);
      expect(String(started_at) >= "2026-05-12").toBe(true);
    }
    const young = ({ started_at }: { started_at: string | null }): boolean => String(started_at) > "2026-06";
    expect((await after.turns()).filter(young)).toEqual((await before.turns()).filter(young));
    const { not_pushed } = await after.ask("search", { words: "tests", isCounted: false });
    expect(not_pushed).toMatchObject({ removed_before });
    await after.report({ date: "2026-05-12" });
    before.close();
    after.close();
    const notes: string[] = [];
    const io = {
      out: () => undefined,
      err: (text: string) => void notes.push(text),
      env: { HOME: "/nowhere" },
      now: NOW,
    };
    const runCommand = (line: string): Promise<number> =>
      main([...line.split(" "), "--store", thin.url, "--owner", "ann"], {
        ...io,
        columns: 80,
        outIsTerminal: false,
        errIsTerminal: false,
        inIsTerminal: false,
      });
    expect(await runCommand("usage daily --timezone UTC")).toBe(0);
    expect(notes.join("").replaceAll(/\s+/g, " ")).toContain(
      "removed from the store because of their age: texts before 2026-05-22, calls before 2026-05-12",
    );
    notes.length = 0;
    expect(await runCommand("turns --since 2026-11-01 --timezone UTC")).toBe(0);
    expect(notes).toEqual([]);
  });

  it("can be run only by the administrator of the database", async () => {
    const store = await copy(full);
    const api = new StoreAdmin(store.apiUrl, NOW);
    await expect(api.retention({ change: POLICY, isDry: false })).rejects.toMatchObject({ code: "refused" });
    await expect(run({ ...store, url: store.apiUrl })).rejects.toMatchObject({ code: "42501" });
    expect(await contents(store)).toEqual(await contents(full));
    for (const role of ["daybook_dev", "daybook_auditor", "daybook_lead", "daybook_auth"])
      await withClient(store.apiUrl, async (client) => {
        await client.query(`SET ROLE ${role}`);
        await expect(client.query("UPDATE daybook.stores SET texts_days = 1")).rejects.toThrow("permission denied");
      });
    // Nobody can see the sums of others.
    const pool = openPool(thin.apiUrl, 1);
    const { rows: own } = await transaction(pool, { role: "daybook_dev", owner: OTHER }, (sql) =>
      sql.query<{ owner_id: string }>("SELECT DISTINCT owner_id FROM daybook.session_days"),
    );
    await pool.end();
    expect(own).toEqual([{ owner_id: OTHER }]);
  });

  it("needs the migration 0004-retention", async () => {
    const store = await copy(full);
    await withClient(store.url, (client) =>
      client.query("DELETE FROM daybook.migrations WHERE name = '0004-retention'"),
    );
    const admin = new StoreAdmin(store.url, NOW);
    await expect(admin.retention({ change: {}, isDry: true })).rejects.toThrow("lacks 0004-retention");
    expect((await admin.status()).retention).toBeNull();
  });

  afterAll(() => void stores.splice(0));
});

function opened({ url }: TeamStore): Daybook {
  return new Daybook({
    roots: {},
    env: {},
    home: "/nowhere",
    timezone: "UTC",
    now: Date.UTC(2026, 11, 31),
    remote: (work, about) => fromStore({ url, login: "ann", ...about }, work),
  });
}

/** A copy of the files in which one session of May has one more turn, of June. */
function grownCopy(roots: Roots): Roots {
  const out: Roots = {};
  for (const [source, places] of Object.entries(roots))
    out[source] = places.map((place, i) => {
      const to = join(scratch("grown"), String(i));
      cpSync(place, to, { recursive: true, preserveTimestamps: true });
      return to;
    });
  const samples = out["codex"]?.at(-1) ?? "";
  const file = readdirSync(samples, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".jsonl"))
    .toSorted()[0];
  const path = join(samples, file ?? "");
  // Repeats its last turn a month later, with other call ids.
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  const from = lines.findLastIndex((line) => line.includes('"task_started"'));
  const later = lines
    .slice(from)
    .map((line) => line.replaceAll("2026-05-11T", "2026-06-11T").replaceAll(/call_(\w)/g, "call_x$1"));
  appendFileSync(path, `${later.join("\n")}\n`);
  return out;
}

async function inPool<T>(
  { url }: TeamStore,
  work: (sql: Parameters<Parameters<typeof transaction<T>>[2]>[0]) => Promise<T>,
): Promise<T> {
  const pool = openPool(url, 1);
  try {
    return await transaction(pool, { role: "daybook_dev", owner: OWNER }, work);
  } finally {
    await pool.end();
  }
}

describe.skipIf(NO_POSTGRES !== null)("a response in several sessions", () => {
  // Minimal rows by hand: no genuine files show such copies of sessions on two machines.
  const MACHINE: Machine = { machine_id: "00000000-0000-4000-8000-0000000000aa", label: "desk" };
  const RESPONSE = "00000000-0000-4000-8000-000000000001";
  const [A, B] = ["00000000-0000-4000-8000-0000000000a0", "00000000-0000-4000-8000-0000000000b0"];
  const [OLD, NEW] = ["2026-05-01T10:00:00.000Z", "2026-05-30T10:00:00.000Z"];

  function session(id: string, started: string, at: string, lines: number): [HeadRow, RowBatch[]] {
    const head = {
      session_id: id,
      source: "codex",
      project: "shop",
      started,
      ended: at,
      turns: 0,
      reader: 1,
      level: 0,
      kind: "root",
      parent: null,
      parent_turn: null,
    };
    const row: Cell[] = [RESPONSE, at, at.slice(0, 10), null, "codex", "shop", "gpt-5.2", 100, 50, 10, 0, 20, 5, 1000];
    const hash = String(lines).padStart(32, "0");
    return [{ ...head, lines, hash }, [{ table: "usage_responses", columns: row.map((cell) => [cell]) }]];
  }

  async function put(store: TeamStore, [head, batches]: [HeadRow, RowBatch[]]): Promise<void> {
    await inPool(store, (sql) => applySession(sql, OWNER, MACHINE, head, batches));
  }

  const counted = async (store: TeamStore): Promise<object[]> =>
    ask(store, "SELECT day::text, responses, input::int4 FROM daybook.usage_days WHERE owner_id = $1 ORDER BY 1", [
      OWNER,
    ]);

  async function storeWithoutOldRows(): Promise<TeamStore> {
    const store = await teamStore();
    await addOwners(store);
    await put(store, session(A, OLD, OLD, 1));
    await run(store);
    expect(await ask(store, "SELECT 1 FROM daybook.usage_responses")).toEqual([]);
    return store;
  }

  it("counts once, though the first session is left only in the daily sums", async () => {
    const store = await storeWithoutOldRows();
    await put(store, session(B, OLD, OLD, 1));
    expect(await counted(store)).toEqual([{ day: "2026-05-01", responses: 1, input: 100 }]);
    // The first session again, with one more line.
    await put(store, session(A, OLD, OLD, 2));
    expect(await counted(store)).toEqual([{ day: "2026-05-01", responses: 1, input: 100 }]);
  });

  it("counts in the newer session after the older one, already summed, is forgotten", async () => {
    const store = await storeWithoutOldRows();
    await put(store, session(B, OLD, NEW, 1));
    expect(await counted(store)).toEqual([{ day: "2026-05-01", responses: 1, input: 100 }]);
    await inPool(store, (sql) => forgetSession(sql, OWNER, MACHINE, A));
    expect(await counted(store)).toEqual([{ day: "2026-05-30", responses: 1, input: 100 }]);
  });
});

describe.skipIf(NO_POSTGRES !== null)("a team server after retention", () => {
  it("gives the same totals as before, and says what was removed", async () => {
    const store = await teamStore();
    const serving = teamServing(store);
    const tokens = new Map<string, string>();
    for (const [login, role] of [
      ["ann", "lead"],
      ["bea", "member"],
      ["cid", "member"],
      ["kim", "auditor"],
    ] as const) {
      const { token, owner } = await serving.invite(login, { role });
      tokens.set(login, token);
      for (const day of ["2026-04-21", "2026-05-06"])
        await withClient(store.url, (client) => addWork(client, owner, { day }));
    }
    const answerTo = async (login: string, path: string): Promise<Record<string, unknown>> =>
      (await (await serving.ask(`/api/team/${path}`, tokens.get(login))).json()) as Record<string, unknown>;
    const span = "since=2026-04-13&until=2026-05-10";
    const { teams } = (await answerTo("ann", "me")) as { teams: { team_id: string }[] };
    const led = `view=${teams[0]?.team_id}&${span}`;
    const totals = async (): Promise<unknown[]> => [
      await answerTo("ann", `usage?by=day&${led}`),
      await answerTo("ann", `usage?by=model&${span}`),
      await answerTo("kim", `usage?by=person&view=all&${span}`),
    ];
    const before = await totals();
    const search = "search?q=private";
    expect(await answerTo("ann", search)).toMatchObject({ hits: { length: 4 }, withheld: null });
    expect(await answerTo("ann", `failures?${led}`)).toMatchObject({ withheld: null, failures: [{ calls: 12 }] });
    // Removes texts before 1 May, calls before 28 April and turns before 21 April.
    await run(store, { change: { texts: 11, calls: 14, turns: 21 }, now: NOW_OF_SERVER });
    expect(await totals()).toEqual(before);
    const texts = "texts before 2026-05-01 were removed by retention";
    expect(await answerTo("ann", search)).toMatchObject({ hits: { length: 2 }, withheld: texts });
    expect(await answerTo("ann", `${search}&since=2026-05-01`)).toMatchObject({ hits: { length: 2 }, withheld: null });
    expect(await answerTo("ann", `turns?${span}`)).toMatchObject({
      turns: [{ turn: {} }, { turn: {} }, { turn: null }, { turn: null }],
      withheld: `turns before 2026-04-21 and ${texts}`,
    });
    // A lead sees nothing of a week from which some calls are removed or may soon be.
    const calls = "calls before 2026-04-28 were removed by retention";
    expect(await answerTo("ann", `failures?${led}`)).toMatchObject({
      since: "2026-05-04",
      until: "2026-05-10",
      withheld: calls,
      failures: [{ calls: 6 }],
    });
    expect(await answerTo("kim", `failures?view=all&${span}`)).toMatchObject({ since: "2026-04-28", withheld: calls });
    expect(await answerTo("ann", "failures?since=2026-04-13&until=2026-04-20")).toMatchObject({
      failures: [],
      withheld: calls,
    });
    expect(serving.failures).toEqual([]);
  });
});

describe("texts too old for a store's retention", () => {
  it("are pushed empty, which does not change the session's hash", async () => {
    const { prepare } = await import("../../src/team/rows/prepared.ts");
    const { Zone } = await import("../../src/base/time/zone.ts");
    const daybook = book({ codex: [join(SAMPLES, "codex")] }, scratch("blank"));
    await daybook.sessions();
    const how = { level: "full" as const, zone: new Zone("UTC"), redactor: daybook.redactor, projectKey: "" };
    let left = 0;
    for (const { key } of (await inside(daybook).sessionStamps()).sessions)
      await inside(daybook).withSession(key, async (whole) => {
        const before = Date.parse("2026-05-12T00:00:00Z");
        const [all, some] = [prepare(whole, how), prepare(whole, how, { textsBefore: before })];
        expect(some.head).toEqual(all.head);
        const text = JSON.stringify([...some.batches()]);
        for (const { table, columns } of some.batches()) {
          if (table !== "texts") continue;
          const [, , times = [], , , bodies = [], terms = []] = columns;
          for (const [i, time] of times.entries())
            expect([bodies[i] === "", terms[i] === ""]).toEqual(
              Date.parse(String(time)) < before ? [true, true] : [false, false],
            );
          left += bodies.filter((body) => body !== "").length;
        }
        if (Date.parse(String(some.head.ended)) < before) expect(text).not.toMatch(/"text"|trigger|\\bcwd/);
      });
    // Those of the session across midnight.
    expect(left).toBeGreaterThan(0);
    daybook.close();
  });
});
