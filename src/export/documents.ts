import type { SessionView } from "../views/session-view.ts";
import type { TurnView } from "../views/turn-view.ts";
import type { LogRecord } from "../record/record.ts";
import { renderSessionHtml } from "../render/session-html.ts";
import { renderSessionMarkdown } from "../render/session-markdown.ts";
import type { Zone } from "../base/time/zone.ts";
import { sessionFile } from "./file-name.ts";
import type { ExportFormat } from "./format.ts";
import { htmlList, markdownList, type ListedFile } from "./session-list.ts";
import { writeWhole } from "./target.ts";

/** One document per session, and an index of them. */
interface DocumentKind {
  ending: string;
  printed: "all" | "one";
  render: (head: SessionView, turns: readonly TurnView[], records: readonly LogRecord[], zone: Zone) => string;
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
          const text = render(head, hide(session.turns()), records, zone);
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
