import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import type { Level } from "../../src/views/push-level.ts";
import { main } from "../../src/doors/cli/main.ts";
import type { RunningServer } from "../../src/doors/http/listen.ts";
import { serveTeam } from "../../src/doors/http/team/server.ts";
import { Daybook, inside, type Query } from "../../src/answers/daybook.ts";
import { Oidc } from "../../src/team/oidc.ts";
import { fromServer } from "../../src/team/read/open-server.ts";
import { fromStore } from "../../src/team/read/open-store.ts";
import { ReceivedRows } from "../../src/team/read/row-lines.ts";
import { addDays } from "../../src/base/time/zone.ts";
import { copyCorpus, scratch } from "../store/fixture.ts";
import { addPerson } from "./people.ts";
import { NO_POSTGRES, teamStore, withClient, type TeamStore } from "./postgres.ts";
import { addOwners, pushHome } from "./push-fixture.ts";
import { HOST, NOW, teamServing, type TeamServing } from "./serving.ts";

/** The address of the server when it is called without a socket. */
const TEAM = `https://${HOST}`;
const SAMPLES = fileURLToPath(new URL("../../samples/", import.meta.url));

const QUESTIONS = [
  "report --date 2026-05-12",
  "usage",
  "usage turn",
  "usage model",
  "sessions",
  "turns",
  "tools",
  "decisions",
  "search test fail*",
  "search nowhere-to-be-found",
];

interface Served {
  store: TeamStore;
  serving: TeamServing;
  /** The server, over a socket. */
  url: string;
  /** Allows ann to read. */
  token: string;
}

describe.skipIf(NO_POSTGRES !== null)("a team server read with --store", () => {
  const { roots } = copyCorpus(["claude-2.1.325", "codex-0.166.0"]);
  for (const source of ["claude-code", "codex"]) roots[source]?.push(join(SAMPLES, source));
  const home = scratch("home");
  const running: RunningServer[] = [];
  let [full, totals] = [] as unknown as [Served, Served];
  beforeAll(async () => {
    full = await served("full");
    totals = await served("totals");
  });
  afterEach(() => void vi.unstubAllGlobals());
  afterAll(async () => {
    for (const one of running) await one.close();
  });

  async function served(level: Level): Promise<Served> {
    const store = await teamStore();
    await addOwners(store);
    await pushHome(store, roots, home, { level });
    const server = await serveTeam({
      store: store.apiUrl,
      port: 0,
      host: "127.0.0.1",
      publicUrl: null,
      oidc: null,
      page: false,
      now: () => NOW,
      failed: (error) => {
        throw error;
      },
    });
    running.push(server);
    const serving = teamServing(store);
    return { store, serving, url: server.url, token: (await serving.invite("ann")).token };
  }

  async function run(
    words: string,
    token: string | null,
    ...more: string[]
  ): Promise<{ code: number; out: string; err: string }> {
    let [out, err] = ["", ""];
    const code = await main([...words.split(" "), "-z", "UTC", ...more], {
      out: (text) => void (out += text),
      err: (text) => void (err += text),
      env: { HOME: home, ...(token === null ? {} : { DAYBOOK_TEAM_TOKEN: token }) },
      now: Date.UTC(2026, 11, 31),
      columns: 400,
      outIsTerminal: false,
      errIsTerminal: false,
    });
    return { code, out, err };
  }

  it.each(["full", "totals"] as const)("gives the same answers as its database, at level %s", async (level) => {
    const { store, url, token } = level === "full" ? full : totals;
    let length = 0;
    for (const words of QUESTIONS) {
      const wanted = await run(words, null, "--json", "--store", store.url, "--owner", "ann");
      expect([words, wanted.err]).toEqual([words, ""]);
      expect([words, await run(words, token, "--json", "--store", url)]).toEqual([words, wanted]);
      length += wanted.out.length;
    }
    expect(length).toBeGreaterThan(10_000);
  });

  it("refuses tokens for pushing, revoked tokens, unknown tokens and requests without one", async () => {
    const { serving, url, token } = full;
    const pushing = await serving.invite("ann", { scope: "push" });
    const ended = await serving.invite("ann");
    await serving.admin.revoke(ended.token_id.slice(0, 8));
    const ask = (bearer: string | null, ...more: string[]): ReturnType<typeof run> =>
      run("sessions", bearer, "--store", url, ...more);
    const containing = (text: string): unknown => expect.stringContaining(text);
    expect(await ask(pushing.token)).toMatchObject({
      code: 1,
      out: "",
      err: containing("refused the read: this token is"),
    });
    expect((await ask(pushing.token)).err).toContain("--scope read");
    expect(await ask(ended.token)).toMatchObject({
      code: 1,
      out: "",
      err: containing("refused the read: no valid token"),
    });
    expect(await ask("guessed")).toMatchObject({
      code: 1,
      out: "",
      err: containing("refused the read: no valid token"),
    });
    expect(await ask(null)).toMatchObject({ code: 2, out: "", err: containing("needs a token") });
    expect(await ask(token, "--owner", "bob")).toMatchObject({
      code: 2,
      err: containing("the token says who you are"),
    });
    for (const elsewhere of ["http://daybook.example", "http://localhost.example:4242"])
      expect(await run("sessions", token, "--store", elsewhere)).toMatchObject({
        code: 2,
        err: containing("a team's server needs https"),
      });
    for (const path of ["/api/team/rows", "/api/team/rows?lists=calls&words=tests"]) {
      expect((await serving.ask(path, pushing.token)).status).toBe(403);
      expect((await serving.ask(path, ended.token)).status).toBe(401);
      expect((await serving.ask(path)).status).toBe(401);
    }
  });

  it("is reported as unreachable, with the reason", async () => {
    // `fetch` refuses to connect to this port.
    const { code, err } = await run("sessions", full.token, "--store", "https://127.0.0.1:9");
    expect([code, err]).toEqual([4, expect.stringContaining("https://127.0.0.1:9 cannot be reached: bad port")]);
  });

  it("is read with the token of the environment, not that of the configuration file", async () => {
    const { serving, url, token } = full;
    const { token: pushing } = await serving.invite("ann", { scope: "push" });
    const config = join(scratch("config"), "config.toml");
    writeFileSync(config, `[team]\ntoken = "${pushing}"\n`);
    let out = "";
    const code = await main(["sessions", "--json", "--store", url], {
      out: (text) => void (out += text),
      err: () => undefined,
      columns: 80,
      now: NOW,
      env: { HOME: home, DAYBOOK_CONFIG: config, DAYBOOK_TEAM_TOKEN: token },
      outIsTerminal: false,
      errIsTerminal: false,
    });
    expect([code, out === ""]).toEqual([0, false]);
  });

  it("sends nobody the rows of others, whatever owner a request names", async () => {
    const { serving, store, url } = full;
    const cyd = await withClient(store.url, (client) => addPerson(client, "cyd"));
    const rowsOf = async (login: string, more = ""): Promise<string> => {
      const { token } = await serving.invite(login, login === "kim" ? { role: "auditor" } : {});
      const headers = { "x-daybook-owner": cyd.owner, "x-remote-user": "cyd" };
      const response = await serving.ask(`/api/team/rows?words=private${more}`, token, { headers });
      expect([login, response.status]).toEqual([login, 200]);
      return response.text();
    };
    // The rows exist, and their owner gets them.
    expect(await rowsOf("cyd")).toContain(`private words of ${cyd.owner}`);
    for (const forged of [
      "",
      `&owner=${cyd.owner}`,
      `&owner_id=${cyd.owner}`,
      "&login=cyd",
      "&person=cyd",
      "&view=all",
    ]) {
      // Counted are one's own texts alone.
      for (const login of ["bob", "kim"]) expect(withoutCounts(await rowsOf(login, forged))).toBe(NOTHING);
      const own = await rowsOf("ann", forged);
      expect(own.length).toBeGreaterThan(10_000);
      expect(own).not.toContain("private words of");
    }
    for (const nasty of ["'; DROP TABLE daybook.turns; --", "' | 'a", "\\'", "a:*B & <->", "$4"]) {
      const { token } = await serving.invite("bob");
      const response = await serving.ask(`/api/team/rows?words=${encodeURIComponent(nasty)}`, token);
      expect([nasty, response.status, withoutCounts(await response.text())]).toEqual([nasty, 200, NOTHING]);
    }
    const { token } = await serving.invite("bob");
    expect(JSON.parse((await run("sessions", token, "--json", "--store", url)).out)).toMatchObject({ sessions: [] });
    expect(serving.failures).toEqual([]);
  });

  it("answers 503 while six answers are unread, and 200 again after they are cancelled", async () => {
    const { serving, token } = full;
    const ask = (): Promise<Response> => serving.ask("/api/team/rows", token);
    const unread: Response[] = [];
    for (let n = 0; n < 6; n++) unread.push(await ask());
    expect(unread.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
    const refused = await ask();
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "2"]);
    // A client that disconnects frees its place.
    for (const { body } of unread) await body?.cancel();
    const statusOfNext = async (): Promise<number> => {
      const { status, body } = await ask();
      await body?.cancel();
      return status;
    };
    await expect.poll(statusOfNext, { timeout: 60_000 }).toBe(200);
    expect(serving.failures).toEqual([]);
  });

  it("answers 500 without details when the database fails", async () => {
    const { serving, store, token } = totals;
    await withClient(store.url, (client) => client.query("ALTER TABLE daybook.details RENAME TO away"));
    try {
      const response = await serving.ask("/api/team/rows", token);
      expect(response.status).toBe(500);
      expect(await response.text()).not.toMatch(/details|relation|daybook\./);
    } finally {
      await withClient(store.url, (client) => client.query("ALTER TABLE daybook.away RENAME TO details"));
    }
  });

  /** Makes the program call the server without a socket; returns the paths it requests. */
  function routeFetchTo(serving: TeamServing): string[] {
    const asked: string[] = [];
    vi.stubGlobal("fetch", async (url: string, init: RequestInit) => {
      const path = url.replace(TEAM, "");
      asked.push(path);
      return serving.ask(path, null, init);
    });
    return asked;
  }

  it.each(["usage", "report --date 2026-05-12", "search test"])(
    "is reported as incomplete wherever its answer to %s is cut off",
    async (words) => {
      const { serving, token } = full;
      const [path = ""] = await pathsRequestedBy(words, token, serving);
      const whole = new Uint8Array(await (await serving.ask(path, token)).arrayBuffer());
      const headers = { "content-type": "application/x-ndjson" };
      const answer = await run(words, token, "--json", "--store", TEAM);
      expect([words, answer.code]).toEqual([words, 0]);
      // Also just before the last line, which marks the end.
      const ends = [
        whole.length - 13,
        whole.length - 12,
        ...Array.from({ length: 12 }, (_, n) => (n * whole.length) >> 4),
      ];
      for (const end of ends)
        for (const isBroken of [false, true]) {
          const source = new ReadableStream<Uint8Array>({
            start: (to) => to.enqueue(whole.subarray(0, end)),
            pull: (to) => (isBroken ? to.error(new Error("socket hang up")) : to.close()),
          });
          vi.stubGlobal("fetch", async () => new Response(source, { headers }));
          const { code, out, err } = await run(words, token, "--json", "--store", TEAM);
          expect([end, code, out]).toEqual([end, 4, ""]);
          expect(err).toMatch(
            isBroken
              ? "stopped sending: the connection was interrupted"
              : /incomplete data: (?:the end is missing|a line is not)/,
          );
        }
    },
  );

  async function pathsRequestedBy(words: string, token: string, serving: TeamServing): Promise<string[]> {
    const asked = routeFetchTo(serving);
    const { code, err } = await run(words, token, "--json", "--store", TEAM);
    expect([words, code, err]).toEqual([words, 0, ""]);
    return asked;
  }

  it("aborts its answer when the database fails midway", async () => {
    const { store, token } = totals;
    const failures: unknown[] = [];
    const server = await serveTeam({
      store: store.apiUrl,
      port: 0,
      host: "127.0.0.1",
      publicUrl: null,
      oidc: null,
      page: false,
      now: () => NOW,
      failed: (error) => void failures.push(error),
    });
    running.push(server);
    // The HTTP library logs the error too.
    const logged = vi.spyOn(console, "error").mockImplementation(() => undefined);
    // Sessions and turns can be read, decisions cannot.
    await withClient(store.url, async (client) => {
      await client.query(
        `INSERT INTO daybook.turns SELECT owner_id, session_id, n + 1000 * copy, ts, ended, day, calls, failed, pico, status, source, project, model, hash
         FROM daybook.turns, generate_series(1, 20) copy`,
      );
      await client.query("ALTER TABLE daybook.decisions RENAME TO away");
    });
    try {
      const { code, out, err } = await run("report --date 2026-05-12", token, "--json", "--store", server.url);
      expect([code, out]).toEqual([4, ""]);
      expect(err).toContain("stopped sending");
      expect(err).not.toMatch(/daybook\.decisions|relation/);
      expect(failures).toEqual([expect.objectContaining({ code: "42P01" })]);
      const sent = await fetch(`${server.url}api/team/rows`, { headers: { authorization: `Bearer ${token}` } });
      expect(sent.status).toBe(200);
      await expect(sent.text()).rejects.toThrow("terminated");
    } finally {
      logged.mockRestore();
      await withClient(store.url, async (client) => {
        await client.query("ALTER TABLE daybook.away RENAME TO decisions");
        await client.query("DELETE FROM daybook.turns WHERE n >= 1000");
      });
    }
  });

  it("accepts OIDC tokens of known people for its audience, and no others", async () => {
    const [issuer, audience] = ["https://id.example", "daybook"];
    const { privateKey, publicKey } = await generateKeyPair("ES256");
    const keys = [{ ...(await exportJWK(publicKey)), kid: "k1", alg: "ES256" }];
    const oidc = new Oidc(
      { issuer, audience, jwks: `${issuer}/keys`, claim: "email" },
      () => NOW,
      async () => ({ keys }),
    );
    const signed = (email: string, aud = audience): Promise<string> =>
      new SignJWT({ iss: issuer, aud, email, email_verified: true, iat: NOW / 1000, exp: NOW / 1000 + 300 })
        .setProtectedHeader({ alg: "ES256", kid: "k1" })
        .sign(privateKey);
    const serving = teamServing(full.store, oidc);
    const wanted = await run("turns", full.token, "--json", "--store", full.url);
    routeFetchTo(serving);
    const mine = await run("turns", await signed("ann"), "--json", "--store", TEAM);
    expect(mine).toEqual(wanted);
    expect(JSON.parse(mine.out)).toMatchObject({ turns: expect.arrayContaining([expect.anything()]) as unknown[] });
    expect(JSON.parse((await run("turns", await signed("bob"), "--json", "--store", TEAM)).out)).toMatchObject({
      turns: [],
    });
    for (const token of [await signed("eve"), await signed("ann", "another")])
      expect(await run("turns", token, "--json", "--store", TEAM)).toMatchObject({
        code: 1,
        out: "",
        err: expect.stringContaining("refused the read") as string,
      });
  });

  it("sends only the rows that a question needs", async () => {
    const { serving, token } = full;
    const sent = async (words: string): Promise<Record<string, number>> => {
      const counts: Record<string, number> = {};
      for (const path of await pathsRequestedBy(words, token, serving))
        for (const line of (await (await serving.ask(path, token)).text()).trimEnd().split("\n")) {
          const [kind = ""] = Object.keys(JSON.parse(line) as object);
          counts[kind] = (counts[kind] ?? 0) + 1;
        }
      return counts;
    };
    const all = await sent("report --since 2020-01-01");
    const { head: _, end: __, session = 0, turn = 0, call = 0 } = all;
    const blocks = await sent("usage blocks");
    const response = blocks["response"] ?? 0;
    expect([session, turn, call, response].every((count) => count > 5)).toBe(true);
    const once = { head: 1, end: 1, session };
    expect(await sent("sessions")).toEqual(once);
    expect(await sent("turns")).toEqual({ ...once, turn });
    expect(await sent("tools")).toEqual({ ...once, call });
    // The store's own sums are those of its days; sums of another zone's days are made of quarters of an hour.
    const { sum: days = 0, ...rest } = await sent("usage --timezone UTC");
    expect(rest).toEqual({ head: 1, end: 1 });
    expect(days).toBeGreaterThan(0);
    const { sum: quarters = 0, ...more } = await sent("usage --timezone Asia/Kathmandu");
    expect(more).toEqual(rest);
    expect(quarters).toBeGreaterThanOrEqual(days);
    expect(quarters).toBeLessThan(response);
    // By turn, or by when a turn began: sums of the turns.
    const { response: together = 0, ...others } = await sent("usage session");
    expect(others).toEqual(once);
    expect(together).toBeLessThan(response);
    expect(await sent("usage --by trigger")).toEqual({ ...once, time: turn, response: together });
    expect(await sent("decisions")).toEqual({ ...once, asked: all["asked"] });
    expect(await sent("search nowhere-to-be-found")).toEqual(once);
    const found = await sent("search fail*");
    expect(Object.keys(found).toSorted()).toEqual(["end", "head", "session", "text", "turn"]);
    expect(found["turn"]).toBeLessThanOrEqual(Math.min(found["text"] ?? 0, turn - 1));
    // For one day, only the responses of sessions of that day.
    const day = await sent("usage session --since 2026-05-12 --until 2026-05-12");
    expect(day["response"]).toBeGreaterThan(0);
    expect(day["response"]).toBeLessThan(together);
    const ofDay = await sent("usage --since 2026-05-12 --until 2026-05-12 --timezone UTC");
    expect(ofDay["sum"]).toBeGreaterThan(0);
    expect(ofDay["sum"]).toBeLessThan(days);
    expect(await sent("turns --since 2020-01-01 --until 2020-01-02")).toEqual(once);
  });

  it("answers 400 to malformed parameters", async () => {
    const { serving, token } = full;
    for (const query of [
      "lists=all",
      "lists=turns,",
      "lists=,",
      "from=today",
      "to=1.5",
      "from=1e999",
      "state=maybe",
      "sums_in=Nowhere",
      "together=no",
    ])
      expect([query, (await serving.ask(`/api/team/rows?${query}`, token)).status]).toEqual([query, 400]);
    for (const query of ["lists=", "lists=asked,turns", "from=-62000000000000", "to=253402300800000", "state=1"])
      expect([query, (await serving.ask(`/api/team/rows?${query}`, token)).status]).toEqual([query, 200]);
    expect(await (await serving.ask("/api/team/rows?state=1", token)).text()).toMatch(
      /^\{"head":.*\}\n\{"end":true\}\n$/,
    );
  });

  it.each(["full", "totals"] as const)(
    "answers questions about days the same from some rows as from all, at level %s",
    async (level) => {
      const { store } = level === "full" ? full : totals;
      const progress = { rows: 0, of: 0 };
      const opened = (givenWhole: boolean): Daybook =>
        new Daybook({
          roots: {},
          env: {},
          home: "/nowhere",
          timezone: "UTC",
          now: Date.UTC(2026, 11, 31),
          givenWhole,
          remote: (work, about) => fromStore({ url: store.url, login: "ann", ...about }, work),
          onProgress: ({ files, of, things }) => {
            expect(things).toBe("rows");
            expect(files).toBeLessThanOrEqual(of);
            Object.assign(progress, { rows: files, of });
          },
        });
      const whole = opened(true);
      const days = [...(await inside(whole).turnDays({})).keys()].toSorted();
      expect(days.length).toBeGreaterThan(2);
      expect(progress.rows).toBeGreaterThan(50);
      expect(progress.of).toBe(progress.rows);
      const by = { by: "trigger", breakdown: true, order: "asc" } as const;
      const asks: ((daybook: Daybook, query: Query & { since: string; until: string }) => Promise<unknown>)[] = [
        (daybook, query) => daybook.turns(query),
        (daybook, query) => daybook.tools(query),
        (daybook, query) => daybook.decisions(query),
        (daybook, query) => daybook.usage({ ...query, ...by, group: "turn" }),
        (daybook, query) => daybook.usage({ ...query, ...by, group: "daily", by: "spent" }),
        (daybook, query) => daybook.blocks({ ...query, hours: 5 }),
        (daybook, query) => daybook.report(query),
        (daybook, { until }) => daybook.report({ date: until }),
        (daybook, { until }) => daybook.report({ date: until, week: true }),
        (daybook, { until }) => daybook.report({ until }),
        (daybook, { since }) => inside(daybook).lastWorkDay(since),
        (daybook) => daybook.report(),
      ];
      const [first = "", between = "", last = ""] = [days[0], days[days.length >> 1], days.at(-1)];
      const spans = [[between, addDays(between, 3)] as const, [first, first] as const, [last, last] as const];
      for (const [since, until] of level === "full" ? spans : spans.slice(0, 1))
        for (const [n, ask] of asks.entries()) {
          const narrow = opened(false);
          expect([since, until, n, await ask(narrow, { since, until })]).toEqual([
            since,
            until,
            n,
            await ask(whole, { since, until }),
          ]);
          narrow.close();
        }
      whole.close();
    },
  );
});

/** The answer about an owner who has pushed nothing. */
const NOTHING = '{"head":{"version":2,"state":"0","lowest":null,"removed":null}}\n{"end":true}\n';
/** The same for a search: of no texts at all. */
const withoutCounts = (rows: string): string =>
  rows.replace(/,"texts":\{"texts":0,"words":0,"holders":\[[0,]*\]\}/, "");

/** The first line of an answer. */
const HEAD = '{"head":{"version":2,"state":"7"}}';
const END = '{"end":true}';

describe("received rows", () => {
  const received = (...lines: string[]): ReceivedRows =>
    new ReceivedRows(ReadableStream.from(lines)[Symbol.asyncIterator](), "https://daybook.example");
  const listed = async <T>(lists: AsyncIterable<readonly T[]>): Promise<T[]> => {
    const all: T[] = [];
    for await (const some of lists) all.push(...some);
    return all;
  };

  it("are rejected if the end is missing or a line is malformed", async () => {
    await expect(received().sessions()).rejects.toThrow("incomplete data: the end is missing");
    await expect(received(HEAD, '{"session":{}}').sessions()).rejects.toMatchObject({ code: "unreachable" });
    for (const line of ["{", "[]", "null", '{"other":1}', "Error: gone", '{"session":{}', "\u0000"])
      await expect(received(HEAD, line).sessions()).rejects.toThrow("a line is not a row");
    expect(await received(HEAD, '{"session":{}}', END).sessions()).toEqual([{}]);
  });

  it("are rejected if their version is unknown or missing", async () => {
    await expect(received('{"head":{"version":3,"state":"7"}}', END).sessions()).rejects.toThrow(
      "https://daybook.example sends rows of version 3; this Daybook reads version 2",
    );
    for (const head of ['{"session":{}}', '{"head":{"state":"7"}}', '{"head":{"version":2}}', '{"head":null}', END])
      await expect(received(head, END).state()).rejects.toMatchObject({ code: "refused" });
    expect(await received(HEAD).state()).toBe("7");
  });

  it("are rejected if they arrive out of order", async () => {
    const rows = received(HEAD, '{"turn":{}}', END);
    expect(await rows.sessions()).toEqual([]);
    await expect(listed(rows.calls())).rejects.toThrow("a turn out of order");
  });

  it("are passed on in batches, limited by count and by length", async () => {
    const sizes = async (count: number, text: string): Promise<number[]> => {
      const lines = Array.from({ length: count }, () => JSON.stringify({ text }));
      const rows = received(HEAD, ...lines, END);
      await rows.sessions();
      const found: number[] = [];
      for await (const some of rows.texts()) found.push(some.length);
      return found;
    };
    expect(await sizes(4500, "")).toEqual([2000, 2000, 500]);
    expect(await sizes(10, "x".repeat(1_100_000))).toEqual([4, 4, 2]);
  });
});

describe("a server that does not send proper rows", () => {
  const question = { url: "https://daybook.example", settings: { token: "t" }, env: {} };
  afterEach(() => void vi.unstubAllGlobals());

  async function rowsIn(response: Response, limits = {}): Promise<number> {
    vi.stubGlobal("fetch", async () => response);
    return fromServer({ ...question, limits }, async (rows) => {
      let texts = (await rows.sessions()).length;
      for await (const some of rows.texts()) texts += some.length;
      return texts;
    });
  }
  const ROWS = { headers: { "content-type": "application/x-ndjson" } };

  it("is refused, naming the content type it sent", async () => {
    const page = new Response("<html>", { headers: { "content-type": "text/html; charset=utf-8" } });
    await expect(rowsIn(page)).rejects.toMatchObject({
      code: "refused",
      message: expect.stringContaining("does not send rows but text/html") as string,
    });
    await expect(rowsIn(new Response("", { headers: { "content-type": "" } }))).rejects.toThrow(
      "does not send rows but",
    );
  });

  it("is cut off when a line is too long", async () => {
    let sent = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull: (to) => {
        to.enqueue(Buffer.from(sent++ === 0 ? `${HEAD}\n` : "x".repeat(1000)));
      },
    });
    await expect(rowsIn(new Response(endless, ROWS), { longest: 10_000 })).rejects.toThrow(
      "https://daybook.example stopped sending: a line is too long",
    );
    expect(sent).toBeLessThan(20);
  });

  it("is given up when no data arrives in time", async () => {
    const silent = new ReadableStream<Uint8Array>({ start: (to) => to.enqueue(Buffer.from(`${HEAD}\n`)) });
    await expect(rowsIn(new Response(silent, ROWS), { patience: 20 })).rejects.toMatchObject({
      code: "unreachable",
      message: expect.stringContaining("no data arrived in time") as string,
    });
  });

  it("may send invalid UTF-8 within a row", async () => {
    const odd = new Uint8Array([...Buffer.from(`${HEAD}\n{"text":"`), 0xff, 0xc3, ...Buffer.from(`"}\n${END}\n`)]);
    expect(await rowsIn(new Response(odd, ROWS))).toBe(1);
  });
});
