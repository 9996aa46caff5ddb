import type { RecordBody, SessionMetaBody } from "../../format/record.ts";
import { workspaceIn } from "./content.ts";
import { parentFromPath, projectRoot, SOURCE_ID } from "./identity.ts";
import { iso, list, millis, str, type Native } from "../kit/native.ts";
import type { ReaderState } from "./state.ts";

/** A header names the session; a resume repeats it. */
export function isHeader(record: Native): boolean {
  return str(record["sessionId"]) !== null && str(record["id"]) === null && !("$set" in record);
}

/** The canonical header, from the agent's own header or, if that was cut off, from the path alone. */
export function headerRecords(record: Native, path: string, state: ReaderState): RecordBody[] {
  const kind = str(record["kind"]);
  if (kind === "subagent") state.kind = "subagent";
  else if (kind === "main") state.kind = "root";
  state.meta = true;
  state.startedAt ??= iso(millis(record["startTime"]));
  const directory = str(list(record["directories"])[0]);
  state.cwd = projectRoot(path, str(record["projectHash"])) ?? directory ?? state.cwd;
  return [meta(path, state), ...titleRecords(record, state)];
}

/** A second header, if the conversation names the directory that the store does not. */
export function headerWithDirectory(text: string, path: string, state: ReaderState): RecordBody[] {
  if (state.cwd !== null) return [];
  state.cwd = workspaceIn(text);
  return state.cwd === null ? [] : [meta(path, state)];
}

function meta(path: string, state: ReaderState): SessionMetaBody {
  const body: SessionMetaBody = {
    type: "session_meta",
    source: SOURCE_ID,
    kind: state.kind,
    cwd: state.cwd,
    started_at: state.startedAt,
    agent_version: null,
  };
  if (state.kind !== "root") body.parent = parentFromPath(path);
  return body;
}

/** The one-line summary that Gemini CLI generates for a session serves as its title. */
export function titleRecords(record: Native, state: ReaderState): RecordBody[] {
  const title = str(record["summary"]);
  if (title === null || title === state.title) return [];
  state.title = title;
  return [{ type: "session_renamed", title, by: "agent" }];
}
