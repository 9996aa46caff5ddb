import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import type {
  TeamAsker,
  TeamFailuresAnswer,
  TeamSearchAnswer,
  TeamTurnsAnswer,
  TeamUsageAnswer,
} from "../../src/views/team.ts";
import { termVector } from "../../src/team/rows/search-terms.ts";
import { addWork } from "./people.ts";
import { NO_POSTGRES, teamStore, withClient, type TeamStore } from "./postgres.ts";
import { HOST, NOW, teamServing, type TeamServing } from "./serving.ts";

/** The first line of defence: what the server allows. Every role tries to reach what belongs to others. */
describe.skipIf(NO_POSTGRES !== null)("the team server", () => {
  let store: TeamStore;
  let serving: TeamServing;
  type Invited = Awaited<ReturnType<TeamServing["invite"]>>;
  let [ann, bea, cyd, dan, kim] = [] as unknown as [Invited, Invited, Invited, Invited, Invited];
  let team = "";
  let other = "";
  beforeAll(async () => {
    store = await teamStore({ smallestGroup: 3 });
    serving = teamServing(store);
    ann = await serving.invite("ann", { role: "lead" });
    bea = await serving.invite("bea");
    cyd = await serving.invite("cyd");
    dan = await serving.invite("dan", { role: "lead", team: "tiny" });
    kim = await serving.invite("kim", { role: "auditor" });
    await withClient(store.url, async (client) => {
      for (const { owner } of [ann, bea, cyd, dan]) await addWork(client, owner);
      await addWork(client, bea.owner, { project: "moonlight", text: "bea's private words" });
      const teams = await client.query<{ team_id: string; name: string }>("SELECT team_id, name FROM daybook.teams");
      for (const { team_id, name } of teams.rows)
        [team, other] = name === "backend" ? [team_id, other] : [team, team_id];
    });
  });

  const get = async <T>(path: string, token: string): Promise<T> => {
    const response = await serving.ask(path, token);
    expect([path, response.status]).toEqual([path, 200]);
    return (await response.json()) as T;
  };
  const status = async (path: string, token: string | null, init: RequestInit = {}): Promise<number> =>
    (await serving.ask(path, token, init)).status;

  it("answers 401 without a valid token", async () => {
    const paths = [
      "/api/team/me",
      "/api/team/usage",
      "/api/team/turns",
      "/api/team/push/state",
      "/api/overview",
      "/api/x",
    ];
    for (const path of paths) {
      expect([path, await status(path, null)]).toEqual([path, 401]);
      for (const token of ["guessed", `daybook_read_${"a".repeat(43)}`, `${ann.token}x`, ann.token.slice(0, -1)])
        expect([path, await status(path, token)]).toEqual([path, 401]);
    }
    for (const header of [
      `bearer ${ann.token}`,
      ann.token,
      `Basic ${ann.token}`,
      `Bearer  ${ann.token}`,
      `Bearer ${ann.token}, x`,
    ])
      expect(await status("/api/team/me", null, { headers: { authorization: header } })).toBe(401);
    const { detail } = (await (await serving.ask("/api/team/me", "guessed")).json()) as { detail: string };
    expect(detail).not.toMatch(/expired|revoked|unknown/);
  });

  it("refuses a token once it has expired or it or its owner was revoked", async () => {
    const mine = await serving.invite("eva", { expires: NOW + 1000 });
    expect(await status("/api/team/me", mine.token)).toBe(200);
    serving.clock.now = NOW + 1000;
    expect(await status("/api/team/me", mine.token)).toBe(401);
    serving.clock.now = NOW;
    const second = await serving.invite("eva");
    await serving.admin.revoke(second.token_id.slice(0, 8));
    expect(await status("/api/team/me", second.token)).toBe(401);
    expect(await status("/api/team/me", mine.token)).toBe(200);
    await serving.admin.revoke("eva");
    expect(await status("/api/team/me", mine.token)).toBe(401);
    // After a new invitation only the new token is valid.
    const third = await serving.invite("eva");
    expect([await status("/api/team/me", mine.token), await status("/api/team/me", third.token)]).toEqual([401, 200]);
  });

  it("accepts a token only for its scope", async () => {
    const pushing = await serving.invite("bea", { scope: "push" });
    for (const path of ["/api/team/me", "/api/team/usage", "/api/team/failures", "/api/team/turns"])
      expect([path, await status(path, pushing.token)]).toEqual([path, 403]);
    const machine = randomUUID();
    expect(await status(`/api/team/push/state?machine=${machine}`, bea.token)).toBe(403);
    for (const path of ["session", "forget"])
      expect(await status(`/api/team/push/${path}`, bea.token, { method: "POST", body: "{}" })).toBe(403);
    // The prefix cannot be exchanged: such a token is unknown to the store.
    expect(await status("/api/team/me", pushing.token.replace("daybook_push", "daybook_read"))).toBe(401);
  });

  it("shows developers only their own numbers and turns, whatever owner a request names", async () => {
    const me = await get<TeamAsker>("/api/team/me", bea.token);
    expect(me).toEqual({
      login: "bea",
      scopes: ["read"],
      auditor: false,
      zone: "UTC",
      today: "2026-05-12",
      teams: [{ team_id: team, name: "backend", role: "member" }],
      views: [{ view: "own", name: null, kind: "own", people: 1, monthly_budget_usd: null }],
      smallest_group: 3,
      smallest_name: 3,
    });
    const usage = await get<TeamUsageAnswer>("/api/team/usage?by=project", bea.token);
    expect(usage.groups.map(({ name, people, turns }) => [name, people, turns])).toEqual([
      ["moonlight", 1, 2],
      ["shop", 1, 2],
    ]);
    expect(usage.groups[0]).toMatchObject({ cost_usd: 2e-6, input_tokens: 100, cache_write_tokens: 10, calls: 2 });
    const { turns } = await get<TeamTurnsAnswer>("/api/team/turns?limit=3", bea.token);
    expect(turns.map(({ login }) => login)).toEqual(["bea", "bea", "bea"]);
    const failures = await get<TeamFailuresAnswer>("/api/team/failures", bea.token);
    expect(failures.failures).toEqual([{ tool: "shell", hidden_tools: 0, people: 1, calls: 4 }]);
    // Forged owners: in the query, in headers, in the path.
    const forged = [`owner=${ann.owner}`, `person=ann`, `owner_id=${ann.owner}`, `login=ann`];
    for (const words of forged) {
      const found = await get<TeamTurnsAnswer>(`/api/team/turns?${words}`, bea.token);
      expect(found.turns.map(({ login }) => login)).toEqual(["bea", "bea", "bea", "bea"]);
    }
    const headers = { "x-daybook-owner": ann.owner, "x-forwarded-user": "ann", "x-remote-user": "ann" };
    const response = await serving.ask("/api/team/me", bea.token, { headers });
    expect(await response.json()).toMatchObject({ login: "bea" });
    for (const view of [team, other, "all"])
      for (const path of ["usage", "failures", "turns"])
        expect([path, view, await status(`/api/team/${path}?view=${view}`, bea.token)]).toEqual([path, view, 403]);
    expect(await status(`/api/team/usage?view=${randomUUID()}`, bea.token)).toBe(403);
  });

  it("shows a lead totals of their team, but no single persons and no turns", async () => {
    const total = await get<TeamUsageAnswer>(`/api/team/usage?view=${team}`, ann.token);
    expect(total.groups).toMatchObject([{ people: 3, turns: 8 }]);
    const projects = await get<TeamUsageAnswer>(`/api/team/usage?view=${team}&by=project`, ann.token);
    expect(projects.groups.map(({ name, hidden_groups }) => [name, hidden_groups])).toEqual([[null, 2]]);
    expect(projects.withheld).toBe("2 projects of too few people are shown as one group");
    expect(JSON.stringify(projects)).not.toContain("moonlight");
    const persons = await get<TeamUsageAnswer>(`/api/team/usage?view=${team}&by=person`, ann.token);
    expect(persons).toMatchObject({ groups: [], withheld: "this store does not show numbers of single persons" });
    expect(await get(`/api/team/failures?view=${team}`, ann.token)).toMatchObject({
      failures: [{ tool: "shell", people: 3, calls: 8 }],
    });
    expect(await status(`/api/team/turns?view=${team}&person=bea`, ann.token)).toBe(403);
    expect(await status(`/api/team/usage?view=${other}`, ann.token)).toBe(403);
    expect(await status("/api/team/usage?view=all", ann.token)).toBe(403);
  });

  it("extends a lead's span to whole weeks", async () => {
    const usage = (words: string): Promise<TeamUsageAnswer> => get(`/api/team/usage?view=${team}&${words}`, ann.token);
    const week = await usage("since=2026-05-11&until=2026-05-17");
    for (const words of ["since=2026-05-11&until=2026-05-11", "since=2026-05-13&until=2026-05-16"])
      expect(await usage(words)).toEqual(week);
    expect(week).toMatchObject({ since: "2026-05-11", until: "2026-05-17", groups: [{ people: 3 }] });
    const failures = await get<TeamFailuresAnswer>(
      `/api/team/failures?view=${team}&since=2026-05-13&until=2026-05-13`,
      ann.token,
    );
    expect(failures).toMatchObject({ since: "2026-05-11", until: "2026-05-17", failures: [{ people: 3 }] });
    // A span of their own numbers is not extended.
    const own = await get<TeamUsageAnswer>("/api/team/usage?since=2026-05-12&until=2026-05-12", ann.token);
    expect(own).toMatchObject({ since: "2026-05-12", until: "2026-05-12", groups: [] });
    // Including the person whom an earlier test invited.
    const me = await get<TeamAsker>("/api/team/me", ann.token);
    expect(me.views).toEqual([
      { view: team, name: "backend", kind: "led", people: 4, monthly_budget_usd: null },
      { view: "own", name: null, kind: "own", people: 1, monthly_budget_usd: null },
    ]);
  });

  it("withholds the numbers of a team that is too small, and says why", async () => {
    const none = await get<TeamUsageAnswer>(`/api/team/usage?view=${other}`, dan.token);
    expect(none.groups).toEqual([]);
    expect(none.withheld).toBe("the team has 1 person; groups of fewer than 3 are not shown");
    const failures = await get<TeamFailuresAnswer>(`/api/team/failures?view=${other}`, dan.token);
    expect(failures).toMatchObject({ failures: [], withheld: none.withheld });
  });

  it("shows an auditor everybody's numbers and redacted turns", async () => {
    const people = await get<TeamUsageAnswer>("/api/team/usage?view=all&by=person", kim.token);
    expect(people.groups.map(({ name }) => name)).toEqual(["bea", "ann", "cyd", "dan"]);
    const { views } = await get<TeamAsker>("/api/team/me", kim.token);
    expect(views.map(({ view, kind }) => [view, kind])).toEqual([
      ["all", "audited"],
      [team, "audited"],
      [other, "audited"],
      ["own", "own"],
    ]);
    expect((await get<TeamUsageAnswer>(`/api/team/usage?view=${team}`, kim.token)).groups).toMatchObject([
      { people: 3 },
    ]);
    const found = await get<TeamTurnsAnswer>("/api/team/turns?view=all&person=bea", kim.token);
    expect(found.turns).toHaveLength(4);
    expect(found.turns[0]).toMatchObject({ login: "bea", turn: { turn: 2 } });
    expect(JSON.stringify(found)).not.toContain("private words");
    expect(await status("/api/team/turns?view=all", kim.token)).toBe(400);
    expect(await status("/api/team/turns?view=all&person=nobody", kim.token)).toBe(404);
    expect(await status(`/api/team/turns?view=${other}&person=bea`, kim.token)).toBe(404);
    expect(await status("/api/team/push/state?machine=x", kim.token)).toBe(403);
  });

  it("pages through turns and returns each once", async () => {
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const at: string = cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`;
      const piece: TeamTurnsAnswer = await get(`/api/team/turns?limit=1${at}`, bea.token);
      seen.push(...piece.turns.map(({ session_id, n }) => `${session_id}/${n}`));
      cursor = piece.next_cursor;
    } while (cursor !== null);
    expect(new Set(seen).size).toBe(4);
    expect(seen).toHaveLength(4);
  });

  it("finds only the asker's own texts, also by two Chinese or Japanese characters", async () => {
    const texts = ["数据库连接池已满", "東京タワーへ行く", "the connection pool is exhausted", "private to ann"];
    await withClient(store.url, async (client) => {
      for (const [i, text] of texts.entries())
        await client.query(
          `INSERT INTO daybook.texts (owner_id, session_id, n, turn, line, kind, ts, body, terms, words, hash)
           VALUES ($1, $2, $3, 1, 7, 0, '2026-05-10T10:00:00Z', $4, $5::tsvector, 4, '\\x01')`,
          [i === 3 ? ann.owner : cyd.owner, randomUUID(), 900 + i, text, termVector(text)],
        );
    });
    const found = async (query: string, token: string): Promise<string[]> => {
      const answer = await get<TeamSearchAnswer>(`/api/team/search?q=${encodeURIComponent(query)}`, token);
      return answer.hits.map(({ text }) => text);
    };
    expect(await found("数据", cyd.token)).toEqual([texts[0]]);
    expect(await found("連接", cyd.token)).toEqual([]);
    expect(await found("東京", cyd.token)).toEqual([texts[1]]);
    expect(await found('"connection pool"', cyd.token)).toEqual([texts[2]]);
    expect(await found("pool connection", cyd.token)).toEqual([texts[2]]);
    expect(await found("private ann", cyd.token)).toEqual([]);
    expect(await found("private ann", ann.token)).toEqual(["private to ann"]);
    // No role may search the texts of others.
    for (const { token } of [bea, dan, kim]) expect(await found("connection pool", token)).toEqual([]);
    for (const nasty of ["' | 'a", "!!", "a:*B & <->", "(((", "\\"])
      expect([nasty, await status(`/api/team/search?q=${encodeURIComponent(nasty)}`, bea.token)]).toEqual([nasty, 200]);
    expect(await status("/api/team/search?q=a&since=2026-02-31", bea.token)).toBe(400);
    const none = await get<TeamSearchAnswer>("/api/team/search?q=pool&until=2026-05-09", cyd.token);
    expect(none.hits).toEqual([]);
    const [hit] = (await get<TeamSearchAnswer>("/api/team/search?q=pool&since=2026-05-10&until=2026-05-10", cyd.token))
      .hits;
    expect(hit).toMatchObject({ turn: 1, line: 7, at: "2026-05-10T10:00:00.000Z" });
  });

  it("treats SQL in any parameter as plain text", async () => {
    const nasty = ["'; DROP TABLE daybook.turns; --", "' OR '1'='1", "\\'; SELECT 1", "$1", "%", "a\u0000b", "1e999"];
    for (const text of nasty) {
      const word = encodeURIComponent(text);
      for (const query of [
        `usage?by=${word}`,
        `usage?view=${word}`,
        `usage?since=${word}`,
        `turns?project=${word}`,
        `turns?cursor=${word}`,
        `turns?person=${word}`,
        `turns?limit=${word}`,
        `failures?until=${word}`,
      ]) {
        const code = await status(`/api/team/${query}`, bea.token);
        expect([query, [200, 400, 403, 422].includes(code)]).toEqual([query, true]);
        const audited = await status(`/api/team/${query}${query.includes("view") ? "" : "&view=all"}`, kim.token);
        expect([query, [200, 400, 404, 422].includes(audited)]).toEqual([query, true]);
      }
    }
    for (const words of ["since=2026-02-31", "since=2026-05-12&until=2026-05-01", "since=1026-01-01"])
      expect(await status(`/api/team/usage?${words}`, bea.token)).toBe(400);
    expect(serving.failures).toEqual([]);
    expect((await get<TeamUsageAnswer>("/api/team/usage?view=all", kim.token)).groups).toMatchObject([{ people: 4 }]);
  });

  it("refuses other origins, other hosts and other methods", async () => {
    const ask = (headers: Record<string, string>, method = "GET"): Promise<number> =>
      status("/api/team/me", bea.token, { headers, method });
    expect(await ask({})).toBe(200);
    expect(await ask({ host: "evil.example" })).toBe(421);
    expect(await ask({ origin: "https://evil.example" })).toBe(403);
    expect(await ask({ "sec-fetch-site": "cross-site" })).toBe(403);
    expect(await ask({ origin: `https://${HOST}` })).toBe(200);
    for (const method of ["PUT", "DELETE", "PATCH"]) expect(await ask({}, method)).toBe(405);
    const { headers } = await serving.ask("/api/team/me", bea.token);
    expect(headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(headers.get("cache-control")).toBe("no-store");
  });

  it("answers 503 without details when the database cannot be reached", async () => {
    const gone = teamServing({ url: store.url, apiUrl: "postgres://daybook_api@/gone?host=/nowhere" });
    const response = await gone.ask("/api/team/me", bea.token);
    expect([response.status, response.headers.get("retry-after")]).toEqual([503, "2"]);
    const text = await response.text();
    expect(text).toContain("the store cannot be reached");
    expect(text).not.toMatch(/nowhere|ENOENT|daybook_api/);
    expect(gone.failures).toHaveLength(1);
  });

  it("does not reveal error messages of the database", async () => {
    await withClient(store.url, (client) => client.query("ALTER TABLE daybook.usage_days RENAME TO away"));
    try {
      const response = await serving.ask("/api/team/usage", bea.token);
      expect(response.status).toBe(500);
      expect(await response.text()).not.toMatch(/usage_days|relation|daybook\./);
      expect(serving.failures).toHaveLength(1);
    } finally {
      await withClient(store.url, (client) => client.query("ALTER TABLE daybook.away RENAME TO usage_days"));
    }
  });
});
