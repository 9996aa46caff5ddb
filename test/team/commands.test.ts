import { describe, expect, it } from "vitest";
import type { Io } from "../../src/doors/cli/io.ts";
import { main } from "../../src/doors/cli/main.ts";
import type { Answers } from "../../src/answers/json.ts";
import { problemsOf } from "../answers-schema.ts";
import { addPerson } from "./people.ts";
import { cluster, NO_POSTGRES, teamStore, withClient } from "./postgres.ts";

const NOW = Date.UTC(2026, 4, 12, 10);

interface Ran {
  code: number;
  out: string;
  err: string;
}

async function run(line: string | readonly string[], store: string, answerOfUser?: () => string): Promise<Ran> {
  const ran: Ran = { code: 0, out: "", err: "" };
  const io: Io = {
    out: (text) => void (ran.out += text),
    err: (text) => void (ran.err += text),
    env: { HOME: "/nowhere", DAYBOOK_STORE: store },
    now: NOW,
    columns: 80,
    outIsTerminal: false,
    errIsTerminal: answerOfUser !== undefined,
    inIsTerminal: true,
    ...(answerOfUser ? { ask: async () => answerOfUser() } : {}),
  };
  ran.code = await main(typeof line === "string" ? line.split(" ") : line, io);
  return ran;
}

async function answer<Name extends keyof Answers>(name: Name, line: string, store: string): Promise<Answers[Name]> {
  const { out, err } = await run(`${line} --json`, store);
  expect(err).toBe("");
  const value = JSON.parse(out) as Answers[Name];
  expect(problemsOf(name, value)).toEqual([]);
  return value;
}

describe("daybook team", () => {
  it("needs the address of a reachable store, and prints no password", async () => {
    expect(await run("team status", "")).toMatchObject({ code: 2, err: expect.stringContaining("which store?") });
    expect(await run("team status", "https://example.invalid/")).toMatchObject({ code: 2 });
    const { err } = await run("team status", "postgres://ann:hunter2@/x?host=/nowhere");
    expect(err).toContain("cannot be reached");
    expect(err).not.toContain("hunter2");
  });

  it("refuses unknown roles, scopes and time zones", async () => {
    for (const line of ["invite ann --role boss", "invite ann --scope write", "init --timezone Nowhere/City"])
      expect((await run(`team ${line}`, "postgres://nowhere/")).code).toBe(2);
  });
});

describe.skipIf(NO_POSTGRES !== null)("daybook team, on a database", () => {
  it("creates a store and shows its settings", async () => {
    const { url } = await cluster();
    await withClient(url("postgres"), (client) => client.query("CREATE DATABASE made"));
    expect((await run("team status", url("made"))).err).toContain("holds no team store");
    const made = await answer("team init", "team init --owner ann --timezone Asia/Tokyo", url("made"));
    expect(made.ran[0]).toBe("0001-tables");
    expect((await answer("team init", "team init", url("made"))).ran).toEqual([]);
    const { store } = await answer("team status", "team status", url("made"));
    expect(store).toMatchObject({ store_id: made.store_id, missing: [], zone: "Asia/Tokyo", people: 1, tokens: 0 });
    expect(store).toMatchObject({ smallest_group: 5, persons_shown: false });
    expect((await answer("team", "team", url("made"))).store).toEqual(store);
    const set = await answer("team set", "team set --smallest-group 8 --persons", url("made"));
    expect(set.store).toMatchObject({ smallest_group: 8, smallest_name: 3, persons_shown: true });
    const named = await answer("team set", "team set --smallest-name 4", url("made"));
    expect(named.store).toMatchObject({ smallest_group: 8, smallest_name: 4, persons_shown: true });
    const { out } = await run("team", url("made"));
    expect(out.split("\n").every((line) => line.length <= 80)).toBe(true);
    expect(out).toContain("1 person");
  });

  it("is distributed only on a cluster", async () => {
    const { url } = await teamStore({}, true);
    const ran = await run("team distribute", url);
    expect(ran).toMatchObject({ code: 1, err: expect.stringContaining("not a node of a Citus cluster") });
    expect((await answer("team status", "team status", url)).store.nodes).toBeNull();
  });

  it("creates, lists and revokes tokens, and does not store them in clear text", async () => {
    const { url } = await teamStore();
    const { invited } = await answer("team invite", "team invite ann --team backend --label laptop", url);
    expect(invited).toMatchObject({ login: "ann", role: "member", team: "backend", scope: "push" });
    expect(invited.token).toMatch(/^daybook_push_[\w-]{43}$/);
    expect(invited.expires).toBe(new Date(NOW + 365 * 86_400_000).toISOString());
    await answer("team invite", "team invite bea --role lead --scope read --team backend --expires 0", url);
    await answer("team invite", "team invite kim --role auditor --scope read", url);
    const { members } = await answer("team members", "team members", url);
    expect(members.map(({ login, auditor, teams }) => [login, auditor, teams])).toEqual([
      ["ann", false, [{ name: "backend", role: "member" }]],
      ["bea", false, [{ name: "backend", role: "lead" }]],
      ["kim", true, []],
    ]);
    // The database contains only a hash of the token.
    const stored = await withClient(url, (client) => client.query("SELECT * FROM daybook.tokens"));
    expect(JSON.stringify(stored.rows)).not.toContain(invited.token.slice(13));
    expect(await run("team members", url)).toMatchObject({
      out: expect.stringMatching(/ann +backend +[\da-f]{8} +push/),
    });
    expect(await answer("team revoke", `team revoke ${invited.token_id.slice(0, 8)}`, url)).toMatchObject({
      tokens: 1,
    });
    expect(await answer("team revoke", "team revoke bea", url)).toMatchObject({ revoked: "bea", tokens: 1 });
    const after = (await answer("team members", "team members", url)).members;
    expect(after.map(({ retired, tokens }) => [retired, tokens[0]?.revoked])).toEqual([
      [false, new Date(NOW).toISOString()],
      [true, new Date(NOW).toISOString()],
      [false, null],
    ]);
    expect((await run("team revoke nobody", url)).code).toBe(2);
    // Too short a prefix of a token id.
    expect((await run(`team revoke ${invited.token_id.slice(0, 2)}`, url)).code).toBe(2);
  });

  it("removes old rows only after confirmation, and shows them first", async () => {
    const { url } = await teamStore();
    await withClient(url, (client) => addPerson(client, "ann", { day: "2026-01-10" }));
    expect(await run("team retention", url)).toMatchObject({
      code: 0,
      out: "This store keeps everything forever.\nNothing is removed.\n",
    });
    const plan = await answer("team retention", "team retention --texts 90d --turns 1y --dry-run", url);
    expect(plan).toMatchObject({ dry_run: true, people: 1, sessions: 1, unfinished: false });
    expect(plan.removed["texts"]).toMatchObject({ rows: 2 });
    expect((await answer("team status", "team status", url)).store.retention?.texts).toEqual({
      days: null,
      before: null,
    });
    const dry = await run("team retention --texts 90d --turns 1y --dry-run", url);
    expect(dry.out).toContain("Nothing was removed: this was a dry run");
    expect(dry.out).toMatch(/texts +2 +/);
    expect(dry.out.split("\n").every((line) => line.length <= 80)).toBe(true);
    // Without a terminal nobody can confirm.
    expect(await run("team retention --texts 90d", url)).toMatchObject({
      code: 2,
      err: expect.stringContaining("--yes"),
    });
    expect((await run("team retention --texts 90d", url, () => "n")).err).toContain("nothing was removed");
    expect((await answer("team status", "team status", url)).store.retention?.texts.days).toBeNull();
    const made = await run("team retention --texts 90d", url, () => "y");
    expect([made.code, made.out]).toEqual([
      0,
      expect.stringContaining("9 rows of 1 session of 1 person were removed."),
    ]);
    const { store } = await answer("team status", "team status", url);
    expect(store.retention?.texts).toEqual({ days: 90, before: "2026-02-11" });
    const status = (await run("team status", url)).out.replaceAll(/\s+/g, " ");
    expect(status).toContain("texts for 90 days, removed before 2026-02-11");
    // As a cron job runs it.
    expect((await answer("team retention", "team retention --yes", url)).removed).toEqual({});
    const forever = (await run("team retention --texts forever --yes", url)).out.replaceAll(/\s+/g, " ");
    expect(forever).toContain("machines send 1 session again");
    for (const age of ["90", "0d", "-1d", "1h", "ever", "999999d"])
      expect((await run(`team retention --texts=${age}`, url)).code).toBe(2);
  });

  it("keeps a person's role and teams on another invitation unless it names others", async () => {
    const { url } = await teamStore();
    const currentMembers = async (): Promise<string[]> =>
      (await answer("team members", "team members", url)).members.map(
        ({ login, auditor, retired, teams }) =>
          `${login}${auditor ? " auditor" : ""}${retired ? " retired" : ""} ${teams.map(({ name, role }) => `${role}:${name}`).join()}`,
      );
    const invite = (words: string): Promise<Ran> => run(`team invite ${words}`, url);
    await invite("bea --team backend --role lead --scope read");
    await invite("bea --team backend");
    await invite("bea");
    await invite("kim --role auditor --scope read");
    await invite("kim");
    await invite("zoe");
    expect(await currentMembers()).toEqual(["bea lead:backend", "kim auditor ", "zoe member:everybody"]);
    await invite("bea --role member");
    await invite("kim --role member --team backend");
    await invite("zoe --team backend");
    expect(await currentMembers()).toEqual([
      "bea member:backend",
      "kim member:backend",
      "zoe member:backend,member:everybody",
    ]);
    // It is not clear which of the two teams is meant.
    expect(await invite("zoe --role lead")).toMatchObject({ code: 2, err: expect.stringContaining("of which team?") });
    expect((await invite("zoe")).err).toContain("zoe may push");
    expect((await invite("bea --role lead")).err).toContain("bea, lead of backend, may push");
    await invite("kim --role auditor");
    // A revoked person gets only the roles of the new invitation.
    for (const name of ["bea", "kim"]) await run(`team revoke ${name}`, url);
    for (const name of ["bea", "kim"]) await invite(name);
    expect(await currentMembers()).toEqual([
      "bea member:backend",
      "kim member:backend",
      "zoe member:backend,member:everybody",
    ]);
    expect(await answer("team revoke", "team revoke zoe --team everybody", url)).toMatchObject({ team: "everybody" });
    expect((await currentMembers())[2]).toBe("zoe member:backend");
    expect((await run("team revoke zoe --team everybody", url)).err).toContain("zoe is not in the team everybody");
  });

  it("needs something to set, and the login of the store's administrator", async () => {
    const { url, apiUrl } = await teamStore();
    expect(await run("team set", url)).toMatchObject({ code: 2, err: expect.stringContaining("set what?") });
    for (const line of ["team status", "team members", "team invite eve --role auditor"])
      expect(await run(line, apiUrl)).toMatchObject({
        code: 1,
        err: expect.stringContaining("only the administrator of the database"),
      });
  });

  it("refuses invalid login names, and accepts umlauts, spaces and @", async () => {
    const { url } = await teamStore();
    for (const name of ["'; DROP TABLE daybook.owners; --", "", "\u001b[31mred", "a".repeat(200)])
      expect((await run(["team", "invite", name], url)).code).toBe(2);
    expect((await run(["team", "invite", "Ünal O+q@example.com"], url)).code).toBe(0);
  });
});
