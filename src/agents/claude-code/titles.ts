import type { RecordBody } from "../../record/record.ts";
import { str, type Native } from "../kit/native.ts";
import type { ReaderState } from "./state.ts";

/** Titles are repeated with every block of metadata; only a change is a rename. */
export function titleRecords(type: string, record: Native, state: ReaderState): RecordBody[] {
  switch (type) {
    case "custom-title":
      return rename("human", str(record["customTitle"]), state);
    case "ai-title":
      return rename("agent", str(record["aiTitle"]) ?? str(record["title"]), state);
    case "summary": {
      // Summaries at the start of a file often refer to another session's record: only one about this file is a title.
      const leaf = str(record["leafUuid"]);
      return leaf !== null && state.links.get(leaf) !== undefined ? rename("agent", str(record["summary"]), state) : [];
    }
    default:
      return [];
  }
}

function rename(by: "human" | "agent", title: string | null, state: ReaderState): RecordBody[] {
  const clean = title === null || title.trim() === "" ? null : title;
  if (state.titles[by] === clean) return [];
  state.titles[by] = clean;
  return [{ type: "session_renamed", title: clean, by }];
}
