import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { main } from "../../src/doors/cli/main.ts";
import { migrate } from "../../src/team/schema/migrate.ts";
import { StoreAdmin } from "../../src/team/admin.ts";
import { openPool } from "../../src/team/store/connect.ts";
import { transaction } from "../../src/team/store/transaction.ts";
import { copyCorpus, scratch } from "../store/fixture.ts";
import { addPerson, addTeam, type Person } from "./people.ts";
import {
  addNode,
  cluster,
  createDatabase,
  newNode,
  NO_CITUS,
  teamStore,
  withClient,
  type TeamStore,
  type Worker,
} from "./postgres.ts";
import { addOwners, ask, book, dump, pushHome, TABLES_OF_ROWS, type Roots } from "./push-fixture.ts";
import { teamServing } from "./serving.ts";

if (NO_CITUS !== null) process.stderr.write(`tests of a cluster are skipped: ${NO_CITUS}\n`);

const SAMPLES = fileURLToPath(new URL("../../samples/", import.meta.url));
const WANTED = { zone: "UTC", partitions: 0, smallestGroup: 3, personsShown: false, now: 0 };

/** What an unreachable database is answered with. */
const UNAVAILABLE = 503;

describe.skipIf(NO_CITUS !== null)("a store on a Citus cluster", () => {
  const { roots } = copyCorpus(["claude-2.1.325", "codex-0.166.0", "opencode-1.18.33"]);
  const all: Roots = { ...roots };
  for (const source of ["claude-code", "codex"]) all[source] = [...(roots[source] ?? []), join(SAMPLES, source)];
  const home = scratch("home");
  let spread: TeamStore;
  let plain: TeamStore;

  beforeAll(async () => {
    [spread, plain] = [await teamStore(), await teamStore({}, true)];
    for (const store of [spread, plain]) {
      // Hashes of project names differ between stores.
      await ask(store, "UPDATE daybook.stores SET store_id = '00000000-0000-4000-8000-0000000000cc'");
      await addOwners(store);
      await pushHome(store, all, home, { level: "full" });
    }
  }, 300_000);

  it("splits the tables with rows of people, and copies the others to every node", async () => {
    const tables = await ask<{ name: string; kind: string }>(
      spread,
      "SELECT logicalrelid::text AS name, partmethod::text AS kind FROM pg_dist_partition ORDER BY 1",
    );
    const split = tables.filter(({ kind }) => kind === "h").map(({ name }) => name);
    expect(split).toEqual(TABLES_OF_ROWS.map((name) => `daybook.${name}`).toSorted());
    expect(tables.filter(({ kind }) => kind === "n")).toHaveLength(5);
    // What is distributed stays as it is.
    expect(await new StoreAdmin(spread.url, 0).distribute()).toMatchObject({ split: [], copied: [] });
    expect(await new StoreAdmin(spread.url, 0).status()).toMatchObject({ missing: [] });
  });

  it("answers every reading command with the same bytes as one database", async () => {
    for (const store of [spread, plain]) await ask(store, "UPDATE daybook.stores SET created = '2026-01-01'");
    const commands = [
      "usage",
      "usage weekly --breakdown",
      "usage session",
      "usage blocks",
      "usage turn",
      "usage model --since 2026-05-01 --until 2026-05-31 --instances",
      "usage daily -z Asia/Kathmandu",
      "report --date 2026-11-15",
      "report --date 2026-05-12",
      "sessions",
      "turns",
      "tools",
      "tools --status failed",
      "decisions",
      "search test",
      'search "all tests"',
    ];
    for (const command of commands) {
      const outs = [];
      for (const { url } of [spread, plain]) {
        let out = "";
        const io = {
          out: (text: string) => void (out += text),
          err: () => undefined,
          env: { HOME: "/nowhere" },
          now: Date.UTC(2026, 11, 31),
          columns: 80,
          outIsTerminal: false,
          errIsTerminal: false,
        };
        const words = [...command.split(" "), "--json", "--store", url, "--owner", "ann"];
        const code = await main(words, io);
        outs.push([code, out.replaceAll(/store_\d+/g, "store")]);
      }
      expect([command, outs[0]]).toEqual([command, outs[1]]);
      expect(outs[0]?.[0]).toBe(0);
    }
  });

  it("holds the same rows after a repeated push, a lower level and a forgotten session", async () => {
    for (const store of [spread, plain]) {
      expect(await pushHome(store, all, home, { level: "full" })).toMatchObject({ sent: 0 });
      await pushHome(store, all, home, { level: "totals" });
    }
    expect(await dump(spread)).toEqual(await dump(plain));
    for (const store of [spread, plain]) await pushHome(store, all, home, { level: "full" });
    const whole = await dump(spread);
    expect(whole).toEqual(await dump(plain));
    const daybook = book(all, home);
    const [first] = await daybook.sessions({ source: "codex" });
    await daybook.forget(await daybook.forgetPlan({ sessions: [first?.session_id ?? ""] }));
    daybook.close();
    for (const store of [spread, plain])
      expect(await pushHome(store, all, home, { level: "full" })).toMatchObject({ forgotten: 1 });
    const rest = await dump(spread);
    expect(rest).toEqual(await dump(plain));
    expect(rest["turns"]?.length).toBeLessThan(whole["turns"]?.length ?? 0);
  });

  it("is created before nodes are added, and spread afterwards with all its rows", async () => {
    const { url, workers, port } = await cluster();
    const name = "late";
    for (const node of [{ url, port }, ...workers])
      await withClient(node.url("postgres"), (client) => client.query(`CREATE DATABASE ${name}`));
    await withClient(url(name), async (client) => {
      await migrate(client, WANTED);
      await addPerson(client, "ann");
    });
    for (const node of [{ url, port }, ...workers])
      await withClient(node.url(name), (client) => client.query("CREATE EXTENSION citus"));
    await withClient(url(name), async (client) => {
      await client.query("SELECT citus_set_coordinator_host('127.0.0.1', $1)", [port]);
      for (const worker of workers) await addNode(client, worker);
    });
    const made = await new StoreAdmin(url(name), 0).distribute();
    expect(made.split).toHaveLength(TABLES_OF_ROWS.length);
    const { rows } = await withClient(url(name), (client) =>
      client.query("SELECT count(*)::int AS n FROM daybook.turns"),
    );
    expect(rows).toEqual([{ n: 2 }]);
  });

  it("is created on nodes that do not know the roles of other databases of their server", async () => {
    const url = await createDatabase("second");
    const { workers } = await cluster();
    const node = await newNode();
    await withClient(node.url("postgres"), (client) => client.query("CREATE DATABASE second"));
    await withClient(node.url("second"), (client) => client.query("CREATE EXTENSION citus"));
    await withClient(url, async (client) => {
      for (const { port } of workers) await client.query("SELECT citus_remove_node('127.0.0.1', $1)", [port]);
      await addNode(client, node);
      await migrate(client, WANTED);
      await addPerson(client, "ann");
    });
    await new StoreAdmin(url, 0).distribute();
    const { rows } = await withClient(url, (client) => client.query("SELECT count(*)::int AS n FROM daybook.turns"));
    expect(rows).toEqual([{ n: 2 }]);
  });

  it("runs a migration on distributed tables, and distributes the tables it adds", async () => {
    const url = await createDatabase("migrated");
    await withClient(url, async (client) => {
      await migrate(client, WANTED);
      await new StoreAdmin(url, 0).distribute();
      // As an older version left it: the last migration has not run, and its table is not there.
      await client.query("DELETE FROM daybook.migrations WHERE name = '0004-retention'");
      await client.query("DROP TABLE daybook.session_days");
      await client.query("ALTER TABLE daybook.heads DROP COLUMN removing");
    });
    const { ran } = await new StoreAdmin(url, 0).init(WANTED, null);
    expect(ran).toEqual(["0004-retention"]);
    const { rows } = await withClient(url, (client) =>
      client.query("SELECT 1 FROM pg_dist_partition WHERE logicalrelid = 'daybook.session_days'::regclass"),
    );
    expect(rows).toHaveLength(1);
  });

  describe("with people on every node", () => {
    let store: TeamStore;
    const people: Person[] = [];
    let team = "";
    beforeAll(async () => {
      store = await teamStore();
      await withClient(store.url, async (client) => {
        for (let i = 0; i < 12; i++) people.push(await addPerson(client, `p${i}`));
        team = await addTeam(client, "backend", people);
      });
    });
    afterAll(async () => {
      const { workers } = await cluster();
      for (const worker of workers) await worker.start().catch(() => undefined);
    });

    /** Whose rows each person sees. */
    async function seen(): Promise<string[][]> {
      const pool = openPool(store.apiUrl, 4);
      try {
        const rows = people.map(({ owner }) =>
          transaction(pool, { role: "daybook_dev", owner }, (sql) =>
            sql.query<{ owner_id: string }>("SELECT DISTINCT owner_id FROM daybook.turns"),
          ),
        );
        return (await Promise.all(rows)).map((one) => one.rows.map(({ owner_id }) => owner_id));
      } finally {
        await pool.end();
      }
    }

    async function totals(): Promise<unknown> {
      const pool = openPool(store.apiUrl, 1);
      try {
        const owner = people[0]?.owner ?? null;
        return await transaction(pool, { role: "daybook_lead", owner }, async (sql) => {
          const text = "SELECT name, people, turns, pico FROM daybook_ask.team_usage($1, $2, $3, 'project')";
          return (await sql.query(text, [team, "2026-01-01", "2026-12-31"])).rows;
        });
      } finally {
        await pool.end();
      }
    }

    it("keeps its walls and totals while a node is added and rows are moved to it", async () => {
      const own = people.map(({ owner }) => [owner]);
      expect(await seen()).toEqual(own);
      const before = await totals();
      const node = await newNode();
      const name = /\/(\w+)\?/.exec(store.url)?.[1] ?? "";
      await withClient(node.url("postgres"), (client) => client.query(`CREATE DATABASE ${name}`));
      await withClient(node.url(name), (client) => client.query("CREATE EXTENSION citus"));
      await withClient(store.url, async (client) => {
        await addNode(client, node);
        await client.query("SELECT rebalance_table_shards()");
      });
      expect(await seen()).toEqual(own);
      expect(await totals()).toEqual(before);
    }, 120_000);

    it("answers 503 while a worker is down, says nothing else, and recovers", async () => {
      const serving = teamServing(store);
      const tokens = await Promise.all(people.map(async ({ login }) => (await serving.invite(login)).token));
      const { workers } = await cluster();
      const [first] = workers as [Worker, ...Worker[]];
      await first.stop();
      const asked = async (): Promise<number[]> =>
        await Promise.all(tokens.map(async (token) => (await serving.ask("/api/team/usage?by=total", token)).status));
      const statuses = await asked();
      expect(new Set(statuses)).toEqual(new Set([200, UNAVAILABLE]));
      await first.start();
      expect(await asked()).toEqual(statuses.map(() => 200));
    }, 120_000);
  });
});
