/** Where sessions are, how they are told from other files, and titles and prompts beside them. */
import { existsSync, readdirSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { instant } from "../../base/io/instant.ts";
import { parseJson } from "../../base/io/json.ts";
import { readText } from "../../base/io/regular-file.ts";
import type { SessionKind, SessionRef } from "../../record/record.ts";
import type { DiscoverContext, PromptWitness, SideFacts, SourceRef } from "../contract.ts";
import { num, obj, str, type Native } from "../kit/native.ts";
import {
  fileNameOf,
  findSessionFiles,
  isDirectory,
  type FileVerdict,
  type SearchPlace,
  type WalkStart,
} from "../kit/session-files.ts";
import { sniff, type SniffResult } from "../kit/sniff.ts";
import { isLocalText } from "./markers.ts";
import { SESSION_TYPES } from "./native.ts";

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
interface AgentMeta {
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

/** Claude Code's default locations, or the roots given by the user. A blank variable turns the source off. */
function placesOf(ctx: DiscoverContext): SearchPlace[] {
  if (ctx.roots) return ctx.roots.map((path) => ({ path, expected: true }));
  const configured = ctx.env["CLAUDE_CONFIG_DIR"];
  if (configured !== undefined) {
    const parts = configured.split(",").map((part) => part.trim());
    return parts.filter((part) => part !== "").map((path) => ({ path, expected: true }));
  }
  const xdg = ctx.env["XDG_CONFIG_HOME"]?.trim() || join(ctx.home, ".config");
  const optional = { path: join(xdg, "claude"), expected: false };
  return [{ path: join(ctx.home, ".claude"), expected: !isDirectory(optional.path) }, optional];
}

const WORKTREE = /^(.+?)\/\.claude\/worktrees\/[^/]+(?:\/|$)/;

/** Claude Code creates its worktrees inside the repository: `repo/.claude/worktrees/name`. */
export function mainCheckout(dir: string): string | null {
  return WORKTREE.exec(dir)?.[1] ?? null;
}

const CHAIN: ReadonlySet<string> = new Set(["user", "assistant", "system", "attachment", "progress"]);

/** Whether the head of a file looks like Claude Code's: other tools write similar records into `.jsonl` files, too. */
export function isClaudeFile(path: string): SniffResult {
  // The beginning of one huge first line cannot be parsed, but its first keys still identify the format. Further lines
  // prove nothing: Kimi Code has the same keys inside records of other types.
  return sniff(path, isClaudeRecord, (head) => /^[^\n]*"(?:parentUuid|isSidechain|leafUuid|userType)"/.test(head));
}

function isClaudeRecord(record: Native): boolean | null {
  const type = str(record["type"]);
  if (type === null) return null;
  if (SESSION_TYPES.has(type))
    return ["sessionId", "leafUuid", "messageId", "agentId", "key"].some((field) => field in record);
  if (!CHAIN.has(type)) return null;
  const message = obj(record["message"]);
  // Gemini and its forks use `parts` instead of `content`.
  if (message && "parts" in message) return false;
  const chained = ["parentUuid", "isSidechain", "sessionId", "userType"].some((field) => field in record);
  return chained || (message !== null && str(message["role"]) !== null && "content" in message);
}

/**
 * Directories without sessions: side files of outputs, and directories of other tools when a whole tree is searched.
 */
const SKIPPED: ReadonlySet<string> = new Set(["tool-results", "node_modules", ".git", "file-history"]);
const SESSION_NAME = /^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|agent-[\w-]+|journal)\.jsonl$/i;

/** Where Qwen Code and Cursor keep sessions in a directory that is also called `projects`: their content is checked. */
const OTHERS = /[\\/](?:chats|subagents[\\/][^\\/]+)[\\/][^\\/]+$|[\\/]agent-transcripts[\\/]/;

export function discoverClaude(ctx: DiscoverContext): Iterable<SourceRef> {
  return findSessionFiles(ctx, {
    source: SOURCE_ID,
    name: "Claude Code",
    places: placesOf(ctx),
    skipped: SKIPPED,
    starts: (root) => [startOf(root)],
    titles: "custom-title.json",
    judge,
  });
}

function startOf(root: string): WalkStart {
  const own = basename(root) === "projects";
  const projects = join(root, "projects");
  if (!own && isDirectory(projects)) return { path: projects, trusted: true };
  return { path: root, trusted: own };
}

function judge(path: string, trusted: boolean, known: boolean): FileVerdict {
  const name = fileNameOf(path);
  if (!name.endsWith(".jsonl") || name === "history.jsonl") return "ignored";
  return known || (trusted && SESSION_NAME.test(name) && !OTHERS.test(path)) ? "yes" : isClaudeFile(path);
}

/** What Claude Code stores beside its transcripts: input history, titles set by the human, what its processes do. */
export function readFacts(ctx: DiscoverContext): SideFacts {
  const roots = placesOf(ctx).map((place) => resolve(place.path));
  const configs = new Set(roots.map((root) => (basename(root) === "projects" ? dirname(root) : root)));
  const found = [...configs].filter(isDirectory);
  const histories = found.map((config) => join(config, "history.jsonl"));
  return {
    titles() {
      const titles = new Map<string, string | null>();
      for (const config of found) readTitles(join(config, "projects"), titles);
      return titles;
    },
    histories,
    prompts: () => histories.flatMap(promptsIn),
    waiting: () => waitingIn(found.map((config) => join(config, "sessions"))),
  };
}

/**
 * Each process keeps a file about itself, which it removes when it ends: one that was killed leaves what it said last.
 * So the newest statement about a session counts.
 */
function waitingIn(directories: readonly string[]): Map<string, string> {
  const newest = new Map<string, number>();
  const waiting = new Map<string, string>();
  const files = directories.flatMap((directory) => names(directory).map((name) => join(directory, name)));
  for (const file of files.filter((path) => path.endsWith(".json"))) {
    const state = parseFile(file);
    const session = str(state?.["sessionId"]);
    const time = num(state?.["statusUpdatedAt"]) ?? num(state?.["updatedAt"]) ?? 0;
    if (!state || session === null || time < (newest.get(session) ?? 0)) continue;
    newest.set(session, time);
    if (state["status"] === "waiting") waiting.set(session, str(state["waitingFor"]) ?? "");
    else waiting.delete(session);
  }
  return waiting;
}

function parseFile(path: string): Record<string, unknown> | null {
  try {
    return parse(readText(path));
  } catch {
    // The file may have been deleted since.
    return null;
  }
}

function promptsIn(path: string): PromptWitness[] {
  const prompts: PromptWitness[] = [];
  let text: string;
  try {
    text = readText(path);
  } catch {
    return prompts;
  }
  for (const [index, line] of text.split("\n").entries()) {
    const entry = parse(line);
    const display = str(entry?.["display"]);
    if (!entry || display === null || isLocalText(display)) continue;
    prompts.push({
      source: SOURCE_ID,
      path,
      line: index + 1,
      sessionId: str(entry["sessionId"]),
      time: instant(num(entry["timestamp"]) ?? Number.NaN),
      text: display,
      cwd: str(entry["project"]),
    });
  }
  return prompts;
}

/** `<projects>/<slug>/<session>/custom-title.json`, written by `/rename`. */
function readTitles(projects: string, titles: Map<string, string | null>): void {
  for (const slug of names(projects)) {
    for (const session of names(join(projects, slug))) {
      if (session.endsWith(".jsonl")) continue;
      const path = join(projects, slug, session, "custom-title.json");
      // Most sessions have no such file, and a failed read costs ten times as much as this check.
      if (!existsSync(path)) continue;
      const side = parseFile(path);
      if (side && "customTitle" in side) titles.set(session, str(side["customTitle"]) || null);
    }
  }
}

function names(directory: string): string[] {
  try {
    return readdirSync(directory).sort();
  } catch {
    return [];
  }
}

function parse(text: string): Record<string, unknown> | null {
  try {
    return obj(parseJson(text));
  } catch {
    return null;
  }
}
