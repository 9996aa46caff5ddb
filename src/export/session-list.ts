import type { SessionView } from "../answers/session-view.ts";
import { markup } from "../report/render/markup.ts";
import { renderPage } from "../report/render/page.ts";
import { excerpt } from "../report/render/phrases.ts";
import { escapeMarkdown } from "../report/render/session-markdown.ts";
import { STYLE } from "../report/render/style.ts";
import { cost, groupDigits, plural } from "../text/units.ts";
import type { Zone } from "../time/zone.ts";

/** A session and the file it was written to. */
export interface ListedFile {
  name: string;
  view: SessionView;
}

const TITLE = "Sessions";
/** Maximum length of a title. */
const MOST = 120;

const TABLE = `${STYLE}
table{border-collapse:collapse;width:100%;margin-top:20px;font-size:.89rem}
th,td{text-align:left;vertical-align:top;padding:6px 14px 6px 0;border-bottom:1px solid var(--line)}
th{color:var(--dim);font-weight:400}.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
`;

export function htmlList(sessions: readonly ListedFile[], zone: Zone): string {
  const rows = sessions.map(({ name, view }) => {
    const { project, source, turns, usage } = view;
    return markup`<tr><td class="n">${begun(view, zone)}</td><td><a href="${name}">${titleOf(view)}</a></td><td>${excerpt(project, 1, MOST)}</td><td>${source}</td><td class="n">${groupDigits(turns)}</td><td class="n">${cost(usage)}</td></tr>
`;
  });
  const table = markup`<header><h1>${TITLE}</h1><p class="sub">${plural(sessions.length, "session")}, the oldest first</p></header>
<table><thead><tr><th>began</th><th>session</th><th>project</th><th>agent</th><th class="n">turns</th><th class="n">cost</th></tr></thead><tbody>
${rows}</tbody></table>
`;
  return renderPage(TITLE, TABLE, table, markup`Made by Daybook from agents' own session files.`);
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
