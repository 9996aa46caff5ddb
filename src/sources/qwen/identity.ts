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

/** The file's stem: the session's id in `chats`, `agent-<agent id>` in `subagents/<session id>`. */
export function sessionIdFromPath(path: string): string {
  return basename(path).replace(/\.jsonl$/i, "");
}

export function kindFromPath(path: string): SessionKind {
  return segments(dirname(path)).includes("subagents") ? "subagent" : "root";
}

/** What the `.meta.json` beside a subagent's file adds, and the path where it is missing. */
export interface AgentMeta {
  role: string | null;
  /** The only place that names it: records of a subagent do not. */
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
    // Written beside the transcript by newer versions only; the records carry enough without it.
  }
  const agent = str(meta?.["parentAgentId"]);
  const session = agent === null ? (str(meta?.["parentSessionId"]) ?? inPath) : `agent-${agent}`;
  return {
    role: str(meta?.["agentType"]) ?? str(meta?.["subagentName"]),
    model: str(meta?.["model"]),
    parent: session === null ? null : { source: SOURCE_ID, session_id: session },
  };
}

/** Whether a subagent of this session left a transcript of its own. */
export function hasTranscript(sessionPath: string, agent: string): boolean {
  // The id becomes part of a path: nothing but a plain name may lead anywhere.
  if (!/^[\w.-]+$/.test(agent) || agent.startsWith(".")) return false;
  return existsSync(join(transcriptsOf(sessionPath), `agent-${agent}.jsonl`));
}

/** Whether any subagent of this kind left one: before telemetry named the agent (0.21) it named only its kind. */
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
