import type { SessionView } from "../views/session-view.ts";
import { type ExportFormat, type ExportOptions, sessionFile, writeWhole } from "./format.ts";

/** The canonical log: one file per session. */
export const jsonl: ExportFormat = {
  needs: "records",
  printed: { most: "all", as: "json" },
  begin: (options) => {
    const { target, hide } = options;
    let all: readonly SessionView[] = [];
    return {
      begin(sessions) {
        all = sessions.map(({ view }) => view);
        target.claim([...all.map((view) => sessionFile(view, "jsonl")), MARKS]);
      },
      async add({ view, whole }) {
        const { records } = await whole();
        await writeWhole(target, sessionFile(view, "jsonl"), (file) => {
          for (const record of records) file.write(`${JSON.stringify(hide(record))}\n`);
        });
      },
      end: () => writeMarks(options, all),
    };
  },
};

const MARKS = "marks.jsonl";

/**
 * The marks on sessions and turns, in a separate file: the log describes what happened in a session, and has no
 * record for later notes about it. One line per marked session; no file if there are none.
 */
async function writeMarks({ target, hide, isPrinted }: ExportOptions, sessions: readonly SessionView[]): Promise<void> {
  const lines = hide(sessions.filter(({ marks }) => marks !== null)).map(
    ({ source, session_id, marks }) => `${JSON.stringify({ schema_version: 1, source, session_id, ...marks })}\n`,
  );
  // Not when printing: these lines would be mixed with those of the logs.
  if (lines.length > 0 && isPrinted !== true) await writeWhole(target, MARKS, (file) => file.write(lines.join("")));
}
