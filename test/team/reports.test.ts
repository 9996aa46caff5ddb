import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Client } from "pg";
import { beforeAll, describe, expect, it } from "vitest";
import { addDays, weekOf } from "../../src/base/time/zone.ts";
import { openPool } from "../../src/team/store/connect.ts";
import { transaction } from "../../src/team/store/transaction.ts";
import { NO_POSTGRES, teamStore, withClient, type TeamStore } from "./postgres.ts";

/** The queries that the document shows. */
const PANELS = [
  ...readFileSync(new URL("../../docs/team.md", import.meta.url), "utf8").matchAll(
    /```sql\n-- Panel: ([^\n]*)\n([^`]*)```/g,
  ),
].map(([, title = "", text = ""]) => ({ title, text }));

const VIEWS = [
  "weekly_usage",
  "daily_usage",
  "usage_by_project",
  "usage_by_model",
  "usage_by_agent",
  "outcomes",
  "failures",
  "adoption",
];

describe.skipIf(NO_POSTGRES !== null)("the views for dashboards", () => {
  const monday = addDays(weekOf(new Date().toISOString().slice(0, 10)), -14);
  const team = randomUUID();
  const people = Array.from({ length: 6 }, () => randomUUID());
  const LOGIN = "some_dashboard";
  let store: TeamStore;

  /** Asks as the login of a dashboard. */
  const asked = (text: string): Promise<unknown[]> =>
    withClient(store.apiUrl.replace("daybook_api", LOGIN), async (client) => (await client.query(text)).rows);

  beforeAll(async () => {
    store = await teamStore();
    await withClient(store.url, (client) => client.query(`CREATE ROLE ${LOGIN} LOGIN IN ROLE daybook_report`));
    await withClient(store.url, async (client) => {
      await client.query("INSERT INTO daybook.teams VALUES ($1, 'backend')", [team]);
      for (const [i, owner] of people.entries()) await addPerson(client, owner, i);
    });
  });

  /** Everybody works on `shop`, two of six also on `secret`; one tool fails for all, another for one. */
  async function addPerson(client: Client, owner: string, i: number): Promise<void> {
    await client.query("INSERT INTO daybook.owners (owner_id, login) VALUES ($1, $2)", [owner, `p${i}`]);
    await client.query("INSERT INTO daybook.memberships VALUES ($1, $2, $3)", [
      team,
      owner,
      i === 0 ? "lead" : "member",
    ]);
    const projects = i < 2 ? ["shop", "secret"] : ["shop"];
    for (const project of projects)
      await client.query(
        "INSERT INTO daybook.usage_days VALUES ($1, $2, 'codex', $3, 'gpt-5.5', 4, 8, 1, 8, 0, 100, 50, 10, 0, 20, 5, 1500000000000)",
        [owner, monday, project],
      );
    await client.query(
      `INSERT INTO daybook.turns (owner_id, session_id, n, ts, day, calls, failed, status, source, project, model, hash)
       SELECT $1, gen_random_uuid(), n, $2::date, $2::date, 1, 0, 'completed', 'codex', 'shop', 'gpt-5.5', '\\x01' FROM generate_series(1, 4) n`,
      [owner, monday],
    );
    for (const tool of i === 0 ? ["shell", "rare"] : ["shell"])
      await client.query(
        `INSERT INTO daybook.tool_calls (owner_id, session_id, n, turn, ts, trouble, risky, status, name, hash)
         VALUES ($1, gen_random_uuid(), 1, 1, $2::date, 1, false, 'failed', $3, '\\x01')`,
        [owner, monday, tool],
      );
  }

  it("show the totals of a team by week, and no name that too few people have", async () => {
    const week = `WHERE week = '${monday}'`;
    expect(await asked(`SELECT team, people, turns, cost_usd FROM daybook_report.weekly_usage ${week}`)).toEqual([
      { team: "backend", people: "6", turns: "32", cost_usd: "12.000000" },
    ]);
    const projects = await asked(`SELECT project, people, cost_usd FROM daybook_report.usage_by_project ${week}`);
    // Two people would be told from six: so neither project has a name.
    expect(JSON.stringify(projects)).not.toContain("secret");
    expect(await asked(`SELECT outcome, turns FROM daybook_report.outcomes ${week}`)).toEqual([
      { outcome: "completed", turns: "24" },
    ]);
    expect(JSON.stringify(await asked(`SELECT * FROM daybook_report.failures ${week}`))).not.toContain("rare");
    expect(await asked(`SELECT members, people FROM daybook_report.adoption ${week}`)).toEqual([
      { members: "6", people: "6" },
    ]);
    expect(await asked(`SELECT version FROM daybook_report.version`)).toEqual([{ version: 1 }]);
  });

  it("show what a lead is shown", async () => {
    const pool = openPool(store.apiUrl, 1);
    for (const [view, split, column] of [
      ["usage_by_project", "project", "project"],
      ["usage_by_model", "model", "model"],
      ["daily_usage", "day", "day::text"],
    ]) {
      const shown = await asked(
        `SELECT ${column} AS name, people, turns, input_tokens AS input FROM daybook_report.${view} WHERE week = '${monday}' ORDER BY 1`,
      );
      const { rows: wanted } = await transaction(pool, { role: "daybook_lead", owner: people[0] ?? null }, (sql) =>
        sql.query("SELECT name, people, turns, input FROM daybook_ask.team_usage($1, $2, $3, $4) ORDER BY 1", [
          team,
          monday,
          addDays(monday, 6),
          split,
        ]),
      );
      expect([view, shown]).toEqual([view, wanted]);
      expect(shown.length).toBeGreaterThan(0);
    }
    await pool.end();
  });

  it("may be read, and nothing else", async () => {
    for (const view of VIEWS) await asked(`SELECT * FROM daybook_report.${view} WHERE week >= '${monday}'`);
    for (const text of [
      "SELECT * FROM daybook.usage_days",
      "SELECT * FROM daybook.owners",
      "SELECT * FROM daybook_report.weeks",
      `SELECT * FROM daybook_ask.team_usage('${team}', '${monday}', '${monday}', 'person')`,
      `SELECT * FROM daybook_ask.usage_of(ARRAY['${people[0]}']::uuid[], ARRAY[1], '${monday}', '${monday}', 'total')`,
      "DELETE FROM daybook_report.weekly_usage",
      "UPDATE daybook.stores SET smallest_group = 1",
      "SET ROLE daybook_reporter",
    ])
      expect([
        text,
        await asked(text).then(
          () => "allowed",
          (error: Error) => error.message,
        ),
      ]).toEqual([text, expect.stringMatching(/permission denied|cannot delete/)]);
    // The function behind the views: persons are no split, and whose rows it reads is not up to the caller.
    await withClient(store.url, (client) => client.query("UPDATE daybook.stores SET persons_shown = true"));
    expect(await asked(`SELECT * FROM daybook_report.week_of('${team}', '${monday}', 'person')`)).toEqual([]);
    expect(await asked(`SELECT * FROM daybook_report.week_of('${people[0]}', '${monday}', 'total')`)).toEqual([]);
    await withClient(store.url, (client) => client.query("UPDATE daybook.stores SET smallest_group = 7"));
    for (const view of VIEWS.filter((name) => name !== "adoption"))
      expect([view, await asked(`SELECT * FROM daybook_report.${view} WHERE week = '${monday}'`)]).toEqual([view, []]);
    expect(await asked(`SELECT members, people FROM daybook_report.adoption WHERE week = '${monday}'`)).toEqual([
      { members: "6", people: null },
    ]);
    await withClient(store.url, (client) =>
      client.query("UPDATE daybook.stores SET smallest_group = 5, persons_shown = false"),
    );
  });

  it("answer the panels of the document", async () => {
    expect(PANELS.map(({ title }) => title)).toEqual(["cost by week", "where agents fail", "adoption"]);
    for (const { title, text } of PANELS) {
      // What Grafana puts in the place of its macros.
      const sql = text.replaceAll(
        /\$__timeFilter\((\w+)\)/g,
        `$1 BETWEEN '${addDays(monday, -28)}' AND '${addDays(monday, 28)}'`,
      );
      const rows = await asked(sql);
      expect([title, rows.length > 0]).toEqual([title, true]);
    }
  });
});
