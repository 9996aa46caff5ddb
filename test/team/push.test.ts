import { appendFileSync, cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { forgetSession, wins, type KnownHead } from "../../src/team/push/apply.ts";
import { openPool } from "../../src/team/store/connect.ts";
import { transaction } from "../../src/team/store/transaction.ts";
import { uuidOf } from "../../src/team/rows/ids.ts";
import { scratch } from "../store/fixture.ts";
import { NO_POSTGRES, teamStore, type TeamStore } from "./postgres.ts";
import { addOwners, ask, book, copyOf, dump, OWNER, pushHome, writes, type Roots } from "./push-fixture.ts";

const SAMPLES = fileURLToPath(new URL("../../samples/", import.meta.url));

/** A machine: its own copy of the sample sessions, and a home. */
function machine(): { roots: Roots; home: string; dir: string } {
  const dir = scratch("machine");
  for (const name of ["claude-code", "codex"]) cpSync(join(SAMPLES, name), join(dir, name), { recursive: true });
  const roots = { "claude-code": [join(dir, "claude-code")], codex: [join(dir, "codex")] };
  return { roots, home: join(dir, "home"), dir };
}

/** Session files with their lines, the longest first. */
function sessionFiles(dir: string): { path: string; lines: string[] }[] {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".jsonl") && entry.name !== "history.jsonl")
    .map(({ parentPath, name }) => join(parentPath, name))
    .map((path) => ({ path, lines: readFileSync(path, "utf8").trimEnd().split("\n") }))
    .toSorted((a, b) => b.lines.length - a.lines.length);
}

const count = async (store: TeamStore, table: string): Promise<number> =>
  Number((await ask<{ n: string }>(store, `SELECT count(*) AS n FROM daybook.${table}`))[0]?.n);

const countedResponses = async (store: TeamStore): Promise<number> =>
  Number((await ask<{ n: string }>(store, "SELECT count(*) AS n FROM daybook.usage_responses WHERE counted"))[0]?.n);

describe.skipIf(NO_POSTGRES !== null).each([
  ["without partitions", 0],
  ["with 16 partitions", 16],
])("a push to a store %s", (_, partitions) => {
  let empty: TeamStore;
  let store: TeamStore;
  let one: ReturnType<typeof machine>;
  let clean: Record<string, string[]>;

  beforeAll(async () => {
    empty = await teamStore({ partitions });
    await addOwners(empty);
    const first = await copyOf(empty);
    one = machine();
    await pushHome(first, one.roots, one.home);
    clean = await dump(first);
  }, 60_000);

  beforeEach(async () => {
    store = await copyOf(empty);
  });

  it("writes nothing if nothing is new, and reports that", async () => {
    const sent = await pushHome(store, one.roots, one.home);
    expect(sent).toMatchObject({ sessions: 5, sent: 5, behind: 0, forgotten: 0, kept_out: 0 });
    const before = await writes(store);
    expect(await pushHome(store, one.roots, one.home)).toMatchObject({ sessions: 5, sent: 0, rows: 0, bytes: 0 });
    expect(await writes(store)).toBe(before);
    // Stored fingerprints are only a cache: without them every session is compared, and still nothing is written.
    for (const name of readdirSync(join(one.home, "push"))) writeFileSync(join(one.home, "push", name), "{");
    expect(await pushHome(store, one.roots, one.home)).toMatchObject({ sent: 0 });
    expect(await writes(store)).toBe(before);
    expect(await dump(store)).toEqual(clean);
  });

  it("stores sessions that two machines have once, also if both push at the same time", async () => {
    const two = machine();
    await Promise.all([pushHome(store, one.roots, one.home), pushHome(store, two.roots, two.home)]);
    const both = await dump(store, ["session_copies", "machines", "heads"]);
    const { session_copies, machines, heads, ...alone } = clean;
    expect(both).toEqual(alone);
    expect(session_copies?.length).toBe(5);
    expect(machines?.length).toBe(1);
    expect(heads?.length).toBe(1);
    expect(await count(store, "session_copies")).toBe(10);
    const before = await writes(store);
    await pushHome(store, two.roots, two.home);
    expect(await writes(store)).toBe(before);
  });

  it("keeps the longer of two copies, in whichever order they are pushed", async () => {
    const two = machine();
    const [longest] = sessionFiles(two.dir);
    if (!longest) throw new Error("no sample");
    writeFileSync(longest.path, `${longest.lines.slice(0, -20).join("\n")}\n`);
    await pushHome(store, two.roots, two.home);
    await pushHome(store, one.roots, one.home);
    const without = ["session_copies", "machines", "heads"];
    const { session_copies: _copies, machines: _machines, heads: _heads, ...alone } = clean;
    expect(await dump(store, without)).toEqual(alone);
    // The shorter copy has grown, but is still shorter: it is not sent.
    appendFileSync(longest.path, `${longest.lines.at(-20)}\n`);
    expect(await pushHome(store, two.roots, two.home)).toMatchObject({ sent: 0, behind: 1 });
    expect(await dump(store, without)).toEqual(alone);
    // When it has caught up, both copies are equal.
    appendFileSync(longest.path, `${longest.lines.slice(-19).join("\n")}\n`);
    await pushHome(store, two.roots, two.home);
    expect(await dump(store, without)).toEqual(alone);
  });

  it("after sessions grew or the level changed leaves the same rows as a single push", async () => {
    const two = machine();
    const grown = sessionFiles(two.dir);
    for (const { path, lines } of grown)
      writeFileSync(path, `${lines.slice(0, Math.ceil(lines.length / 3)).join("\n")}\n`);
    await pushHome(store, two.roots, two.home);
    const early = await dump(store);
    for (const { path, lines } of grown) writeFileSync(path, `${lines.join("\n")}\n`);
    await pushHome(store, two.roots, two.home);
    expect(await dump(store)).toEqual(clean);
    expect(early).not.toEqual(clean);
    // A lower level removes what a higher one had sent.
    await pushHome(store, two.roots, two.home, { level: "full" });
    expect(await count(store, "texts")).toBeGreaterThan(clean["texts"]?.length ?? Infinity);
    await pushHome(store, two.roots, two.home, { level: "totals" });
    const counts = ["texts", "details", "facts"].map((table) => count(store, table));
    expect(await Promise.all(counts)).toEqual([0, 0, 0]);
    await pushHome(store, two.roots, two.home);
    expect(await dump(store)).toEqual(clean);
  });

  it("removes a forgotten session, and no machine can push it again", async () => {
    const [two, three] = [machine(), machine()];
    await pushHome(store, two.roots, two.home);
    const daybook = book(two.roots, two.home);
    const forgotten = (await daybook.sessions()).find(({ source, turns }) => source === "codex" && turns > 1);
    if (!forgotten) throw new Error("no sample");
    await daybook.forget(await daybook.forgetPlan({ sessions: [forgotten.session_id] }));
    daybook.close();
    expect(await pushHome(store, two.roots, two.home)).toMatchObject({ forgotten: 1 });
    const id = uuidOf(forgotten.source, forgotten.session_id);
    const left = async (): Promise<number[]> => {
      const tables = ["turns", "tool_calls", "usage_responses", "decisions", "details", "facts", "texts"];
      return Promise.all(
        tables.map(async (table) => {
          const sql = `SELECT count(*) AS n FROM daybook.${table} WHERE session_id = $1`;
          return Number((await ask<{ n: string }>(store, sql, [id]))[0]?.n);
        }),
      );
    };
    expect(await left()).toEqual([0, 0, 0, 0, 0, 0, 0]);
    // Another machine still has it.
    expect(await pushHome(store, three.roots, three.home)).toMatchObject({ kept_out: 1 });
    expect(await left()).toEqual([0, 0, 0, 0, 0, 0, 0]);
    const before = await writes(store);
    expect(await pushHome(store, three.roots, three.home)).toMatchObject({ sent: 0 });
    expect(await pushHome(store, two.roots, two.home)).toMatchObject({ sent: 0, forgotten: 0 });
    expect(await writes(store)).toBe(before);
    const head = await ask<Record<string, unknown>>(
      store,
      "SELECT source, project, turns, started FROM daybook.sessions WHERE session_id = $1",
      [id],
    );
    expect(head).toEqual([{ source: "", project: "", turns: 0, started: null }]);
    const days = await ask<{ n: string }>(store, "SELECT sum(responses) AS n FROM daybook.usage_days");
    expect(Number(days[0]?.n)).toBe(await count(store, "usage_responses"));
  });

  it("at the same time as a forget leaves no turns of a forgotten session", async () => {
    const id = uuidOf("codex", "nobody");
    const machineId = "00000000-0000-4000-8000-000000000001";
    await Promise.all([
      pushHome(store, one.roots, one.home),
      ...["a", "b"].map(async () => {
        const pool = openPool(store.url);
        const [some] = await ask<{ session_id: string }>(store, "SELECT session_id FROM daybook.sessions LIMIT 1");
        await transaction(pool, { role: "daybook_dev", owner: OWNER }, (sql) =>
          forgetSession(sql, OWNER, { machine_id: machineId, label: "" }, some?.session_id ?? id),
        );
        await pool.end();
      }),
    ]);
    await pushHome(store, one.roots, one.home);
    const rows = await ask<{ n: string }>(
      store,
      `SELECT count(*) AS n FROM daybook.sessions s JOIN daybook.turns t USING (owner_id, session_id) WHERE s.forgotten IS NOT NULL`,
    );
    expect(rows[0]?.n).toBe("0");
  });

  it("counts a response in two sessions once, and still counts it after one is forgotten", async () => {
    const [two, three] = [machine(), machine()];
    const sums = async (): Promise<unknown> =>
      ask(
        store,
        "SELECT day::text, model, sum(responses), sum(input), sum(output), sum(pico) FROM daybook.usage_days WHERE source = 'claude-code' GROUP BY 1, 2 ORDER BY 1, 2",
      );
    for (const { roots } of [two, three]) delete roots["codex"];
    // Another machine has one of these sessions under another id, like a fork.
    const [forked] = sessionFiles(join(three.dir, "claude-code", "projects", "-home-mira-src-lantern"));
    if (!forked) throw new Error("no sample");
    const id = basename(forked.path, ".jsonl");
    const other = `ffff${id.slice(4)}`;
    writeFileSync(join(dirname(forked.path), `${other}.jsonl`), `${forked.lines.join("\n").replaceAll(id, other)}\n`);
    rmSync(forked.path);
    await pushHome(store, two.roots, two.home);
    const alone = await sums();
    await pushHome(store, three.roots, three.home);
    expect(await count(store, "usage_responses")).toBeGreaterThan(await countedResponses(store));
    expect(await sums()).toEqual(alone);
    const daybook = book(two.roots, two.home);
    await daybook.forget(await daybook.forgetPlan({ sessions: [id] }));
    daybook.close();
    await pushHome(store, two.roots, two.home);
    expect(await countedResponses(store)).toBe(await count(store, "usage_responses"));
    expect(await sums()).toEqual(alone);
  });

  it("stores the same numbers as the book", async () => {
    await pushHome(store, one.roots, one.home, { level: "totals" });
    const daybook = book(one.roots, one.home);
    const { rows } = await daybook.usage({ group: "daily", by: "spent", breakdown: false, order: "asc" });
    const turns = (await daybook.turns()).length;
    daybook.close();
    const days = await ask<Record<string, string>>(
      store,
      `SELECT day::text, sum(input) AS input_tokens, sum(cached) AS cached_input_tokens, sum(written) AS cache_write_tokens,
         sum(output) AS output_tokens, sum(reasoning) AS reasoning_tokens, round(sum(pico) / 1e12, 6) AS cost_usd
       FROM daybook.usage_days GROUP BY day ORDER BY day`,
    );
    const names = [
      "input_tokens",
      "cached_input_tokens",
      "cache_write_tokens",
      "output_tokens",
      "reasoning_tokens",
      "cost_usd",
    ];
    const expected = rows.map((row) => Object.fromEntries(names.map((name) => [name, row[name as keyof typeof row]])));
    expect(days.map((row) => Object.fromEntries(names.map((name) => [name, Number(row[name])])))).toEqual(expected);
    expect(await count(store, "turns")).toBe(turns);
  });
});

describe("a second copy of a session", () => {
  const known: KnownHead = { lines: 10, reader: 2, level: 1, hash: "b", machine_id: "A", forgotten: false };
  it.each([
    ["does not win if it is the same", { ...known }, "B", false],
    ["wins with more lines, even from an older reader", { ...known, lines: 11, reader: 1, hash: "a" }, "B", true],
    ["loses with fewer lines", { ...known, lines: 9, hash: "c" }, "B", false],
    ["wins with a newer reader", { ...known, reader: 3, hash: "a" }, "B", true],
    ["loses with an older reader", { ...known, reader: 1, hash: "c" }, "B", false],
    ["wins with a higher level", { ...known, level: 2, hash: "a" }, "B", true],
    ["wins with a greater hash if all else is equal", { ...known, hash: "c" }, "B", true],
    ["loses with a smaller hash if all else is equal", { ...known, hash: "a" }, "B", false],
    ["wins with fewer lines if the same machine pushed the first", { ...known, lines: 9, hash: "a" }, "A", true],
  ])("%s", (_, head, machineId, won) => {
    expect(wins(head, machineId, known)).toBe(won);
  });
});
