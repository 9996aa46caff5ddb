import type { SessionView } from "../views/session-view.ts";
import { renderDocument } from "../render/html/document.ts";
import { excerpt } from "../render/phrases.ts";
import { escapeMarkdown } from "../render/session-markdown.ts";
import { cost, groupDigits, plural } from "../base/text/units.ts";
import type { Zone } from "../base/time/zone.ts";
import SessionList from "./SessionList.svelte";

/** A session and the file it was written to. */
export interface ListedFile {
  name: string;
  view: SessionView;
}

const TITLE = "Sessions";
/** Maximum length of a title. */
const MOST = 120;

export function htmlList(sessions: readonly ListedFile[], zone: Zone): string {
  const rows = sessions.map(({ name, view }) => ({ name, view, title: titleOf(view), begun: begun(view, zone) }));
  return renderDocument(SessionList, { title: TITLE, rows }, { title: TITLE, timezone: zone.name });
}

export function markdownList(sessions: readonly ListedFile[], zone: Zone): string {
  const rows = sessions.map(({ name, view }) => {
    const { project, source, turns, usage } = view;
    const cells = [begun(view, zone), `[${escapeMarkdown(titleOf(view))}](${name})`, escapeMarkdown(project), source];
    return `| ${[...cells, groupDigits(turns), escapeMarkdown(cost(usage))].join(" | ")} |\n`;
  });
  const head = "| began | session | project | agent | turns | cost |\n|---|---|---|---|---:|---:|\n";
  return `# ${TITLE}\n\n${plural(sessions.length, "session")}, the oldest first.\n\n${head}${rows.join("")}`;
}

function titleOf({ title, session_id }: SessionView): string {
  return excerpt(title ?? session_id, 1, MOST);
}

function begun({ started_at }: SessionView, zone: Zone): string {
  return started_at === null ? "no time" : zone.clock(Date.parse(started_at)).slice(0, 16);
}
