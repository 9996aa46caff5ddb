import type { Pool } from "pg";
import type { TokenScope } from "../../answers/team.ts";
import { transaction, type Sql } from "../store/transaction.ts";
import { hashOf, isToken } from "../token.ts";

/** Somebody who was recognised, with what they may do. */
export interface Asker {
  owner: string;
  login: string;
  scopes: TokenScope[];
  auditor: boolean;
  teams: { team_id: string; name: string; role: "member" | "lead" }[];
}

/** When a token was used is noted by the hour: a row that every request writes would be one that all wait for. */
const SEEN_EVERY = 3600 * 1000;

interface Found {
  owner_id: string;
  login: string;
  auditor: boolean;
  retired: Date | null;
}

interface FoundToken extends Found {
  scope: TokenScope;
  expires: Date | null;
  revoked: Date | null;
  seen: Date | null;
}

/** Whose token it is; null where it is nobody's, has ended, or its person has left. */
export async function askerByToken(pool: Pool, token: string, now: number): Promise<Asker | null> {
  // What cannot be one is not looked up.
  if (!isToken(token)) return null;
  return transaction(pool, { role: "daybook_auth", owner: null }, async (sql) => {
    const hash = hashOf(token);
    const { rows } = await sql.query<FoundToken>(
      `SELECT o.owner_id, o.login, o.auditor, o.retired, t.scope, t.expires, t.revoked, t.seen
       FROM daybook.tokens t JOIN daybook.owners o ON o.owner_id = t.owner_id WHERE t.token_hash = $1`,
      [hash],
    );
    const [found] = rows;
    if (!found || found.revoked !== null || (found.expires !== null && found.expires.getTime() <= now)) return null;
    if (found.seen === null || now - found.seen.getTime() > SEEN_EVERY)
      await sql.query("UPDATE daybook.tokens SET seen = $2 WHERE token_hash = $1", [hash, new Date(now)]);
    return known(sql, found, [found.scope]);
  });
}

/** Somebody whom another has recognised, by the name they have here. */
export async function askerByLogin(pool: Pool, login: string): Promise<Asker | null> {
  return transaction(pool, { role: "daybook_auth", owner: null }, async (sql) => {
    const { rows } = await sql.query<Found>(
      "SELECT owner_id, login, auditor, retired FROM daybook.owners WHERE login = $1",
      [login],
    );
    const [found] = rows;
    return found ? known(sql, found, ["push", "read"]) : null;
  });
}

async function known(sql: Sql, found: Found, scopes: TokenScope[]): Promise<Asker | null> {
  if (found.retired !== null) return null;
  const teams = await sql.query<Asker["teams"][number]>(
    `SELECT t.team_id, t.name, m.role FROM daybook.memberships m JOIN daybook.teams t ON t.team_id = m.team_id
     WHERE m.owner_id = $1 ORDER BY t.name`,
    [found.owner_id],
  );
  return { owner: found.owner_id, login: found.login, scopes, auditor: found.auditor, teams: teams.rows };
}
