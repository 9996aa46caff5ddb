import { Daybook } from "../../src/answers/daybook.ts";
import { machineOf } from "../../src/team/push/machine.ts";
import { postgresDestination } from "../../src/team/push/postgres.ts";
import { push, type PushOptions, type PushReport } from "../../src/team/push/push.ts";
import type { RetryOptions } from "../../src/team/push/retry.ts";
import { cluster, NO_CITUS, teamStore, withClient, type TeamStore } from "./postgres.ts";

export const OWNER = "00000000-0000-4000-8000-00000000000a";
/** Another person of the same store. */
export const OTHER = "00000000-0000-4000-8000-00000000000b";

export async function addOwners({ url }: TeamStore): Promise<void> {
  await withClient(url, (client) =>
    client.query("INSERT INTO daybook.owners (owner_id, login) VALUES ($1, 'ann'), ($2, 'bob')", [OWNER, OTHER]),
  );
}

let copies = 0;

/** A copy of a database, to which nobody may be connected: faster than to create the tables again. */
export async function copyOf(store: TeamStore): Promise<TeamStore> {
  if (NO_CITUS === null) return copyOfRows(store);
  const { url } = await cluster();
  const name = `copy_${(copies += 1)}`;
  const from = /\/(\w+)\?/.exec(store.url)?.[1] ?? "";
  await withClient(url("postgres"), (client) => client.query(`CREATE DATABASE ${name} TEMPLATE ${from}`));
  return { url: url(name), apiUrl: url(name, "daybook_api") };
}

/** The rows of a cluster are in databases of several nodes, which cannot be copied at once. */
async function copyOfRows({ url }: TeamStore): Promise<TeamStore> {
  const copy = await teamStore();
  await withClient(url, (from) =>
    withClient(copy.url, async (to) => {
      await to.query("DELETE FROM daybook.stores");
      for (const table of ["stores", "owners", "teams", "memberships", "tokens", ...TABLES_OF_ROWS]) {
        const { rows, fields } = await from.query({ text: `SELECT * FROM daybook.${table}`, rowMode: "array" });
        const places = fields.map((_, i) => `$${i + 1}`).join(", ");
        for (const row of rows as unknown[][]) await to.query(`INSERT INTO daybook.${table} VALUES (${places})`, row);
      }
    }),
  );
  return copy;
}

export type Roots = Record<string, string[]>;

export function book(roots: Roots, home: string, timezone = "UTC"): Daybook {
  return new Daybook({ roots, book: home, env: {}, home: "/nowhere", timezone, now: Date.UTC(2026, 11, 31) });
}

export const NO_WAIT: RetryOptions = { jitter: () => 0.5, wait: async () => undefined };

export interface Pushing extends Partial<Pick<PushOptions, "level" | "isDry" | "signal" | "salt" | "namedProjects">> {
  login?: string;
}

/** Pushes a home directory once, as one machine. */
export async function pushHome(
  store: TeamStore,
  roots: Roots,
  home: string,
  { login = "ann", ...more }: Pushing = {},
): Promise<PushReport> {
  const daybook = book(roots, home);
  const to = postgresDestination(store.url, login, NO_WAIT);
  try {
    const machine = machineOf(home, "desk");
    return await push({ daybook, home, to, machine, level: "turns", ...more });
  } finally {
    daybook.close();
    await to.close();
  }
}

/** Columns that depend on when, in which order or from where rows were pushed, and not on what was pushed. */
const VOLATILE_COLUMNS: Readonly<Record<string, readonly string[]>> = {
  sessions: ["seq", "machine_id", "forgotten"],
  heads: ["seq"],
  machines: ["seen", "machine_id"],
  session_copies: ["machine_id"],
};

export const TABLES_OF_ROWS: readonly string[] = [
  "heads",
  "machines",
  "sessions",
  "session_copies",
  "turns",
  "tool_calls",
  "usage_responses",
  "usage_days",
  "session_days",
  "decisions",
  "details",
  "facts",
  "texts",
];

/**
 * Every row of every table as text, without volatile columns. Each machine has its files in its own directory: the names of these
 * directories and the hashes that depend on them are left out.
 */
export async function dump({ url }: TeamStore, without: readonly string[] = []): Promise<Record<string, string[]>> {
  return withClient(url, async (client) => {
    const out: Record<string, string[]> = {};
    for (const table of TABLES_OF_ROWS.filter((name) => !without.includes(name))) {
      const { rows } = await client.query<Record<string, unknown>>(`SELECT * FROM daybook.${table}`);
      const hidden = ["hash", ...(VOLATILE_COLUMNS[table] ?? [])];
      out[table] = rows
        .map((row) => JSON.stringify(Object.entries(row).filter(([name]) => !hidden.includes(name))))
        .map((row) => row.replaceAll(/daybook-machine-\w+/g, "machine"))
        .toSorted();
    }
    return out;
  });
}

/** The id of the next transaction that writes: it stays the same as long as nothing is written. */
export async function writes({ url }: TeamStore): Promise<string> {
  return withClient(url, async (client) => {
    const { rows } = await client.query<{ n: string }>("SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS n");
    return rows[0]?.n ?? "";
  });
}

export async function ask<T extends object>(store: TeamStore, sql: string, values: unknown[] = []): Promise<T[]> {
  return withClient(store.url, async (client) => (await client.query<T>(sql, values)).rows);
}
