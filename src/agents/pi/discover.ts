/** Where sessions are, how they are told from other files, and what their paths say. */
import { basename, dirname, join } from "node:path";
import type { SessionRef } from "../../record/record.ts";
import type { DiscoverContext } from "../contract.ts";
import type { LogPlaces } from "../kit/log-source.ts";
import { str, type Native } from "../kit/native.ts";
import { sniff, type SniffResult } from "../kit/sniff.ts";

export const SOURCE_ID = "pi";

export const LOGS: LogPlaces = {
  source: SOURCE_ID,
  name: "pi",
  home: homeOf,
  // The user may name pi's home, its agent directory, or a copy of either.
  stores: ["sessions", join("agent", "sessions"), join(".pi", "agent", "sessions")],
  // Extensions keep such files of their own beside the sessions, so the content is checked.
  suffix: ".jsonl",
  recognise: (path) => recognise(path),
  sessionId: sessionIdOf,
};

/** pi's own variables, in pi's order of precedence. */
function homeOf(env: DiscoverContext["env"], home: string): string {
  const agent = env["PI_CODING_AGENT_DIR"]?.trim() || join(home, ".pi", "agent");
  return env["PI_CODING_AGENT_SESSION_DIR"]?.trim() || join(agent, "sessions");
}

/** Whether a file begins with a header of pi; `met` gets the header. */
export function recognise(path: string, met: (header: Native) => void = () => undefined): SniffResult {
  const judge = (record: Native): boolean | null => {
    const { type, id, timestamp } = record;
    // Oh My Pi writes a title line before the header.
    if (type === "title") return null;
    if (type !== "session" || typeof id !== "string" || typeof timestamp !== "string") return false;
    met(record);
    return true;
  };
  return sniff(path, judge, () => false);
}

/** `<time>_<session id>.jsonl`; the id is a UUID unless the user chose one. */
const NAMED = /^\d{4}-\d{2}-\d{2}T[\d-]+Z_(.+)$/;

/** The id in the file's name; a file with another name (`--session PATH`) has it in its header. */
export function sessionIdOf(path: string): string {
  let id: string | null = NAMED.exec(stemOf(path))?.[1] ?? null;
  if (id === null) recognise(path, (header) => (id = str(header["id"])));
  return id ?? stemOf(path);
}

/** The id of another session that is named by its path (pi) or by its id (programs derived from pi). */
export function sessionIdNamed(reference: string): string {
  return NAMED.exec(stemOf(reference))?.[1] ?? stemOf(reference);
}

/** Oh My Pi keeps subagents in a directory named like the parent's file; only the path links the two. */
export function parentFromPath(path: string): SessionRef | null {
  const owner = NAMED.exec(basename(dirname(path.replaceAll("\\", "/"))))?.[1];
  return owner === undefined ? null : { source: SOURCE_ID, session_id: owner };
}

function stemOf(path: string): string {
  return basename(path.replaceAll("\\", "/")).replace(/\.jsonl$/i, "");
}
