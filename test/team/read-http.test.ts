import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import type { Level } from "../../src/answers/push-level.ts";
import { main } from "../../src/cli/main.ts";
import type { RunningServer } from "../../src/http/listen.ts";
import { serveTeam } from "../../src/http/team/server.ts";
import { Daybook, type Query } from "../../src/daybook.ts";
import { Oidc } from "../../src/team/oidc.ts";
import { fromServer } from "../../src/team/read/open-server.ts";
import { fromStore } from "../../src/team/read/open-store.ts";
import { ReceivedRows } from "../../src/team/read/row-lines.ts";
import { addDays } from "../../src/time/zone.ts";
import { copyCorpus, scratch } from "../store/fixture.ts";
import { addPerson } from "./people.ts";
import { NO_POSTGRES, teamStore, withClient, type TeamStore } from "./postgres.ts";
import { addOwners, pushHome } from "./push-fixture.ts";
import { HOST, NOW, teamServing, type TeamServing } from "./serving.ts";

/** What the server is called where it is asked without a socket. */
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
  /** Of ann, to read. */
  token: string;
}

describe.skipIf(NO_POSTGRES !== null)("a team's server that is asked with --store", () => {
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

  it.each(["full", "totals"] as const)("answers what its database does, of %s", async (level) => {
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

  it("lets nobody read with a token to push, one that has ended, or none", async () => {
    const { serving, url, token } = full;
    const pushing = await serving.invite("ann", { scope: "push" });
    const ended = await serving.invite("ann");
    await serving.admin.revoke(ended.token_id.slice(0, 8));
    const ask = (given: string | null, ...more: string[]): ReturnType<typeof run> =>
      run("sessions", given, "--store", url, ...more);
    const said = (text: string): unknown => expect.stringContaining(text);
    expect(await ask(pushing.token)).toMatchObject({
      code: 1,
      out: "",
      err: said("refused the read: this token is"),
    });
    expect((await ask(pushing.token)).err).toContain("--scope read");
    expect(await ask(ended.token)).toMatchObject({ code: 1, out: "", err: said("refused the read: no valid token") });
    expect(await ask("guessed")).toMatchObject({ code: 1, out: "", err: said("refused the read: no valid token") });
    expect(await ask(null)).toMatchObject({ code: 2, out: "", err: said("needs a token") });
    expect(await ask(token, "--owner", "bob")).toMatchObject({ code: 2, err: said("the token says who you are") });
    for (const elsewhere of ["http://daybook.example", "http://localhost.example:4242"])
      expect(await run("sessions", token, "--store", elsewhere)).toMatchObject({
        code: 2,
        err: said("a team's server needs https"),
      });
    for (const path of ["/api/team/rows", "/api/team/rows?lists=calls&words=tests"]) {
      expect((await serving.ask(path, pushing.token)).status).toBe(403);
      expect((await serving.ask(path, ended.token)).status).toBe(401);
      expect((await serving.ask(path)).status).toBe(401);
    }
  });

  it("says why where nobody can be asked", async () => {
    // A port that nobody may be asked at.
    const { code, err } = await run("sessions", full.token, "--store", "https://127.0.0.1:9");
    expect([code, err]).toEqual([4, expect.stringContaining("https://127.0.0.1:9 cannot be reached: bad port")]);
  });

  it("takes the token that is not named for pushing", async () => {
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

  it("sends nobody the rows of another, whatever they say of who they are", async () => {
    const { serving, store, url } = full;
    const cyd = await withClient(store.url, (client) => addPerson(client, "cyd"));
    const rowsOf = async (login: string, more = ""): Promise<string> => {
      const { token } = await serving.invite(login, login === "kim" ? { role: "auditor" } : {});
      const headers = { "x-daybook-owner": cyd.owner, "x-remote-user": "cyd" };
      const response = await serving.ask(`/api/team/rows?words=private${more}`, token, { headers });
      expect([login, response.status]).toEqual([login, 200]);
      return response.text();
    };
    // Theirs are there, for them.
    expect(await rowsOf("cyd")).toContain(`private words of ${cyd.owner}`);
    for (const forged of [
      "",
      `&owner=${cyd.owner}`,
      `&owner_id=${cyd.owner}`,
      "&login=cyd",
      "&person=cyd",
      "&view=all",
    ]) {
      for (const login of ["bob", "kim"]) expect(await rowsOf(login, forged)).toBe(NOTHING);
      const own = await rowsOf("ann", forged);
      expect(own.length).toBeGreaterThan(10_000);
      expect(own).not.toContain("private words of");
    }
    for (const nasty of ["'; DROP TABLE daybook.turns; --", "' | 'a", "\\'", "a:*B & <->", "$4"]) {
      const { token } = await serving.invite("bob");
      const response = await serving.ask(`/api/team/rows?words=${encodeURIComponent(nasty)}`, token);
      expect([nasty, response.status, await response.text()]).toEqual([nasty, 200, NOTHING]);
    }
    const { token } = await serving.invite("bob");
    expect(JSON.parse((await run("sessions", token, "--json", "--store", url)).out)).toMatchObject({ sessions: [] });
    expect(serving.failures).toEqual([]);
  });

  it("holds rows back until they are taken, of a few people at once", async () => {
    const { serving, token } = full;
    const ask = (): Promise<Response> => serving.ask("/api/team/rows", token);
    const unread: Response[] = [];
    for (let n = 0; n < 6; n++) unread.push(await ask());
    expect(unread.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
    const refused = await ask();
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "2"]);
    // Who goes away gives back what was held for them.
    for (const { body } of unread) await body?.cancel();
    const isTaken = async (): Promise<number> => {
      const { status, body } = await ask();
      await body?.cancel();
      return status;
    };
    await expect.poll(isTaken, { timeout: 60_000 }).toBe(200);
    expect(serving.failures).toEqual([]);
  });

  it("answers nothing, and says why, where the database fails", async () => {
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

  /** The program asks the server without a socket; what was asked for is noted. */
  function unwired(serving: TeamServing): string[] {
    const asked: string[] = [];
    vi.stubGlobal("fetch", async (url: string, init: RequestInit) => {
      const path = url.replace(TEAM, "");
      asked.push(path);
      return serving.ask(path, null, init);
    });
    return asked;
  }

  it.each(["usage", "report --date 2026-05-12", "search test"])(
    "says of %s that it was cut off, wherever",
    async (words) => {
      const { serving, token } = full;
      const [path = ""] = await askedBy(words, token, serving);
      const whole = new Uint8Array(await (await serving.ask(path, token)).arrayBuffer());
      const headers = { "content-type": "application/x-ndjson" };
      const answer = await run(words, token, "--json", "--store", TEAM);
      expect([words, answer.code]).toEqual([words, 0]);
      // Also before the last line, which says that it is all.
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

  async function askedBy(words: string, token: string, serving: TeamServing): Promise<string[]> {
    const asked = unwired(serving);
    const { code, err } = await run(words, token, "--json", "--store", TEAM);
    expect([words, code, err]).toEqual([words, 0, ""]);
    return asked;
  }

  it("does not send an end where the database fails on the way", async () => {
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
    // The HTTP library says it as well.
    const said = vi.spyOn(console, "error").mockImplementation(() => undefined);
    // Sessions and turns are there, what the human was asked is not.
    await withClient(store.url, (client) =>
      client.query(
        `INSERT INTO daybook.turns SELECT owner_id, session_id, n + 1000 * copy, ts, ended, day, calls, failed, pico, status, source, project, model, hash
         FROM daybook.turns, generate_series(1, 20) copy; ALTER TABLE daybook.decisions RENAME TO away`,
      ),
    );
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
      said.mockRestore();
      await withClient(store.url, (client) =>
        client.query("ALTER TABLE daybook.away RENAME TO decisions; DELETE FROM daybook.turns WHERE n >= 1000"),
      );
    }
  });

  it("knows people by the company's own tokens as well", async () => {
    const [issuer, audience] = ["https://id.example", "daybook"];
    const { privateKey, publicKey } = await generateKeyPair("ES256");
    const keys = [{ ...(await exportJWK(publicKey)), kid: "k1", alg: "ES256" }];
    const oidc = new Oidc(
      { issuer, audience, jwks: `${issuer}/keys`, claim: "email" },
      () => NOW,
      async () => ({ keys }),
    );
    const signed = (email: string, aud = audience): Promise<string> =>
      new SignJWT({ iss: issuer, aud, email, iat: NOW / 1000, exp: NOW / 1000 + 300 })
        .setProtectedHeader({ alg: "ES256", kid: "k1" })
        .sign(privateKey);
    const serving = teamServing(full.store, oidc);
    const wanted = await run("turns", full.token, "--json", "--store", full.url);
    unwired(serving);
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

  it("sends the rows a question needs, and no others", async () => {
    const { serving, token } = full;
    const sent = async (words: string): Promise<Record<string, number>> => {
      const counts: Record<string, number> = {};
      for (const path of await askedBy(words, token, serving))
        for (const line of (await (await serving.ask(path, token)).text()).trimEnd().split("\n")) {
          const [kind = ""] = Object.keys(JSON.parse(line) as object);
          counts[kind] = (counts[kind] ?? 0) + 1;
        }
      return counts;
    };
    const all = await sent("report --since 2020-01-01");
    const { head: _, end: __, session = 0, turn = 0, call = 0, response = 0 } = all;
    expect([session, turn, call, response].every((count) => count > 5)).toBe(true);
    const once = { head: 1, end: 1, session };
    expect(await sent("sessions")).toEqual(once);
    expect(await sent("turns")).toEqual({ ...once, turn });
    expect(await sent("tools")).toEqual({ ...once, call });
    expect(await sent("usage")).toEqual({ ...once, time: turn, response });
    expect(await sent("decisions")).toEqual({ ...once, asked: all["asked"] });
    expect(await sent("search nowhere-to-be-found")).toEqual(once);
    const found = await sent("search fail*");
    expect(Object.keys(found).toSorted()).toEqual(["end", "head", "session", "text", "turn"]);
    expect(found["turn"]).toBeLessThanOrEqual(Math.min(found["text"] ?? 0, turn - 1));
    // Of one day: what else its sessions say, and nothing of others.
    const day = await sent("usage --since 2026-05-12 --until 2026-05-12");
    expect(day["response"]).toBeGreaterThan(0);
    expect(day["response"]).toBeLessThan(response);
    expect(await sent("turns --since 2020-01-01 --until 2020-01-02")).toEqual(once);
  });

  it("refuses what it does not understand", async () => {
    const { serving, token } = full;
    for (const query of ["lists=all", "lists=turns,", "lists=,", "from=today", "to=1.5", "from=1e999", "state=maybe"])
      expect([query, (await serving.ask(`/api/team/rows?${query}`, token)).status]).toEqual([query, 400]);
    for (const query of ["lists=", "lists=asked,turns", "from=-62000000000000", "to=253402300800000", "state=1"])
      expect([query, (await serving.ask(`/api/team/rows?${query}`, token)).status]).toEqual([query, 200]);
    expect(await (await serving.ask("/api/team/rows?state=1", token)).text()).toMatch(
      /^\{"head":.*\}\n\{"end":true\}\n$/,
    );
  });

  it.each(["full", "totals"] as const)("answers about days what it would with all rows, of %s", async (level) => {
    const { store } = level === "full" ? full : totals;
    const taken = { rows: 0, of: 0 };
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
          Object.assign(taken, { rows: files, of });
        },
      });
    const whole = opened(true);
    const days = [...(await whole.turnDays({})).keys()].toSorted();
    expect(days.length).toBeGreaterThan(2);
    expect(taken.rows).toBeGreaterThan(50);
    expect(taken.of).toBe(taken.rows);
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
      (daybook, { since }) => daybook.lastWorkDay(since),
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
  });
});

/** What is sent of whoever has pushed nothing. */
const NOTHING = '{"head":{"version":1,"state":"0","lowest":null,"removed":null}}\n{"end":true}\n';

/** What says that rows follow. */
const HEAD = '{"head":{"version":1,"state":"7"}}';
const END = '{"end":true}';

describe("rows that are received", () => {
  const received = (...lines: string[]): ReceivedRows =>
    new ReceivedRows(ReadableStream.from(lines)[Symbol.asyncIterator](), "https://daybook.example");
  const listed = async <T>(lists: AsyncIterable<readonly T[]>): Promise<T[]> => {
    const all: T[] = [];
    for await (const some of lists) all.push(...some);
    return all;
  };

  it("are whole, or none", async () => {
    await expect(received().sessions()).rejects.toThrow("incomplete data: the end is missing");
    await expect(received(HEAD, '{"session":{}}').sessions()).rejects.toMatchObject({ code: "unreachable" });
    for (const line of ["{", "[]", "null", '{"other":1}', "Error: gone", '{"session":{}', "\u0000"])
      await expect(received(HEAD, line).sessions()).rejects.toThrow("a line is not a row");
    expect(await received(HEAD, '{"session":{}}', END).sessions()).toEqual([{}]);
  });

  it("are of a version that is known", async () => {
    await expect(received('{"head":{"version":2,"state":"7"}}', END).sessions()).rejects.toThrow(
      "https://daybook.example sends rows of version 2; this Daybook reads version 1",
    );
    for (const head of ['{"session":{}}', '{"head":{"state":"7"}}', '{"head":{"version":1}}', '{"head":null}', END])
      await expect(received(head, END).state()).rejects.toMatchObject({ code: "refused" });
    expect(await received(HEAD).state()).toBe("7");
  });

  it("are not passed over where they come in another order", async () => {
    const rows = received(HEAD, '{"turn":{}}', END);
    expect(await rows.sessions()).toEqual([]);
    await expect(listed(rows.calls())).rejects.toThrow("a turn out of order");
  });

  it("are handed on some at a time, by their number and by their length", async () => {
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

describe("a server that sends something else", () => {
  const question = { url: "https://daybook.example", settings: { token: "t" }, env: {} };
  afterEach(() => void vi.unstubAllGlobals());

  async function taken(response: Response, limits = {}): Promise<number> {
    vi.stubGlobal("fetch", async () => response);
    return fromServer({ ...question, limits }, async (rows) => {
      let texts = (await rows.sessions()).length;
      for await (const some of rows.texts()) texts += some.length;
      return texts;
    });
  }
  const ROWS = { headers: { "content-type": "application/x-ndjson" } };

  it("is said to, where it is a page", async () => {
    const page = new Response("<html>", { headers: { "content-type": "text/html; charset=utf-8" } });
    await expect(taken(page)).rejects.toMatchObject({
      code: "refused",
      message: expect.stringContaining("does not send rows but text/html") as string,
    });
    await expect(taken(new Response("", { headers: { "content-type": "" } }))).rejects.toThrow(
      "does not send rows but",
    );
  });

  it("is not read to the end of a line that never ends", async () => {
    let sent = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull: (to) => {
        to.enqueue(Buffer.from(sent++ === 0 ? `${HEAD}\n` : "x".repeat(1000)));
      },
    });
    await expect(taken(new Response(endless, ROWS), { longest: 10_000 })).rejects.toThrow(
      "https://daybook.example stopped sending: a line is too long",
    );
    expect(sent).toBeLessThan(20);
  });

  it("is not waited for where nothing comes", async () => {
    const silent = new ReadableStream<Uint8Array>({ start: (to) => to.enqueue(Buffer.from(`${HEAD}\n`)) });
    await expect(taken(new Response(silent, ROWS), { patience: 20 })).rejects.toMatchObject({
      code: "unreachable",
      message: expect.stringContaining("no data arrived in time") as string,
    });
  });

  it("may send no UTF-8", async () => {
    const odd = new Uint8Array([...Buffer.from(`${HEAD}\n{"text":"`), 0xff, 0xc3, ...Buffer.from(`"}\n${END}\n`)]);
    expect(await taken(new Response(odd, ROWS))).toBe(1);
  });
});
