import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { USAGE_GROUPS } from "../../src/views/usage-view.ts";
import type { SessionView } from "../../src/views/session-view.ts";
import type { ToolView } from "../../src/views/tool-view.ts";
import type { TurnView } from "../../src/views/turn-view.ts";
import type { Level } from "../../src/views/push-level.ts";
import { main } from "../../src/doors/cli/main.ts";
import { Daybook, SEARCH_KINDS, type Query, type RemoteText, type SearchResult } from "../../src/answers/daybook.ts";
import type { DayReport } from "../../src/answers/report/model.ts";
import { WEIGHTS } from "../../src/index/search/text-kinds.ts";
import { fromStore } from "../../src/team/read/open-store.ts";
import type { TimeRange } from "../../src/base/time/range.ts";
import { copyCorpus, scratch } from "../store/fixture.ts";
import { NO_POSTGRES, teamStore, type TeamStore } from "./postgres.ts";
import { addOwners, book, pushHome } from "./push-fixture.ts";

const SAMPLES = fileURLToPath(new URL("../../samples/", import.meta.url));

/** Sub-agents, forks, companions, questions, models without a price. */
const SOME = [
  "claude-2.1.325",
  "codex-0.166.0",
  "codex-0.130.0",
  "opencode-1.18.33",
  "goose-1.52.0",
  "copilot-1.0.102",
];

const DAILY = { group: "daily", by: "spent", breakdown: true, order: "asc" } as const;

/** The totals of a report that can be computed without records, which are not pushed. */
function totalsIn({ totals, projects }: DayReport): object {
  const { commits: _, unproven: __, ...rest } = totals;
  return { ...rest, projects: projects.map(({ project }) => project) };
}

describe.skipIf(NO_POSTGRES !== null)("a store read directly", () => {
  const { roots } = copyCorpus(SOME);
  // Only the samples contain decisions.
  for (const source of ["claude-code", "codex"]) roots[source]?.push(join(SAMPLES, source));
  const home = scratch("home");
  let own: Daybook;

  beforeAll(async () => {
    own = book(roots, home);
    await own.sessions();
  });
  afterAll(() => own.close());

  const stores = new Map<Level, Promise<TeamStore>>();
  const pushedStore = (level: Level): Promise<TeamStore> => {
    let store = stores.get(level);
    if (!store) stores.set(level, (store = newStore(level)));
    return store;
  };

  async function newStore(level: Level): Promise<TeamStore> {
    const store = await teamStore();
    await addOwners(store);
    await pushHome(store, roots, home, { level });
    return store;
  }

  function opened(url: string, login: string, timezone = "UTC"): Daybook {
    return new Daybook({
      roots: {},
      env: {},
      home: "/nowhere",
      timezone,
      now: Date.UTC(2026, 11, 31),
      remote: (work, about) => fromStore({ url, login, ...about }, work),
    });
  }

  async function pushed(level: Level): Promise<Daybook> {
    return opened((await pushedStore(level)).url, "ann");
  }

  /** With secrets redacted, as it is pushed. */
  const redacted = <T>(value: T): T => own.redactor.all(value);

  it("pushed at level full gives the same answers as the book", async () => {
    const store = await pushed("full");
    const [some] = (await own.sessions()).slice(3);
    const questions: Query[] = [
      {},
      { limit: 7 },
      { since: "2026-11-14", until: "2026-11-14" },
      { project: some?.project },
      { session: some?.session_id.slice(0, 12) },
    ];
    for (const query of questions) {
      expect(await store.sessions(query)).toEqual(redacted(await own.sessions(query)));
      expect(await store.turns(query)).toEqual(redacted(await own.turns(query)));
      expect(await store.tools(query)).toEqual(redacted(await own.tools(query)));
      expect(await store.decisions(query)).toEqual(redacted(await own.decisions(query)));
      for (const group of USAGE_GROUPS)
        for (const by of ["spent", "trigger"] as const) {
          const how = { ...query, group, by, breakdown: true, order: "asc" as const };
          expect([how, await store.usage(how)]).toEqual([how, await own.usage(how)]);
        }
    }
    expect((await store.decisions()).length).toBeGreaterThan(0);
    expect(await store.tools({ status: "failed", order: "worst", limit: 9 })).toEqual(
      redacted(await own.tools({ status: "failed", order: "worst", limit: 9 })),
    );
    for (const date of ["2026-05-11", "2026-05-12", "2026-11-14"]) {
      const [actual, expected] = [await store.report({ date }), await own.report({ date })];
      expect([date, totalsIn(actual)]).toEqual([date, totalsIn(expected)]);
      expect(actual.decisions.length).toBe(expected.decisions.length);
      expect(actual.diagnostics.map(({ code }) => code)).toContain("from_store");
    }
    store.close();
  });

  it.each(["Asia/Kathmandu", "America/New_York", "UTC"])(
    "adds up the same tokens and costs as the book, for days of %s",
    async (timezone) => {
      const { url } = await pushedStore("turns");
      const [mine, store] = [book(roots, home, timezone), opened(url, "ann", timezone)];
      for (const query of [
        {},
        { since: "2026-05-12" },
        { until: "2026-11-14" },
        { since: "2026-05-12", until: "2026-05-12" },
      ])
        for (const group of USAGE_GROUPS)
          for (const by of ["spent", "trigger"] as const) {
            const how = { ...query, group, by, breakdown: true, agents: true, order: "asc" as const };
            expect([how, await store.usage(how)]).toEqual([how, redacted(await mine.usage(how))]);
          }
      // Rows of one question do not answer another that tells more apart.
      const all = { group: "session", by: "spent", breakdown: true, order: "asc" } as const;
      await store.usage({ ...DAILY });
      expect(await store.usage(all)).toEqual(redacted(await mine.usage(all)));
      await store.usage({ ...all, by: "trigger" });
      expect((await store.blocks({ hours: 5, tokenLimit: undefined })).length).toBe(
        (await mine.blocks({ hours: 5, tokenLimit: undefined })).length,
      );
      mine.close();
      store.close();
    },
  );

  it("pushed at level full finds what the book finds", async () => {
    const { url } = await pushedStore("full");
    const places = (found: readonly SearchResult[]): string[] =>
      found.map((one) => `${one.source}/${one.session_id}/${one.turn_ref}:${one.line} ${one.kind}`).toSorted();
    const store = opened(url, "ann");
    let count = 0;
    for (const words of ["echo", "test fail*", '"all tests"', "tide Brest", "nowhere-to-be-found"]) {
      const kinds = SEARCH_KINDS.filter((kind) => kind !== "instructions" && kind !== "note");
      const [found, wanted] = [
        await store.search(words, { limit: 500, kinds }),
        await own.search(words, { limit: 500, kinds }),
      ];
      expect([words, places(found)]).toEqual([words, places(wanted)]);
      for (const { snippet } of found) expect(snippet).not.toBe("");
      count += found.length;
    }
    // A question after the searches gets all its rows.
    expect(await store.usage(DAILY)).toEqual(await own.usage(DAILY));
    store.close();
    expect(count).toBeGreaterThan(20);
  });

  it("ranks what it finds like the book, with the counts of all texts", async () => {
    // Without the sessions of forks, of which a book indexes the copied part again.
    const plain = { codex: [join(SAMPLES, "codex")], goose: roots["goose"] ?? [] };
    const desk = scratch("plain");
    const store = await teamStore();
    await addOwners(store);
    await pushHome(store, plain, desk, { level: "full" });
    const [mine, theirs] = [book(plain, desk), opened(store.url, "ann")];
    const kinds = SEARCH_KINDS.filter((kind) => kind !== "instructions" && kind !== "note");
    let scored = 0;
    for (const words of ["test", "test fail*", "the", '"all tests"', "echo", "session file"]) {
      const wanted = await mine.search(words, { limit: 500, kinds });
      const found = await theirs.search(words, { limit: 500, kinds });
      const ranked = (list: readonly SearchResult[]): unknown[] =>
        list.map(({ session_id, line, kind, score }) => [session_id, line, kind, score]);
      expect([words, ranked(found)]).toEqual([words, ranked(wanted)]);
      // Days narrow what is found, and not how rare its words are.
      const until = "2026-05-12";
      expect(ranked(await theirs.search(words, { limit: 500, kinds, until }))).toEqual(
        ranked(await mine.search(words, { limit: 500, kinds, until })),
      );
      scored += found.filter(({ score }) => score > 0.1).length;
    }
    expect(scored).toBeGreaterThan(10);
    mine.close();
    theirs.close();
  });

  it("sends only the best texts that contain a common word, and all that contain a rare one", async () => {
    const { url } = await pushedStore("full");
    const fetched = (words: string, mostTexts?: number, range?: TimeRange): Promise<RemoteText[]> =>
      fromStore({ url, login: "ann", words, mostTexts, range }, async (rows) => {
        await rows.sessions();
        const all: RemoteText[] = [];
        for await (const some of rows.texts()) all.push(...some);
        return all;
      });
    const order = (a: RemoteText, b: RemoteText): number =>
      WEIGHTS[b.kind] - WEIGHTS[a.kind] || (b.time ?? -Infinity) - (a.time ?? -Infinity);
    const ranks = (texts: readonly RemoteText[]): [number, number | null][] =>
      texts.toSorted(order).map(({ kind, time }) => [WEIGHTS[kind], time]);
    const all = await fetched("test");
    expect(new Set(all.map(({ kind }) => kind)).size).toBeGreaterThan(2);
    for (const most of [1, 7, all.length])
      expect(ranks(await fetched("test", most))).toEqual(ranks(all).slice(0, most));
    expect(await fetched("test", all.length + 1)).toEqual(all);
    // Few texts hold both words, but turns may hold them in several: those are fetched whatever the bound is.
    expect(await fetched("tide Brest", 5)).toEqual(await fetched("tide Brest"));
    const end = all.map(({ time }) => time ?? 0).toSorted((a, b) => a - b)[all.length >> 1] ?? 0;
    const early = await fetched("test", 3, { start: null, end });
    expect(ranks(early)).toEqual(ranks(all.filter(({ time }) => time !== null && time < end)).slice(0, 3));
  });

  it("is asked for a limited number of texts only if a search has no filter but days", async () => {
    const { url } = await pushedStore("full");
    const limits: (number | undefined)[] = [];
    const store = (sources?: string[]): Daybook =>
      new Daybook({
        roots: {},
        env: {},
        home: "/nowhere",
        ...(sources ? { sources } : {}),
        remote: (work, about) => {
          limits.push(about.mostTexts);
          return fromStore({ url, login: "ann", ...about }, work);
        },
      });
    const whole = store();
    for (const query of [{}, { since: "2026-11-14" }, { limit: 2500 }]) await whole.search("test", query);
    expect(limits.splice(0)).toEqual([5001, 5001, 5001]);
    const session = (await own.sessions())[0]?.session_id;
    for (const query of [{ project: "x" }, { session }, { kinds: ["prompt"] }, { limit: 2501 }])
      await whole.search("test", query);
    await store(["codex"]).search("test");
    expect(limits).toEqual([undefined, undefined, undefined, undefined, undefined]);
  });

  it("pushed at level turns has all turns, and tool calls without input, error and risks", async () => {
    const store = await pushed("turns");
    expect(await store.sessions()).toEqual(redacted(await own.sessions()));
    expect(await store.turns()).toEqual(redacted(await own.turns()));
    expect(await store.decisions()).toEqual(redacted(await own.decisions()));
    const [calls, all] = [await store.tools(), await own.tools()];
    const brief = ({ source, session_id, turn_ref, name, status, expected_exit, started_at }: ToolView): object => ({
      source,
      session_id,
      turn_ref,
      name,
      status,
      expected_exit,
      started_at,
    });
    expect(calls.map(brief)).toEqual(redacted(all).map(brief));
    for (const { input, error, risks, not_pushed } of calls) {
      expect({ input, error, risks, level: not_pushed?.level }).toEqual({
        input: null,
        error: null,
        risks: null,
        level: "turns",
      });
      expect(not_pushed?.fields).toContain("input");
    }
    store.close();
  });

  it("pushed at level totals has all numbers and no text", async () => {
    const store = await pushed("totals");
    for (const group of ["daily", "weekly", "monthly", "model"] as const) {
      const how = { group, by: "spent" as const, breakdown: true, order: "asc" as const };
      expect(await store.usage(how)).toEqual(await own.usage(how));
    }
    const [sessions, all] = [await store.sessions(), await own.sessions()];
    const numbers = ({ source, started_at, ended_at, turns, usage }: SessionView): object => ({
      source,
      started_at,
      ended_at,
      turns,
      tokens: usage.output_tokens,
      input: usage.input_tokens,
    });
    const sorted = (list: readonly SessionView[]): string[] =>
      list.map((view) => JSON.stringify(numbers(view))).toSorted();
    expect(sorted(sessions)).toEqual(sorted(all));
    const turns = await store.turns();
    expect(turns.length).toBe((await own.turns()).length);
    const spent = (list: readonly TurnView[]): number =>
      list.reduce((sum, { usage }) => sum + (usage.cost_usd ?? 0), 0);
    expect(spent(turns)).toBeCloseTo(spent(await own.turns()), 6);
    for (const { trigger, final_text, files, tools, not_pushed } of turns) {
      expect({ text: trigger.text, final_text, files, ok: tools.ok }).toEqual({
        text: null,
        final_text: null,
        files: null,
        ok: tools.total - tools.failed - tools.denied - tools.interrupted - tools.pending,
      });
      expect(not_pushed).toMatchObject({
        level: "totals",
        fields: expect.arrayContaining(["trigger.text", "final_text", "files"]) as string[],
      });
    }
    const [pushedDecisions, decisions] = [await store.decisions(), await own.decisions()];
    expect(pushedDecisions.length).toBeGreaterThan(0);
    expect(pushedDecisions.map(({ time, answered }) => [time, answered])).toEqual(
      decisions.map(({ time, answered }) => [time, answered]),
    );
    for (const { title, options } of pushedDecisions)
      expect({ title, options }).toEqual({ title: null, options: null });
    store.close();
  });

  it.each(["full", "totals"] as const)(
    "pushed at level %s can be shown in a terminal by every command that reads",
    async (level) => {
      const { url } = await pushedStore(level);
      for (const words of [
        "report --date 2026-05-12",
        "report --date 2026-05-12 --full",
        "report --date 2026-05-12 --standup",
        "report --date 2026-05-12 --format markdown",
        "report --date 2026-05-12 --format html",
        "usage",
        "usage turn",
        "sessions",
        "turns",
        "tools",
        "decisions",
        "search tests",
      ]) {
        let [out, err] = ["", ""];
        const code = await main([...words.split(" "), "--store", url, "--owner", "ann", "-z", "UTC"], {
          out: (text) => void (out += text),
          err: (text) => void (err += text),
          env: { HOME: home },
          now: Date.UTC(2026, 11, 31),
          columns: 80,
          outIsTerminal: true,
          errIsTerminal: true,
        });
        expect([words, code, err, out === ""]).toEqual([words, 0, "", false]);
        expect(out).not.toMatch(/\bnull\b|NaN|undefined/);
        if (level === "full" || !words.startsWith("report")) continue;
        // Unknown values are shown neither as zero nor as "none".
        expect([words, out]).toEqual([words, expect.stringMatching(/not in the store/i)]);
        expect([words, out]).not.toEqual([
          words,
          expect.stringMatching(/\b0 (?:files|commits)|Waiting for you {2}none/),
        ]);
      }
    },
  );

  it("shows nobody the sessions of others, and rejects unknown owners and unreachable hosts", async () => {
    const { url } = await pushedStore("totals");
    const ask = (login: string): Promise<unknown> => opened(url, login).sessions();
    expect(await ask("bob")).toEqual([]);
    await expect(ask("eve")).rejects.toThrow("has nobody called eve");
    await expect(opened(url.replace(/\?host=.*/, "?host=%2Fnowhere"), "ann").sessions()).rejects.toThrow(
      "cannot be reached",
    );
  });
});
