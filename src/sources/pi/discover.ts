import { readdirSync, realpathSync, statSync, type Dirent, type Stats } from "node:fs";
import { join, resolve } from "node:path";
import type { DiscoverContext, SourceRef } from "../source.ts";
import { headerOf, SOURCE_ID } from "./identity.ts";

/** Where sessions lie inside a folder the user may name: pi's home, its agent folder, or a copy of either. */
const STORES = ["sessions", join("agent", "sessions"), join(".pi", "agent", "sessions")];
const SKIPPED: ReadonlySet<string> = new Set(["node_modules", ".git"]);

/** Session files under the roots, ordered by path. */
export function discoverPi(ctx: DiscoverContext): Iterable<SourceRef> {
  const walk = new Walk(ctx);
  for (const root of ctx.roots ?? [homeOf(ctx)]) walk.root(resolve(root));
  return walk.refs();
}

/** pi's own variables, in pi's own order. */
function homeOf(ctx: DiscoverContext): string {
  const sessions = ctx.env["PI_CODING_AGENT_SESSION_DIR"]?.trim();
  if (sessions) return sessions;
  const agent = ctx.env["PI_CODING_AGENT_DIR"]?.trim() || join(ctx.home, ".pi", "agent");
  return join(agent, "sessions");
}

class Walk {
  readonly #ctx: DiscoverContext;
  readonly #found = new Map<string, SourceRef>();
  /** Real paths seen: a symbolic link may lead back up. */
  readonly #visited = new Set<string>();

  constructor(ctx: DiscoverContext) {
    this.#ctx = ctx;
  }

  refs(): SourceRef[] {
    return [...this.#found.values()].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
  }

  root(root: string): void {
    this.#ctx.looked?.(root);
    const stat = statOf(root);
    if (!stat) return this.#report("root_missing", root, "there is no such directory or file");
    if (stat.isFile()) return this.#add(root, stat);
    const store = STORES.map((name) => join(root, name)).find((path) => statOf(path)?.isDirectory());
    this.#directory(store ?? root);
  }

  #directory(directory: string): void {
    let entries: Dirent[];
    try {
      const real = realpathSync(directory);
      if (this.#visited.has(real)) return;
      this.#visited.add(real);
      entries = readdirSync(directory, { withFileTypes: true });
    } catch (error) {
      const message = error instanceof Error ? error.message : "cannot be listed";
      return this.#report("root_unreadable", directory, message);
    }
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = join(directory, entry.name);
      const stat = entry.isSymbolicLink() ? statOf(path) : entry;
      if (stat?.isDirectory()) {
        if (!SKIPPED.has(entry.name)) this.#directory(path);
      } else if (stat?.isFile() && entry.name.endsWith(".jsonl")) this.#consider(path);
    }
  }

  /** Extensions keep `.jsonl` files of their own beside the sessions, so the content is looked at. */
  #consider(path: string): void {
    const stat = statOf(path);
    if (!stat) return;
    if (this.#ctx.known?.(path).length) return this.#add(path, stat);
    const header = headerOf(path);
    if (header === "unreadable") this.#report("file_unreadable", path, "the file cannot be opened");
    else if (header === null) this.#report("file_foreign", path, "not a pi session; another tool wrote it");
    else this.#add(path, stat);
  }

  #add(path: string, stat: Stats): void {
    this.#found.set(path, { source: SOURCE_ID, path, size: stat.size, mtimeMs: stat.mtimeMs, container: "jsonl" });
  }

  #report(
    code: "root_missing" | "root_unreadable" | "file_unreadable" | "file_foreign",
    path: string,
    message: string,
  ): void {
    this.#ctx.report({ code, source: SOURCE_ID, path, message });
  }
}

function statOf(path: string): Stats | null {
  try {
    return statSync(path);
  } catch {
    return null;
  }
}
