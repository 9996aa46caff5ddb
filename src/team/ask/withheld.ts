import type { TeamSplit } from "../../views/team.ts";
import { plural } from "../../base/text/units.ts";
import type { Sql } from "../store/transaction.ts";
import type { View } from "./view.ts";

interface State {
  members: string;
  smallest_group: number;
  persons_shown: boolean;
  shown: boolean;
}

/** Why a lead is shown nothing; null if there simply is no data. */
export async function whyNothing(sql: Sql, view: View, by: TeamSplit | "tool"): Promise<string | null> {
  if (view.kind !== "led") return null;
  const { rows } = await sql.query<State>("SELECT * FROM daybook_ask.team_state($1)", [view.team]);
  const [state] = rows;
  if (!state) return "only leads of a team see its numbers";
  const { members, smallest_group, persons_shown, shown } = state;
  if (Number(members) < smallest_group)
    return `the team has ${plural(Number(members), "person", "people")}; groups of fewer than ${smallest_group} are not shown`;
  if (!shown) return `beside your other teams, its totals would show groups of fewer than ${smallest_group} people`;
  if (by === "person" && !persons_shown) return "this store does not show numbers of single persons";
  const people = `${plural(smallest_group, "person", "people")} or more`;
  return by === "tool"
    ? `in none of these weeks did calls of ${people} fail`
    : `in none of these weeks is there work of ${people}`;
}

export function hiddenNote(hidden: number, by: TeamSplit | "tool"): string | null {
  const [one, many] =
    by === "total" ? ["group", "groups"] : [by === "source" ? "agent" : by, by === "source" ? "agents" : `${by}s`];
  return hidden === 0 ? null : `${plural(hidden, one, many)} of too few people are shown as one group`;
}
