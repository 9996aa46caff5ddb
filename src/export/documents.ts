import { cost, groupDigits, plural } from "../base/text/units.ts";
import type { Zone } from "../base/time/zone.ts";
import type { LogRecord } from "../record/record.ts";
import { renderDocument } from "../render/html/document.ts";
import { excerpt } from "../render/phrases.ts";
import { renderSessionHtml } from "../render/html.ts";
import { literal } from "../render/markdown.ts";
import { renderSessionMarkdown, type ShownTurns } from "../render/session-markdown.ts";
import type { SessionView } from "../views/session-view.ts";
import SessionList from "./SessionList.svelte";
import { type ExportFormat, sessionFile, writeWhole } from "./format.ts";

/** One document per session, and an index of them. */
interface DocumentKind {
  ending: string;
  printed: "all" | "one";
  render: (head: SessionView, turns: ShownTurns, records: readonly LogRecord[], zone: Zone) => string;
  list: (sessions: readonly ListedFile[], zone: Zone) => string;
}

function documents({ ending, printed, render, list }: DocumentKind): ExportFormat {
  return {
    needs: "records",
    printed: { most: printed, as: "document" },
    begin: ({ target, hide, zone, isPrinted }) => {
      const written: ListedFile[] = [];
      return {
        begin(sessions) {
          target.claim([`index.${ending}`, ...sessions.map(({ view }) => sessionFile(view, ending))]);
        },
        async add({ view, whole }) {
          const session = await whole();
          const records = Array.from(session.records, (record) => hide(record));
          const head = hide(view);
          const text = render(head, { turns: hide(session.turns()), shown: session.shown() }, records, zone);
          const name = sessionFile(view, ending);
          await writeWhole(target, name, (file) => file.write(text));
          written.push({ name, view: head });
        },
        async end() {
          if (isPrinted !== true)
            await writeWhole(target, `index.${ending}`, (file) => file.write(list(written, zone)));
        },
      };
    },
  };
}

export const markdown: ExportFormat = documents({
  ending: "md",
  printed: "all",
  render: (head, turns, records) => renderSessionMarkdown(head, turns, records),
  list: markdownList,
});

// Two HTML pages cannot be printed one after the other.
export const html: ExportFormat = documents({
  ending: "html",
  printed: "one",
  render: renderSessionHtml,
  list: htmlList,
});

/** A session and the file it was written to. */
interface ListedFile {
  name: string;
  view: SessionView;
}

const TITLE = "Sessions";
/** Maximum length of a title. */
const LONGEST_TITLE = 120;

function htmlList(sessions: readonly ListedFile[], zone: Zone): string {
  const rows = sessions.map(({ name, view }) => ({ name, view, title: titleOf(view), begun: begun(view, zone) }));
  return renderDocument(SessionList, { title: TITLE, rows }, { title: TITLE, timezone: zone.name });
}

function markdownList(sessions: readonly ListedFile[], zone: Zone): string {
  const rows = sessions.map(({ name, view }) => {
    const { project, source, turns, usage } = view;
    const cells = [begun(view, zone), `[${literal(titleOf(view))}](${name})`, literal(project), source];
    return `| ${[...cells, groupDigits(turns), literal(cost(usage))].join(" | ")} |\n`;
  });
  const head = "| began | session | project | agent | requests | cost |\n|---|---|---|---|---:|---:|\n";
  return `# ${TITLE}\n\n${plural(sessions.length, "session")}, the oldest first.\n\n${head}${rows.join("")}`;
}

function titleOf({ title, session_id }: SessionView): string {
  return excerpt(title ?? session_id, 1, LONGEST_TITLE);
}

function begun({ started_at }: SessionView, zone: Zone): string {
  return started_at === null ? "no time" : zone.clock(Date.parse(started_at)).slice(0, 16);
}
