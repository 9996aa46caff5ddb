/** Where the stores are, and how they are told from those of other programs. */
import type { Dirent } from "node:fs";
import { basename, isAbsolute, join, resolve } from "node:path";
import { isLfsPointer } from "../../base/io/lfs.ts";
import { readForeign } from "../../base/io/sqlite-foreign.ts";
import type { SourceId } from "../../record/record.ts";
import type { DiscoverContext, SourceRef } from "../contract.ts";
import { StoreWalk, byPlace, isDirectory, statOf, type SearchPlace } from "../kit/session-files.ts";
import { headOf, isSqlite } from "../kit/sniff.ts";
import { SOURCE_ID, parseObject } from "./native.ts";
import { brandOf, isOpenCode, layoutOf, listSessions } from "./stores.ts";

/** Directories that never hold sessions, however large: what agents check out, build and print. */
const SKIPPED: ReadonlySet<string> = new Set([
  "node_modules",
  ".git",
  "repos",
  "tool-output",
  "snapshot",
  "log",
  "bin",
]);
const DEEPEST = 8;

/** OpenCode, or an agent made from it: it has the same store in a place of its own. */
export interface Brand {
  id: SourceId;
  name: string;
  /** Its directory in the directory for data, which holds its databases. */
  folder: string;
  /** The variable that names a database. */
  variable: string;
  /** Whether early releases kept sessions in files, and the first ones a database in the project. */
  early: boolean;
}

export const OPENCODE: Brand = {
  id: SOURCE_ID,
  name: "OpenCode",
  folder: "opencode",
  variable: "OPENCODE_DB",
  early: true,
};

/** Sessions under the roots, ordered by path and id. A session in a database hides its stale copy in the file store. */
export function discoverBrand(ctx: DiscoverContext, brand: Brand): Iterable<SourceRef> {
  const walk = new Walk(ctx, brand);
  for (const place of placesOf(ctx, brand)) {
    const root = resolve(place.path);
    const stat = statOf(root);
    ctx.looked?.(root);
    if (stat?.isFile()) walk.file(root, true);
    else if (stat) walk.directory(root, ctx.roots ? DEEPEST : 0);
    else if (place.expected) walk.report("root_missing", root, "there is no such directory or file");
  }
  return walk.refs();
}

class Walk extends StoreWalk {
  readonly #stored = new Map<string, SourceRef>();
  readonly #filed = new Map<string, SourceRef>();
  readonly #shadowed = new Map<string, number>();
  readonly #brand: Brand;

  constructor(ctx: DiscoverContext, brand: Brand) {
    super(ctx, brand.id);
    this.#brand = brand;
  }

  get #named(): string {
    return `${/^[AEIOU]/.test(this.#brand.name) ? "an" : "a"} ${this.#brand.name}`;
  }

  refs(): SourceRef[] {
    for (const [path, sessions] of this.#shadowed)
      this.report("file_duplicate", path, `${sessions} sessions stand in a newer store too; they are read there`);
    return [...this.#stored.values(), ...this.#filed.values()].sort(byPlace);
  }

  file(path: string, named: boolean): void {
    if (this.isSeen(path)) return;
    if (path.endsWith(".json")) {
      if (recognises({ path }, this.#brand)) this.#fileRef(path, path);
      else if (named) this.report("file_foreign", path, `not ${this.#named} session; another tool wrote it`);
    } else if (isSqlite(path)) this.#database(path);
    else if (named || isLfsPointer(path))
      this.report("file_foreign", path, `not ${this.#named} database; another tool wrote it`);
  }

  directory(path: string, depth: number): void {
    if (this.isSeen(path)) return;
    const entries = this.entries(path);
    // Databases first: sessions they hold are not searched in files.
    for (const name of entries
      .filter((entry) => !entry.isDirectory())
      .map((entry) => entry.name)
      .sort()) {
      if (name.endsWith(".db")) this.file(join(path, name), false);
      else if (this.#brand.early && name.endsWith(".json") && depth > 0 && looksExported(join(path, name)))
        this.file(join(path, name), false);
    }
    const names = new Set(entries.map((entry) => entry.name));
    if (
      this.#brand.early &&
      names.has("session") &&
      (names.has("message") || isDirectory(join(path, "session", "message")))
    ) {
      this.#fileStore(path);
      return;
    }
    for (const { name } of entries.filter((entry) => isDirectory(join(path, entry.name)))) {
      const own = name === "storage" || (name === "project" && depth === 0);
      if (own) this.directory(join(path, name), Math.max(depth - 1, name === "project" ? 2 : 0));
      else if (depth > 0 && !SKIPPED.has(name)) this.directory(join(path, name), depth - 1);
    }
  }

  #database(path: string): void {
    const { id: source, name } = this.#brand;
    const sessions = this.sessionsIn(path, () => listSessions(path, source));
    if (sessions === undefined) return;
    if (sessions === null)
      return this.report("database_refused", path, `this database is not ${name}'s, or of a make that is not known`);
    for (const { id, stamp, updated, bytes: size } of sessions) {
      const known = this.#stored.get(id);
      if (known) this.#shadow(known.mtimeMs >= updated ? path : known.path);
      if (known && known.mtimeMs >= updated) continue;
      const base = { source, path, key: id, container: "sqlite" } as const;
      this.#stored.set(id, { ...base, size, mtimeMs: updated, stamp });
      this.#filed.delete(id);
    }
  }

  /** `session/<project>/<id>.json`, or `session/info/<id>.json` in the first layout. */
  #fileStore(path: string): void {
    const sessions = join(path, "session");
    for (const project of this.entries(sessions)) {
      if (!project.isDirectory() || project.name === "message" || project.name === "part") continue;
      const directory = join(sessions, project.name);
      for (const entry of this.entries(directory))
        if (entry.name.endsWith(".json")) this.#fileRef(join(directory, entry.name), path);
    }
  }

  #fileRef(path: string, store: string): void {
    const stat = statOf(path);
    if (!stat) return;
    const id = (store === path ? looksExported(path) : null) ?? basename(path, ".json");
    const known = this.#filed.get(id);
    if (this.#stored.has(id)) return this.#shadow(store);
    // The first layout was copied into the second and left in place.
    if (known && known.mtimeMs >= stat.mtimeMs) return this.#shadow(store);
    const { stamp, size, newest } = this.#fileStamp(path);
    this.#filed.set(id, { source: this.#brand.id, path, key: id, size, mtimeMs: newest, container: "json", stamp });
  }

  /**
   * Files are rewritten in place, so the stamp uses the newest time, the number and the size of the message and part
   * files.
   */
  #fileStamp(path: string): { stamp: string; size: number; newest: number } {
    const stat = statOf(path);
    let files = 1;
    let size = stat?.size ?? 0;
    let newest = stat?.mtimeMs ?? 0;
    const take = (file: string): void => {
      const found = statOf(file);
      files++;
      size += found?.size ?? 0;
      newest = Math.max(newest, found?.mtimeMs ?? 0);
    };
    const layout = layoutOf(path);
    for (const message of this.#quietEntries(layout.messages)) {
      take(join(layout.messages, message.name));
      for (const directory of layout.parts(basename(message.name, ".json")))
        for (const part of this.#quietEntries(directory)) take(join(directory, part.name));
    }
    return { stamp: `${files}:${size}:${newest}`, size, newest };
  }

  #shadow(path: string): void {
    this.#shadowed.set(path, (this.#shadowed.get(path) ?? 0) + 1);
  }

  #quietEntries(path: string): Dirent[] {
    return isDirectory(path) ? this.entries(path) : [];
  }
}

/**
 * OpenCode's own locations (`core/src/global.ts`, `core/src/database/database.ts`), or the roots the user named
 * instead.
 */
function placesOf(ctx: DiscoverContext, { folder, variable, early }: Brand): SearchPlace[] {
  if (ctx.roots) return ctx.roots.map((path) => ({ path, expected: true }));
  const data = join(ctx.env["XDG_DATA_HOME"]?.trim() || join(ctx.home, ".local", "share"), folder);
  const places: SearchPlace[] = [{ path: data, expected: true }];
  const named = ctx.env[variable]?.trim();
  if (named && named !== ":memory:")
    places.push({ path: isAbsolute(named) ? named : join(data, named), expected: true });
  if (!early) return places;
  for (const directory of new Set([ctx.home, ...(ctx.worked_in ?? [])])) {
    const path = join(directory, ".opencode", "opencode.db");
    if (statOf(path)?.isFile()) places.push({ path, expected: false });
  }
  return places;
}

const HEAD_BYTES = 4096;

/** The session id of a file written by `opencode export`; null for anything else. */
function looksExported(path: string): string | null {
  const head = headOf(path, HEAD_BYTES) ?? "";
  if (!/^\s*\{\s*"info"\s*:/.test(head)) return null;
  return /"id"\s*:\s*"(ses_[^"]+)"/.exec(head)?.[1] ?? null;
}

/** Whether the ref's file belongs to the agent: a database with its tables, a session document, or an export. */
export function recognises(ref: Pick<SourceRef, "path">, brand: Brand): boolean {
  if (isSqlite(ref.path)) {
    try {
      return readForeign(ref.path, (db) => isOpenCode(db) && brandOf(db, ref.path) === brand.id);
    } catch {
      return false;
    }
  }
  // A fork exports like OpenCode: nothing tells these files apart.
  if (!brand.early) return false;
  if (looksExported(ref.path) !== null) return true;
  const head = headOf(ref.path, 256 * 1024) ?? "";
  const info = parseObject(head);
  if (info) return typeof info["id"] === "string" && typeof info["time"] === "object" && "version" in info;
  return /^\s*\{\s*"id"\s*:\s*"ses_/.test(head);
}
