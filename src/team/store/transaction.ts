import type { Pool, PoolClient } from "pg";
import { DaybookError } from "../../base/errors.ts";
import type { ActingRole } from "../schema/roles.ts";

/** Runs SQL within one transaction. */
export type Sql = Pick<PoolClient, "query">;

export interface Acting {
  role: ActingRole;
  /** The owner of the rows; null if the role has no rows of its own. */
  owner: string | null;
}

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;

/** `snapshot`: all statements read one moment of the store, and write nothing. */
export type Kind = "change" | "snapshot";

const BEGIN: Readonly<Record<Kind, string>> = {
  change: "BEGIN",
  snapshot: "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY",
};

/** Runs a transaction with a role and an owner. Both are reset at its end, before the connection is reused. */
export async function transaction<T>(
  pool: Pool,
  acting: Acting,
  work: (sql: Sql) => Promise<T>,
  kind: Kind = "change",
): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    // Distributed databases take one statement at a time.
    await client.query(BEGIN[kind]);
    await actAs(client, acting);
    const result = await work(client);
    await client.query("COMMIT");
    return result;
  } catch (error) {
    await client.query("ROLLBACK").catch((cause: unknown) => void (broken = asError(cause)));
    throw error;
  } finally {
    client.release(broken);
  }
}

/**
 * Until the end of the transaction, or the next such call. The settings are written into the statement, because some
 * engines do not support parameters there; an owner that is not a UUID is rejected here.
 */
export async function actAs(sql: Sql, { role, owner }: Acting): Promise<void> {
  if (owner !== null && !UUID.test(owner))
    throw new DaybookError("an owner is named by a UUID", { code: "internal", op: "ask store" });
  const led = role === "daybook_lead" && owner !== null ? await ledBy(sql, owner) : [];
  await sql.query(`SET LOCAL daybook.owner = '${owner ?? ""}'`);
  // Only a lead's functions read it.
  if (role === "daybook_lead") await sql.query(`SET LOCAL daybook.led = '${led.join(",")}'`);
  await takeRole(sql, role);
}

/**
 * A cluster repeats SET LOCAL on its other nodes: they need the settings above. There each connection is that of one
 * role, which may not take another: so the role is set by a function, which is not repeated.
 */
async function takeRole(sql: Sql, role: ActingRole): Promise<void> {
  await sql.query("SELECT set_config('role', $1, true)", [role]);
}

/** Everybody in the teams that a person leads. A policy cannot ask for it: on some engines it sees one table only. */
async function ledBy(sql: Sql, owner: string): Promise<string[]> {
  await takeRole(sql, "daybook_auth");
  const { rows } = await sql.query<{ owner_id: string }>(
    `SELECT DISTINCT m.owner_id FROM daybook.memberships l JOIN daybook.memberships m ON m.team_id = l.team_id
     WHERE l.owner_id = $1 AND l.role = 'lead' ORDER BY m.owner_id`,
    [owner],
  );
  return rows.map(({ owner_id }) => owner_id);
}

function asError(value: unknown): Error {
  return value instanceof Error ? value : new Error(String(value));
}
