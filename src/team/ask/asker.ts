import type { Pool } from "pg";
import type { TokenScope } from "../../views/team.ts";
import { transaction, type Acting, type Sql } from "../store/transaction.ts";
import { hashOf, isToken } from "../token.ts";

/** An authenticated person, and what they may do. */
export interface Asker {
  owner: string;
  login: string;
  scopes: TokenScope[];
  auditor: boolean;
  teams: { team_id: string; name: string; role: "member" | "lead" }[];
}

/**
 * The last use of a token is recorded once per hour: a row that every request writes would make them wait for each
 * other.
 */
const SEEN_EVERY = 3600 * 1000;

const AUTH: Acting = { role: "daybook_auth", owner: null };

interface OwnerRow {
  owner_id: string;
  login: string;
  auditor: boolean;
  retired: Date | null;
}

interface TokenRow extends OwnerRow {
  scope: TokenScope;
  expires: Date | null;
  revoked: Date | null;
  seen: Date | null;
}

/** The owner of a token; null if it is unknown, expired or revoked, or its owner has left. */
export async function askerByToken(pool: Pool, token: string, now: number): Promise<Asker | null> {
  // Malformed tokens are not looked up.
  if (!isToken(token)) return null;
  const hash = hashOf(token);
  let isSeenLately = true;
  const asker = await transaction(pool, AUTH, async (sql) => {
    const { rows } = await sql.query<TokenRow>(
      `SELECT o.owner_id, o.login, o.auditor, o.retired, t.scope, t.expires, t.revoked, t.seen
       FROM daybook.tokens t JOIN daybook.owners o ON o.owner_id = t.owner_id WHERE t.token_hash = $1`,
      [hash],
    );
    const [found] = rows;
    if (!found || found.revoked !== null || (found.expires !== null && found.expires.getTime() <= now)) return null;
    isSeenLately = found.seen !== null && now - found.seen.getTime() <= SEEN_EVERY;
    return askerFrom(sql, found, [found.scope]);
  });
  // A cluster writes it on every node: while one is down, the people on the others need not wait for it.
  if (!isSeenLately) await recordUse(pool, hash, now).catch(() => undefined);
  return asker;
}

/** Recorded by the next request if it fails. */
async function recordUse(pool: Pool, hash: Buffer, now: number): Promise<void> {
  await transaction(pool, AUTH, (sql) =>
    sql.query("UPDATE daybook.tokens SET seen = $2 WHERE token_hash = $1", [hash, new Date(now)]),
  );
}

/** A person authenticated by another system, by their name in the store. */
export async function askerByLogin(pool: Pool, login: string): Promise<Asker | null> {
  return transaction(pool, AUTH, async (sql) => {
    const { rows } = await sql.query<OwnerRow>(
      "SELECT owner_id, login, auditor, retired FROM daybook.owners WHERE login = $1",
      [login],
    );
    const [found] = rows;
    return found ? askerFrom(sql, found, ["push", "read"]) : null;
  });
}

async function askerFrom(sql: Sql, found: OwnerRow, scopes: TokenScope[]): Promise<Asker | null> {
  if (found.retired !== null) return null;
  const teams = await sql.query<Asker["teams"][number]>(
    `SELECT t.team_id, t.name, m.role FROM daybook.memberships m JOIN daybook.teams t ON t.team_id = m.team_id
     WHERE m.owner_id = $1 ORDER BY t.name`,
    [found.owner_id],
  );
  return { owner: found.owner_id, login: found.login, scopes, auditor: found.auditor, teams: teams.rows };
}
