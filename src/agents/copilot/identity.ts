import { closeSync, readSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { obj, str } from "../kit/native.ts";
import { parseJson } from "../../base/io/json.ts";
import { openFile, readText } from "../../base/io/regular-file.ts";

export const SOURCE_ID = "copilot";

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const HEAD = 16 * 1024;

/**
 * The directory's name; in older versions the file's. If neither is an id, because the file was moved, the id in its
 * content.
 */
export function sessionIdFromPath(path: string): string {
  const name = basename(path).replace(/\.jsonl?$/i, "");
  const candidate = name === "events" ? basename(dirname(path)) : name.replace(/^session_/, "").replace(/_\d+$/, "");
  return UUID.test(candidate) ? candidate : (statedId(path) ?? candidate);
}

function statedId(path: string): string | null {
  try {
    const file = openFile(path);
    try {
      const buffer = Buffer.alloc(HEAD);
      const head = buffer.toString("utf8", 0, readSync(file, buffer, 0, HEAD, 0));
      return /"sessionId"\s*:\s*"([^"]+)"/.exec(head)?.[1] ?? null;
    } finally {
      closeSync(file);
    }
  } catch {
    return null;
  }
}

/** What Copilot keeps about a session beside its events; rewritten in place. */
export interface Workspace {
  cwd: string | null;
  branch: string | null;
  name: string | null;
  userNamed: boolean;
  client: string | null;
}

/** `workspace.yaml` is a flat list of scalars; no other YAML is supported here. */
export function readWorkspace(directory: string): Workspace {
  let text = "";
  try {
    text = readText(join(directory, "workspace.yaml"));
  } catch {
    // Older versions have no such file.
  }
  const fields = new Map<string, string>();
  for (const line of text.split("\n")) {
    const match = /^([a-z_]+): *(.*?)\s*$/.exec(line);
    if (match) fields.set(match[1] ?? "", scalar(match[2] ?? ""));
  }
  const field = (name: string): string | null => fields.get(name) || null;
  return {
    cwd: field("cwd"),
    branch: field("branch"),
    name: field("name") ?? field("summary"),
    userNamed: fields.get("user_named") === "true",
    client: field("client_name"),
  };
}

function scalar(text: string): string {
  if (text.startsWith("'") && text.endsWith("'") && text.length > 1) return text.slice(1, -1).replaceAll("''", "'");
  if (text.startsWith('"')) {
    try {
      return str(parseJson(text)) ?? text;
    } catch {
      return text;
    }
  }
  // Block scalars (`|-`) span several lines; this line has only their indicator.
  return text === "null" || text === "~" || /^[|>][+-]?$/.test(text) ? "" : text;
}

/** The payload of an event. */
export function dataOf(record: Record<string, unknown>): Record<string, unknown> {
  return obj(record["data"]) ?? {};
}
