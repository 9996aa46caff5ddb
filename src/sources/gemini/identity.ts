import { createHash } from "node:crypto";
import { basename, dirname, join } from "node:path";
import type { SessionKind, SessionRef } from "../../format/record.ts";
import { obj, str } from "../kit/native.ts";
import { parseJson } from "../../io/json.ts";
import { readText as readFileText } from "../../io/regular-file.ts";

export const SOURCE_ID = "gemini";

const MAIN_NAME = /^session-\d{4}-\d{2}-\d{2}T\d{2}-\d{2}(?:-\d{2})?-(.+)$/;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function stemOf(path: string): string {
  return basename(path).replace(/\.jsonl?$/i, "");
}

/** A main session's file name has only eight characters of the id; the header has all of it. */
export function sessionIdFromPath(path: string): string {
  const stem = stemOf(path);
  return MAIN_NAME.exec(stem)?.[1] ?? stem;
}

/** Subagents are in a directory named after the session that started them: `chats/<parent id>/<id>.jsonl`. */
export function parentFromPath(path: string): SessionRef | null {
  const directory = dirname(path);
  const owner = basename(directory);
  if (basename(dirname(directory)) !== "chats" && !UUID.test(owner)) return null;
  return owner === "chats" ? null : { source: SOURCE_ID, session_id: owner };
}

export function kindFromPath(path: string): SessionKind {
  return !basename(path).startsWith("session-") && parentFromPath(path) !== null ? "subagent" : "root";
}

/**
 * The directory the session worked in. Gemini CLI does not write it into the session: it is in a marker file in the
 * project's directory, or in the registry that names the project directories.
 */
export function projectRoot(path: string, projectHash: string | null): string | null {
  const project = projectDirectory(path);
  if (project === null) return null;
  const marked = readText(join(project, ".project_root"))?.trim();
  if (marked) return marked;
  const registry = readJson(join(dirname(dirname(project)), "projects.json"));
  const projects = obj(obj(registry)?.["projects"]);
  if (!projects) return null;
  const name = basename(project);
  for (const [root, id] of Object.entries(projects)) if (str(id) === name) return root;
  for (const root of Object.keys(projects)) {
    const hash = createHash("sha256").update(root).digest("hex");
    if (hash === name || hash === projectHash) return root;
  }
  return null;
}

/** `tmp/<project>`: the directory above `chats`. */
function projectDirectory(path: string): string | null {
  for (let at = dirname(path); ; at = dirname(at)) {
    if (basename(at) === "chats") return dirname(at);
    if (at === dirname(at)) return null;
  }
}

function readText(path: string): string | null {
  try {
    return readFileText(path);
  } catch {
    return null;
  }
}

function readJson(path: string): unknown {
  try {
    return parseJson(readText(path) ?? "null");
  } catch {
    return null;
  }
}
