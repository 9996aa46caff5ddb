import { commandCounts, type CommandCount } from "../answers/command-counts.ts";
import { chooseTools, type ToolChoice } from "../answers/tool-list.ts";
import { toolView, type ToolView } from "../answers/tool-view.ts";
import { within } from "../time/range.ts";
import type { Asking } from "./asking.ts";
import { TOOLS, type Query } from "./questions.ts";

export async function tools(asking: Asking, query: Query & ToolChoice): Promise<ToolView[]> {
  const { index } = asking.at;
  if (index) return index.queries.tools(asking.filter(query), query);
  const { chosen, range } = await asking.select(query, TOOLS);
  const views: ToolView[] = [];
  for (const session of chosen) {
    for (const owned of session.tools) {
      if (query.status !== undefined && owned.call.status !== query.status) continue;
      if (query.name !== undefined && owned.call.name !== query.name) continue;
      if (!within(range, owned.call.started_at)) continue;
      views.push(...asking.unlessBroken(session, () => toolView(session, owned)));
    }
  }
  return chooseTools(views, query);
}

/** Calls counted by what was run. */
export async function commands(asking: Asking, query: Query): Promise<CommandCount[]> {
  const { index } = asking.at;
  return index ? index.queries.commandCounts(asking.filter(query)) : commandCounts(await tools(asking, query));
}

/** Calls that came to an end, well or not, and were given one of these texts; maybe some more. */
export async function callsHolding(
  asking: Asking,
  texts: readonly string[],
  query: Pick<Query, "project" | "session"> = {},
): Promise<ToolView[]> {
  const { index } = asking.at;
  if (index) return index.queries.callsHolding(asking.filter(query), texts);
  const views = await tools(asking, query);
  return views.filter(
    (view) =>
      (view.status === "ok" || view.status === "failed") &&
      texts.some((text) => JSON.stringify(view.input).includes(jsonOf(text))),
  );
}

/** As it stands inside of a text in JSON. */
function jsonOf(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
