import { randomUUID } from "node:crypto";
import type { Client } from "pg";
import type {
  Invited,
  Member,
  MemberRole,
  MemberToken,
  Retention,
  RetentionRun,
  StoreStatus,
  TokenScope,
} from "../views/team.ts";
import { DaybookError } from "../base/errors.ts";
import { Zone } from "../base/time/zone.ts";
import { groupBy } from "../base/maps.ts";
import { POLICY_COLUMNS, retentionFromRow, type PolicyRow } from "./retention/policy.ts";
import { applyRetention, type RetentionWanted } from "./retention/retain.ts";
import { appliedMigrations, compareMigrations, migrate, type Migrated, type NewStore } from "./schema/migrate.ts";
import { distribute, nodesOf, type Distributed } from "./schema/cluster.ts";
import { migrations } from "./schema/migrations.ts";
import { connect, openPool } from "./store/connect.ts";
import { actAs } from "./store/transaction.ts";
import { leaveTeam, nameOf, setStanding } from "./standing.ts";
import { hashOf, newToken } from "./token.ts";

export interface Invitation {
  login: string;
  /** Null: the current role, otherwise member. */
  role: MemberRole | null;
  /** Null: the current team. */
  team: string | null;
  scope: TokenScope;
  /** What the token is for, in the administrator's words. */
  label: string;
  /** Expiry in ms; null for never. */
  expires: number | null;
}

/** Administrative operations on a store. Every method opens a connection and closes it. */
export class StoreAdmin {
  readonly #url: string;
  readonly #now: number;

  constructor(url: string, now: number) {
    this.#url = url;
    this.#now = now;
  }

  /** Creates the store, or migrates it to this program's schema. */
  async init(wanted: Omit<NewStore, "now">, owner: string | null): Promise<Migrated> {
    return this.#with(async (client) => {
      const done = await migrate(client, { ...wanted, now: this.#now });
      // Tables of a new migration join the others.
      if ((await nodesOf(client)) !== null) await distribute(client);
      if (owner !== null) await administering(client, () => ownerNamed(client, owner));
      return done;
    });
  }

  /** Spreads a store over the nodes of a Citus cluster; run again, it changes nothing. */
  async distribute(): Promise<Distributed & { nodes: number }> {
    return this.#with(async (client) => {
      const { missing } = compareMigrations(migrations(), await storeSteps(client));
      if (missing.length > 0) throw lacking(missing, "distribute");
      return { ...(await distribute(client)), nodes: (await nodesOf(client)) ?? 0 };
    });
  }

  async status(): Promise<StoreStatus> {
    return this.#with(async (client) => {
      const done = await storeSteps(client);
      const nodes = await nodesOf(client);
      return administering(client, async () => {
        const { rows } = await client.query<
          Omit<StoreStatus, "retention" | "nodes" | keyof ReturnType<typeof compareMigrations>>
        >(
          `SELECT store_id, schema_version, zone, partitions, smallest_group, smallest_name, persons_shown,
             (SELECT count(*)::int4 FROM daybook.owners WHERE retired IS NULL) AS people,
             (SELECT count(*)::int4 FROM daybook.teams) AS teams,
             (SELECT count(*)::int4 FROM daybook.tokens WHERE revoked IS NULL AND (expires IS NULL OR expires > $1)) AS tokens
           FROM daybook.stores`,
          [new Date(this.#now)],
        );
        const [status] = rows;
        if (!status) throw noStore();
        const compared = compareMigrations(migrations(), done);
        return { ...status, nodes, retention: await retentionOf(client, status.zone, compared.missing), ...compared };
      });
    });
  }

  /** Changes what leads may see. */
  async settings(change: {
    smallestGroup?: number | undefined;
    smallestName?: number | undefined;
    personsShown?: boolean | undefined;
  }): Promise<void> {
    await this.#asAdmin((client) =>
      client.query(
        `UPDATE daybook.stores SET smallest_group = coalesce($1, smallest_group), smallest_name = coalesce($2, smallest_name),
           persons_shown = coalesce($3, persons_shown)`,
        [change.smallestGroup ?? null, change.smallestName ?? null, change.personsShown ?? null],
      ),
    );
  }

  /** Sets what a team means to spend in a month, in dollars; null for no budget. */
  async budget(team: string, monthly: number | null): Promise<void> {
    await this.#asAdmin(async (client) => {
      const { rowCount } = await client.query("UPDATE daybook.teams SET monthly_usd = $2 WHERE name = $1", [
        team,
        monthly,
      ]);
      if (rowCount === 0)
        throw new DaybookError(`there is no team ${team}`, {
          code: "not_found",
          op: "set budget",
          hint: "`daybook team members` lists who is in which team",
        });
    });
  }

  /** Creates a token for a new or existing person, and sets their role and team. */
  async invite({ login, role, team, scope, label, expires }: Invitation): Promise<Invited> {
    return this.#asAdmin(async (client) => {
      const owner = await ownerNamed(client, login);
      const standing = await setStanding(client, owner, { role, team });
      const [token, id] = [newToken(scope), randomUUID()];
      const ends = expires === null ? null : new Date(expires);
      await client.query(
        `INSERT INTO daybook.tokens (token_hash, token_id, owner_id, scope, label, created, expires)
         VALUES ($1, $2, $3, $4, $5, $6, $7)`,
        [hashOf(token), id, owner, scope, label, new Date(this.#now), ends],
      );
      const shown = { login: loginOf(login), ...standing, scope };
      return { ...shown, token_id: id, token, expires: ends?.toISOString() ?? null };
    });
  }

  /**
   * Revokes a token by a prefix of its id, or everything of a person by name; returns how many tokens were revoked.
   */
  async revoke(what: string): Promise<number> {
    return this.#asAdmin(async (client) => {
      const now = new Date(this.#now);
      const person = await client.query<{ owner_id: string }>("SELECT owner_id FROM daybook.owners WHERE login = $1", [
        what,
      ]);
      const owner = person.rows[0]?.owner_id;
      if (owner !== undefined) {
        // If the person is invited again, they get only what the new invitation says.
        await client.query("UPDATE daybook.owners SET retired = $2, auditor = false WHERE owner_id = $1", [owner, now]);
        await client.query("UPDATE daybook.memberships SET role = 'member' WHERE owner_id = $1", [owner]);
        const ended = await client.query(
          "UPDATE daybook.tokens SET revoked = $2 WHERE owner_id = $1 AND revoked IS NULL",
          [owner, now],
        );
        return ended.rowCount ?? 0;
      }
      const found = await client.query<{ token_id: string }>(
        "SELECT token_id FROM daybook.tokens WHERE left(token_id::text, length($1)) = $1",
        [what.toLowerCase()],
      );
      const [first, ...more] = found.rows;
      if (!first || what.length < SHORTEST_ID)
        throw new DaybookError(`no person and no token ${what}`, {
          code: "not_found",
          op: "revoke",
          hint: "`daybook team members` lists them",
        });
      if (more.length > 0)
        throw new DaybookError(`${what} matches several tokens`, {
          code: "usage",
          op: "revoke",
          hint: "give more characters",
        });
      const ended = await client.query(
        "UPDATE daybook.tokens SET revoked = $2 WHERE token_id = $1 AND revoked IS NULL",
        [first.token_id, now],
      );
      return ended.rowCount ?? 0;
    });
  }

  /** Removes a person from a team; their tokens stay valid. */
  async leave(login: string, team: string): Promise<void> {
    await this.#asAdmin((client) => leaveTeam(client, login, team));
  }

  async members(): Promise<Member[]> {
    return this.#asAdmin(async (client) => {
      const owners = await client.query<{ owner_id: string; login: string; auditor: boolean; retired: Date | null }>(
        "SELECT owner_id, login, auditor, retired FROM daybook.owners ORDER BY login",
      );
      const teams = await client.query<{ owner_id: string; name: string; role: "member" | "lead" }>(
        "SELECT m.owner_id, t.name, m.role FROM daybook.memberships m JOIN daybook.teams t USING (team_id) ORDER BY t.name",
      );
      const tokens = await client.query<StoredToken>(
        `SELECT owner_id, token_id, scope, label, created, expires, revoked, seen FROM daybook.tokens ORDER BY created, token_id`,
      );
      const [teamsOf, tokensOf] = [byOwner(teams.rows), byOwner(tokens.rows)];
      return owners.rows.map(({ owner_id, login, auditor, retired }) => ({
        login,
        auditor,
        retired: retired !== null,
        teams: (teamsOf.get(owner_id) ?? []).map(({ name, role }) => ({ name, role })),
        tokens: (tokensOf.get(owner_id) ?? []).map(shownToken),
      }));
    });
  }

  /** Changes the retention policy, then removes what is older than it allows; or counts what would be removed. */
  async retention(wanted: Omit<RetentionWanted, "now" | "how">): Promise<RetentionRun> {
    // The schema is checked before any of its columns is used.
    await this.#asAdmin(async (client) => {
      const missing = compareMigrations(migrations(), await storeSteps(client)).missing;
      if (missing.length > 0) throw lacking(missing, "retention");
    });
    const pool = openPool(this.#url, 1);
    try {
      return await applyRetention(pool, { ...wanted, now: this.#now, how: { jitter: Math.random } });
    } finally {
      await pool.end();
    }
  }

  async #asAdmin<T>(work: (client: Client) => Promise<T>): Promise<T> {
    return this.#with(async (client) => {
      await storeSteps(client);
      return administering(client, () => work(client));
    });
  }

  async #with<T>(work: (client: Client) => Promise<T>): Promise<T> {
    const client = await connect(this.#url);
    try {
      return await work(client);
    } catch (error) {
      throw notAdmin(error);
    } finally {
      await client.end();
    }
  }
}

/** A shorter prefix of an id could be a guess. */
const SHORTEST_ID = 6;

interface StoredToken extends Omit<MemberToken, "created" | "expires" | "revoked" | "seen"> {
  owner_id: string;
  created: Date;
  expires: Date | null;
  revoked: Date | null;
  seen: Date | null;
}

function shownToken({ token_id, scope, label, created, ...times }: StoredToken): MemberToken {
  const [expires, revoked, seen] = [times.expires, times.revoked, times.seen].map((at) => at?.toISOString() ?? null);
  return {
    token_id,
    scope,
    label,
    created: created.toISOString(),
    expires: expires ?? null,
    revoked: revoked ?? null,
    seen: seen ?? null,
  };
}

function byOwner<T extends { owner_id: string }>(rows: readonly T[]): Map<string, T[]> {
  return groupBy(rows, ({ owner_id }) => owner_id);
}

async function storeSteps(client: Client): Promise<Map<string, string>> {
  const done = await appliedMigrations(client);
  if (done === null) throw noStore();
  return done;
}

function lacking(missing: readonly string[], op: string): DaybookError {
  return new DaybookError(`the store lacks ${missing.join(", ")}`, {
    code: "refused",
    op,
    hint: "`daybook team init` updates it",
  });
}

function noStore(): DaybookError {
  return new DaybookError("this database holds no team store", {
    code: "not_found",
    op: "open store",
    hint: "`daybook team init --store URL` creates one",
  });
}

/** A store without these columns has no policy yet. */
async function retentionOf(client: Client, zone: string, missing: readonly string[]): Promise<Retention | null> {
  if (missing.includes("0004-retention")) return null;
  const { rows } = await client.query<PolicyRow>(`SELECT ${POLICY_COLUMNS} FROM daybook.stores`);
  return rows[0] ? retentionFromRow(rows[0], new Zone(zone)) : null;
}

async function administering<T>(client: Client, work: () => Promise<T>): Promise<T> {
  await client.query("BEGIN");
  try {
    await actAs(client, { role: "daybook_admin", owner: null });
    const result = await work();
    await client.query("COMMIT");
    return result;
  } catch (error) {
    await client.query("ROLLBACK").catch(() => undefined);
    throw error;
  }
}

/** Logins for pushing or serving may not take the admin role. */
function notAdmin(error: unknown): unknown {
  const code = typeof error === "object" && error !== null && "code" in error ? String(error.code) : "";
  if (code !== "42501") return error;
  return new DaybookError("only the administrator of the database may do this", {
    code: "refused",
    op: "open store",
    cause: error,
    hint: "use the login that ran `daybook team init`",
  });
}

/** Finds a person by name, or creates one. */
async function ownerNamed(client: Client, name: string): Promise<string> {
  const login = loginOf(name);
  await client.query("INSERT INTO daybook.owners (owner_id, login) VALUES ($1, $2) ON CONFLICT (login) DO NOTHING", [
    randomUUID(),
    login,
  ]);
  const { rows } = await client.query<{ owner_id: string }>("SELECT owner_id FROM daybook.owners WHERE login = $1", [
    login,
  ]);
  return rows[0]?.owner_id ?? "";
}

function loginOf(name: string): string {
  return nameOf(name, "a person");
}
