import type { Pool, PoolClient } from "pg";
import { DaybookError } from "../../errors.ts";
import type { ActingRole } from "../schema/roles.ts";

/** What SQL is asked through, inside one transaction. */
export type Sql = Pick<PoolClient, "query">;

export interface Acting {
  role: ActingRole;
  /** Whose rows; null where the role has no own. */
  owner: string | null;
}

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;

/**
 * One transaction as somebody. Role and owner hold until its end and no longer, whoever else is given the connection. They are written
 * into the statement, as some engines pass on nothing else; an owner that is no UUID is refused here.
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

/** From here to the end of the transaction, or until the next. */
export function actingAs({ role, owner }: Acting): string {
  if (owner !== null && !UUID.test(owner))
    throw new DaybookError("an owner is named by a UUID", { code: "internal", op: "ask store" });
  return `SET LOCAL ROLE ${role}; SET LOCAL daybook.owner = '${owner ?? ""}'`;
}

function asError(value: unknown): Error {
  return value instanceof Error ? value : new Error(String(value));
}
