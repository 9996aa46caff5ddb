import { randomUUID } from "node:crypto";
import type { Client } from "pg";
import type { MemberRole } from "../views/team.ts";
import { DaybookError } from "../base/errors.ts";

/** The team of people invited without one. */
const FIRST_TEAM = "everybody";

export interface Standing {
  role: MemberRole;
  /** Null for auditors, and for members of several teams whose role does not change. */
  team: string | null;
}

/**
 * Sets a person's role and team. What is not given stays as it is: another token for a lead does not make them a
 * member, or add them to a second team. A given role replaces the previous one.
 */
export async function setStanding(
  client: Client,
  owner: string,
  { role, team }: { role: MemberRole | null; team: string | null },
): Promise<Standing> {
  const { rows: teams } = await client.query<{ name: string; role: "member" | "lead" }>(
    "SELECT t.name, m.role FROM daybook.memberships m JOIN daybook.teams t USING (team_id) WHERE m.owner_id = $1 ORDER BY t.name",
    [owner],
  );
  const { rows } = await client.query<{ auditor: boolean }>(
    "UPDATE daybook.owners SET retired = NULL, auditor = CASE WHEN $2::text IS NULL THEN auditor ELSE $2 = 'auditor' END WHERE owner_id = $1 RETURNING auditor",
    [owner, role],
  );
  const isAuditor = rows[0]?.auditor === true;
  // Auditors are not put into a team.
  if (role === "auditor" || (isAuditor && team === null)) return { role: "auditor", team: null };
  if (role === null && team === null && teams.length > 1) return { role: teams[0]?.role ?? "member", team: null };
  const named = team ?? teamOf(teams, role);
  const is = role ?? teams.find(({ name }) => name === named)?.role ?? "member";
  await join(client, owner, named, is);
  return { role: is, team: named };
}

/** Removes a person from a team: its leads no longer see their numbers in the totals. */
export async function leaveTeam(client: Client, login: string, team: string): Promise<void> {
  const { rowCount } = await client.query(
    `DELETE FROM daybook.memberships
     WHERE owner_id = (SELECT o.owner_id FROM daybook.owners o WHERE o.login = $1)
       AND team_id = (SELECT t.team_id FROM daybook.teams t WHERE t.name = $2)`,
    [login, team],
  );
  if (rowCount === 0)
    throw new DaybookError(`${login} is not in the team ${team}`, {
      code: "not_found",
      op: "revoke",
      hint: "`daybook team members` lists who is in which team",
    });
}

function teamOf(teams: readonly { name: string }[], role: MemberRole | null): string {
  const [first, ...more] = teams;
  if (more.length === 0) return first?.name ?? FIRST_TEAM;
  throw new DaybookError(`${role ?? "member"} of which team?`, {
    code: "usage",
    op: "invite",
    hint: `--team: ${teams.map(({ name }) => name).join(", ")}`,
  });
}

async function join(client: Client, owner: string, team: string, role: "member" | "lead"): Promise<void> {
  await client.query("INSERT INTO daybook.teams (team_id, name) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING", [
    randomUUID(),
    nameOf(team, "a team"),
  ]);
  await client.query(
    `INSERT INTO daybook.memberships (team_id, owner_id, role)
     SELECT team_id, $2, $3 FROM daybook.teams WHERE name = $1
     ON CONFLICT (team_id, owner_id) DO UPDATE SET role = excluded.role`,
    [team, owner, role],
  );
}

/** Names are shown in terminals and pages: they must be printable and short. */
export function nameOf(name: string, whose: string): string {
  if (/^[\p{L}\p{N}][\p{L}\p{N} ._@+-]{0,99}$/u.test(name)) return name;
  throw new DaybookError(`${whose} needs a name of letters, digits and . _ @ + -, not ${name}`, {
    code: "usage",
    op: "name somebody",
  });
}
