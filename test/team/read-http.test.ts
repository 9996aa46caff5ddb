import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Level } from "../../src/answers/push-level.ts";
import { main } from "../../src/cli/main.ts";
import type { Serving } from "../../src/http/listen.ts";
import { serveTeam } from "../../src/http/team/server.ts";
import { ReceivedRows } from "../../src/team/read/row-lines.ts";
import { copyCorpus, scratch } from "../store/fixture.ts";
import { addPerson } from "./people.ts";
import { NO_POSTGRES, teamStore, withClient, type TeamStore } from "./postgres.ts";
import { addOwners, pushHome } from "./push-fixture.ts";
import { NOW, teamServing, type TeamServing } from "./serving.ts";

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
  const running: Serving[] = [];
  let [full, totals] = [] as unknown as [Served, Served];
  beforeAll(async () => {
    full = await served("full");
    totals = await served("totals");
  });
  afterAll(async () => {
    for (const one of running) await one.close();
  });

  async function served(level: Level): Promise<Served> {
    const store = await teamStore();
    await addOwners(store);
    await pushHome(store, roots, home, { level });
    const server = await serveTeam({
      ...{ store: store.apiUrl, port: 0, host: "127.0.0.1", publicUrl: null, oidc: null, page: false, now: () => NOW },
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
      ...{ out: (text) => void (out += text), err: (text) => void (err += text) },
      env: { HOME: home, ...(token === null ? {} : { DAYBOOK_TEAM_TOKEN: token }) },
      ...{ now: Date.UTC(2026, 11, 31), columns: 400, outIsTerminal: false, errIsTerminal: false },
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
      err: said("does not let us read: this token is"),
    });
    expect((await ask(pushing.token)).err).toContain("--scope read");
    expect(await ask(ended.token)).toMatchObject({ code: 1, out: "", err: said("does not let us read: no token") });
    expect(await ask("guessed")).toMatchObject({ code: 1, out: "", err: said("does not let us read: no token") });
    expect(await ask(null)).toMatchObject({ code: 2, out: "", err: said("asks for a token") });
    expect(await ask(token, "--owner", "bob")).toMatchObject({ code: 2, err: said("its token says who you are") });
    for (const elsewhere of ["http://daybook.example", "http://localhost.example:4242"])
      expect(await run("sessions", token, "--store", elsewhere)).toMatchObject({
        code: 2,
        err: said("over https alone"),
      });
    for (const path of ["/api/team/rows", "/api/team/rows?calls=true&words=tests"]) {
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
      ...{ out: (text) => void (out += text), err: () => undefined, columns: 80, now: NOW },
      ...{ env: { HOME: home, DAYBOOK_CONFIG: config, DAYBOOK_TEAM_TOKEN: token } },
      ...{ outIsTerminal: false, errIsTerminal: false },
    });
    expect([code, out === ""]).toEqual([0, false]);
  });

  it("sends nobody the rows of another, whatever they say of who they are", async () => {
    const { serving, store, url } = full;
    const cyd = await withClient(store.url, (client) => addPerson(client, "cyd"));
    const rowsOf = async (login: string, more = ""): Promise<string> => {
      const { token } = await serving.invite(login, login === "kim" ? { role: "auditor" } : {});
      const headers = { "x-daybook-owner": cyd.owner, "x-remote-user": "cyd" };
      const response = await serving.ask(`/api/team/rows?calls=true&words=private${more}`, token, { headers });
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
    const ask = (): Promise<Response> => serving.ask("/api/team/rows?calls=true", token);
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
});

/** What is sent of whoever has pushed nothing. */
const NOTHING = '{"state":"0"}\n{"end":true}\n';

describe("rows that are received", () => {
  const received = (...lines: string[]): ReceivedRows =>
    new ReceivedRows(ReadableStream.from(lines)[Symbol.asyncIterator](), "https://daybook.example");
  const listed = async <T>(lists: AsyncIterable<readonly T[]>): Promise<T[]> => {
    const all: T[] = [];
    for await (const some of lists) all.push(...some);
    return all;
  };

  it("are whole, or none", async () => {
    await expect(received().sessions()).rejects.toThrow("not whole: it was cut off");
    await expect(received('{"session":{}}').sessions()).rejects.toMatchObject({ code: "unreachable" });
    for (const line of ["{", "[]", "null", '{"other":1}', "Error: gone"])
      await expect(received(line).sessions()).rejects.toThrow("a line of it is no row");
    expect(await received('{"session":{}}', '{"end":true}').sessions()).toEqual([{}]);
  });

  it("are not passed over where they come in another order", async () => {
    const rows = received('{"turn":{}}', '{"end":true}');
    expect(await rows.sessions()).toEqual([]);
    await expect(listed(rows.calls())).rejects.toThrow("a turn too late");
  });

  it("of one session stay together", async () => {
    const line = (session: string): string => JSON.stringify({ response: { session } });
    const lines = [...Array.from({ length: 2500 }, () => line("a")), ...Array.from({ length: 10 }, () => line("b"))];
    const sizes: number[] = [];
    for await (const some of received(...lines, '{"end":true}').responses()) sizes.push(some.length);
    expect(sizes).toEqual([2500, 10]);
  });
});
