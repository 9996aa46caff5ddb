import { inside } from "../../src/answers/daybook.ts";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Pool } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { main } from "../../src/doors/cli/main.ts";
import { applySession, forgetSession, pushState } from "../../src/team/push/apply.ts";
import { httpsDestination } from "../../src/team/push/https.ts";
import { machineOf } from "../../src/team/push/machine.ts";
import { postgresDestination } from "../../src/team/push/postgres.ts";
import { push } from "../../src/team/push/push.ts";
import { retrying } from "../../src/team/push/retry.ts";
import type { Sql } from "../../src/team/push/sql.ts";
import { PUSH_PATHS, receiveSession } from "../../src/team/push/wire.ts";
import { prepare, type PreparedRows } from "../../src/team/rows/prepared.ts";
import { openPool } from "../../src/team/store/connect.ts";
import { transaction } from "../../src/team/store/transaction.ts";
import { Zone } from "../../src/base/time/zone.ts";
import { problemsOf } from "../answers-schema.ts";
import * as codex from "../cases/build.ts";
import { plantedSecrets, type Planted } from "../planted-secrets.ts";
import { scratch } from "../store/fixture.ts";
import { NO_POSTGRES, teamStore, withClient, type TeamStore } from "./postgres.ts";
import { addOwners, ask, book, dump, NO_WAIT, OWNER, pushHome, TABLES_OF_ROWS, type Roots } from "./push-fixture.ts";

const SAMPLES = fileURLToPath(new URL("../../samples/", import.meta.url));
const ROOTS: Roots = { "claude-code": [join(SAMPLES, "claude-code")], codex: [join(SAMPLES, "codex")] };
const MACHINE = { machine_id: "00000000-0000-4000-8000-000000000001", label: "desk" };

async function freshStore(): Promise<TeamStore> {
  const store = await teamStore();
  await addOwners(store);
  return store;
}

/** Every session of a home as it would be pushed; held in memory, so that it can be sent repeatedly. */
async function prepared(home: string, level: "totals" | "turns" | "full"): Promise<PreparedRows[]> {
  const daybook = book(ROOTS, home);
  const how = { level, zone: new Zone("UTC"), redactor: daybook.redactor, projectKey: "k" };
  const out: PreparedRows[] = [];
  for (const { key } of (await inside(daybook).sessionStamps()).sessions)
    await inside(daybook).withSession(key, async (whole) => void out.push(prepare(whole, how)));
  daybook.close();
  return out;
}

describe.skipIf(NO_POSTGRES !== null)("a push that fails", () => {
  const home = join(scratch("home"), "home");
  let clean: Record<string, string[]>;

  beforeAll(async () => {
    const store = await freshStore();
    await pushHome(store, ROOTS, home, { level: "full" });
    clean = await dump(store, ["machines"]);
  });

  it("at any SQL statement changes nothing, and the next push sends everything", async () => {
    const store = await freshStore();
    const [early, late] = [await prepared(home, "totals"), await prepared(home, "full")];
    const [first, second] = [early[0], late[0]];
    if (!first || !second) throw new Error("no sample");
    const pool = openPool(store.url);
    const send = async (session: PreparedRows, failsAt: number): Promise<boolean> => {
      let statements = 0;
      let hasFailed = false;
      await transaction(pool, { role: "daybook_dev", owner: OWNER }, (sql) => {
        const failing: Sql = {
          query: async (text, values) => {
            if (++statements === failsAt) throw new Error("cut off");
            return sql.query(text, values);
          },
        };
        return applySession(failing, OWNER, MACHINE, session.head, session.batches());
      }).catch((error: unknown) => {
        if (!(error instanceof Error && error.message === "cut off")) throw error;
        hasFailed = true;
      });
      return hasFailed;
    };
    const empty = await dump(store);
    let n = 1;
    for (; await send(first, n); n++) expect(await dump(store)).toEqual(empty);
    const before = await dump(store);
    let m = 1;
    for (; await send(second, m); m++) expect(await dump(store)).toEqual(before);
    // There were enough statements to fail at.
    expect([n, m].every((count) => count > 10)).toBe(true);
    await pool.end();
    await pushHome(store, ROOTS, home, { level: "full" });
    expect(await dump(store, ["machines", "session_copies"])).toEqual(
      Object.fromEntries(Object.entries(clean).filter(([name]) => name !== "session_copies")),
    );
  }, 60_000);

  it("because its connection was closed is retried from the start", async () => {
    const store = await freshStore();
    await withClient(store.url, async (client) => {
      // The push has to wait for this row, and its connection is found by that.
      await client.query("INSERT INTO daybook.heads VALUES ($1, 1)", [OWNER]);
      await client.query("BEGIN");
      await client.query("SELECT 1 FROM daybook.heads WHERE owner_id = $1 FOR UPDATE", [OWNER]);
      const pushing = pushHome(store, ROOTS, home, { level: "full" });
      for (let killed = 0; killed === 0;) {
        // On another connection: within a transaction pg_stat_activity does not change.
        const [found] = await ask<{ n: number }>(
          store,
          "SELECT count(pg_terminate_backend(pid))::int AS n FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()",
        );
        killed = found?.n ?? 0;
      }
      await client.query("COMMIT");
      expect(await pushing).toMatchObject({ sent: 5 });
    });
    expect(await dump(store, ["machines"])).toEqual(clean);
  });

  it("between two sessions is continued with the next session", async () => {
    const store = await freshStore();
    for (let n = 0; n < 5; n++) {
      const stop = new AbortController();
      const daybook = book(ROOTS, home);
      const to = postgresDestination(store.url, "ann", NO_WAIT);
      const stopping = {
        ...to,
        put: async (...args: Parameters<typeof to.put>) => to.put(...args).finally(() => stop.abort()),
      };
      const report = await push({
        daybook,
        home,
        to: stopping,
        machine: machineOf(home, "desk"),
        level: "full",
        signal: stop.signal,
      });
      expect(report.sent).toBe(1);
      daybook.close();
      await to.close();
    }
    expect(await dump(store, ["machines"])).toEqual(clean);
  });

  it("because the store is unreachable says so, and that nothing is lost", async () => {
    const daybook = book(ROOTS, home);
    const to = postgresDestination("postgres://ann@/store?host=/nowhere", "ann", NO_WAIT);
    await expect(push({ daybook, home, to, machine: MACHINE, level: "full" })).rejects.toMatchObject({
      code: "unreachable",
      hint: "nothing is lost: the next push sends what this one could not",
    });
    daybook.close();
    await to.close();
  });

  it("because one session states an impossible number sends all others, and says why", async () => {
    const store = await freshStore();
    const daybook = book(ROOTS, home);
    const to = postgresDestination(store.url, "ann", NO_WAIT);
    let first = "";
    // Readers let no such number pass; another program might.
    const damaging: typeof to = {
      ...to,
      put: (machine, session) => {
        first ||= session.head.session_id;
        if (session.head.session_id !== first) return to.put(machine, session);
        const damaged = [...session.batches()].map(({ table, columns }) => ({
          table,
          columns: table === "turns" ? columns.with(5, [-7, ...(columns[5] ?? []).slice(1)]) : columns,
        }));
        return to.put(machine, { ...session, batches: () => damaged });
      },
    };
    const report = await push({ daybook, home, to: damaging, machine: machineOf(home, "desk"), level: "turns" });
    daybook.close();
    await to.close();
    expect(report).toMatchObject({ sent: 4, refused: [{ session_id: expect.any(String) }] });
    expect(report.refused[0]?.reason).toContain("row 1 of turns: failed must be a whole number");
    const stored = await ask<{ session_id: string }>(store, "SELECT session_id FROM daybook.sessions");
    expect(stored.map(({ session_id }) => session_id)).not.toContain(first);
    expect(stored).toHaveLength(4);
  });

  it("is retried only after errors that may be temporary", async () => {
    const failing = (code: string): { work: () => Promise<string>; tried: () => number } => {
      let n = 0;
      const work = async (): Promise<string> => {
        if (++n < 3) throw Object.assign(new Error(code), { code });
        return "done";
      };
      return { work, tried: () => n };
    };
    const waits: number[] = [];
    const how = { jitter: () => 0.5, wait: async (ms: number) => void waits.push(ms) };
    for (const code of ["40001", "40P01", "57P01", "08006", "ECONNRESET"])
      expect(await retrying(failing(code).work, how)).toBe("done");
    expect(waits.slice(0, 2)).toEqual([50, 100]);
    const wrong = failing("23505");
    await expect(retrying(wrong.work, how)).rejects.toThrow("23505");
    expect(wrong.tried()).toBe(1);
  });
});

describe.skipIf(NO_POSTGRES !== null)("pushed data", () => {
  const planted = plantedSecrets(20_261_116);
  const dir = codex.folder();
  const home = join(dir, "home");
  const roots: Roots = { codex: [join(dir, "codex")] };
  const ID = "019e2f1c-0000-7000-8000-000000000001";
  /** Words that occur only in texts by people and agents. */
  const WORDS = ["marzipan", "dromedary"];
  const isOut = (text: string, { secret }: Planted): boolean =>
    text.includes(secret) || (secret.length > 16 && text.includes(secret.slice(-10)));

  beforeAll(() => {
    const { M, TC, TS, TD, R, E, A, EA, CALL, OUT, item } = codex;
    const all = planted.map(({ text }) => text).join("\n\n");
    const odd = planted.filter(({ text, secret }) => text === `use ${secret} for it`).map(({ secret }) => secret);
    codex.write(join(dir, "codex", `rollout-2026-05-12T08-00-00-${ID}.jsonl`), [
      M(ID, { cli_version: `1.0.0 ${odd[0]}`, originator: odd[1] }),
      TC({ model: odd[2], cwd: `/srv/marzipan/${odd[3]}` }),
      TS(),
      R(`${WORDS.join(" ")} ${all}`),
      E(`${WORDS.join(" ")} ${all}`),
      CALL("c1", `marzipan_${odd[8]}`, { cmd: `dromedary\0 ${all}`, [odd[4] ?? ""]: 1 }),
      OUT("c1", `Process exited with code 1\nOutput:\n\0marzipan ${all}`),
      ...planted.map(({ text }, i) =>
        item({ type: "reasoning", summary: [{ type: "summary_text", text: `${i}: ${text}` }] }),
      ),
      A(`D1 — dromedary ${all}\nA) marzipan (recommended)\nB) Rotate it`),
      EA(`D1 — dromedary ${all}\nA) marzipan (recommended)\nB) Rotate it`),
      TD(),
    ]);
  });

  it.each(["turns", "full"] as const)("at level %s contains no secret in any table", async (level) => {
    const store = await freshStore();
    expect(await pushHome(store, roots, home, { level })).toMatchObject({ sent: 1 });
    const text = JSON.stringify(await dump(store));
    expect(planted.filter((one) => isOut(text, one)).map(({ kind }) => kind)).toEqual([]);
    expect(text).toContain("[redacted:");
    expect(text).toContain("marzipan");
  });

  it("at level totals contains no secrets and no words of people or agents", async () => {
    const store = await freshStore();
    expect(await pushHome(store, roots, home, { level: "totals" })).toMatchObject({ sent: 1 });
    const rows = await dump(store);
    const text = JSON.stringify(rows);
    expect(planted.filter((one) => isOut(text, one)).map(({ kind }) => kind)).toEqual([]);
    expect(WORDS.filter((word) => text.includes(word))).toEqual([]);
    expect(text).not.toContain(ID);
    expect([rows["details"], rows["facts"], rows["texts"]]).toEqual([[], [], []]);
    const columns = await ask<{ name: string }>(
      store,
      `SELECT DISTINCT column_name AS name FROM information_schema.columns
       WHERE table_schema = 'daybook' AND data_type = 'text' AND table_name = ANY ($1)`,
      [TABLES_OF_ROWS],
    );
    // Whoever adds a text column has to decide what it holds at totals.
    expect(columns.map(({ name }) => name).toSorted()).toEqual([
      "body",
      "kind",
      "label",
      "model",
      "name",
      "project",
      "source",
      "status",
      "taken_back",
      "tier",
    ]);
    // `kind` and `taken_back` hold fixed words of Daybook.
    expect(
      await ask(
        store,
        "SELECT DISTINCT s.kind, t.kind AS turn, t.taken_back FROM daybook.sessions s JOIN daybook.turns t USING (owner_id, session_id)",
      ),
    ).toEqual([{ kind: "root", turn: "prompt", taken_back: null }]);
    const named = await ask<Record<string, string>>(
      store,
      "SELECT t.project, t.model, c.name FROM daybook.turns t JOIN daybook.tool_calls c USING (owner_id, session_id)",
    );
    expect(named[0]).toEqual({
      project: expect.stringMatching(/^#[0-9a-f]{12}$/),
      name: "",
      model: expect.stringMatching(/^#[0-9a-f]{12}$/),
    });
  });

  it("has the same name of a project for everybody who lists it, and sends it again when the list changes", async () => {
    const store = await freshStore();
    const daybook = book(roots, home);
    const [{ project } = { project: "" }] = await daybook.sessions();
    daybook.close();
    const projects = async (): Promise<unknown[]> =>
      ask(store, "SELECT DISTINCT project FROM daybook.turns UNION SELECT DISTINCT project FROM daybook.usage_days");
    for (const login of ["ann", "bob"]) await pushHome(store, roots, home, { level: "totals", login });
    expect(JSON.stringify(await projects())).not.toContain(project);
    for (const login of ["ann", "bob"])
      await pushHome(store, roots, home, { level: "totals", login, namedProjects: [project, "another"] });
    expect(await projects()).toEqual([{ project }]);
    await pushHome(store, roots, home, { level: "totals", login: "bob" });
    expect((await projects()).length).toBe(2);
  });

  it("has different project names for each person and each salt", async () => {
    const store = await freshStore();
    const projects = async (): Promise<string[]> =>
      (await ask<{ project: string }>(store, "SELECT DISTINCT project FROM daybook.sessions")).map(
        (row) => row.project,
      );
    await pushHome(store, roots, home, { level: "totals" });
    await pushHome(store, roots, home, { level: "totals", login: "bob" });
    expect((await projects()).length).toBe(2);
    const [before] = await ask<{ project: string }>(store, "SELECT project FROM daybook.sessions WHERE owner_id = $1", [
      OWNER,
    ]);
    await pushHome(store, roots, home, { level: "totals", salt: "pepper" });
    expect(await projects()).not.toContain(before?.project);
  });

  it("is shown by a dry run, and logged in pushed.jsonl when sent", async () => {
    const store = await freshStore();
    const before = await dump(store);
    const planned = await pushHome(store, roots, home, { isDry: true });
    expect(planned).toMatchObject({ dry_run: true, sent: 1, level: "turns" });
    expect(planned.examples.map(({ table }) => table)).toEqual(["sessions", "texts", "details"]);
    expect(planted.filter((one) => isOut(JSON.stringify(planned), one))).toEqual([]);
    expect(problemsOf("push", { schema_version: 1, ...planned })).toEqual([]);
    expect(await dump(store)).toEqual(before);
    const sent = await pushHome(store, roots, home);
    expect(sent).toMatchObject({ rows: planned.rows, bytes: planned.bytes, tables: planned.tables });
    const counted = await Promise.all(
      Object.keys(sent.tables).map(async (table) => {
        const [row] = await ask<{ n: string }>(store, `SELECT count(*) AS n FROM daybook.${table}`);
        return [table, Number(row?.n)];
      }),
    );
    expect(counted).toEqual(Object.entries(sent.tables).map(([table, size]) => [table, size.rows]));
    const { readFileSync } = await import("node:fs");
    const last = readFileSync(join(home, "pushed.jsonl"), "utf8").trimEnd().split("\n").at(-1) ?? "";
    expect(JSON.parse(last)).toMatchObject({ level: "turns", sessions: 1, rows: sent.rows, session_ids: [ID] });
  });
});

describe.skipIf(NO_POSTGRES !== null)("daybook push", () => {
  const dir = scratch("home");
  const roots = Object.entries(ROOTS).flatMap(([id, [path = ""]]) => ["--root", `${id}=${path}`]);

  async function run(...words: string[]): Promise<{ code: number; out: string; err: string }> {
    const ran = { code: 0, out: "", err: "" };
    ran.code = await main(["push", ...words, ...roots, "--home", join(dir, "home"), "-z", "UTC"], {
      out: (text) => void (ran.out += text),
      err: (text) => void (ran.err += text),
      env: { HOME: dir },
      now: Date.UTC(2026, 5, 1),
      columns: 80,
      outIsTerminal: false,
      errIsTerminal: false,
      inIsTerminal: false,
    });
    return ran;
  }

  it("shows a dry run, sends the sessions, and then finds nothing new", async () => {
    const { url } = await freshStore();
    const to = ["--to", url, "--owner", "ann"];
    const dry = await run(...to, "--dry-run", "--level", "turns");
    expect(dry).toMatchObject({ code: 0, err: "" });
    expect(dry.out).toContain("Would send 5 sessions of 5 at level turns");
    expect(dry.out).toMatch(/^texts +25 +\S+ kB$/m);
    expect(dry.out.split("\n").filter((line) => line.length > 80)).toEqual([]);
    // The default level is totals.
    const sent = await run(...to, "--json");
    expect(JSON.parse(sent.out)).toMatchObject({ schema_version: 1, sent: 5, level: "totals", examples: [] });
    expect((await run(...to)).out).toMatch(/^Nothing new for postgres:\/\/admin@\/\w+: 5 sessions checked\.\n$/);
  });

  it("reports errors by message and exit code, without passwords", async () => {
    expect(await run()).toMatchObject({ code: 2, err: expect.stringContaining("push to which store?") });
    const secret = await run("--to", "ftp://ann:hunter2@x");
    expect(secret.code).toBe(2);
    expect(secret.err).not.toContain("hunter2");
    expect(await run("--to", "https://x.example")).toMatchObject({ code: 2, err: expect.stringContaining("token") });
    const offline = await run("--to", "postgres://ann:hunter2@/x?host=/nowhere");
    expect(offline).toMatchObject({ code: 4, err: expect.stringContaining("nothing is lost") });
    expect(offline.err).not.toContain("hunter2");
    const { url } = await freshStore();
    expect(await run("--to", url, "--owner", "zoe")).toMatchObject({ code: 1, err: expect.stringContaining("zoe") });
  });
});

it("a session too large to be held in memory is prepared twice with the same result", async () => {
  const home = join(scratch("home"), "home");
  const daybook = book(ROOTS, home);
  const how = { level: "full" as const, zone: new Zone("UTC"), redactor: daybook.redactor, projectKey: "k" };
  for (const { key } of (await inside(daybook).sessionStamps()).sessions)
    await inside(daybook).withSession(key, async (whole) => {
      const [held, again] = [prepare(whole, how), prepare(whole, how, { held: 0 })];
      expect(again.head).toEqual(held.head);
      expect([...again.batches()]).toEqual([...held.batches()]);
    });
  daybook.close();
});

describe.skipIf(NO_POSTGRES !== null)("a push over HTTP", () => {
  const home = join(scratch("home"), "home");
  let store: TeamStore;
  let server: Server;
  let pool: Pool;

  /** A minimal team server: only what a push needs. */
  beforeAll(async () => {
    store = await freshStore();
    pool = openPool(store.url);
    const acting = { role: "daybook_dev", owner: OWNER } as const;
    server = createServer((request, response) => {
      const answer = async (): Promise<unknown> => {
        const { pathname, searchParams } = new URL(request.url ?? "", "http://localhost");
        if (request.headers.authorization !== "Bearer good") return null;
        if (pathname === PUSH_PATHS.state)
          return transaction(pool, acting, async (sql) => ({
            store_id: "s",
            owner_id: OWNER,
            zone: "UTC",
            ...(await pushState(sql, OWNER, searchParams.get("machine") ?? "")),
          }));
        if (pathname === PUSH_PATHS.session) {
          const { machine, head, batches } = await receiveSession(createInterface({ input: request }));
          const applied = await transaction(pool, acting, (sql) => applySession(sql, OWNER, machine, head, batches));
          return { applied };
        }
        const body = JSON.parse((await request.toArray()).join("")) as { sessions: string[] };
        for (const id of body.sessions)
          await transaction(pool, acting, (sql) => forgetSession(sql, OWNER, MACHINE, id));
        return { forgotten: body.sessions.length };
      };
      answer().then(
        (value) => response.writeHead(value === null ? 401 : 200).end(JSON.stringify(value)),
        (error: unknown) => response.writeHead(422).end(String(error)),
      );
    });
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  });

  afterAll(async () => {
    server?.close();
    await pool?.end();
  });

  const url = (): string => {
    const at = server.address();
    return `http://127.0.0.1:${typeof at === "object" ? at?.port : ""}`;
  };

  it("writes the same rows as a push to the database", async () => {
    const daybook = book(ROOTS, home);
    const to = httpsDestination(url(), "good", NO_WAIT);
    const how = { daybook, home, to, machine: machineOf(home, "desk"), level: "full" as const };
    expect(await push(how)).toMatchObject({ sent: 5 });
    expect(await push(how)).toMatchObject({ sent: 0 });
    daybook.close();
    const direct = await freshStore();
    await pushHome(direct, ROOTS, home, { level: "full" });
    expect(await dump(store)).toEqual(await dump(direct));
  });

  it("tells a refused token from an unreachable server", async () => {
    const refused = httpsDestination(url(), "bad", NO_WAIT);
    await expect(refused.state(MACHINE)).rejects.toMatchObject({ code: "refused" });
    const gone = createServer();
    await new Promise<void>((resolve) => void gone.listen(0, "127.0.0.1", resolve));
    const at = gone.address();
    await new Promise((resolve) => void gone.close(resolve));
    const unreachable = httpsDestination(`http://127.0.0.1:${typeof at === "object" ? at?.port : ""}`, "good", NO_WAIT);
    await expect(unreachable.state(MACHINE)).rejects.toMatchObject({ code: "unreachable" });
  });

  it.each([
    ["no lines", []],
    ["malformed JSON", ["{"]],
    ["an incomplete head", [JSON.stringify({ machine: MACHINE, head: { session_id: "x" } })]],
  ])("rejects a session with %s", async (_, lines) => {
    await expect(receiveSession(asyncLines(lines))).rejects.toMatchObject({ code: "invalid" });
  });

  it.each([
    ["an unknown table", { table: "tokens", columns: [[1]] }],
    ["missing columns", { table: "turns", columns: [[1]] }],
    ["columns of different lengths", { table: "details", columns: [[1], [1], ["a"], []] }],
    ["a value of an invalid type", { table: "details", columns: [[1], [1], [{}], ["a"]] }],
    ["no end line", null],
  ])("rejects a session with %s", async (_, batch) => {
    const head = {
      session_id: MACHINE.machine_id,
      hash: "0".repeat(32),
      source: "s",
      project: "p",
      started: null,
      ended: null,
      kind: "root",
      parent: null,
      parent_turn: null,
    };
    const first = JSON.stringify({ machine: MACHINE, head: { ...head, turns: 0, lines: 0, reader: 0, level: 0 } });
    const lines = batch === null ? [first] : [first, JSON.stringify(batch), '{"end":true}'];
    const { batches } = await receiveSession(asyncLines(lines));
    const all = async (): Promise<void> => {
      for await (const one of batches) void one;
    };
    await expect(all()).rejects.toMatchObject({ code: "invalid" });
  });
});

async function* asyncLines(lines: readonly string[]): AsyncGenerator<string, void, undefined> {
  yield* lines;
}
