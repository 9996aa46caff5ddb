import { randomUUID } from "node:crypto";
import type { Pool } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openPool } from "../../src/team/store/connect.ts";
import { transaction, type Acting, type Sql } from "../../src/team/store/transaction.ts";
import { addPerson, addTeam, addWork, type Person } from "./people.ts";
import { NO_CITUS, NO_POSTGRES, teamStore, withClient } from "./postgres.ts";

const OWNED = ["heads", "machines", "sessions", "session_copies", "turns", "tool_calls", "usage_responses"].concat(
  "usage_days",
  "decisions",
  "details",
  "facts",
  "texts",
);
const UNOWNED = ["owners", "teams", "memberships", "tokens"];
const DENIED = /permission denied/;

/** The second line of defence: what the database allows the server's login, even if the server is deceived. */
describe.skipIf(NO_POSTGRES !== null).each([0, 4])("a database with %i partitions", (partitions) => {
  let pool: Pool;
  let url = "";
  let apiUrl = "";
  let [ann, bea, cyd, dan] = [] as unknown as [Person, Person, Person, Person];
  let [backend, tiny] = ["", ""];
  beforeAll(async () => {
    ({ url, apiUrl } = await teamStore({ partitions, smallestGroup: 3 }));
    pool = openPool(apiUrl, 4);
    await withClient(url, async (client) => {
      ann = await addPerson(client, "ann");
      bea = await addPerson(client, "bea");
      cyd = await addPerson(client, "cyd");
      dan = await addPerson(client, "dan");
      // Only two people work on this project, and only one uses this model.
      for (const { owner } of [ann, bea]) await addWork(client, owner, { project: "secret-project" });
      await addWork(client, ann.owner, { model: "rare-model" });
      backend = await addTeam(client, "backend", [ann, bea, cyd]);
      tiny = await addTeam(client, "tiny", [dan, bea]);
    });
  });
  afterAll(() => pool.end());

  const as = <T>(acting: Acting, work: (sql: Sql) => Promise<T>): Promise<T> => transaction(pool, acting, work);
  const dev = (owner: string | null): Acting => ({ role: "daybook_dev", owner });
  const lead = (person: Person): Acting => ({ role: "daybook_lead", owner: person.owner });
  const auditor: Acting = { role: "daybook_auditor", owner: null };
  const rows = async (acting: Acting, text: string, ...values: unknown[]): Promise<unknown[]> =>
    as(acting, async (sql) => (await sql.query(text, values)).rows);
  const count = async (acting: Acting, table: string, where = "true"): Promise<number> => {
    const [row] = await rows(acting, `SELECT count(*)::int4 AS n FROM daybook.${table} WHERE ${where}`);
    return (row as { n: number }).n;
  };

  it("allows the server's login nothing without a role", async () => {
    await withClient(apiUrl, async (client) => {
      for (const table of [...OWNED, ...UNOWNED, "stores"])
        await expect(client.query(`SELECT 1 FROM daybook.${table}`)).rejects.toThrow(DENIED);
      await expect(client.query("SELECT * FROM daybook_ask.team_state($1)", [backend])).rejects.toThrow(DENIED);
      for (const role of ["daybook_owner", "daybook_reader", "daybook_admin", "admin"])
        await expect(client.query(`SET ROLE ${role}`)).rejects.toThrow(DENIED);
      await expect(client.query("CREATE TABLE daybook.mine (x int)")).rejects.toThrow(DENIED);
    });
  });

  it("lets a developer read and write only their own rows", async () => {
    for (const table of OWNED) {
      expect([table, await count(dev(ann.owner), table, `owner_id = '${ann.owner}'`)]).not.toEqual([table, 0]);
      expect([table, await count(dev(ann.owner), table, `owner_id <> '${ann.owner}'`)]).toEqual([table, 0]);
    }
    const me = dev(ann.owner);
    await expect(rows(me, "INSERT INTO daybook.heads VALUES ($1, 1)", randomUUID())).rejects.toThrow(
      "row-level security",
    );
    await expect(
      rows(me, "INSERT INTO daybook.heads VALUES ($1, 9) ON CONFLICT (owner_id) DO UPDATE SET seq = 9", bea.owner),
    ).rejects.toThrow("row-level security");
    await expect(
      rows(me, "INSERT INTO daybook.heads VALUES ($1, 9) ON CONFLICT (owner_id) DO NOTHING", bea.owner),
    ).rejects.toThrow("row-level security");
    // A cluster moves no row from one person to another at all.
    await expect(rows(me, "UPDATE daybook.heads SET owner_id = $1", bea.owner)).rejects.toThrow(
      /row-level security|modifying the partition value/,
    );
    for (const table of OWNED) {
      const foreign = `WHERE owner_id = '${bea.owner}' RETURNING 1`;
      expect(await rows(me, `DELETE FROM daybook.${table} ${foreign}`)).toEqual([]);
      expect(await rows(me, `UPDATE daybook.${table} SET owner_id = owner_id ${foreign}`)).toEqual([]);
    }
    // Inserting a session id that another person has succeeds, and so does not reveal that they have it.
    const [other] = await rows(dev(bea.owner), "SELECT session_id FROM daybook.sessions LIMIT 1");
    const { session_id } = other as { session_id: string };
    expect(
      await rows(
        me,
        "INSERT INTO daybook.session_copies VALUES ($1, $2, $2, 1, 0, '\\x') RETURNING 1",
        ann.owner,
        session_id,
      ),
    ).toHaveLength(1);
  });

  it("denies a developer everything but their rows", async () => {
    const me = dev(ann.owner);
    for (const table of UNOWNED) await expect(count(me, table)).rejects.toThrow(DENIED);
    if (partitions > 0) await expect(count(me, "turns_0000")).rejects.toThrow(DENIED);
    await expect(rows(me, "TRUNCATE daybook.turns")).rejects.toThrow(DENIED);
    await expect(rows(me, "ALTER TABLE daybook.turns NO FORCE ROW LEVEL SECURITY")).rejects.toThrow("must be owner");
    await expect(rows(me, "CREATE TABLE daybook.mine (x int)")).rejects.toThrow(DENIED);
    await expect(rows(me, "UPDATE daybook.stores SET smallest_group = 1")).rejects.toThrow(DENIED);
    await expect(
      rows(me, "SELECT * FROM daybook_ask.team_usage($1, now()::date, now()::date, '')", backend),
    ).rejects.toThrow(DENIED);
    await expect(
      as(me, async (sql) => {
        await sql.query("SET LOCAL row_security = off");
        return sql.query("SELECT 1 FROM daybook.turns");
      }),
    ).rejects.toThrow("row-level security");
    // An expression that fails on certain values would reveal the rows of others if it were evaluated for them.
    expect(
      await rows(
        me,
        "SELECT 1 FROM daybook.texts WHERE CASE WHEN position($1 IN body) > 0 THEN 1 / (n - n) ELSE 0 END = 1",
        bea.owner,
      ),
    ).toEqual([]);
  });

  it("shows no rows without an owner, and resets the owner after each transaction", async () => {
    for (const table of OWNED) expect(await count(dev(null), table)).toBe(0);
    const alone = openPool(apiUrl, 1);
    try {
      expect(
        await transaction(alone, dev(ann.owner), async (sql) => (await sql.query("SELECT 1 FROM daybook.heads")).rows),
      ).toHaveLength(1);
      const { rows: after } = await alone.query(
        "SELECT current_user AS me, nullif(current_setting('daybook.owner', true), '') AS owner",
      );
      expect(after).toEqual([{ me: "daybook_api", owner: null }]);
      await expect(transaction(alone, dev(ann.owner), (sql) => sql.query("SELECT 1 / 0"))).rejects.toThrow("division");
      await expect(alone.query("SELECT 1 FROM daybook.heads")).rejects.toThrow(DENIED);
    } finally {
      await alone.end();
    }
  });

  it("is never given an owner that is not a UUID", async () => {
    for (const owner of ["", "x'; RESET ROLE; --", `${ann.owner}'`, ann.owner.toUpperCase(), `${ann.owner}\n`])
      await expect(as(dev(owner), (sql) => sql.query("SELECT 1"))).rejects.toThrow("UUID");
  });

  it("lets a search find only the asker's own texts", async () => {
    const search = (acting: Acting, terms: string): Promise<unknown[]> =>
      rows(acting, "SELECT body FROM daybook_ask.search_texts($1, NULL, NULL, 100)", terms);
    const found = (await search(dev(ann.owner), "private & words")) as { body: string }[];
    expect(found.length).toBeGreaterThan(0);
    expect(found.every(({ body }) => body.includes(ann.owner))).toBe(true);
    expect(await search(dev(null), "private")).toEqual([]);
    expect(await search(dev(randomUUID()), "private | words")).toEqual([]);
    await expect(search(lead(ann), "private")).rejects.toThrow(DENIED);
    await expect(search(auditor, "private")).rejects.toThrow(DENIED);
  });

  const usage = async (acting: Acting, team: string, split: string): Promise<Record<string, unknown>[]> =>
    (await rows(
      acting,
      `SELECT name, hidden::int4, people::int4, turns::int4 FROM daybook_ask.team_usage($1, '2026-05-01', '2026-05-31', $2)`,
      team,
      split,
    )) as Record<string, unknown>[];

  it("shows a lead totals of their team, and no table", async () => {
    for (const table of [...OWNED, ...UNOWNED]) await expect(count(lead(ann), table)).rejects.toThrow(DENIED);
    expect(await usage(lead(ann), backend, "")).toEqual([{ name: "", hidden: 0, people: 3, turns: 12 }]);
    expect(await usage(lead(ann), backend, "source")).toEqual([{ name: "codex", hidden: 0, people: 3, turns: 12 }]);
    const failures =
      "SELECT name, people::int4, calls::int4 FROM daybook_ask.team_usage($1, '2026-05-01', '2026-05-31', 'tool')";
    expect(await rows(lead(ann), failures, backend)).toEqual([{ name: "shell", people: 3, calls: 12 }]);
    expect(await rows(lead(ann), failures, tiny)).toEqual([]);
  });

  it("hides groups that are too small, and groups from which they could be computed", async () => {
    // The project of two people could be computed from the total and the other project: both are combined.
    expect(await usage(lead(ann), backend, "project")).toEqual([{ name: null, hidden: 2, people: 3, turns: 12 }]);
    expect(await usage(lead(ann), backend, "model")).toEqual([{ name: null, hidden: 2, people: 3, turns: 12 }]);
    expect(await usage(lead(ann), backend, "person")).toEqual([]);
    expect(await usage(lead(ann), backend, "owner_id")).toEqual([{ name: "", hidden: 0, people: 3, turns: 12 }]);
  });

  const between = async (since: string, until: string, split: string, team = backend): Promise<string[]> => {
    const found = await rows(
      lead(ann),
      "SELECT name, people::int4, turns::int4, calls::int4 FROM daybook_ask.team_usage($1, $2, $3, $4) ORDER BY 1",
      team,
      since,
      until,
      split,
    );
    return (found as Record<string, unknown>[]).map((row) => Object.values(row).join(" "));
  };

  it("never gives answers about two spans whose difference shows too few people", async () => {
    await withClient(url, async (client) => {
      for (const { owner } of [ann, bea, cyd]) await addWork(client, owner, { day: "2026-06-02" });
      // One of them also on a Saturday, and alone in the following week.
      await addWork(client, bea.owner, { day: "2026-06-06" });
      await addWork(client, bea.owner, { day: "2026-06-09", project: "moonlight" });
    });
    const days = Array.from({ length: 14 }, (_, i) => `2026-06-${String(i + 1).padStart(2, "0")}`);
    const spans = days.flatMap((since, i) => days.slice(i).map((until) => [since, until] as const));
    for (const split of ["", "source", "tool", "day", "project"]) {
      const answers = new Set<string>();
      for (const [since, until] of spans) answers.add((await between(since, until, split)).join("\n"));
      // Every span answers with the whole first week or with nothing.
      expect([split, [...answers].toSorted()]).toEqual([
        split,
        ["", ...(await between("2026-06-01", "2026-06-07", split))].toSorted(),
      ]);
    }
    // The days of a week are combined too: Saturday could be computed from the others.
    expect(await between("2026-06-01", "2026-06-07", "day")).toEqual([" 3 8 8"]);
  });

  it("answers invalid questions with no rows, and EXPLAIN names no table", async () => {
    for (const [since, until, split] of [
      [null, null, ""],
      ["2026-06-14", "2026-06-01", ""],
      ["2026-06-01", "2026-06-07", null],
      ["infinity", "infinity", "person"],
    ])
      expect(
        await rows(lead(ann), "SELECT * FROM daybook_ask.team_usage($1, $2, $3, $4)", backend, since, until, split),
      ).toEqual([]);
    // A cluster refuses it within a transaction that has read a table.
    const plan = await rows(
      lead(ann),
      "EXPLAIN (ANALYZE, VERBOSE) SELECT * FROM daybook_ask.team_usage($1, '2026-06-01', '2026-06-14', 'project')",
      backend,
    ).catch((error: unknown) => {
      if (NO_CITUS !== null) throw error;
      return String(error);
    });
    expect(JSON.stringify(plan)).not.toMatch(/usage_days|memberships|tool_calls/);
  });

  it("hides a group in weeks in which it is too small, though it is large enough in others", async () => {
    await withClient(url, async (client) => {
      for (const { owner } of [ann, bea, cyd]) {
        await addWork(client, owner, { day: "2026-06-15", project: "shared", tool: "patch" });
        await addWork(client, owner, { day: "2026-06-22" });
      }
      await addWork(client, cyd.owner, { day: "2026-06-23", project: "shared", tool: "patch" });
    });
    // For tools only the number of calls is given.
    for (const [split, name, turns] of [
      ["project", "shared", [6, 8]],
      ["tool", "patch", [0, 0]],
    ] as const) {
      const [first, second] = [`${name} 3 ${turns[0]} 6`, ` 3 ${turns[1]} 8`];
      expect(await between("2026-06-15", "2026-06-21", split)).toEqual([first]);
      expect(await between("2026-06-22", "2026-06-28", split)).toEqual([second]);
      expect(await between("2026-06-15", "2026-06-28", split)).toEqual([first, second]);
    }
  });

  it("hides the larger of two teams with the same lead that differ by one person", async () => {
    const [wide, others] = await withClient(url, async (client) => {
      for (const { owner } of [ann, bea, cyd, dan]) await addWork(client, owner, { day: "2026-07-01" });
      return [
        await addTeam(client, "wide", [ann, bea, cyd, dan]),
        await addTeam(client, "others", [bea, ann, cyd, dan]),
      ] as const;
    });
    expect(await between("2026-07-01", "2026-07-01", "")).toEqual([" 3 6 6"]);
    for (const split of ["", "day", "project", "model", "source", "tool"])
      expect([split, await between("2026-07-01", "2026-07-01", split, wide)]).toEqual([split, []]);
    // A lead of only one of these teams sees its totals: nobody can be computed from them.
    const totals = "SELECT people::int4, turns::int4 FROM daybook_ask.team_usage($1, '2026-07-01', '2026-07-01', '')";
    expect(await rows(lead(bea), totals, others)).toEqual([{ people: 4, turns: 8 }]);
  });

  it("shows nothing of a team that is too small or that the asker does not lead", async () => {
    for (const split of ["", "day", "project", "model", "source", "person"]) {
      expect(await usage(lead(dan), tiny, split)).toEqual([]);
      for (const person of [bea, cyd, dan]) expect(await usage(lead(person), backend, split)).toEqual([]);
      expect(await usage({ role: "daybook_lead", owner: null }, backend, split)).toEqual([]);
    }
    // Who does not lead the team does not even learn its size.
    for (const person of [bea, dan])
      expect(await rows(lead(person), "SELECT * FROM daybook_ask.team_state($1)", backend)).toEqual([]);
  });

  it("shows single persons if the store is configured to", async () => {
    const set = (isShown: boolean): Promise<unknown> =>
      withClient(url, (client) => client.query("UPDATE daybook.stores SET persons_shown = $1", [isShown]));
    await set(true);
    try {
      const people = await usage(lead(ann), backend, "person");
      expect(people.map(({ name }) => String(name)).toSorted()).toEqual(["ann", "bea", "cyd"]);
      expect(await usage(lead(dan), tiny, "person")).toEqual([]);
    } finally {
      await set(false);
    }
  });

  it("lets an auditor read all numbers and redacted turns, but no texts, and write nothing", async () => {
    for (const table of OWNED.filter((name) => name !== "texts" && name !== "facts"))
      expect(await count(auditor, table)).toBeGreaterThan(3);
    for (const table of ["texts", "facts"]) await expect(count(auditor, table)).rejects.toThrow(DENIED);
    expect(await rows(auditor, "SELECT DISTINCT kind FROM daybook.details ORDER BY 1")).toEqual([
      { kind: 0 },
      { kind: 1 },
    ]);
    await expect(count(auditor, "tokens")).rejects.toThrow(DENIED);
    for (const table of [...OWNED, ...UNOWNED]) {
      await expect(rows(auditor, `DELETE FROM daybook.${table}`)).rejects.toThrow(DENIED);
      await expect(rows(auditor, `INSERT INTO daybook.${table} DEFAULT VALUES`)).rejects.toThrow(DENIED);
    }
  });

  it("denies the role that checks tokens everybody's rows", async () => {
    const auth: Acting = { role: "daybook_auth", owner: null };
    for (const table of OWNED) await expect(count(auth, table)).rejects.toThrow(DENIED);
    await expect(rows(auth, "UPDATE daybook.tokens SET revoked = NULL")).rejects.toThrow(DENIED);
    await expect(rows(auth, "UPDATE daybook.owners SET auditor = true")).rejects.toThrow(DENIED);
  });
});
