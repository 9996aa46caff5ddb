import { DaybookError, messageOf } from "../../base/errors.ts";
import { SCHEMA_VERSION } from "../schema/migrations.ts";
import { openPool, shownUrl } from "../store/connect.ts";
import { actAs, transaction } from "../store/transaction.ts";
import { applySession, forgetSession, pushState } from "./apply.ts";
import type { Destination, StoreState } from "./destination.ts";
import { isOffline, isRefusedValue, retrying, type RetryOptions } from "./retry.ts";

/** Pushes of one owner wait for each other: more connections would not be faster. */
const CONNECTIONS = 1;

/**
 * A database of one's own. Each call is one transaction without session state, so a pooler in transaction mode may be
 * in between.
 */
export function postgresDestination(url: string, login: string, how: RetryOptions): Destination {
  const pool = openPool(url, CONNECTIONS);
  const name = shownUrl(url);
  let owner = "";
  const once = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await retrying(work, how);
    } catch (error) {
      throw asError(error, name);
    }
  };
  return {
    name,
    state: (machine) =>
      once(() =>
        transaction(pool, { role: "daybook_auth", owner: null }, async (sql): Promise<StoreState> => {
          const store = (await sql.query("SELECT store_id, zone, schema_version FROM daybook.stores")).rows[0] as
            | { store_id: string; zone: string; schema_version: number }
            | undefined;
          const found = await sql.query("SELECT owner_id FROM daybook.owners WHERE login = $1 AND retired IS NULL", [
            login,
          ]);
          const person = found.rows[0] as { owner_id: string } | undefined;
          if (!store || !person) throw unknownOwner(login, name);
          // Another version could bring back what this one removes, or lose its sums.
          if (store.schema_version !== SCHEMA_VERSION) throw otherVersion(store.schema_version, name);
          owner = person.owner_id;
          await actAs(sql, { role: "daybook_dev", owner });
          const { store_id, zone } = store;
          return { store_id, zone, owner_id: owner, ...(await pushState(sql, owner, machine.machine_id)) };
        }),
      ),
    put: (machine, { head, batches }) =>
      once(() =>
        transaction(pool, { role: "daybook_dev", owner }, (sql) => applySession(sql, owner, machine, head, batches())),
      ),
    async forget(machine, sessions) {
      let gone = 0;
      for (const id of sessions) {
        const isGone = await once(() =>
          transaction(pool, { role: "daybook_dev", owner }, (sql) => forgetSession(sql, owner, machine, id)),
        );
        if (isGone) gone++;
      }
      return gone;
    },
    close: () => pool.end(),
  };
}

function unknownOwner(login: string, name: string): DaybookError {
  return new DaybookError(`${name} has nobody called ${login}`, {
    code: "refused",
    op: "push",
    hint: "`daybook team init` creates a store and its first owner; [team] owner or --owner names another person",
  });
}

function otherVersion(version: number, name: string): DaybookError {
  const hint =
    version < SCHEMA_VERSION ? "`daybook team init --store URL` updates it" : "update Daybook on this machine";
  return new DaybookError(`${name} has schema ${version}, this Daybook needs ${SCHEMA_VERSION}`, {
    code: "refused",
    op: "push",
    hint,
  });
}

/** Maps database errors to ours. */
function asError(error: unknown, name: string): unknown {
  if (error instanceof DaybookError) return error;
  if (isOffline(error))
    return new DaybookError(`${name} cannot be reached: ${messageOf(error) || "no answer"}`, {
      code: "unreachable",
      op: "push",
      cause: error,
      hint: "nothing is lost: the next push sends what this one could not",
    });
  const code = typeof error === "object" && error !== null && "code" in error ? String(error.code) : "";
  if (code === "3F000" || code === "42P01" || code === "42704" || code === "22023")
    return new DaybookError(`there is no Daybook store at ${name}, or one of another version`, {
      code: "refused",
      op: "push",
      cause: error,
      hint: "`daybook team init` creates or updates it",
    });
  if (isRefusedValue(code))
    return new DaybookError(`${name} accepts no such value: ${messageOf(error)}`, {
      code: "invalid",
      op: "push",
      cause: error,
    });
  if (code === "42501" || code.startsWith("28"))
    return new DaybookError(`${name} refused the login: ${messageOf(error)}`, {
      code: "refused",
      op: "push",
      cause: error,
      hint: "docs/team.md says which login may push",
    });
  return error;
}
