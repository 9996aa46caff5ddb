import { basename } from "node:path";
import type { GitState, SessionKind, SessionMetaBody, TriggerEntry } from "../../format/record.ts";
import type { Fields } from "./fields.ts";
import { fieldsOf, isFields, nameOf, numberOf, stringOf, wordOf } from "./fields.ts";

const UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";
const THREAD_IN_NAME = new RegExp(`(${UUID})(?:_${UUID})?$`, "i");

/** The thread id in a rollout's file name (`rollout-<time>-<thread>[_<segment>]`), else the stem. */
export function sessionIdFromPath(path: string): string {
  const stem = basename(path).replace(/\.(?:jsonl(?:\.zst)?|json)$/, "");
  return THREAD_IN_NAME.exec(stem)?.[1] ?? stem;
}

/**
 * Who drives the session. Only a root has human triggers: the prompts of all others were written by an agent or by
 * Codex itself, although they are echoed just like human ones.
 */
export function kindOf(meta: Fields): SessionKind {
  const originator = stringOf(meta.originator);
  if (originator === "Claude Code") return "companion";
  if (originator === "prompt_diary") return "internal";
  const source = fieldsOf(meta.source);
  const { subagent } = source;
  const thread = wordOf(meta.thread_source);
  if (subagent !== undefined && subagent !== null) {
    if (subagent === "review") return "review";
    if (isFields(subagent) && "thread_spawn" in subagent) return "subagent";
    const labelled = typeof subagent === "string" || (isFields(subagent) && "other" in subagent);
    return !labelled && thread === "subagent" ? "subagent" : "internal";
  }
  if (source.internal !== undefined && source.internal !== null) return "internal";
  if (thread === "subagent" || wordOf(meta.parent_thread_id) !== null) return "subagent";
  return thread === null || thread === "user" ? "root" : "internal";
}

/**
 * How the human reached the agent. The originator is free text, the source an enum; the daemon's TUI states `vscode`.
 */
export function triggerEntryOf(meta: Fields): TriggerEntry {
  const originator = stringOf(meta.originator) ?? "";
  const source = stringOf(meta.source) ?? "";
  if (/sdk/i.test(originator)) return "sdk";
  if (source === "exec" || originator === "codex_exec") return "headless";
  if (originator === "codex-tui") return "interactive";
  if (source === "vscode" || originator.startsWith("codex_vscode")) return "ide";
  // Before there was a source (0.36, 0.42) `exec` called itself `codex_cli_rs` as well.
  if (source === "cli") return "interactive";
  if (source === "mcp" || isFields(meta.source)) return "sdk";
  return "unknown";
}

function gitOf(value: unknown): GitState | null {
  if (!isFields(value)) return null;
  return {
    commit: stringOf(value.commit_hash),
    branch: stringOf(value.branch),
    remote: stringOf(value.repository_url),
  };
}

export function metaBody(meta: Fields): SessionMetaBody {
  const spawn = fieldsOf(fieldsOf(fieldsOf(meta.source).subagent).thread_spawn);
  const parent = wordOf(meta.parent_thread_id) ?? wordOf(spawn.parent_thread_id);
  const role =
    wordOf(meta.agent_role) ?? wordOf(meta.agent_type) ?? wordOf(spawn.agent_role) ?? wordOf(spawn.agent_type);
  const body: SessionMetaBody = {
    type: "session_meta",
    source: "codex",
    kind: kindOf(meta),
    cwd: nameOf(meta.cwd),
    started_at: wordOf(meta.timestamp),
    agent_version: wordOf(meta.cli_version),
    originator: stringOf(meta.originator),
    provider: stringOf(meta.model_provider),
  };
  if (parent !== null) body.parent = { source: "codex", session_id: parent };
  if (role !== null) body.role = role;
  const forked = wordOf(meta.forked_from_id);
  if (forked !== null) body.forked_from = forked;
  const before = forked === null ? null : forkedBefore(meta, forked);
  if (before !== null) body.forked_before = before;
  const git = gitOf(meta.git);
  if (git !== null) body.git = git;
  return body;
}

/** The ordinal from which on the records of the other thread are not its history. */
function forkedBefore(meta: Fields, forked: string): number | null {
  const base = fieldsOf(meta.history_base);
  const until = wordOf(base.thread_id) === forked ? numberOf(base.end_ordinal_exclusive) : null;
  return numberOf(meta.forked_from_ordinal_exclusive) ?? until;
}

/** Codex repeats its header to change parts of it. Returns only what differs; absent values keep their old value. */
export function changedMeta(before: Readonly<Record<string, unknown>>, now: SessionMetaBody): SessionMetaBody | null {
  const held = (name: "cwd" | "started_at" | "agent_version"): string | null => now[name] ?? stringOf(before[name]);
  const change: SessionMetaBody = {
    type: "session_meta",
    source: now.source,
    kind: now.kind,
    cwd: held("cwd"),
    started_at: held("started_at"),
    agent_version: held("agent_version"),
  };
  let differs = change.cwd !== before.cwd || change.agent_version !== before.agent_version || now.kind !== before.kind;
  for (const name of ["originator", "provider", "parent", "role", "forked_from", "git"] as const) {
    const value = now[name];
    if (value === undefined || value === null || JSON.stringify(value) === JSON.stringify(before[name])) continue;
    Object.assign(change, { [name]: value });
    differs = true;
  }
  return differs ? change : null;
}
