import { basename, dirname } from "node:path";
import type { SessionKind, SessionRef } from "../../record/record.ts";
import { obj, str } from "../kit/native.ts";
import { parseJson } from "../../base/io/json.ts";
import { readText } from "../../base/io/regular-file.ts";

export const SOURCE_ID = "claude-code";

/**
 * Claude Code's internal helper agents leave files like `agent-acompact-….jsonl`. Ordinary agents have hexadecimal ids,
 * so the word in the name tells them apart.
 */
const INTERNAL =
  /^agent-a(?:auto_dream|compact|extract_memories|hook_agent|magic_docs|memory|prompt[_-]suggestion|session_memory|side_question|speculation)\b/;

function segments(path: string): string[] {
  return path.split(/[\\/]+/);
}

function stemOf(path: string): string {
  return basename(path.replaceAll("\\", "/")).replace(/\.jsonl$/i, "");
}

/**
 * The session id is the file's stem. All workflow journals are called `journal`, so those get the name of their run.
 */
export function sessionIdFromPath(path: string): string {
  const stem = stemOf(path);
  if (stem !== "journal") return stem;
  const run = segments(path).at(-2);
  return run ? `${run}-journal` : stem;
}

export function kindFromPath(path: string): SessionKind {
  const stem = stemOf(path);
  if (stem === "journal" || INTERNAL.test(stem)) return "internal";
  if (stem.startsWith("agent-")) return "subagent";
  return segments(dirname(path)).includes("subagents") ? "subagent" : "root";
}

/** The session whose directory holds this subagent file; null when the path does not say. */
export function parentFromPath(path: string): SessionRef | null {
  const parts = segments(path);
  const at = parts.indexOf("subagents");
  const owner = at > 0 ? parts[at - 1] : undefined;
  return owner ? { source: SOURCE_ID, session_id: owner } : null;
}

/** The contents of the `.meta.json` beside a subagent file. */
export interface AgentMeta {
  role: string | null;
  /** The subagent that started this one; null if the session itself did. */
  parentAgent: string | null;
}

export function readAgentMeta(path: string): AgentMeta {
  try {
    const meta = obj(parseJson(readText(path.replace(/\.jsonl$/i, ".meta.json"))));
    const parent = str(meta?.["parentAgentId"])?.replace(/^agent-/, "");
    return { role: str(meta?.["agentType"]), parentAgent: parent || null };
  } catch {
    // The side file exists only in newer versions; the records carry enough without it.
    return { role: null, parentAgent: null };
  }
}
