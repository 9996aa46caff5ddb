import type { ToolFinishedBody } from "../../record/record.ts";
import type { IndexStore } from "../tables/index-store.ts";
import { recordOf } from "./search.ts";
import { DOC_KINDS } from "./text-kinds.ts";

interface EndedCall {
  source: string;
  session_id: string;
  session_path: string | null;
  end_line: number | null;
}

/** The results of calls of one session, found through the index; only calls with output have one. */
export function outputsAt(store: IndexStore, calls: readonly EndedCall[]): ToolFinishedBody[] {
  const [first] = calls;
  return [...new Set(calls.map(({ session_path }) => session_path))].flatMap((path) => {
    const lines = calls.filter((call) => call.session_path === path).flatMap(({ end_line }) => end_line ?? []);
    if (!first || lines.length === 0) return [];
    const rows = store.all(
      `SELECT d.*, u.page FROM file u JOIN doc d ON d.file = u.id
       WHERE u.source = ? AND u.session_id = ? AND u.path = ? AND d.id % ${DOC_KINDS.length} = ${DOC_KINDS.indexOf("output")}
         AND d.line IN (${lines.map(() => "?").join(", ")}) ORDER BY d.at`,
      first.source,
      first.session_id,
      path,
      ...lines,
    );
    return rows.flatMap((row) => {
      const body = recordOf(store, row);
      return body?.type === "tool_finished" ? [body] : [];
    });
  });
}
