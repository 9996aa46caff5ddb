import type { SessionRef } from "../../record/record.ts";
import { agentOf } from "./agents.ts";

/** The names that `ccusage` derives from the path of a session's file. */
export interface CcusageNames {
  id: string;
  /** The directory named after the project or the day. */
  directory: string;
  file: string;
}

const ENDING = /\.jsonl(?:\.zst)?$/;

/** Names a session by its path. Files of sub-agents are below a directory named after the session and count as it. */
export function nameSession({ source, session_id }: SessionRef, path: string | undefined): CcusageNames {
  const parts = (path ?? "").replaceAll("\\", "/").replace(ENDING, "").split("/");
  const file = parts.at(-1) ?? session_id;
  if (agentOf(source).byModelName) {
    const below = after(parts, "sessions");
    return { id: below.join("/") || session_id, directory: below.slice(0, -1).join("/"), file };
  }
  const [project, owner] = after(parts, "projects");
  if (project === undefined || owner === undefined) return { id: session_id, directory: parts.at(-2) ?? "", file };
  return { id: owner, directory: project, file };
}

function after(parts: readonly string[], name: string): string[] {
  const at = parts.lastIndexOf(name);
  return at === -1 ? [] : parts.slice(at + 1);
}
