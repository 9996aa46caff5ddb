import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { main, buildProgram } from "../src/doors/cli/main.ts";
import { longFlag } from "../src/doors/cli/flags.ts";
import { inside, type Daybook, type QueryFor } from "../src/answers/daybook.ts";
import { sessionKey, turnKey } from "../src/record/session-key.ts";
import { TOOL_STATUSES } from "../src/record/record.ts";
import type { Field, FieldTable } from "../src/views/query/field.ts";
import { CALLS, KINDS, LISTED, SUMMED } from "../src/views/query/fields.ts";
import { sessions, tools, turns } from "../src/answers/questions/lists.ts";
import { QUESTIONS } from "../src/answers/questions/table.ts";
import { askedLine } from "../src/base/text/asked-line.ts";
import { SEARCH_KINDS } from "../src/index/search/text-kinds.ts";
import { OUTCOMES } from "../src/turns/model.ts";
import { USAGE_GROUPS } from "../src/views/usage-view.ts";
import { askingOf, type Asking } from "./http/serving.ts";
import { connected, whole, type Ask } from "./mcp/client.ts";
import { flagsOf } from "./store/cli.ts";
import { copyCorpus, open, scratch, type Roots } from "./store/fixture.ts";

type Filter = QueryFor<"sessions">;
const IO = {
  err() {},
  env: { HOME: "/nowhere" },
  now: Date.UTC(2026, 11, 31),
  columns: 80,
  outIsTerminal: false,
  errIsTerminal: false,
  inIsTerminal: true,
};
const DOCUMENT = JSON.parse(readFileSync(new URL("../docs/openapi.json", import.meta.url), "utf8")) as {
  paths: Record<string, { get: { parameters: { name: string }[] } }>;
};

const fieldsOf = (table: FieldTable): [string, Field][] => Object.entries(table);

/** The flags of a command, as its help names them. */
function flagsIn(command: string): (string | undefined)[] {
  const program = buildProgram({ ...IO, out() {} }, () => undefined);
  const found = program.commands.find((one) => one.name() === command);
  return (found?.options ?? []).map(({ long }) => long ?? undefined);
}

describe("a field of a list's query", () => {
  describe.each([sessions, turns, tools])("of $name", ({ name, query }) => {
    it("is a flag of the command", () => {
      const flags = flagsIn(name);
      for (const [field, described] of fieldsOf(query)) expect(flags, field).toContain(longFlag(field, described));
    });

    it("is a parameter of the HTTP API", () => {
      const names = DOCUMENT.paths[`/${name}`]?.get.parameters.map((one) => one.name);
      for (const [field] of fieldsOf(query)) expect(names).toContain(field);
    });
  });

  it("of sessions and turns is an input of the tool that lists them for agents", async () => {
    const { client } = await connected({ daybook: open({}), cwd: null, env: {} });
    const list = (await client.listTools()).tools.find(({ name }) => name === "list");
    const inputs = Object.keys(list?.inputSchema.properties ?? {});
    for (const { query } of [sessions, turns]) for (const [field] of fieldsOf(query)) expect(inputs).toContain(field);
  });

  it("takes the values that answers have", () => {
    expect(LISTED.outcome.values).toEqual(OUTCOMES);
    expect(CALLS.status.values).toEqual(TOOL_STATUSES);
    expect(SUMMED.group.values).toEqual(USAGE_GROUPS);
    expect(KINDS.kinds.values).toEqual(SEARCH_KINDS);
  });

  it("says what it does", () => {
    for (const { about, query } of Object.values(QUESTIONS)) {
      expect(about).not.toBe("");
      for (const [field, { about: said }] of fieldsOf(query)) expect(said, field).not.toBe("");
    }
  });
});

describe("the filters of sessions and turns", () => {
  let roots: Roots = {};
  let home = "";
  let daybook: Daybook = open({});
  let http: Asking = async () => new Response();
  let mcp: Ask = async () => {
    throw new Error("not connected");
  };
  beforeAll(async () => {
    ({ roots } = copyCorpus());
    home = scratch("home");
    daybook = open(roots, home, { timezone: "UTC", noSync: true });
    await daybook.sync();
    http = askingOf(daybook);
    ({ ask: mcp } = await connected({ daybook, cwd: null, env: {} }));
  });
  afterAll(() => daybook.close());

  async function byCommand(list: "sessions" | "turns", filter: Filter): Promise<string[]> {
    let text = "";
    const words = fieldsOf(list === "sessions" ? sessions.query : turns.query).flatMap(([name, field]) => {
      const value = filter[name as keyof Filter];
      if (value === undefined || (field.isOn === true && value === true)) return [];
      const flag = longFlag(name, field);
      return field.kind === "flag" ? [flag] : [flag, String(value)];
    });
    const io = { ...IO, out: (part: string) => void (text += part) };
    const code = await main([list, ...words, "--json", ...flagsOf(roots, home), "--no-sync", "--quiet"], io);
    expect(code, words.join(" ")).toBe(0);
    const answer = JSON.parse(text) as Record<string, Parameters<typeof turnKey>[0][]>;
    return (answer[list] ?? []).map(list === "sessions" ? sessionKey : turnKey);
  }

  async function byHttp(list: "sessions" | "turns", filter: Filter): Promise<string[]> {
    const words = Object.entries({ children: true, ...filter }).map(([name, value]) => `${name}=${String(value)}`);
    const found: string[] = [];
    for (let cursor = ""; ;) {
      const page = await http(`/api/${list}?limit=400&${words.map(encodeURI).join("&")}${cursor}`);
      const answer = (await page.json()) as Record<string, unknown> & { next_cursor: string | null };
      const rows = answer[list] as Parameters<typeof turnKey>[0][];
      found.push(...rows.map(list === "sessions" ? sessionKey : turnKey));
      if (answer.next_cursor === null) return list === "sessions" ? found : found.toReversed();
      cursor = `&cursor=${answer.next_cursor}`;
    }
  }

  /** What an agent is shown: at most a hundred. */
  async function byTool(what: "sessions" | "turns", filter: Filter): Promise<string[]> {
    const text = await whole(mcp, "list", { what, ...filter, limit: 100 });
    const all = await daybook.sessions();
    const naming = await inside(daybook).naming(all);
    const keys = new Map(all.map((one) => [naming(one), sessionKey(one)]));
    const named = /^(\S+?)(\/T\d{4,})?(?::\d+-\d+)? · [\w-]+ · /gm;
    return [...text.matchAll(named)].map(([, name = "", turn = ""]) => `${keys.get(name)}${turn}`);
  }

  /** Sessions and turns of the corpora, some of them with each of these. */
  const FILTERS: readonly Filter[] = [
    { model: "gpt-5.5" },
    { outcome: "aborted" },
    { outcome: "open" },
    { outcome: "failed", failures: true },
    { failures: true },
    { min_cost: 0.05 },
    { min_cost: 0.02, failures: true, children: false },
    { text: "TEST" },
    { text: "İ" },
    { source: "codex", text: "fix" },
  ];
  /** Sessions that no human started have no turns: as a filter of turns alone it leaves nothing out. */
  const ROOTS: Filter = { children: false };

  it.each([...FILTERS, ROOTS])("select the same sessions at every door: %o", async (filter) => {
    const listed = (await daybook.sessions(filter)).map(sessionKey);
    expect(listed.length).toBeLessThan((await daybook.sessions()).length);
    expect(await byCommand("sessions", filter)).toEqual(listed);
    expect(await byHttp("sessions", filter)).toEqual(listed);
    expect(await byTool("sessions", filter)).toEqual(listed.slice(0, 100));
  });

  it.each(FILTERS)("select the same turns at every door: %o", async (filter) => {
    const listed = (await daybook.turns(filter)).map(turnKey);
    expect(listed.length).toBeLessThan((await daybook.turns()).length);
    expect(await byCommand("turns", filter)).toEqual(listed);
    expect(await byHttp("turns", filter)).toEqual(listed);
    expect(await byTool("turns", filter)).toEqual(listed.toReversed().slice(0, 100));
  });

  it.each(sessions.query.sort.values)("list sessions in the same order at every door: %s", async (sort) => {
    const listed = (await daybook.sessions({ sort })).map(sessionKey);
    expect(listed.length).toBe((await daybook.sessions()).length);
    expect(await byCommand("sessions", { sort })).toEqual(listed);
    expect(await byHttp("sessions", { sort })).toEqual(listed);
    expect(await byTool("sessions", { sort })).toEqual(listed.slice(0, 100));
    const page = await daybook.sessions({ sort, offset: 3, limit: 5 });
    expect(page.map(sessionKey)).toEqual(listed.slice(3, 8));
  });

  it("mean what the answers say", async () => {
    const all = await daybook.sessions();
    const every = await daybook.turns();
    const inOrder = every.toSorted((a, b) => (a.turn_ref < b.turn_ref ? -1 : 1));
    const last = new Map(inOrder.map((turn) => [sessionKey(turn), turn]));
    const first = new Map(inOrder.toReversed().map((turn) => [sessionKey(turn), turn]));
    const keys = async (filter: Filter): Promise<string[]> => (await daybook.sessions(filter)).map(sessionKey);
    const where = (isMeant: (one: (typeof all)[number]) => boolean): string[] => all.filter(isMeant).map(sessionKey);
    for (const outcome of OUTCOMES) {
      const found = (await daybook.turns({ outcome })).map(turnKey);
      expect(found).toEqual(every.filter((turn) => turn.outcome === outcome).map(turnKey));
      expect(await keys({ outcome })).toEqual(where((one) => last.get(sessionKey(one))?.outcome === outcome));
    }
    const model = all.flatMap(({ models }) => models)[0] ?? "";
    expect(await keys({ model })).toEqual(where((one) => one.models.includes(model)));
    expect(await keys({ failures: true })).toEqual(where((one) => one.tools.failed > 0));
    expect(await keys({ min_cost: 0.05 })).toEqual(where((one) => (one.usage.cost_usd ?? 0) >= 0.05));
    expect(await keys({ children: false })).toEqual(where((one) => one.kind === "root"));
    const said = (one: (typeof all)[number]): string =>
      [one.title, askedLine(first.get(sessionKey(one))?.trigger.text ?? ""), one.project, one.session_id].join("\n");
    expect(await keys({ text: "TEST" })).toEqual(where((one) => said(one).toLowerCase().includes("test")));
    const costs = (await daybook.sessions({ sort: "cost" })).map(({ usage }) => usage.cost_usd ?? 0);
    expect(costs).toEqual(costs.toSorted((a, b) => b - a));
  });

  it("answer the same without a book", async () => {
    const files = open(roots, undefined, { timezone: "UTC" });
    for (const filter of [
      ...FILTERS,
      ROOTS,
      ...sessions.query.sort.values.map((sort): Filter => ({ sort, limit: 9 })),
    ]) {
      expect(await files.sessions(filter), JSON.stringify(filter)).toEqual(await daybook.sessions(filter));
      const { sort: _, ...choice } = filter;
      expect(await files.turns(choice), JSON.stringify(filter)).toEqual(await daybook.turns(choice));
    }
  });

  it("refuse what they do not know", async () => {
    let said = "";
    const io = { ...IO, out() {}, err: (text: string) => void (said += text) };
    expect(await main(["sessions", "--outcome", "complete"], io)).toBe(2);
    expect(said).toContain("unknown outcome: complete");
    expect(await main(["sessions", "--min-cost", "much"], io)).toBe(2);
    expect(said).toContain("--min-cost takes a number");
    expect((await http("/api/sessions?outcome=complete")).status).toBe(400);
    expect((await mcp("list", { outcome: "complete" })).isError).toBe(true);
    expect((await mcp("list", { what: "turns", sort: "cost" })).text).toContain("sort is for sessions");
  });
});
