import { randomUUID } from "node:crypto";
import type { ClientBase } from "pg";
import { DaybookError } from "../../base/errors.ts";
import { createdTable, expandConditions, migrations, SCHEMA_VERSION, type Migration } from "./migrations.ts";
import { allowNodes, isCluster } from "./cluster.ts";
import { LOGIN, ROLES } from "./roles.ts";

export interface NewStore {
  /** The time zone of the store's days. */
  zone: string;
  /** The number of hash partitions of each table with people's rows; 0 for none. Cannot be changed later. */
  partitions: number;
  /** Groups of fewer people are hidden from leads. */
  smallestGroup: number;
  /** Whether leads see numbers by person. */
  personsShown: boolean;
  now: number;
}

export interface Migrated {
  storeId: string;
  /** Migrations run now; empty if the store was up to date. */
  ran: string[];
}

const MOST_PARTITIONS = 1024;

/**
 * Migrates a database to the schema of this program. Runs with the administrator's login, statement by statement:
 * distributed engines take one schema change at a time, so an interrupted run is simply repeated.
 */
export async function migrate(client: ClientBase, wanted: NewStore): Promise<Migrated> {
  if (!Number.isInteger(wanted.partitions) || wanted.partitions < 0 || wanted.partitions > MOST_PARTITIONS)
    throw refused(`a store has from 0 to ${MOST_PARTITIONS} partitions, not ${wanted.partitions}`);
  const isNode = await isCluster(client);
  if (isNode && wanted.partitions > 0)
    throw refused("a store on a Citus cluster has no partitions", "its tables are split by owner over the nodes");
  await makeRoles(client);
  if (isNode) await allowNodes(client);
  await client.query("CREATE SCHEMA IF NOT EXISTS daybook AUTHORIZATION daybook_owner");
  await client.query("CREATE SCHEMA IF NOT EXISTS daybook_ask AUTHORIZATION daybook_reader");
  await client.query("GRANT USAGE ON SCHEMA daybook_ask TO daybook_dev, daybook_lead, daybook_reporter");
  await client.query("CREATE SCHEMA IF NOT EXISTS daybook_report AUTHORIZATION daybook_reporter");
  const all = migrations();
  const done = await ensureMigrationsTable(client);
  assertKnownMigrations(all, done);
  const partitions = (await partitionsOf(client)) ?? wanted.partitions;
  const holds = new Set([...(partitions > 0 ? ["partitioned"] : []), ...(await engineOf(client))]);
  const ran: string[] = [];
  for (const step of all.filter(({ name }) => !done.has(name))) {
    await withRole(client, step.role, () => runStep(client, step, partitions, holds));
    await withRole(client, "daybook_owner", () =>
      client.query("INSERT INTO daybook.migrations (name, checksum, applied) VALUES ($1, $2, $3)", [
        step.name,
        step.checksum,
        new Date(wanted.now),
      ]),
    );
    ran.push(step.name);
  }
  return { storeId: await ensureStoreRow(client, wanted, partitions), ran };
}

/** The migrations a database has run, with their checksums; null if it is not a store. */
export async function appliedMigrations(client: ClientBase): Promise<Map<string, string> | null> {
  const { rows } = await client.query<{ there: string | null }>(
    "SELECT to_regclass('daybook.migrations')::text AS there",
  );
  if ((rows[0]?.there ?? null) === null) return null;
  const found = await client.query<{ name: string; checksum: string }>("SELECT name, checksum FROM daybook.migrations");
  return new Map(found.rows.map(({ name, checksum }) => [name, checksum]));
}

async function ensureMigrationsTable(client: ClientBase): Promise<Map<string, string>> {
  return withRole(client, "daybook_owner", async () => {
    await client.query(
      "CREATE TABLE IF NOT EXISTS daybook.migrations (name text NOT NULL PRIMARY KEY, checksum text NOT NULL, applied timestamptz NOT NULL)",
    );
    await client.query("GRANT SELECT ON daybook.migrations TO PUBLIC");
    return (await appliedMigrations(client)) ?? new Map<string, string>();
  });
}

/** Migrations a store lacks, has run in a different version, or has in addition. */
export function compareMigrations(
  all: readonly Migration[],
  done: ReadonlyMap<string, string>,
): { missing: string[]; changed: string[]; unknown: string[] } {
  const names = all.map(({ name }) => name);
  return {
    missing: names.filter((name) => !done.has(name)),
    changed: all.filter(({ name, checksum }) => (done.get(name) ?? checksum) !== checksum).map(({ name }) => name),
    unknown: [...done.keys()].filter((name) => !names.includes(name)).toSorted(),
  };
}

/** Rejects a store made by a changed migration, or by a newer program. */
function assertKnownMigrations(all: readonly Migration[], done: ReadonlyMap<string, string>): void {
  const { changed, unknown } = compareMigrations(all, done);
  if (unknown.length > 0)
    throw refused(`the store was made by a newer Daybook: it has ${unknown.join(", ")}`, "update this Daybook");
  // The files of this program were verified when read: so it is the store that differs.
  if (changed.length > 0)
    throw refused(`the store was made by a modified ${changed.join(", ")}`, "create a new store and push to it");
}

async function runStep(
  client: ClientBase,
  step: Migration,
  partitions: number,
  holds: ReadonlySet<string>,
): Promise<void> {
  for (const statement of step.statements) {
    await client.query(expandConditions(statement, holds));
    const { table, isOwned } = createdTable(statement) ?? { table: "", isOwned: false };
    if (!isOwned) continue;
    for (let i = 0; i < partitions; i++) {
      const name = `${table}_${String(i).padStart(4, "0")}`;
      await client.query(
        `CREATE TABLE IF NOT EXISTS ${name} PARTITION OF ${table} FOR VALUES WITH (MODULUS ${partitions}, REMAINDER ${i})`,
      );
    }
  }
}

async function makeRoles(client: ClientBase): Promise<void> {
  const { rows } = await client.query<{ rolname: string }>(
    "SELECT rolname FROM pg_roles WHERE rolname LIKE 'daybook!_%' ESCAPE '!'",
  );
  const there = new Set(rows.map(({ rolname }) => rolname));
  for (const role of ROLES) if (!there.has(role)) await client.query(`CREATE ROLE ${role} NOLOGIN`);
  // It inherits nothing: every transaction sets its role.
  if (!there.has(LOGIN)) await client.query(`CREATE ROLE ${LOGIN} LOGIN NOINHERIT`);
  await client.query(`GRANT daybook_auth, daybook_dev, daybook_lead, daybook_auditor TO ${LOGIN}`);
  const { rows: me } = await client.query<{ rolsuper: boolean }>(
    "SELECT rolsuper FROM pg_roles WHERE rolname = current_user",
  );
  if (me[0]?.rolsuper !== true) await client.query(`GRANT ${ROLES.join(", ")} TO CURRENT_USER`);
}

/** The store's own row: created once; contains its schema version. */
async function ensureStoreRow(client: ClientBase, wanted: NewStore, partitions: number): Promise<string> {
  return withRole(client, "daybook_owner", async () => {
    const { zone, smallestGroup, personsShown, now } = wanted;
    await client.query(
      `INSERT INTO daybook.stores (store_id, schema_version, zone, partitions, smallest_group, persons_shown, created)
       SELECT $1::uuid, $2::int4, $3::text, $4::int4, $5::int4, $6::bool, $7::timestamptz WHERE NOT EXISTS (SELECT 1 FROM daybook.stores)`,
      [randomUUID(), SCHEMA_VERSION, zone, partitions, smallestGroup, personsShown, new Date(now)],
    );
    const { rows } = await client.query<{ store_id: string }>(
      "UPDATE daybook.stores SET schema_version = $1 RETURNING store_id",
      [SCHEMA_VERSION],
    );
    return rows[0]?.store_id ?? "";
  });
}

/** The number of partitions chosen by an earlier run: tables of one store must not differ in it. */
async function partitionsOf(client: ClientBase): Promise<number | null> {
  const { rows } = await client.query<{ kind: string; parts: string }>(
    `SELECT c.relkind AS kind, (SELECT count(*) FROM pg_inherits i WHERE i.inhparent = c.oid)::text AS parts
     FROM pg_class c WHERE c.oid = to_regclass('daybook.heads')`,
  );
  const [first] = rows;
  if (!first) return null;
  return first.kind === "p" ? await modulusOf(client, Number(first.parts)) : 0;
}

/** An interrupted run may have left fewer partitions than intended; each states the intended number. */
async function modulusOf(client: ClientBase, found: number): Promise<number | null> {
  if (found === 0) return null;
  const { rows } = await client.query<{ bound: string }>(
    `SELECT pg_get_expr(c.relpartbound, c.oid) AS bound
     FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
     WHERE i.inhparent = to_regclass('daybook.heads') LIMIT 1`,
  );
  return Number(/modulus (\d+)/i.exec(rows[0]?.bound ?? "")?.[1] ?? found);
}

/** Features of this engine beyond those all engines share. */
async function engineOf(client: ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ version: string }>("SELECT version() AS version");
  const version = rows[0]?.version ?? "";
  if (version.includes("CockroachDB")) return [];
  return version.includes("-YB-") ? ["not_cockroach"] : ["not_cockroach", "postgres"];
}

async function withRole<T>(client: ClientBase, role: Migration["role"], work: () => Promise<T>): Promise<T> {
  await client.query(`SET ROLE ${role}`);
  try {
    return await work();
  } finally {
    await client.query("RESET ROLE");
  }
}

function refused(message: string, hint?: string): DaybookError {
  return new DaybookError(message, { code: "refused", op: "migrate store", ...(hint === undefined ? {} : { hint }) });
}
