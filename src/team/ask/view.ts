import type { Pool } from "pg";
import type { TeamView, TeamViewName } from "../../views/team.ts";
import { DaybookError } from "../../base/errors.ts";
import { transaction, type Acting } from "../store/transaction.ts";
import type { Asker } from "./asker.ts";

/** Whose rows a question is about, and the database role it is asked with. */
export type View =
  | { kind: "own"; acting: Acting; owner: string }
  /** Through functions that hide groups that are too small. */
  | { kind: "led"; acting: Acting; team: string }
  | { kind: "audited"; acting: Acting; team: string | null };

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;

/** The view of this name, if the asker may see it. Whether a team exists is not revealed to others. */
export function viewOf(asker: Asker, name: TeamViewName): View {
  const { owner } = asker;
  const auditing: Acting = { role: "daybook_auditor", owner: null };
  if (name === "own") return { kind: "own", owner, acting: { role: "daybook_dev", owner } };
  if (name === "all") {
    if (asker.auditor) return { kind: "audited", acting: auditing, team: null };
    throw refused("only an auditor sees everybody");
  }
  if (!UUID.test(name)) throw new DaybookError("view: own, all, or a team's id", { code: "usage", op: "ask store" });
  if (asker.auditor) return { kind: "audited", acting: auditing, team: name };
  const led = asker.teams.some(({ team_id, role }) => team_id === name && role === "lead");
  if (led) return { kind: "led", acting: { role: "daybook_lead", owner }, team: name };
  throw refused("only leads of a team see its numbers");
}

/** All views the asker may use, widest first. Retired people are not counted. */
export async function viewsOf(
  pool: Pool,
  { owner, auditor }: Asker,
): Promise<{ views: TeamView[]; smallest_group: number; smallest_name: number }> {
  return transaction(pool, { role: "daybook_auth", owner: null }, async (sql) => {
    const teams = await sql.query<{ team_id: string; name: string; people: number; monthly_usd: number | null }>(
      `SELECT t.team_id, t.name, t.monthly_usd, count(*)::int4 AS people
       FROM daybook.teams t
       JOIN daybook.memberships m ON m.team_id = t.team_id
       JOIN daybook.owners o ON o.owner_id = m.owner_id AND o.retired IS NULL
       WHERE $1 OR EXISTS (
         SELECT 1 FROM daybook.memberships l WHERE l.team_id = t.team_id AND l.owner_id = $2 AND l.role = 'lead'
       )
       GROUP BY t.team_id, t.name, t.monthly_usd ORDER BY t.name`,
      [auditor, owner],
    );
    const all = auditor
      ? await sql.query<{ people: number }>("SELECT count(*)::int4 AS people FROM daybook.owners WHERE retired IS NULL")
      : null;
    const store = await sql.query<{ smallest_group: number; smallest_name: number }>(
      "SELECT smallest_group, least(smallest_name, smallest_group) AS smallest_name FROM daybook.stores",
    );
    const kind = auditor ? "audited" : "led";
    const views: TeamView[] = [
      ...(all?.rows ?? []).map(({ people }): TeamView => ({
        view: "all",
        name: null,
        kind: "audited",
        people,
        monthly_budget_usd: null,
      })),
      ...teams.rows.map(({ team_id, name, people, monthly_usd }): TeamView => ({
        view: team_id,
        name,
        kind,
        people,
        monthly_budget_usd: monthly_usd,
      })),
      { view: "own", name: null, kind: "own", people: 1, monthly_budget_usd: null },
    ];
    const { smallest_group = 1, smallest_name = 1 } = store.rows[0] ?? {};
    return { views, smallest_group, smallest_name };
  });
}

function refused(message: string): DaybookError {
  return new DaybookError(message, { code: "refused", op: "ask store" });
}
