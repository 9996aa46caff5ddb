import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { main } from "../../src/doors/cli/main.ts";
import { Daybook, type DaybookOptions } from "../../src/answers/daybook.ts";
import { ChangeListeners } from "../../src/doors/http/routes/events.ts";
import type { ChangeEvent } from "../../src/doors/http/answers.ts";
import type { RunningServer } from "../../src/doors/http/listen.ts";
import { serveTeam } from "../../src/doors/http/team/server.ts";
import { StoreAdmin } from "../../src/team/admin.ts";
import { fromServer } from "../../src/team/read/open-server.ts";
import { fromStore } from "../../src/team/read/open-store.ts";
import { askingOf, NOW, PAGE_TOKEN, type Asking } from "../http/serving.ts";
import type { Schemas } from "../http/types.ts";
import { copyCorpus, scratch } from "../store/fixture.ts";
import { NO_POSTGRES, teamStore, type TeamStore } from "./postgres.ts";
import { addOwners, book, pushHome } from "./push-fixture.ts";

const SAMPLES = fileURLToPath(new URL("../../samples/", import.meta.url));

describe.skipIf(NO_POSTGRES !== null)("the page's API over a store", () => {
  const { roots } = copyCorpus(["codex-0.166.0", "opencode-1.18.33"]);
  // Only the samples contain decisions.
  roots["claude-code"] = [join(SAMPLES, "claude-code")];
  const home = scratch("home");
  const own = book(roots, home);
  const notes: string[] = [];
  let isDown = false;
  let store: TeamStore = { url: "", apiUrl: "" };
  let pushed = new Daybook();
  let ofBook: Asking = async () => new Response();
  let ofStore: Asking = ofBook;

  beforeAll(async () => {
    await own.sessions();
    store = await teamStore();
    await addOwners(store);
    await pushHome(store, roots, home, { level: "full" });
    pushed = new Daybook({
      roots: {},
      env: {},
      home: "/nowhere",
      timezone: "UTC",
      now: NOW,
      givenWhole: true,
      remote: async (work, about) => {
        if (isDown) throw new Error("nobody answers");
        return fromStore({ url: store.url, login: "ann", ...about }, work);
      },
      onNote: (text) => {
        notes.push(text);
        isDown = false;
      },
    });
    [ofBook, ofStore] = [askingOf(own), askingOf(pushed)];
  });
  afterAll(() => {
    own.close();
    pushed.close();
  });

  async function json(ask: Asking, path: string): Promise<unknown> {
    const response = await ask(path);
    expect([path, response.status]).toEqual([path, 200]);
    return response.json();
  }

  it("gives the same answers as over the book that was pushed", async () => {
    const [card] = ((await json(ofBook, "/api/sessions?sort=turns")) as Schemas["SessionPage"]).sessions;
    const one = `/api/sessions/${card?.source}/${encodeURIComponent(card?.session_id ?? "")}`;
    for (const path of [
      "/api/overview",
      "/api/days",
      "/api/sessions?limit=500&children=true",
      "/api/sessions?text=test&sort=cost",
      "/api/turns?limit=500",
      `/api/turns?session=${card?.session_id}`,
      one,
      `${one}/requests`,
      "/api/tools?limit=500",
      "/api/tools?order=worst&limit=9",
      "/api/tools/commands",
      "/api/decisions",
      "/api/files",
      "/api/usage",
      "/api/usage?group=model&breakdown=1",
      "/api/usage?group=turn&by=trigger",
      "/api/usage/shares",
      "/api/usage/dearest",
      "/api/usage/blocks",
    ])
      expect([path, await json(ofStore, path)]).toEqual([path, withoutResume(await json(ofBook, path))]);
  });

  it("serves reports, search, the history of a file and exports", async () => {
    const report = (await json(ofStore, "/api/report?date=2026-05-12")) as Schemas["Report"];
    const wanted = (await json(ofBook, "/api/report?date=2026-05-12")) as Schemas["Report"];
    expect(report.totals.turns).toBe(wanted.totals.turns);
    expect(report.totals.turns).toBeGreaterThan(0);
    expect(await json(ofStore, "/api/now")).toMatchObject({ running: [] });
    expect(await json(ofStore, "/api/usage/limits")).toEqual({ limits: [] });
    const search = async (ask: Asking, q: string): Promise<string[]> => {
      const path = `/api/search?q=${q}&limit=200&kinds=prompt,reply,command,output`;
      const { hits, sessions } = (await json(ask, path)) as Schemas["SearchHits"];
      return [
        ...hits.map((hit) => `${hit.session_id}:${hit.line} ${hit.kind}`),
        ...sessions.map(({ title }) => `${title}`),
      ];
    };
    for (const q of ["test", "echo", "nowhere-to-be-found"])
      expect([q, (await search(ofStore, q)).toSorted()]).toEqual([q, (await search(ofBook, q)).toSorted()]);
    expect((await search(ofStore, "test")).length).toBeGreaterThan(0);
    const [file] = ((await json(ofStore, "/api/files")) as Schemas["FileList"]).files;
    const history = await json(ofStore, `/api/files/history?path=${encodeURIComponent(file?.path ?? "")}`);
    expect((history as Schemas["FileHistory"]).turns.length).toBeGreaterThan(0);
    expect((await ofStore("/api/report/export?date=2026-05-12")).status).toBe(200);
  });

  it("gives the final text of a turn, and says that its records are on the machine that pushed", async () => {
    const { turns } = (await json(ofBook, "/api/turns?limit=20")) as Schemas["TurnPage"];
    const turn = turns.find(({ final_text: text }) => text !== null && text !== "");
    const path = `/api/sessions/${turn?.source}/${encodeURIComponent(turn?.session_id ?? "")}/records?turn=${turn?.turn_ref}`;
    const [local, remote] = [await json(ofBook, path), await json(ofStore, path)] as Schemas["RecordPage"][];
    expect(local).toMatchObject({ are_elsewhere: false, turn: { final_text: turn?.final_text } });
    expect(remote).toMatchObject({ are_elsewhere: true, records: [], next_cursor: null });
    expect(remote?.turn?.final_text).toBe(turn?.final_text);
  });

  it("answers 409 with a reason to what a store cannot answer", async () => {
    const [card] = ((await json(ofStore, "/api/sessions")) as Schemas["SessionPage"]).sessions;
    const one = `/api/sessions/${card?.source}/${encodeURIComponent(card?.session_id ?? "")}`;
    const headers = { "content-type": "application/json", "x-daybook-token": PAGE_TOKEN };
    const post = { method: "POST", headers };
    const requests: [path: string, init?: RequestInit & { headers: Record<string, string> }][] = [
      [`${one}/explain?line=1`],
      [`${one}/export`],
      [`${one}/marks`, { ...post, body: JSON.stringify({ starred: true }) }],
      ["/api/labels"],
      ["/api/sessions?starred=1"],
      ["/api/context"],
      ["/api/audit"],
      ["/api/health"],
      ["/api/sync", post],
      ["/mcp", { ...post, body: "{}" }],
    ];
    for (const [path, init] of requests) {
      const response = await ofStore(path, init);
      expect([path, response.status, response.headers.get("content-type")]).toEqual([
        path,
        409,
        "application/problem+json",
      ]);
      expect([path, await response.json()]).toEqual([
        path,
        expect.objectContaining({ detail: expect.stringContaining("in the store") as string }),
      ]);
    }
    expect((await ofStore("/api/sessions/codex/nobody/records")).status).toBe(404);
  });

  it("shows what another machine pushed only after the next successful poll of the store", async () => {
    const other = copyCorpus(["goose-1.52.0"]).roots;
    const second = scratch("second");
    const ids = async (ask: Asking): Promise<string[]> =>
      ((await json(ask, "/api/sessions?limit=500")) as Schemas["SessionPage"]).sessions.map((one) => one.session_id);
    const before = await ids(ofStore);
    await pushHome(store, other, second, { level: "full" });
    expect(await ids(ofStore)).toEqual(before);
    // A store that does not answer is polled again.
    isDown = true;
    const changes = new ChangeListeners(pushed, (error) => void notes.push(String(error)), { every: 5, all: 5 });
    changes.begin();
    const event = await new Promise<ChangeEvent>((resolve) => void changes.listen(resolve));
    changes.close();
    const elsewhere = book(other, second);
    const added = (await elsewhere.sessions()).map((one) => one.session_id);
    elsewhere.close();
    expect(notes).toEqual(["nobody answers; answering from what was read before"]);
    expect(event.sessions.map((one) => one.session_id).toSorted()).toEqual(added.toSorted());
    expect(added.length).toBeGreaterThan(0);
    expect((await ids(ofStore)).toSorted()).toEqual([...new Set([...before, ...added])].toSorted());
  });

  it.each([
    ["--store postgres://x/y --home /nowhere", "--home cannot be combined with --store"],
    ["--store https://x/y", "a team's server needs a token"],
    ["--store https://x/y --owner ann", "--owner cannot be combined with a team's server"],
    ["--store http://x.example/y", "a team's server needs https"],
    ["--store ftp://x/y", "that is not the address of a store"],
    ["--owner ann", "--owner needs --store"],
    ["--team --owner ann", "--owner cannot be combined with --team"],
    ["--public-url https://x", "--public-url needs --team"],
  ])("is not served with %s", async (flags, why) => {
    expect(await ran(`serve ${flags}`)).toEqual([2, expect.stringContaining(why)]);
  });

  describe("reading from a team server", () => {
    let server: RunningServer = { url: "", close: async () => undefined };
    let token = "";
    beforeAll(async () => {
      server = await serveTeam({
        store: store.apiUrl,
        port: 0,
        host: "127.0.0.1",
        publicUrl: null,
        oidc: null,
        page: false,
        now: () => NOW,
        failed: (error) => void notes.push(String(error)),
      });
      const invited = {
        login: "ann",
        role: "member",
        team: "backend",
        scope: "read",
        label: "",
        expires: null,
      } as const;
      ({ token } = await new StoreAdmin(store.url, NOW).invite(invited));
      notes.length = 0;
    });
    afterAll(() => server.close());

    it("gives the same answers as from the database, and shows later pushes", async () => {
      const queries: string[] = [];
      const realFetch = globalThis.fetch;
      vi.stubGlobal("fetch", async (url: string, init: RequestInit) => {
        queries.push(new URL(url).search);
        return realFetch(url, init);
      });
      const remote: DaybookOptions["remote"] = (work, about) =>
        fromServer({ url: server.url, settings: { token }, env: {}, ...about }, work);
      const served = new Daybook({
        roots: {},
        env: {},
        home: "/nowhere",
        timezone: "UTC",
        now: NOW,
        givenWhole: true,
        remote,
        onNote: (text) => void notes.push(text),
      });
      const ofServer = askingOf(served);
      const paths = [
        "/api/overview",
        "/api/sessions?limit=500",
        "/api/turns?limit=500",
        "/api/tools",
        "/api/usage",
        "/api/decisions",
      ];
      for (const path of [...paths, "/api/report?date=2026-05-12", "/api/search?q=test&limit=50"])
        expect([path, await json(ofServer, path)]).toEqual([path, await json(ofStore, path)]);
      // All rows were fetched once for all of these; only the search made a request of its own.
      expect(queries).toEqual(["", "?lists=&words=test&most_texts=5001"]);
      const changes = new ChangeListeners(served, (error) => void notes.push(String(error)), { every: 5, all: 5 });
      const ids = async (): Promise<string[]> =>
        ((await json(ofServer, "/api/sessions?limit=500")) as Schemas["SessionPage"]).sessions.map(
          (one) => one.session_id,
        );
      const before = await ids();
      changes.begin();
      await expect.poll(() => queries.length, { timeout: 60_000 }).toBeGreaterThan(3);
      // While nothing is pushed, only the state is requested.
      expect([...new Set(queries.slice(2))]).toEqual(["?state=1"]);
      const added: string[] = [];
      changes.listen(({ sessions }) => void added.push(...sessions.map((one) => one.session_id)));
      await pushHome(store, copyCorpus(["copilot-1.0.102"]).roots, scratch("third"), { level: "turns" });
      // A slow push is told in several events.
      const isTold = async (): Promise<boolean> => {
        const all = (await ids()).toSorted();
        return all.length > before.length && String(all) === String([...new Set([...before, ...added])].toSorted());
      };
      await expect.poll(isTold, { timeout: 60_000 }).toBe(true);
      changes.close();
      expect(notes).toEqual([]);
      served.close();
      vi.unstubAllGlobals();
    });

    it("is served by the program until it receives SIGTERM", async () => {
      let [out, err] = ["", ""];
      const ended = main(["serve", "--store", server.url, "--port", "0", "--no-page"], {
        out: (text) => void (out += text),
        err: (text) => void (err += text),
        env: { HOME: home, DAYBOOK_TEAM_TOKEN: token, DAYBOOK_TOKEN: "of-this-page" },
        now: NOW,
        columns: 80,
        outIsTerminal: false,
        errIsTerminal: false,
      });
      await expect.poll(() => /Daybook is at (\S+)/.exec(out)?.[1], { timeout: 60_000 }).toBeDefined();
      const url = /Daybook is at (\S+)/.exec(out)?.[1] ?? "";
      const headers = { authorization: "Bearer of-this-page" };
      const { sessions } = (await (
        await fetch(new URL("/api/overview", url), { headers })
      ).json()) as Schemas["Overview"];
      expect(sessions).toBeGreaterThan(10);
      process.emit("SIGTERM");
      expect([await ended, err]).toEqual([0, "Press Ctrl-C to stop.\n"]);
    });

    it("is not served with a token for pushing", async () => {
      const invited = {
        login: "ann",
        role: "member",
        team: "backend",
        scope: "push",
        label: "",
        expires: null,
      } as const;
      const { token: pushing } = await new StoreAdmin(store.url, NOW).invite(invited);
      expect(await ran(`serve --store ${server.url}`, { DAYBOOK_TEAM_TOKEN: pushing })).toEqual([
        1,
        expect.stringContaining("this token is only for pushing"),
      ]);
    });
  });

  it("is not served for an unknown owner", async () => {
    expect(await ran(`serve --store ${store.url} --owner eve`)).toEqual([
      1,
      expect.stringContaining("has nobody called eve"),
    ]);
  });

  async function ran(words: string, env: Record<string, string> = {}): Promise<[number, string]> {
    let err = "";
    const code = await main(words.split(" "), {
      out: () => undefined,
      err: (text) => void (err += text),
      env: { HOME: home, ...env },
      now: NOW,
      columns: 80,
      outIsTerminal: false,
      errIsTerminal: false,
    });
    return [code, err];
  }
});

/** The command that resumes a session is known only on the machine that has its files. */
function withoutResume(answer: unknown): unknown {
  return typeof answer === "object" && answer !== null && "resume" in answer ? { ...answer, resume: null } : answer;
}
