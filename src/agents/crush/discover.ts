/** Where the databases are: one in each project. */
import { isAbsolute, join, resolve } from "node:path";
import { parseJson } from "../../base/io/json.ts";
import { readText } from "../../base/io/regular-file.ts";
import { readForeign } from "../../base/io/sqlite-foreign.ts";
import type { DiscoverContext, SourceRef } from "../contract.ts";
import { obj, objects, str } from "../kit/native.ts";
import { byPlace, statOf, StoreWalk, type SearchPlace } from "../kit/session-files.ts";
import { isSqlite } from "../kit/sniff.ts";
import { isCrush, listSessions, SOURCE_ID } from "./native.ts";

const SKIPPED: ReadonlySet<string> = new Set(["node_modules", ".git", "logs"]);
const DEEPEST = 8;

export function discoverCrush(ctx: DiscoverContext): Iterable<SourceRef> {
  const walk = new Walk(ctx, SOURCE_ID);
  for (const { path, expected } of placesOf(ctx)) {
    ctx.looked?.(path);
    const stat = statOf(path);
    if (stat?.isFile()) walk.database(path, expected);
    else if (stat) walk.directory(path, DEEPEST);
    else if (expected) walk.report("root_missing", path, "there is no such directory or file");
  }
  return walk.refs.sort(byPlace);
}

class Walk extends StoreWalk {
  readonly refs: SourceRef[] = [];

  directory(path: string, depth: number): void {
    if (this.isSeen(path)) return;
    for (const entry of this.entries(path)) {
      const at = join(path, entry.name);
      if (entry.isDirectory() && depth > 0 && !SKIPPED.has(entry.name)) this.directory(at, depth - 1);
      else if (entry.name.endsWith(".db") && statOf(at)?.isFile()) this.database(at, false);
    }
  }

  database(path: string, named: boolean): void {
    if (this.isSeen(path)) return;
    const sessions = isSqlite(path) ? this.sessionsIn(path, () => listSessions(path)) : null;
    if (sessions === null && named) this.report("database_refused", path, "this is not a database of Crush");
    for (const { id: key, stamp, updated: mtimeMs, bytes: size } of sessions ?? [])
      this.refs.push({ source: SOURCE_ID, path, key, size, mtimeMs, container: "sqlite", stamp });
  }
}

/** Crush lists the projects it has worked in; those of other agents may have a database as well. */
function placesOf(ctx: DiscoverContext): SearchPlace[] {
  const { roots, env, home, worked_in: worked = [] } = ctx;
  if (roots) return roots.map((path) => ({ path: resolve(path), expected: true }));
  const data = env["XDG_DATA_HOME"]?.trim() || join(home, ".local", "share");
  const own = env["CRUSH_GLOBAL_DATA"]?.trim() || join(data, "crush");
  const list = join(own, "projects.json");
  ctx.looked?.(list);
  const stores = [...listed(list), ...worked.map((path) => join(path, ".crush"))];
  return [...new Set(stores)].map((path) => ({ path: join(path, "crush.db"), expected: false }));
}

function listed(path: string): string[] {
  if (!statOf(path)) return [];
  try {
    const projects = objects(obj(parseJson(readText(path)))?.["projects"]);
    return projects.flatMap(({ path: project, data_dir: data }) => {
      const [at, directory] = [str(project), str(data) || ".crush"];
      if (isAbsolute(directory)) return [directory];
      return at === null || !isAbsolute(at) ? [] : [join(at, directory)];
    });
  } catch {
    // The list is only a help: the databases are found in the projects of other agents too.
    return [];
  }
}

export function recognises({ path }: Pick<SourceRef, "path">): boolean {
  if (!isSqlite(path)) return false;
  try {
    return readForeign(path, (db) => isCrush(db, path));
  } catch {
    return false;
  }
}
