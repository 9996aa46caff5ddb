import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { USAGE_GROUPS } from "../../src/answers/usage-view.ts";
import { LEVELS, type Level } from "../../src/answers/push-level.ts";
import type { NotPushed } from "../../src/answers/not-pushed.ts";
import { Daybook } from "../../src/daybook.ts";
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

/** Called by names of the store's own, or numbered among those, where nothing else was pushed. */
const RENAMED = new Set(["session_ref", "citation"]);
/** Sentences that say less where what a tool was given is not known. */
const SHORTER = /(?:^|\.)result(?:s)?(?:\.text)?$/;

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
type Fields = { [name: string]: Json };

/** What a store says otherwise than the book does, where it does not say why: each kind once. */
class Comparison {
  readonly #level: Level;
  readonly found = new Map<string, string>();

  constructor(level: Level) {
    this.#level = level;
  }

  look(wanted: unknown, said: unknown, about: string): void {
    this.#walk(plain(wanted), plain(said), about, "", []);
  }

  #walk(wanted: Json, said: Json | undefined, about: string, path: string, lacking: readonly string[]): void {
    if (JSON.stringify(wanted) === JSON.stringify(said)) return;
    const isLacking = lacking.some((field) => path === field || path.startsWith(`${field}.`));
    if ((said === null || said === undefined) && isLacking) return;
    if (Array.isArray(wanted) && Array.isArray(said) && wanted.length === said.length) {
      for (const [i, one] of wanted.entries()) this.#walk(one, said[i], about, path, lacking);
      return;
    }
    if (isFields(wanted) && isFields(said)) {
      const own = said["not_pushed"] as unknown as NotPushed | undefined;
      if (own) expect(own.level).toBe(this.#level);
      const at = [...lacking, ...(own?.fields ?? []).map((field) => joined(path, field))];
      for (const name of new Set([...Object.keys(wanted), ...Object.keys(said)])) {
        if (name === "not_pushed") continue;
        this.#walk(wanted[name] ?? null, said[name], about, joined(path, name), at);
      }
      return;
    }
    const name = path.slice(path.lastIndexOf(".") + 1);
    if (isLacking && this.#level === "totals" && RENAMED.has(name)) return;
    if (isLacking && SHORTER.test(path)) return;
    if (!this.found.has(`${about} ${path}`))
      this.found.set(`${about} ${path}`, `${brief(wanted)} is ${brief(said ?? null)}`);
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

/** As it is printed. Lists of what happened at the same time are in the order of names, which are others in a store. */
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

describe.skipIf(NO_POSTGRES !== null)("what a store says of each field", () => {
  const { roots } = copyCorpus(SOME);
  for (const source of ["claude-code", "codex"]) roots[source]?.push(join(SAMPLES, source));
  const month: Roots = { "claude-code": [join(MONTH, "claude")], codex: [join(MONTH, "codex")] };
  const homes = [
    { roots, home: scratch("corpus"), dates: ["2026-05-11", "2026-05-12", "2026-11-14"], words: "test" },
    { roots: month, home: scratch("month"), dates: ["2026-09-07", "2026-09-10", "2026-09-16"], words: "deploy" },
  ];
  const own: Daybook[] = [];
  beforeAll(async () => {
    for (const one of homes) {
      const daybook = book(one.roots, one.home);
      own.push(daybook);
      await daybook.sessions();
    }
  });
  afterAll(() => own.forEach((daybook) => daybook.close()));

  /** The same answer by the names that the store has. */
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

  it.each(LEVELS.toReversed())("is that of the book, or null with a reason, at %s", async (level) => {
    const comparison = new Comparison(level);
    for (const [i, { roots: from, home, dates }] of homes.entries()) {
      const daybook = own[i];
      if (!daybook) continue;
      const store = await teamStore();
      await addOwners(store);
      await pushHome(store, from, home, { level });
      const { url } = store;
      const there = new Daybook({
        roots: {},
        env: {},
        home: "/nowhere",
        timezone: "UTC",
        now: Date.UTC(2026, 11, 31),
        remote: (work, about) => fromStore({ url, login: "ann", ...about }, work),
      });
      const here = await renaming(store, daybook, level);
      const both = async (about: string, question: (one: Daybook) => Promise<unknown>): Promise<void> =>
        comparison.look(here(await question(daybook)), await question(there), about);
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
        await both("report", async (one) => {
          const { diagnostics, ...report } = await one.report(span);
          // Where it was made is said by the store alone.
          const rest = diagnostics.filter(({ code }) => code !== "from_store");
          expect(rest.length < diagnostics.length).toBe(one === there);
          return { ...report, diagnostics: rest };
        });
      there.close();
    }
    expect(Object.fromEntries(comparison.found)).toEqual({});
  });
});
