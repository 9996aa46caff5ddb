import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { USAGE_GROUPS } from "../../src/views/usage-view.ts";
import { LEVELS, type Level } from "../../src/views/push-level.ts";
import type { NotPushed } from "../../src/views/not-pushed.ts";
import { Daybook } from "../../src/answers/daybook.ts";
import { uuidOf } from "../../src/team/rows/ids.ts";
import { fromStore } from "../../src/team/read/open-store.ts";
import { copyCorpus, scratch } from "../store/fixture.ts";
import { NO_POSTGRES, teamStore, type TeamStore } from "./postgres.ts";
import { addOwners, ask, book, pushHome, type Roots } from "./push-fixture.ts";

const SAMPLES = fileURLToPath(new URL("../../samples/", import.meta.url));
const MONTH = fileURLToPath(new URL("../fixtures/month/", import.meta.url));

/** Sub-agents, forks, companions, models without a price, turns without usage. */
const SOME = [
  "claude-2.1.325",
  "codex-0.166.0",
  "gemini-0.61.0",
  "opencode-1.18.33",
  "goose-1.52.0",
  "copilot-1.0.102",
];

/** Fields that contain the store's own names, or numbers derived from them, at level totals. */
const RENAMED = new Set(["session_ref", "citation"]);
/** Sentences that are shorter if the inputs of tool calls are unknown. */
const SHORTER = /(?:^|\.)result(?:s)?(?:\.text)?$/;

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
type Fields = { [name: string]: Json };

/** Collects differences between a store and the book for which the store gives no reason, each kind once. */
class Comparison {
  readonly #level: Level;
  readonly found = new Map<string, string>();

  constructor(level: Level) {
    this.#level = level;
  }

  compare(expected: unknown, actual: unknown, about: string): void {
    this.#walk(plain(expected), plain(actual), about, "", []);
  }

  #walk(expected: Json, actual: Json | undefined, about: string, path: string, lacking: readonly string[]): void {
    if (JSON.stringify(expected) === JSON.stringify(actual)) return;
    const isLacking = lacking.some((field) => path === field || path.startsWith(`${field}.`));
    if ((actual === null || actual === undefined) && isLacking) return;
    if (Array.isArray(expected) && Array.isArray(actual) && expected.length === actual.length) {
      for (const [i, one] of expected.entries()) this.#walk(one, actual[i], about, path, lacking);
      return;
    }
    if (isFields(expected) && isFields(actual)) {
      const own = actual["not_pushed"] as unknown as NotPushed | undefined;
      if (own) expect(own.level).toBe(this.#level);
      const at = [...lacking, ...(own?.fields ?? []).map((field) => joined(path, field))];
      for (const name of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
        if (name === "not_pushed") continue;
        this.#walk(expected[name] ?? null, actual[name], about, joined(path, name), at);
      }
      return;
    }
    const name = path.slice(path.lastIndexOf(".") + 1);
    if (isLacking && this.#level === "totals" && RENAMED.has(name)) return;
    if (isLacking && SHORTER.test(path)) return;
    if (!this.found.has(`${about} ${path}`))
      this.found.set(`${about} ${path}`, `${brief(expected)} is ${brief(actual ?? null)}`);
  }
}

function joined(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}

function brief(value: Json): string {
  return JSON.stringify(value).slice(0, 160);
}

function isFields(value: Json | undefined): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** As JSON, with lists sorted: elements of the same time are ordered by names, which differ in a store. */
function plain(value: unknown): Json {
  return sorted(JSON.parse(JSON.stringify(value)) as Json);
}

function sorted(value: Json): Json {
  if (Array.isArray(value)) {
    const list = value.map(sorted);
    return list.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : keyOf(a) > keyOf(b) ? 1 : 0));
  }
  if (!isFields(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, sorted(one)]));
}

function keyOf(value: Json): string {
  if (!isFields(value)) return typeof value === "string" && value.startsWith("#") ? value : "";
  return [value["source"], value["session_id"], value["project"], value["period"]].map(String).join(" ");
}

describe.skipIf(NO_POSTGRES !== null)("every field read from a store", () => {
  const { roots } = copyCorpus(SOME);
  for (const source of ["claude-code", "codex"]) roots[source]?.push(join(SAMPLES, source));
  const month: Roots = { "claude-code": [join(MONTH, "claude")], codex: [join(MONTH, "codex")] };
  const homes = [
    { roots, home: scratch("corpus"), dates: ["2026-05-11", "2026-05-12", "2026-11-14"], words: "test" },
    { roots: month, home: scratch("month"), dates: ["2026-09-07", "2026-09-10", "2026-09-16"], words: "deploy" },
  ];
  const own: Daybook[] = [];
  /** Answers of the books, which are the same at every level, by question. */
  const known = new Map<string, unknown>();
  beforeAll(async () => {
    for (const one of homes) {
      const daybook = book(one.roots, one.home);
      own.push(daybook);
      await daybook.sessions();
    }
  });
  afterAll(() => own.forEach((daybook) => daybook.close()));

  /** Replaces the names in an answer of the book by those of the store. */
  async function renaming(store: TeamStore, daybook: Daybook, level: Level): Promise<(value: unknown) => unknown> {
    const shown = (value: unknown): unknown => daybook.redactor.all(JSON.parse(JSON.stringify(value)) as object);
    if (level !== "totals") return shown;
    const rows = await ask<{ session_id: string; project: string }>(
      store,
      "SELECT session_id, project FROM daybook.sessions",
    );
    const labels = new Map(rows.map(({ session_id, project }) => [session_id, project]));
    const sessions = await daybook.sessions();
    const names = sessions.map(({ source, session_id }) => [session_id, uuidOf(source, session_id)] as const);
    const projects = new Map<string, string>();
    for (const { source, session_id, project, project_key } of sessions)
      for (const name of [project, project_key]) projects.set(name, labels.get(uuidOf(source, session_id)) ?? "");
    return (value) => {
      let text = JSON.stringify(shown(value));
      for (const [id, name] of names) text = text.replaceAll(id, name);
      return JSON.parse(text, (name, one: unknown) => {
        if (name === "project_keys") return [...new Set((one as string[]).map((key) => projects.get(key) ?? key))];
        return name === "project" || name === "project_key" ? (projects.get(String(one)) ?? one) : one;
      });
    };
  }

  it.each(LEVELS.toReversed())(
    "equals that of the book, or is null and named in not_pushed, at level %s",
    async (level) => {
      const comparison = new Comparison(level);
      for (const [i, { roots: from, home, dates }] of homes.entries()) {
        const daybook = own[i];
        if (!daybook) continue;
        const store = await teamStore();
        await addOwners(store);
        await pushHome(store, from, home, { level });
        const { url } = store;
        const remoteDaybook = new Daybook({
          roots: {},
          env: {},
          home: "/nowhere",
          timezone: "UTC",
          now: Date.UTC(2026, 11, 31),
          remote: (work, about) => fromStore({ url, login: "ann", ...about }, work),
        });
        const renamed = await renaming(store, daybook, level);
        const both = async (
          about: string,
          question: (one: Daybook) => Promise<unknown>,
          more: object = {},
        ): Promise<void> => {
          const key = `${i} ${about} ${JSON.stringify(more)}`;
          if (!known.has(key)) known.set(key, await question(daybook));
          comparison.compare(renamed(known.get(key)), await question(remoteDaybook), about);
        };
        await both("sessions", (one) => one.sessions());
        await both("turns", (one) => one.turns());
        await both("tools", (one) => one.tools());
        await both("decisions", (one) => one.decisions());
        for (const group of USAGE_GROUPS)
          for (const by of ["spent", "trigger"] as const) {
            const how = { group, by, breakdown: true, agents: true, order: "asc" as const };
            await both(`usage ${group} ${by}`, (one) => one.usage(how));
          }
        await both("usage by project", (one) =>
          one.usage({ group: "monthly", by: "spent", breakdown: false, instances: true, order: "asc" }),
        );
        const spans = [...dates.map((date) => ({ date })), { since: dates[0], until: dates.at(-1) }];
        for (const span of spans)
          await both(
            "report",
            async (one) => {
              const { diagnostics, ...report } = await one.report(span);
              // Only the report of a store says that it was made from one.
              const rest = diagnostics.filter(({ code }) => code !== "from_store");
              expect(rest.length < diagnostics.length).toBe(one === remoteDaybook);
              return { ...report, diagnostics: rest };
            },
            span,
          );
        remoteDaybook.close();
      }
      expect(Object.fromEntries(comparison.found)).toEqual({});
    },
  );
});
