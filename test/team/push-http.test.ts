import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RunningServer } from "../../src/doors/http/listen.ts";
import { serveTeam } from "../../src/doors/http/team/server.ts";
import { httpsDestination } from "../../src/team/push/https.ts";
import { machineOf } from "../../src/team/push/machine.ts";
import { push } from "../../src/team/push/push.ts";
import { copyCorpus, scratch } from "../store/fixture.ts";
import { book, dump, NO_WAIT } from "./push-fixture.ts";
import { NO_POSTGRES, teamStore, withClient, type TeamStore } from "./postgres.ts";
import { NOW, teamServing, type TeamServing } from "./serving.ts";

const MACHINE = { machine_id: randomUUID(), label: "desk" };
const HASH = "0123456789abcdef0123456789abcdef";
const NDJSON = { "content-type": "application/x-ndjson" };

/** What a machine may send to a team server, and what is refused. */
describe.skipIf(NO_POSTGRES !== null)("a push to a team server", () => {
  let store: TeamStore;
  let serving: TeamServing;
  type Invited = Awaited<ReturnType<TeamServing["invite"]>>;
  let [ann, bea] = [] as unknown as [Invited, Invited];
  beforeAll(async () => {
    store = await teamStore();
    serving = teamServing(store);
    ann = await serving.invite("ann", { scope: "push" });
    bea = await serving.invite("bea", { scope: "push" });
  });

  const head = (more: Record<string, unknown> = {}): Record<string, unknown> => ({
    session_id: randomUUID(),
    source: "codex",
    project: "shop",
    started: null,
    ended: null,
    turns: 1,
    lines: 5,
    reader: 1,
    level: 0,
    kind: "root",
    parent: null,
    parent_turn: null,
    hash: HASH,
    ...more,
  });
  const turn = (more: Partial<Record<number, unknown>> = {}): unknown => {
    const named = ["done", "codex", "shop", "gpt-5.2"];
    const counted = [null, "prompt", null, 0, 0, false];
    const row = [1, null, null, "2026-05-11", 0, 0, null, ...named, ...counted, `\\x${HASH}`];
    return { table: "turns", columns: row.map((value, i) => [i in more ? more[i] : value]) };
  };
  const body = (...lines: unknown[]): string => lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  const send = async (token: string, text: string | ReadableStream): Promise<Response> =>
    serving.ask("/api/team/push/session", token, {
      method: "POST",
      headers: NDJSON,
      body: text,
      ...(typeof text === "string" ? {} : ({ duplex: "half" } as object)),
    });
  const rows = async (text: string, ...values: unknown[]): Promise<Record<string, unknown>[]> =>
    withClient(store.url, async (client) => (await client.query(text, values)).rows as Record<string, unknown>[]);
  const count = async (table: string): Promise<unknown> =>
    (await rows(`SELECT count(*)::int4 AS n FROM daybook.${table}`))[0]?.["n"];

  it("writes rows of the token's owner, whatever owner the request names", async () => {
    const forged = head({ owner_id: bea.owner, owner: bea.owner });
    const first = { machine: { ...MACHINE, owner_id: bea.owner }, head: forged, owner: bea.owner };
    const response = await send(ann.token, body(first, turn(), { end: true }));
    expect(await response.json()).toEqual({ applied: "written" });
    for (const table of ["sessions", "turns", "machines", "heads"])
      expect(await rows(`SELECT DISTINCT owner_id FROM daybook.${table}`)).toEqual([{ owner_id: ann.owner }]);
  });

  it("of a session that another person has too is kept apart from theirs", async () => {
    const shared = head();
    expect(
      await (await send(ann.token, body({ machine: MACHINE, head: shared }, turn(), { end: true }))).json(),
    ).toEqual({
      applied: "written",
    });
    expect(
      await (await send(bea.token, body({ machine: MACHINE, head: shared }, turn(), { end: true }))).json(),
    ).toEqual({
      applied: "written",
    });
    const forget = async (token: string): Promise<unknown> => {
      const text = JSON.stringify({ machine: MACHINE, sessions: [shared["session_id"]] });
      const headers = { "content-type": "application/json" };
      return (await serving.ask("/api/team/push/forget", token, { method: "POST", headers, body: text })).json();
    };
    expect(await forget(bea.token)).toEqual({ forgotten: 1 });
    const left = "SELECT owner_id FROM daybook.turns WHERE session_id = $1";
    expect(await rows(left, shared["session_id"])).toEqual([{ owner_id: ann.owner }]);
    expect(
      await (await send(bea.token, body({ machine: MACHINE, head: shared }, turn(), { end: true }))).json(),
    ).toEqual({
      applied: "forgotten",
    });
    const state = async (token: string): Promise<Record<string, unknown>> =>
      (await (await serving.ask(`/api/team/push/state?machine=${MACHINE.machine_id}`, token)).json()) as never;
    expect(await state(bea.token)).toMatchObject({
      owner_id: bea.owner,
      zone: "UTC",
      forgotten: [shared["session_id"]],
    });
    expect((await state(ann.token))["forgotten"]).toEqual([]);
  });

  it("that is malformed or cut off leaves no rows", async () => {
    const before = [await count("sessions"), await count("turns"), await count("machines")];
    const good = { machine: MACHINE, head: head() };
    const wrong: [string, number][] = [
      ["", 422],
      ["nonsense\n", 422],
      [body({ end: true }), 422],
      [body({ machine: { machine_id: "x", label: "" }, head: head() }), 422],
      [body({ machine: MACHINE, head: head({ session_id: "'; DROP TABLE daybook.turns; --" }) }), 422],
      [body({ machine: MACHINE, head: head({ level: 7 }) }, { end: true }), 422],
      [body({ machine: MACHINE, head: head({ parent: "somebody's" }) }, { end: true }), 422],
      [body({ machine: MACHINE, head: head({ turns: 1e300 }) }, { end: true }), 422],
      [body(good, turn()), 422],
      [body(good, { table: "owners", columns: [[1]] }, { end: true }), 422],
      [body(good, { table: "turns", columns: [[1]] }, { end: true }), 422],
      [body(good, turn({ 3: "2026-13-45" }), { end: true }), 422],
      [body(good, turn({ 0: "1); DROP TABLE daybook.turns" }), { end: true }), 422],
      [body(good, turn({ 7: "a\u0000b" }), { end: true }), 422],
      [body(good, turn({ 1: "yesterday at noon, perhaps" }), { end: true }), 422],
      [body(good, turn({ 1: "infinity" }), { end: true }), 422],
      [body(good, turn(), turn({ 0: 2, 6: -1 }), { end: true }), 422],
      [
        body(
          good,
          { ...(turn() as object), columns: (turn() as { columns: unknown[][] }).columns.map(([x]) => [x, x]) },
          { end: true },
        ),
        422,
      ],
    ];
    for (const [text, status] of wrong)
      expect([text.slice(0, 300), (await send(ann.token, text)).status]).toEqual([text.slice(0, 300), status]);
    const long = `${JSON.stringify(good)}\n${"x".repeat(17 * 1024 * 1024)}`;
    expect((await send(ann.token, long)).status).toBe(413);
    const torn = new ReadableStream({
      start(controller) {
        controller.enqueue(Buffer.from(body(good, turn())));
        controller.error(new Error("gone"));
      },
    });
    expect((await send(ann.token, torn)).status).toBeGreaterThanOrEqual(400);
    expect([await count("sessions"), await count("turns"), await count("machines")]).toEqual(before);
  });

  /** A response as it is sent, some of its cells replaced. */
  const response = (more: Partial<Record<number, unknown>> = {}): unknown => {
    const row = [randomUUID(), null, "2026-05-11", 1, "codex", "shop", "gpt-5.2", 100, 50, 10, 0, 20, 5, 1000];
    return { table: "usage_responses", columns: row.map((value, i) => [i in more ? more[i] : value]) };
  };
  const detail = (text: unknown, kind = 1): unknown => ({
    table: "details",
    columns: [[kind], [1], [text], [`\\x${HASH}`]],
  });
  const said = (text: unknown, terms: unknown): unknown => ({
    table: "texts",
    columns: [[0], [1], [null], [1], [1], [text], [terms], [2], [`\\x${HASH}`]],
  });

  it.each([
    ["more tokens than anybody has", response({ 7: 4.6e18 }), "input must be a whole number"],
    ["tokens below zero", response({ 11: -1 }), "output must be a whole number"],
    ["half a token", response({ 8: 0.5 }), "cached must be a whole number"],
    ["tokens in a text", response({ 7: "100" }), "input must be a whole number"],
    ["a cost below zero", response({ 13: -5 }), "pico must be a whole number"],
    ["a duration that is none", turn({ 11: "NaN" }), "took must be a number"],
    ["an infinite duration", turn({ 11: "Infinity" }), "took must be a number"],
    ["a time that is none", turn({ 1: "tomorrow" }), "ts must be a time"],
    ["a time of no zone", turn({ 1: "2026-05-11T10:00:00+16:30" }), "ts must be a time"],
    ["a time in the year 0", turn({ 1: "0000-12-31T23:59:59Z" }), "ts must be a time"],
    ["a day that is none", turn({ 3: "2026-02-30" }), "day must be a day"],
    ["an answer that is no JSON", detail('{"turn":'), "body must be a JSON object"],
    ["an answer that is no object", detail("[1]"), "body must be a JSON object"],
    ["an answer nested too deep", detail(`{"a":${"[".repeat(5000)}${"]".repeat(5000)}}`), "body must be a JSON object"],
    ["a name longer than a page", turn({ 10: "m".repeat(5000) }), "model is longer than"],
    ["words that are none", said("words", "'unclosed"), "terms must be a list of words"],
    ["a word at no place", said("words", "'a':0"), "terms must be a list of words"],
    ["half of a character", turn({ 9: "\ud800" }), "project contains a character"],
  ])("with %s is refused with the reason, and everybody's totals stay as they were", async (_, bad, reason) => {
    const kim = await serving.invite("kim", { scope: "read", role: "auditor" });
    const totals = async (): Promise<unknown> => {
      const answers = await Promise.all(
        ["usage?view=all&since=2026-05-01&until=2026-05-31", "turns?view=all&person=ann&since=2026-05-01"].map((path) =>
          serving.ask(`/api/team/${path}`, kim.token),
        ),
      );
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
      return Promise.all(answers.map((answer) => answer.json()));
    };
    const before = await totals();
    const lines = body({ machine: MACHINE, head: head() }, turn(), response(), bad, { end: true });
    // The first turn would be written again by a second batch with the same number.
    const refused = await send(ann.token, lines);
    expect([refused.status, ((await refused.json()) as { detail: string }).detail]).toEqual([
      422,
      expect.stringContaining(reason),
    ]);
    expect(await totals()).toEqual(before);
  });

  it("stores SQL in any text as plain text", async () => {
    const nasty = "'; DROP TABLE daybook.turns; --";
    const sent = head({ source: nasty, project: nasty });
    const lines = body({ machine: { ...MACHINE, label: nasty }, head: sent }, turn({ 7: nasty, 9: nasty, 10: nasty }), {
      end: true,
    });
    expect((await send(ann.token, lines)).status).toBe(200);
    expect(
      await rows("SELECT status, project, model FROM daybook.turns WHERE session_id = $1", sent["session_id"]),
    ).toEqual([{ status: nasty, project: nasty, model: nasty }]);
  });

  it("is answered with 503 while eight others run, and accepted afterwards", async () => {
    const slow: ReadableStreamDefaultController[] = [];
    // `pull` is called only when the server reads the request.
    const stalled = (): ReadableStream =>
      new ReadableStream({ pull: (controller) => void slow.push(controller) }, { highWaterMark: 0 });
    const waiting = Array.from({ length: 8 }, () => send(ann.token, stalled()));
    await expect.poll(() => slow.length, { timeout: 60_000 }).toBe(8);
    const refused = await send(bea.token, "");
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "2"]);
    for (const controller of slow) controller.close();
    await Promise.all(waiting);
    expect((await send(bea.token, body({ machine: MACHINE, head: head() }, turn(), { end: true }))).status).toBe(200);
  });

  it("is refused if the id of its machine or a session is malformed", async () => {
    expect((await serving.ask("/api/team/push/state", ann.token)).status).toBe(400);
    expect((await serving.ask("/api/team/push/state?machine=x'--", ann.token)).status).toBe(400);
    for (const text of ["", "[]", "{}", JSON.stringify({ machine: MACHINE, sessions: ["x"] })])
      expect((await serving.ask("/api/team/push/forget", ann.token, { method: "POST", body: text })).status).toBe(422);
    expect(serving.failures).toEqual([]);
  });

  describe("over a socket", () => {
    let running: RunningServer | null = null;
    afterAll(() => running?.close());

    it("writes the rows of every session, and nothing the second time", async () => {
      const fresh = await teamStore();
      const { token } = await teamServing(fresh).invite("ann", { scope: "push" });
      running = await serveTeam({
        store: fresh.apiUrl,
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
      const home = join(scratch("home"), "home");
      const daybook = book(copyCorpus(["codex-0.130.0-tui", "claude-1.0.64"]).roots, home);
      const to = httpsDestination(running.url, token, NO_WAIT);
      const how = { daybook, home, to, machine: machineOf(home, "desk"), level: "full" as const };
      const { sent } = await push(how);
      expect(sent).toBeGreaterThan(1);
      const before = await dump(fresh);
      expect(before["sessions"]).toHaveLength(sent);
      expect(before["texts"]?.length).toBeGreaterThan(3);
      expect(await push(how)).toMatchObject({ sent: 0 });
      expect(await dump(fresh)).toEqual(before);
      const other = httpsDestination(running.url, `${token.slice(0, -1)}_`, NO_WAIT);
      await expect(push({ ...how, to: other })).rejects.toThrow("refused the push");
      daybook.close();
    });

    it("is not served to other machines without an https address in front", async () => {
      const options = {
        store: store.apiUrl,
        port: 0,
        page: false,
        oidc: null,
        now: () => NOW,
        failed: () => undefined,
      };
      await expect(serveTeam({ ...options, host: "0.0.0.0", publicUrl: null })).rejects.toThrow("other machines");
      for (const publicUrl of ["http://daybook.example", "https://daybook.example/x", "daybook.example"])
        await expect(serveTeam({ ...options, host: "0.0.0.0", publicUrl })).rejects.toThrow("--public-url");
    });
  });
});
