/** Where sessions are: in the directory of each workspace, and in one for windows without a folder. */
import { basename, dirname, join } from "node:path";
import type { DiscoverContext, SourceRef } from "../contract.ts";
import { editorHomes } from "../kit/editor-homes.ts";
import { nonEmpty } from "../kit/native.ts";
import { byPlace, directoriesIn, statOf, StoreWalk } from "../kit/session-files.ts";
import { headOf } from "../kit/sniff.ts";
import { Beside } from "../kit/bundle.ts";
import { isLog } from "./replay.ts";

export const SOURCE_ID = "vscode-copilot";

/** VS Code, its nightly build, and the builds of others. */
const EDITORS = ["Code", "Code - Insiders", "Code - OSS", "VSCodium"];
const FOLDER = "chatSessions";
const WITHOUT_FOLDER = ["emptyWindowChatSessions", "transferredChatSessions"];
const SKIPPED: ReadonlySet<string> = new Set(["node_modules", ".git", "History", "logs", "chatEditingSessions"]);
const DEEPEST = 8;

export function discoverChats(ctx: DiscoverContext): Iterable<SourceRef> {
  const walk = new Walk(ctx, SOURCE_ID);
  if (ctx.roots) for (const root of ctx.roots) walk.root(root);
  else for (const user of editorHomes(ctx, EDITORS)) walk.user(user);
  return walk.refs();
}

class Walk extends StoreWalk {
  readonly #found = new Map<string, SourceRef>();

  refs(): SourceRef[] {
    return [...this.#found.values()].sort(byPlace);
  }

  root(path: string): void {
    this.ctx.looked?.(path);
    const stat = statOf(path);
    if (stat?.isFile()) this.#file(path, true);
    else if (stat) this.#below(path, DEEPEST);
    else this.report("root_missing", path, "there is no such directory or file");
  }

  /** The directory of an editor's user: only the places where it keeps sessions are looked at. */
  user(path: string): void {
    this.ctx.looked?.(path);
    if (!statOf(path)) return;
    const workspaces = join(path, "workspaceStorage");
    for (const workspace of directoriesIn(workspaces)) this.#folder(join(workspaces, workspace, FOLDER));
    for (const name of WITHOUT_FOLDER) this.#folder(join(path, "globalStorage", name));
  }

  #folder(path: string): void {
    if (statOf(path) && !this.isSeen(path))
      for (const { name } of this.entries(path)) this.#file(join(path, name), false);
  }

  #below(path: string, depth: number): void {
    if (this.isSeen(path)) return;
    for (const entry of this.entries(path)) {
      const at = join(path, entry.name);
      if (!entry.isDirectory()) this.#file(at, false);
      else if (depth > 0 && !SKIPPED.has(entry.name)) this.#below(at, depth - 1);
    }
  }

  #file(path: string, named: boolean): void {
    if (!/\.jsonl?$/.test(path)) return;
    const stat = statOf(path);
    if (!stat?.isFile()) return;
    if ((this.ctx.known?.(path).length ?? 0) === 0 && !recognise(path)) {
      if (named) this.report("file_foreign", path, "not a session of VS Code's chat; another tool wrote it");
      return;
    }
    const { size, mtimeMs } = stat;
    const id = sessionIdOf(path);
    // A workspace that is saved under another name copies its sessions and leaves the originals where they were.
    if ((this.#found.get(id)?.mtimeMs ?? -1) < mtimeMs)
      // A log is one, too: what its lines say is known only when all are read.
      this.#found.set(id, { source: SOURCE_ID, path, size, mtimeMs, container: "json" });
  }
}

/** What the document says of itself may stand before or behind the requests; some of it is in the first bytes. */
export function recognise(path: string): boolean {
  const head = headOf(path);
  if (head === null || !(isLog(head) || /^\s*\{/.test(head))) return false;
  const isOurs = /"(?:responderUsername|requesterUsername|initialLocation)"\s*:/.test(head);
  return isOurs && /"requests"\s*:\s*\[/.test(head) && /"version"\s*:\s*\d/.test(head);
}

export function sessionIdOf(path: string): string {
  return basename(path.replaceAll("\\", "/")).replace(/\.jsonl?$/i, "");
}

/** The folder of the workspace; null for a window without one, and for a workspace of several folders. */
export function folderOf(path: string): string | null {
  if (basename(dirname(path.replaceAll("\\", "/"))) !== FOLDER) return null;
  const uri = nonEmpty(new Beside(path).json("../workspace.json")?.["folder"]);
  return uri === null ? null : pathOfUri(uri);
}

/** The path of a `file:` address; null for a folder on another machine. */
export function pathOfUri(uri: string): string | null {
  try {
    const { protocol, pathname } = new URL(uri);
    if (protocol !== "file:") return null;
    const path = decodeURIComponent(pathname);
    return /^\/[A-Za-z]:/.test(path) ? path.slice(1) : path;
  } catch {
    return null;
  }
}
