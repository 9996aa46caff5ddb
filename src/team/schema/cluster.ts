import type { ClientBase } from "pg";
import { DaybookError } from "../../base/errors.ts";
import { createdTable, migrations } from "./migrations.ts";
import { ROLES } from "./roles.ts";

/** Tables that are distributed now; empty if all were. */
export interface Distributed {
  /** Split by owner over the nodes. */
  split: string[];
  /** Copied to every node. */
  copied: string[];
}

/** Whether the database is a node of a Citus cluster. */
export async function isCluster(client: ClientBase): Promise<boolean> {
  const { rows } = await client.query("SELECT 1 FROM pg_extension WHERE extname = 'citus'");
  return rows.length > 0;
}

/**
 * Nodes connect to each other as the role of a statement, so these roles may log in. They have no password. Roles that
 * were made for another database of this server are not on the other nodes; where they are, creating them fails.
 */
export async function allowNodes(client: ClientBase): Promise<void> {
  const onOthers = async (statement: string): Promise<string | null> => {
    const { rows } = await client.query<{ result: string }>(
      // One after the other: each passes it on, and two would wait for each other.
      "SELECT result FROM run_command_on_workers($1, parallel => false) WHERE NOT success",
      [statement],
    );
    return rows[0]?.result ?? null;
  };
  for (const role of ROLES) {
    await onOthers(`CREATE ROLE ${role}`);
    const problem = await onOthers(`ALTER ROLE ${role} LOGIN`);
    if (problem !== null)
      throw refused(`the role ${role} could not be made on every node: ${problem}`, "repeat it when all nodes answer");
    await client.query(`ALTER ROLE ${role} LOGIN`);
  }
}

/** The number of nodes that hold rows; null if the store is in one database. */
export async function nodesOf(client: ClientBase): Promise<number | null> {
  if (!(await isCluster(client)) || !(await distributedTables(client)).has(FIRST)) return null;
  const { rows } = await client.query<{ nodes: number }>(
    "SELECT count(*)::int4 AS nodes FROM pg_dist_node WHERE isactive AND shouldhaveshards",
  );
  return rows[0]?.nodes ?? null;
}

/** The rows of a person are on the node that has their row here. */
const FIRST = "daybook.heads";

/**
 * Spreads the tables over the nodes of a cluster: those with people's rows by owner, all others on every node. Tables
 * that are distributed already stay as they are, so it can be repeated after an interruption or a migration.
 */
export async function distribute(client: ClientBase): Promise<Distributed> {
  if (!(await isCluster(client)))
    throw refused(
      "this database is not a node of a Citus cluster",
      "run CREATE EXTENSION citus on every node, then citus_add_node on the coordinator",
    );
  await allowNodes(client);
  // New connections repeat the settings of a transaction, such as whose rows it is about, on the other nodes.
  const { rows } = await client.query<{ name: string }>("SELECT quote_ident(current_database()) AS name");
  await client.query(`ALTER DATABASE ${rows[0]?.name ?? ""} SET citus.propagate_set_commands = 'local'`);
  const done = await distributedTables(client);
  const made: Distributed = { split: [], copied: [] };
  for (const { table, isOwned } of createdTables()) {
    if (done.has(table)) continue;
    const hadRows = await client.query(`SELECT 1 FROM ${table} LIMIT 1`);
    if (isOwned)
      await client.query(
        `SELECT create_distributed_table('${table}', 'owner_id', colocate_with => '${table === FIRST ? "none" : FIRST}')`,
      );
    else await client.query(`SELECT create_reference_table('${table}')`);
    // The rows are on the nodes now; without this, the coordinator would keep a copy that nobody reads.
    if (hadRows.rows.length > 0) await client.query(`SELECT truncate_local_data_after_distributing_table('${table}')`);
    made[isOwned ? "split" : "copied"].push(table);
  }
  return made;
}

/** The tables of all migrations; the one that decides where a person's rows are comes first. */
function createdTables(): { table: string; isOwned: boolean }[] {
  return migrations()
    .flatMap(({ statements }) => statements.flatMap((statement) => createdTable(statement) ?? []))
    .toSorted((a, b) => Number(b.table === FIRST) - Number(a.table === FIRST));
}

async function distributedTables(client: ClientBase): Promise<Set<string>> {
  const { rows } = await client.query<{ name: string }>("SELECT logicalrelid::text AS name FROM pg_dist_partition");
  return new Set(rows.map(({ name }) => name));
}

function refused(message: string, hint: string): DaybookError {
  return new DaybookError(message, { code: "refused", op: "distribute store", hint });
}
