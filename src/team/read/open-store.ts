import type { Pool } from "pg";
import { DaybookError, messageOf } from "../../base/errors.ts";
import type { RemoteDemand, RemoteRows } from "../../answers/daybook.ts";
import { isOffline } from "../push/retry.ts";
import { openPool, shownUrl, unreachable } from "../store/connect.ts";
import { actAs, transaction, type Sql } from "../store/transaction.ts";
import { StoreRows } from "./store-rows.ts";

/** Questions come one after the other. */
const CONNECTIONS = 1;
/** For a reader whose connection may break. */
const IDLE_LIMIT = "SET LOCAL idle_in_transaction_session_timeout = '30s'";

export interface StoreQuestion extends RemoteDemand {
  url: string;
  /** The person's name in the store. */
  login: string;
}

/**
 * Reads what a store has of one person, in one snapshot and with that person's role: the database itself shows no row
 * of anybody else. Nothing is written.
 */
export async function fromStore<T>(
  { url, login, ...about }: StoreQuestion,
  work: (rows: RemoteRows) => Promise<T>,
): Promise<T> {
  const pool = openPool(url, CONNECTIONS);
  try {
    const read = async (sql: Sql): Promise<T> => {
      const { rows } = await sql.query<{ owner_id: string }>(
        "SELECT owner_id FROM daybook.owners WHERE login = $1 AND retired IS NULL",
        [login],
      );
      const owner = rows[0]?.owner_id;
      if (owner === undefined)
        throw new DaybookError(`${shownUrl(url)} has nobody called ${login}`, {
          code: "refused",
          op: "ask store",
          hint: "[team] owner or --owner names another person",
        });
      await actAs(sql, { role: "daybook_dev", owner });
      return work(new StoreRows(sql, owner, about));
    };
    return await transaction(pool, { role: "daybook_auth", owner: null }, read, "snapshot");
  } catch (error) {
    throw asError(error, url);
  } finally {
    await pool.end();
  }
}

/** The same for a person authenticated by a server. */
export async function ownRows<T>(
  pool: Pool,
  owner: string,
  about: RemoteDemand,
  work: (rows: RemoteRows) => Promise<T>,
): Promise<T> {
  const read = async (sql: Sql): Promise<T> => {
    await sql.query(IDLE_LIMIT);
    return work(new StoreRows(sql, owner, about));
  };
  return transaction(pool, { role: "daybook_dev", owner }, read, "snapshot");
}

function asError(error: unknown, url: string): unknown {
  if (error instanceof DaybookError) return error;
  if (isOffline(error)) return unreachable(url, error);
  const code = typeof error === "object" && error !== null && "code" in error ? String(error.code) : "";
  if (!/^(?:3F000|42P01|42704|22023|42501|28)/.test(code)) return error;
  return new DaybookError(`${shownUrl(url)} cannot be queried: ${messageOf(error)}`, {
    code: "refused",
    op: "ask store",
    cause: error,
    hint: "`daybook team status` shows what is there",
  });
}
