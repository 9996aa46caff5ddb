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

/**
 * Runs a transaction with a role and an owner. Both are reset at its end, before the connection is reused. They are
 * written into the statement, because some engines do not support parameters there; an owner that is not a UUID is
 * rejected here.
 */
export async function transaction<T>(pool: Pool, acting: Acting, work: (sql: Sql) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query(`BEGIN; ${actingAs(acting)}`);
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

/** Until the end of the transaction, or the next such statement. */
export function actingAs({ role, owner }: Acting): string {
  if (owner !== null && !UUID.test(owner))
    throw new DaybookError("an owner is named by a UUID", { code: "internal", op: "ask store" });
  return `SET LOCAL ROLE ${role}; SET LOCAL daybook.owner = '${owner ?? ""}'`;
}

function asError(value: unknown): Error {
  return value instanceof Error ? value : new Error(String(value));
}
