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
