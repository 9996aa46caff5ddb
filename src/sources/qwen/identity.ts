import { existsSync, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { SessionKind, SessionRef } from "../../format/record.ts";
import { obj, str } from "../kit/native.ts";
import { parseJson } from "../../io/json.ts";
import { readText } from "../../io/regular-file.ts";

export const SOURCE_ID = "qwen";

function segments(path: string): string[] {
  return path.split(/[\\/]+/);
}

/** The file's stem: the session id in `chats`, `agent-<agent id>` in `subagents/<session id>`. */
export function sessionIdFromPath(path: string): string {
  return basename(path).replace(/\.jsonl$/i, "");
}

export function kindFromPath(path: string): SessionKind {
  return segments(dirname(path)).includes("subagents") ? "subagent" : "root";
}

/** Data from the `.meta.json` beside a subagent's file; the parent is taken from the path if that file is missing. */
export interface AgentMeta {
  role: string | null;
  /** Only stated here: records of a subagent do not name the model. */
  model: string | null;
  parent: SessionRef | null;
}

export function readAgentMeta(path: string): AgentMeta {
  const parts = segments(path);
  const owner = parts[parts.lastIndexOf("subagents") + 1];
  const inPath = parts.includes("subagents") && owner && parts.length > 2 ? owner : null;
  let meta: Record<string, unknown> | null = null;
  try {
    meta = obj(parseJson(readText(path.replace(/\.jsonl$/i, ".meta.json"))));
  } catch {
    // Only newer versions write this file; the records have enough without it.
  }
  const agent = str(meta?.["parentAgentId"]);
  const session = agent === null ? (str(meta?.["parentSessionId"]) ?? inPath) : `agent-${agent}`;
  return {
    role: str(meta?.["agentType"]) ?? str(meta?.["subagentName"]),
    model: str(meta?.["model"]),
    parent: session === null ? null : { source: SOURCE_ID, session_id: session },
  };
}

/** Whether a subagent of this session has a transcript of its own. */
export function hasTranscript(sessionPath: string, agent: string): boolean {
  // The id becomes part of a path, so only plain names are allowed.
  if (!/^[\w.-]+$/.test(agent) || agent.startsWith(".")) return false;
  return existsSync(join(transcriptsOf(sessionPath), `agent-${agent}.jsonl`));
}

/** Whether any subagent of this kind has a transcript: up to 0.21, telemetry names only the kind of a subagent. */
export function hasTranscriptOfKind(sessionPath: string, kind: string): boolean {
  try {
    return readdirSync(transcriptsOf(sessionPath)).some(
      (name) => name.startsWith(`agent-${kind}-`) && name.endsWith(".jsonl"),
    );
  } catch {
    return false;
  }
}

function transcriptsOf(sessionPath: string): string {
  return join(dirname(dirname(sessionPath)), "subagents", sessionIdFromPath(sessionPath));
}
