import { realpathSync, type Dirent } from "node:fs";
import { join, resolve } from "node:path";
import { isLfsPointer } from "../../io/lfs.ts";
import type { DiagnosticCode, DiscoverContext, SourceRef } from "../contract.ts";
import { listDatabaseSessions } from "../kit/database-sessions.ts";
import { listSessions } from "./database.ts";
import { legacyId } from "./legacy.ts";
import { nameSessions, type Store } from "./names.ts";
import { SOURCE_ID } from "./native.ts";
import { placesOf, statOf } from "./places.ts";
import { isSqlite } from "../kit/sniff.ts";
import { isLegacyFile } from "./sniff.ts";
import { entriesIn } from "../kit/directory.ts";

const SKIPPED: ReadonlySet<string> = new Set(["node_modules", ".git", "logs"]);
const DEEPEST = 6;

/**
 * Sessions under the roots, ordered by path and id. Old files whose session was imported into the database beside them
 * are hidden.
 */
export function discoverGoose(ctx: DiscoverContext): Iterable<SourceRef> {
  const walk = new Walk(ctx);
  const places = placesOf(ctx);
  for (const place of places) ctx.looked?.(resolve(place));
  const found = places.filter((place) => statOf(resolve(place)) !== null);
  for (const place of found) {
    const root = resolve(place);
    if (statOf(root)?.isFile()) walk.file(root, true);
    else walk.directory(root, ctx.roots ? DEEPEST : 0);
  }
  // Only one of Goose's own locations exists on a machine.
  const missing = ctx.roots || found.length === 0 ? places.filter((place) => !found.includes(place)) : [];
  for (const place of ctx.roots ? missing : missing.slice(0, 1))
    walk.report("root_missing", resolve(place), "there is no such directory or file");
  return walk.refs();
}

class Walk {
  readonly #ctx: DiscoverContext;
  readonly #refs: SourceRef[] = [];
  readonly #stores: Store[] = [];
  readonly #visited = new Set<string>();

  constructor(ctx: DiscoverContext) {
    this.#ctx = ctx;
  }

  refs(): SourceRef[] {
    // Most machines have no database.
    if (this.#stores.length === 0) return this.#refs.sort(byPlace);
    const names = nameSessions(this.#ctx, this.#stores);
    for (const { path, sessions } of this.#stores)
      for (const session of sessions) {
        const { stamp, updated: mtimeMs, bytes: size } = session;
        const key = names.get(path)?.get(session) ?? session.id;
        this.#refs.push({ source: SOURCE_ID, path, key, size, mtimeMs, container: "sqlite", stamp });
      }
    return this.#refs.sort(byPlace);
  }

  report(code: DiagnosticCode, path: string, message: string): void {
    this.#ctx.report({ code, source: SOURCE_ID, path, message });
  }

  file(path: string, named: boolean): ReadonlySet<string> {
    const stat = statOf(path);
    if (!stat || this.#seen(path)) return new Set();
    if (isSqlite(path)) return this.#database(path, named);
    if (path.endsWith(".jsonl") && isLegacyFile(path)) this.#legacy(path);
    else if (named || isLfsPointer(path))
      this.report("file_foreign", path, "not a Goose session; another tool wrote it");
    return new Set();
  }

  directory(path: string, depth: number): void {
    if (this.#seen(path)) return;
    const entries = this.#entries(path);
    const names = entries.filter((entry) => !entry.isDirectory()).map((entry) => entry.name);
    const stored = new Set<string>();
    for (const name of names.filter((each) => each.endsWith(".db")))
      for (const id of this.file(join(path, name), false)) stored.add(id);
    let hidden = 0;
    for (const name of names.filter((each) => each.endsWith(".jsonl"))) {
      if (stored.has(legacyId(name))) hidden++;
      else this.file(join(path, name), false);
    }
    if (hidden > 0)
      this.report(
        "file_duplicate",
        path,
        `${hidden} old session files were imported into the database; they are read there`,
      );
    if (depth === 0) return;
    for (const entry of entries)
      if (entry.isDirectory() && !SKIPPED.has(entry.name)) this.directory(join(path, entry.name), depth - 1);
  }

  #database(path: string, named: boolean): ReadonlySet<string> {
    let sessions;
    try {
      sessions = listDatabaseSessions(this.#ctx, path, () => listSessions(path));
    } catch (error) {
      this.report("file_unreadable", path, error instanceof Error ? error.message : "the database cannot be read");
      return new Set();
    }
    if (!sessions && named)
      this.report("database_refused", path, "this database is not Goose's, or of a make that is not known");
    if (sessions) this.#stores.push({ path, sessions });
    return new Set(sessions?.map((session) => session.id));
  }

  #legacy(path: string): void {
    const stat = statOf(path);
    if (stat) this.#refs.push({ source: SOURCE_ID, path, size: stat.size, mtimeMs: stat.mtimeMs, container: "jsonl" });
  }

  /** A symbolic link may lead back to a parent directory, or to something that was already read. */
  #seen(path: string): boolean {
    let real = path;
    try {
      real = realpathSync(path);
    } catch {
      // A path that cannot be resolved is reported when it is opened.
    }
    if (this.#visited.has(real)) return true;
    this.#visited.add(real);
    return false;
  }

  #entries(path: string): Dirent[] {
    return entriesIn(path, (message) => this.report("root_unreadable", path, message));
  }
}

function byPlace(a: SourceRef, b: SourceRef): number {
  if (a.path !== b.path) return a.path < b.path ? -1 : 1;
  return (a.key ?? "") < (b.key ?? "") ? -1 : 1;
}
