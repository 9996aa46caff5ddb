import { spawn, type ChildProcess } from "node:child_process";
import { chownSync, existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Pool } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openPool } from "../../src/team/store/connect.ts";
import { transaction } from "../../src/team/store/transaction.ts";
import { scratch } from "../store/fixture.ts";
import { addPerson, type Person } from "./people.ts";
import { cluster, NO_POSTGRES, teamStore, withClient } from "./postgres.ts";
import { pushHome } from "./push-fixture.ts";
import { teamServing } from "./serving.ts";

const PROGRAM = "/usr/sbin/pgbouncer";
const isInstalled = NO_POSTGRES === null && existsSync(PROGRAM);
if (!isInstalled) process.stderr.write("tests of a store behind PgBouncer are skipped: apt-get install pgbouncer\n");

/** Connections are shared between transactions: settings that one leaves behind would affect the next. */
describe.skipIf(!isInstalled)("a store behind PgBouncer in transaction mode with two connections", () => {
  let bouncer: ChildProcess | null = null;
  let url = "";
  let pool: Pool;
  let [ann, bea] = [] as unknown as [Person, Person];
  let admin = "";
  beforeAll(async () => {
    const { dir, port } = await cluster();
    const store = await teamStore();
    admin = store.url;
    await withClient(admin, async (client) => {
      ann = await addPerson(client, "ann");
      bea = await addPerson(client, "bea");
    });
    const database = /\/(\w+)\?/.exec(admin)?.[1] ?? "";
    const own = join(dir, "pooler");
    mkdirSync(own);
    const settings = {
      listen_addr: "",
      unix_socket_dir: own,
      listen_port: 6432,
      auth_type: "trust",
      auth_file: join(own, "users"),
      pool_mode: "transaction",
      default_pool_size: 2,
      max_client_conn: 100,
      server_reset_query: "",
    };
    const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
    writeFileSync(join(own, "users"), '"daybook_api" ""\n');
    writeFileSync(
      join(own, "pgbouncer.ini"),
      `[databases]\n${database} = host=${dir} port=${port} dbname=${database}\n[pgbouncer]\n${lines.join("\n")}\n`,
    );
    const { uid, gid } = statSync(dir);
    for (const path of [own, join(own, "users"), join(own, "pgbouncer.ini")]) chownSync(path, uid, gid);
    bouncer = spawn(PROGRAM, ["-q", join(own, "pgbouncer.ini")], { cwd: own, uid, gid, stdio: "ignore" });
    url = `postgres://daybook_api@/${database}?host=${encodeURIComponent(own)}&port=6432`;
    while (!existsSync(join(own, ".s.PGSQL.6432"))) await delay(20);
    pool = openPool(url, 16);
  });
  afterAll(async () => {
    await pool?.end();
    bouncer?.kill("SIGINT");
  });

  it("runs every transaction as its own owner, and leaves no owner behind", async () => {
    const checks = Array.from({ length: 200 }, async (_, i) => {
      const { owner } = i % 2 === 0 ? ann : bea;
      const { rows } = await transaction(pool, { role: "daybook_dev", owner }, (sql) =>
        sql.query<{ owner_id: string }>("SELECT DISTINCT owner_id FROM daybook.turns WHERE n > $1", [0]),
      );
      return rows.length === 1 && rows[0]?.owner_id === owner;
    });
    expect((await Promise.all(checks)).filter((isRight) => !isRight)).toEqual([]);
    const left = await Promise.all(
      Array.from({ length: 20 }, () =>
        pool.query("SELECT current_user AS me, nullif(current_setting('daybook.owner', true), '') AS owner"),
      ),
    );
    for (const { rows } of left) expect(rows).toEqual([{ me: "daybook_api", owner: null }]);
  });

  it("answers many requests to a team server at once", async () => {
    const serving = teamServing({ url: admin, apiUrl: url });
    const { token } = await serving.invite("ann");
    const answers = await Promise.all(
      Array.from({ length: 24 }, async () => (await serving.ask("/api/team/usage?by=project", token)).json()),
    );
    for (const answer of answers) expect(answer).toMatchObject({ groups: [{ name: "shop", people: 1, turns: 2 }] });
  });

  it("takes pushes of two people at once, each into their own rows", async () => {
    const samples = fileURLToPath(new URL("../../samples/", import.meta.url));
    const roots = { codex: [join(samples, "codex")], "claude-code": [join(samples, "claude-code")] };
    const home = join(scratch("pooled"), "home");
    // The book is made once, by a dry run; both people push from the same machine.
    expect(await pushHome({ url, apiUrl: url }, roots, home, { login: "ann", isDry: true })).toMatchObject({ sent: 5 });
    const both = ["ann", "bea"].map((login) => pushHome({ url, apiUrl: url }, roots, home, { login }));
    for (const report of await Promise.all(both)) expect(report).toMatchObject({ sent: 5, behind: 0 });
    for (const { owner } of [ann, bea]) {
      const sql =
        "SELECT count(*)::int AS n FROM daybook.sessions WHERE owner_id = $1 AND project LIKE 'harbor-labs-%'";
      const { rows } = await withClient(admin, (client) => client.query<{ n: number }>(sql, [owner]));
      expect(rows).toEqual([{ n: 5 }]);
    }
  });
});
