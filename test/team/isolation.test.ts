import { randomUUID } from "node:crypto";
import type { Client } from "pg";
import { describe, expect, it } from "vitest";
import { openPool } from "../../src/team/store/connect.ts";
import { transaction } from "../../src/team/store/transaction.ts";
import { seeds } from "../nightly.ts";
import { rankIn } from "./linear.ts";
import { NO_POSTGRES, teamStore, withClient } from "./postgres.ts";

/** What a lead may ask by. */
const SPLITS = ["total", "week", "day", "project", "model", "source"] as const;
/** Dollars for a million tokens that go in and out: everybody knows them. One model has no price. */
const PRICES: Readonly<Record<string, readonly [input: number, output: number]>> = {
  "claude-opus": [5, 25],
  "claude-sonnet": [3, 15],
  "gpt-5.2": [2, 14],
  local: [0, 0],
};
/** All spans of two weeks. */
const SPANS = [
  ["2026-05-04", "2026-05-10"],
  ["2026-05-11", "2026-05-17"],
  ["2026-05-04", "2026-05-17"],
] as const;

/** One daily sum of a person. */
interface Row {
  who: number;
  day: string;
  labels: Record<"project" | "model" | "source", string>;
  outcome: string;
  tool: string;
  turns: number;
}

interface Population {
  people: string[];
  /** Led by the first person. */
  teams: { id: string; members: number[] }[];
  rows: Row[];
  smallestGroup: number;
}

/** A generator with a seed: the same populations on every machine. */
function drawing(seed: number): { below: (n: number) => number; one: <T>(list: readonly T[]) => T } {
  let state = seed * 2_654_435_761 + 1;
  const below = (n: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
  return { below, one: (list) => list[below(list.length)] as never };
}

function population(seed: number): Population {
  const { below, one } = drawing(seed);
  const size = 6 + below(8);
  const everybody = Array.from({ length: size }, (_, i) => i);
  const projects = ["shop", "api", "site", "lab"].slice(0, 2 + below(3));
  const models = ["claude-opus", "claude-sonnet", "gpt-5.2", "local"].slice(0, 1 + below(4));
  const rows = new Map<string, Row>();
  for (const who of everybody) {
    const own = { projects: [one(projects), one(projects)], models: [one(models), one(models)] };
    for (const week of [0, 1])
      for (let n = below(7); n > 0; n--) {
        const day = `2026-05-${String(4 + week * 7 + below(6)).padStart(2, "0")}`;
        const model = one(below(5) === 0 ? models : own.models);
        const labels = {
          project: one(below(6) === 0 ? projects : own.projects),
          model,
          source: model.startsWith("gpt") ? "codex" : below(4) === 0 ? "pi" : "claude-code",
        };
        const outcome = one(["completed", "completed", "aborted", "failed"]);
        const row = { who, day, labels, outcome, tool: one(["shell", "patch", "web"]), turns: 1 + below(4) };
        rows.set(JSON.stringify([who, day, labels]), row);
      }
  }
  const some = (): number[] => everybody.filter((who) => who === 0 || below(2) === 0);
  const [a, b] = [some(), everybody.filter(() => below(2) === 0)];
  const union = everybody.filter((who) => a.includes(who) || b.includes(who));
  const members = [a, b, union, everybody, some(), everybody.slice(0, -1)];
  return {
    people: everybody.map(() => randomUUID()),
    teams: members.map((list) => ({ id: randomUUID(), members: [...new Set([0, ...list])] })),
    rows: [...rows.values()],
    smallestGroup: one([3, 4, 5]),
  };
}

/**
 * Every row costs another power of two, so that a sum says which rows it consists of. One model has no price. `first`:
 * of the first row.
 */
async function fill(client: Client, { people, teams, rows, smallestGroup }: Population): Promise<void> {
  await client.query("UPDATE daybook.stores SET smallest_group = $1", [smallestGroup]);
  for (const [i, owner] of people.entries())
    await client.query("INSERT INTO daybook.owners (owner_id, login) VALUES ($1, $2)", [owner, `p${i}-${owner}`]);
  for (const { id, members } of teams) {
    await client.query("INSERT INTO daybook.teams VALUES ($1, $2)", [id, id]);
    for (const who of members)
      await client.query("INSERT INTO daybook.memberships VALUES ($1, $2, $3)", [
        id,
        people[who],
        who === 0 ? "lead" : "member",
      ]);
  }
  for (const [i, { who, day, labels, outcome, tool, turns }] of rows.entries()) {
    const { source, project, model } = labels;
    const pico = model === "local" ? 0n : 2n ** BigInt(i);
    await client.query(
      "INSERT INTO daybook.usage_days VALUES ($1, $2, $3, $4, $5, $6, 3, 1, 1, $7, $8, $9, 3, 0, $8, 1, $10)",
      [
        people[who],
        day,
        source,
        project,
        model,
        turns,
        model === "local" ? 1 : 0,
        String(2n ** BigInt(i)),
        // One person's agent reads from no cache.
        who > 0 ? 4 : 0,
        String(pico),
      ],
    );
    const session = randomUUID();
    for (let n = 1; n <= turns; n++)
      await client.query(
        `INSERT INTO daybook.turns (owner_id, session_id, n, ts, day, calls, failed, status, source, project, model, hash)
         VALUES ($1, $2, $3, $4::date, $4::date, 1, 1, $5, $6, $7, $8, '\\x01')`,
        [people[who], session, n, day, outcome, source, project, model],
      );
    await client.query(
      `INSERT INTO daybook.tool_calls (owner_id, session_id, n, turn, ts, trouble, risky, status, name, hash)
       VALUES ($1, $2, 1, 1, $3, 1, false, 'failed', $4, '\\x01')`,
      [people[who], session, day, tool],
    );
  }
}

interface Answer {
  name: string | null;
  people: string;
  turns: string | null;
  calls: string | null;
  input: string | null;
  output: string | null;
  pico: string | null;
}

/** A sum as coefficients of rows. */
type Vector = ReadonlyMap<number, number>;

/** The rows in a sum of powers of two. */
function rowsIn(sum: string): Vector {
  const bits = BigInt(sum).toString(2);
  return new Map([...bits].flatMap((bit, i) => (bit === "1" ? [[bits.length - 1 - i, 1] as const] : [])));
}

/** A cost as tokens times their prices. */
function pricedIn(rows: Vector, { rows: all }: Population): Vector {
  const kinds = [...rows.keys()].flatMap((row) =>
    (PRICES[all[row]?.labels.model ?? ""] ?? []).map((price, kind) => [2 * row + kind, price] as const),
  );
  return new Map(kinds.filter(([, price]) => price > 0));
}

/** All sets of people with fewer than `most`. */
function* fewerThan(most: number, all: number, chosen: number[] = []): Generator<number[], void, undefined> {
  if (chosen.length > 0) yield chosen;
  if (chosen.length + 1 >= most) return;
  for (let next = (chosen.at(-1) ?? -1) + 1; next < all; next++) yield* fewerThan(most, all, [...chosen, next]);
}

/** Sets of too few people whose own rows alone make up some combination of the sums. */
function isolated(vectors: readonly Vector[], { rows, people }: Pick<Population, "rows" | "people">): number[][] {
  const all = rankIn(vectors, () => true);
  const ownerOf = (column: number): number => rows[column]?.who ?? -1;
  return [...fewerThan(3, people.length)].filter(
    (few) => rankIn(vectors, (column) => !few.includes(ownerOf(column))) < all,
  );
}

type Asking = (team: string, span: readonly [string, string], split: string) => Promise<Answer[]>;

describe.skipIf(NO_POSTGRES !== null)("what a lead can add up and subtract", () => {
  /** Fills a store with each population and asks as their lead. */
  async function eachOf(
    list: readonly Population[],
    check: (drawn: Population, ask: Asking, n: number) => Promise<void>,
  ): Promise<void> {
    const { url, apiUrl } = await teamStore();
    await withClient(url, async (client) => {
      for (const column of ["input", "output"])
        await client.query(`ALTER TABLE daybook.usage_days ALTER COLUMN ${column} TYPE numeric`);
    });
    const pool = openPool(apiUrl, 1);
    for (const [n, drawn] of list.entries()) {
      await withClient(url, (client) => fill(client, drawn));
      const ask: Asking = (team, [since, until], split) =>
        transaction(pool, { role: "daybook_lead", owner: drawn.people[0] ?? null }, async (sql) => {
          const text = "SELECT * FROM daybook_ask.team_usage($1, $2, $3, $4)";
          return (await sql.query<Answer>(text, [team, since, until, split])).rows;
        });
      await check(drawn, ask, n);
    }
    await pool.end();
  }

  it("isolates nobody, whatever is asked about which teams and spans", async () => {
    let [shown, named, naive, both] = [0, 0, 0, 0];
    const list = seeds(12, 150).map((seed) => population(seed));
    await eachOf(list, async (drawn, ask, n) => {
      const costs: Vector[] = [];
      // What went in and out of each row are two unknowns, of which costs and tokens are sums.
      const spent: Vector[] = [];
      for (const { id } of drawn.teams)
        for (const span of SPANS)
          for (const split of SPLITS)
            for (const { name, pico, people, input, output } of await ask(id, span, split)) {
              expect(Number(people)).toBeGreaterThanOrEqual(3);
              if (name !== null && split !== "total") named += 1;
              for (const [kind, sum] of [input, output].entries())
                if (sum !== null) spent.push(new Map([...rowsIn(sum).keys()].map((row) => [2 * row + kind, 1])));
              if (pico === null) continue;
              shown += 1;
              costs.push(rowsIn(pico));
              spent.push(pricedIn(rowsIn(pico), drawn));
            }
      naive +=
        isolated(
          SPLITS.flatMap((split) => unhidden(drawn, split)),
          drawn,
        ).length > 0
          ? 1
          : 0;
      expect([n, isolated(costs, drawn)]).toEqual([n, []]);
      expect([n, isolated(spent, { ...drawn, rows: drawn.rows.flatMap((row) => [row, row]) })]).toEqual([n, []]);
      both += spent.length > costs.length ? 1 : 0;
    });
    expect(both).toBeGreaterThan(1);
    // Without any rule, somebody is isolated in nearly every population; with it, much is still shown.
    expect(naive).toBeGreaterThan(list.length * 0.9);
    expect(shown / list.length).toBeGreaterThan(20);
    expect(named / list.length).toBeGreaterThan(10);
  }, 600_000);

  it("isolates nobody by numbers of turns, which also are told by outcome", async () => {
    let named = 0;
    const list = seeds(12, 150).map((seed) => {
      const drawn = population(seed);
      return { ...drawn, teams: [{ id: randomUUID(), members: [...drawn.people.keys()] }] };
    });
    await eachOf(list, async (drawn, ask, n) => {
      const turns: Vector[] = [];
      for (const span of SPANS.slice(0, 2))
        for (const split of ["outcome", "project", "model", "source", "day", "total"]) {
          const answers = await ask(drawn.teams[0]?.id ?? "", span, split);
          const names = new Set(answers.map(({ name }) => name));
          for (const { name, turns: sum } of answers) {
            if (sum === null) continue;
            if (split === "outcome" && name !== null) named += 1;
            const own = [...drawn.rows.entries()].filter(([, row]) => {
              const label = labelOf(row, split);
              const isNamed = name === null ? !names.has(label) : label === name;
              return isNamed && row.day >= span[0] && row.day <= span[1];
            });
            expect(own.reduce((all, [, row]) => all + row.turns, 0)).toBe(Number(sum));
            turns.push(new Map(own.map(([i]) => [i, 1])));
          }
        }
      expect([n, isolated(turns, drawn)]).toEqual([n, []]);
    });
    expect(named / list.length).toBeGreaterThan(1);
  }, 600_000);
});

/** The sums of everybody by one split, if nothing was hidden. */
function unhidden({ rows }: Population, split: (typeof SPLITS)[number]): Vector[] {
  const groups = new Map<string, Map<number, number>>();
  for (const [i, row] of rows.entries()) {
    const group = groups.get(labelOf(row, split)) ?? new Map<number, number>();
    groups.set(labelOf(row, split), group.set(i, 1));
  }
  return [...groups.values()];
}

function labelOf({ day, labels, outcome }: Row, split: string): string {
  if (split === "day") return day;
  if (split === "outcome") return outcome;
  if (split === "week") return day < "2026-05-11" ? "first" : "second";
  return split === "total" ? "" : labels[split as keyof typeof labels];
}
