/** Where conversations are: in the editor's database, in a database for each session of the CLI, in transcripts. */
import { basename, dirname, join, resolve } from "node:path";
import { readForeign } from "../../base/io/sqlite-foreign.ts";
import type { SessionRef } from "../../record/record.ts";
import type { DiscoverContext, SourceRef } from "../contract.ts";
import { editorHomes } from "../kit/editor-homes.ts";
import { obj } from "../kit/native.ts";
import { byPlace, statOf, StoreWalk } from "../kit/session-files.ts";
import { isSqlite, sniff } from "../kit/sniff.ts";
import { isEditorStore, listConversations, SOURCE_ID } from "./native.ts";

/** The editor's database, in the directory of its user and in that of each workspace. */
const EDITOR_STORE = "state.vscdb";
const TRANSCRIPTS = "agent-transcripts";
const SKIPPED: ReadonlySet<string> = new Set([
  "node_modules",
  ".git",
  "extensions",
  "worktrees",
  "plugins",
  "History",
  "logs",
  "terminals",
  "agent-tools",
  "mcps",
]);
const DEEPEST = 8;

export function discoverCursor(ctx: DiscoverContext): Iterable<SourceRef> {
  const walk = new Walk(ctx, SOURCE_ID);
  for (const { path, only } of placesOf(ctx)) {
    ctx.looked?.(path);
    const stat = statOf(path);
    if (stat?.isFile()) walk.file(path, ctx.roots !== null);
    else if (stat) walk.directory(path, only ? 4 : DEEPEST);
    else if (ctx.roots) walk.report("root_missing", path, "there is no such directory or file");
  }
  return walk.refs();
}

/** Below `only` there is nothing but transcripts. */
function placesOf(ctx: DiscoverContext): { path: string; only: boolean }[] {
  const { roots, env, home } = ctx;
  if (roots) return roots.map((path) => ({ path: resolve(path), only: false }));
  const data = env["CURSOR_DATA_DIR"]?.trim() || join(home, ".cursor");
  const editors = editorHomes(ctx, ["Cursor"]).map((user) => join(user, "globalStorage", EDITOR_STORE));
  return [...editors.map((path) => ({ path, only: false })), { path: join(data, "projects"), only: true }];
}

class Walk extends StoreWalk {
  readonly #stored = new Map<string, SourceRef>();
  readonly #transcripts: SourceRef[] = [];

  /** Transcripts leave out what the databases hold: how calls ended, times, models. */
  refs(): SourceRef[] {
    const others = this.#transcripts.filter(({ path }) => !this.#stored.has(sessionIdOf(path)));
    return [...this.#stored.values(), ...others].sort(byPlace);
  }

  directory(path: string, depth: number): void {
    if (this.isSeen(path)) return;
    for (const entry of this.entries(path)) {
      const at = join(path, entry.name);
      if (entry.isDirectory() && depth > 0 && !SKIPPED.has(entry.name)) this.directory(at, depth - 1);
      else if (entry.name === EDITOR_STORE || entry.name.endsWith(".jsonl")) this.file(at, false);
    }
  }

  file(path: string, named: boolean): void {
    const stat = statOf(path);
    if (!stat?.isFile() || this.isSeen(path)) return;
    if (path.endsWith(".jsonl")) {
      const { size, mtimeMs } = stat;
      const known = (this.ctx.known?.(path).length ?? 0) > 0;
      const isOurs = known || isTranscript(path);
      if (isOurs) this.#transcripts.push({ source: SOURCE_ID, path, size, mtimeMs, container: "jsonl" });
      else if (named) this.report("file_foreign", path, "not a Cursor session; another tool wrote it");
      return;
    }
    const sessions = isSqlite(path) ? this.sessionsIn(path, () => listConversations(path)) : null;
    if (sessions === null && named) this.report("database_refused", path, "this is not a database of Cursor");
    for (const { id: key, stamp, updated, bytes: size } of sessions ?? []) {
      const mtimeMs = updated > 0 ? updated : stat.mtimeMs;
      if ((this.#stored.get(key)?.mtimeMs ?? 0) < mtimeMs)
        this.#stored.set(key, { source: SOURCE_ID, path, key, size, mtimeMs, container: "sqlite", stamp });
    }
  }
}

export function recognises({ path }: Pick<SourceRef, "path">): boolean {
  if (!isSqlite(path)) return isTranscript(path);
  try {
    return readForeign(path, isEditorStore);
  } catch {
    return false;
  }
}

function isTranscript(path: string): boolean {
  // A transcript may hold nothing but the markers of turns; then only its place tells.
  return sniff(path, isMessage, () => placedAsTranscript(path)) === "yes";
}

/** A line has a role and a message, and nothing else that other agents have; a marker may come first. */
function isMessage({ role, message, type, status, ...others }: Record<string, unknown>): boolean | null {
  if (type === "turn_ended" && role === undefined && typeof status === "string") return null;
  const isSpoken = (role === "user" || role === "assistant") && obj(message)?.["content"] !== undefined;
  return isSpoken && type === undefined && !["timestamp", "uuid", "id", "parentId"].some((name) => name in others);
}

function placedAsTranscript(path: string): boolean {
  return path.replaceAll("\\", "/").includes(`/${TRANSCRIPTS}/`);
}

/** Both the editor's conversations and the CLI's sessions are named by one id wherever they are stored. */
export function sessionIdOf(path: string): string {
  return basename(path.replaceAll("\\", "/")).replace(/\.jsonl$/i, "");
}

/** `<id>/subagents/<sub-agent>.jsonl`: only the path names the parent. */
export function parentOf(path: string): SessionRef | null {
  const directory = dirname(path.replaceAll("\\", "/"));
  if (basename(directory) !== "subagents") return null;
  return { source: SOURCE_ID, session_id: basename(dirname(directory)) };
}
