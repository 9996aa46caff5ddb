/** Where the stores are, and what their sessions are called. */
import { join, resolve } from "node:path";
import { isLfsPointer } from "../../base/io/lfs.ts";
import { readForeign } from "../../base/io/sqlite-foreign.ts";
import type { DiscoverContext, SourceRef } from "../contract.ts";
import type { ListedRow } from "../kit/database-sessions.ts";
import { StoreWalk, byPlace, statOf } from "../kit/session-files.ts";
import { headOf, isSqlite } from "../kit/sniff.ts";
import {
  COUNTED,
  SOURCE_ID,
  distinctId,
  isGoose,
  isHeader,
  legacyId,
  listSessions,
  parseOrUndefined,
} from "./native.ts";
import { obj } from "../kit/native.ts";

const SKIPPED: ReadonlySet<string> = new Set(["node_modules", ".git", "logs"]);
const DEEPEST = 6;

/**
 * Sessions under the roots, ordered by path and id. Old files whose session was imported into the database beside them
 * are hidden.
 */
export function discoverGoose(ctx: DiscoverContext): Iterable<SourceRef> {
  const walk = new Walk(ctx, SOURCE_ID);
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

class Walk extends StoreWalk {
  readonly #refs: SourceRef[] = [];
  readonly #stores: Store[] = [];

  refs(): SourceRef[] {
    // Most machines have no database.
    if (this.#stores.length === 0) return this.#refs.sort(byPlace);
    const names = nameSessions(this.ctx, this.#stores);
    for (const { path, sessions } of this.#stores)
      for (const session of sessions) {
        const { stamp, updated: mtimeMs, bytes: size } = session;
        const key = names.get(path)?.get(session) ?? session.id;
        this.#refs.push({ source: SOURCE_ID, path, key, size, mtimeMs, container: "sqlite", stamp });
      }
    return this.#refs.sort(byPlace);
  }

  file(path: string, named: boolean): ReadonlySet<string> {
    const stat = statOf(path);
    if (!stat || this.isSeen(path)) return new Set();
    if (isSqlite(path)) return this.#database(path, named);
    if (path.endsWith(".jsonl") && isLegacyFile(path)) this.#legacy(path);
    else if (named || isLfsPointer(path))
      this.report("file_foreign", path, "not a Goose session; another tool wrote it");
    return new Set();
  }

  directory(path: string, depth: number): void {
    if (this.isSeen(path)) return;
    const entries = this.entries(path);
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
    const sessions = this.sessionsIn(path, () => listSessions(path));
    if (sessions === null && named)
      this.report("database_refused", path, "this database is not Goose's, or of a make that is not known");
    if (sessions) this.#stores.push({ path, sessions });
    return new Set(sessions?.map((session) => session.id));
  }

  #legacy(path: string): void {
    const stat = statOf(path);
    if (stat) this.#refs.push({ source: SOURCE_ID, path, size: stat.size, mtimeMs: stat.mtimeMs, container: "jsonl" });
  }
}

/** Goose's own locations (`config/paths.rs`), or the roots the user named instead. */
function placesOf(ctx: DiscoverContext): string[] {
  if (ctx.roots) return [...ctx.roots];
  const root = ctx.env["GOOSE_PATH_ROOT"]?.trim();
  if (root) return [join(root, "data", "sessions")];
  const data = ctx.env["XDG_DATA_HOME"]?.trim() || join(ctx.home, ".local", "share");
  const places = [join(data, "goose", "sessions")];
  const windows = ctx.env["APPDATA"]?.trim();
  if (windows) places.push(join(windows, "Block", "goose", "data", "sessions"));
  return places;
}

/** An old session file: Goose's header, or a message in its shape. Other agents use `.jsonl` files too. */
function isLegacyFile(path: string): boolean {
  const head = headOf(path) ?? "";
  const [line = ""] = head.split("\n", 1);
  const record = obj(parseOrUndefined(line));
  // A first line longer than the head can only be a message.
  if (!record) return /^\{"(?:id|role)":/.test(head) && head.includes('"created":') && head.includes('"content":[');
  if (isHeader(record))
    return "working_dir" in record || "accumulated_total_tokens" in record || "message_count" in record;
  return (
    typeof record["role"] === "string" && typeof record["created"] === "number" && Array.isArray(record["content"])
  );
}

export function recognises(ref: SourceRef): boolean {
  if (!isSqlite(ref.path)) return isLegacyFile(ref.path);
  try {
    return readForeign(ref.path, isGoose);
  } catch {
    return false;
  }
}

interface Store {
  path: string;
  sessions: readonly ListedRow[];
}

/** The note belongs to no particular path. */
const NAMES_NOTE = "";

/**
 * Names for the sessions of all stores, by path. Existing names are kept; for the others, the oldest store comes first.
 */
function nameSessions(
  ctx: Pick<DiscoverContext, "known" | "note" | "noted">,
  stores: readonly Store[],
): Map<string, Map<ListedRow, string>> {
  const noted = ctx.noted?.(NAMES_NOTE) ?? null;
  const holders = new Map(noted === null ? [] : (JSON.parse(noted) as [string, number][]));
  const names = new Map<string, Map<ListedRow, string>>();
  const ordered = stores.toSorted((a, b) => oldest(a) - oldest(b) || (a.path < b.path ? -1 : 1));
  // If the note was lost, the refs read before still tell which session has the id.
  for (const { path, sessions } of ordered) {
    const known = new Set(ctx.known?.(path).map((ref) => ref.key));
    for (const { id, begun } of sessions) if (known.has(id)) claim(holders, id, begun ?? null);
  }
  for (const { path, sessions } of ordered)
    names.set(path, new Map(sessions.map((session) => [session, nameOf(holders, session)])));
  if (holders.size > 0) ctx.note?.(NAMES_NOTE, JSON.stringify([...holders].toSorted(([a], [b]) => (a < b ? -1 : 1))));
  return names;
}

function nameOf(holders: Map<string, number>, { id, begun = null }: ListedRow): string {
  return claim(holders, id, begun) ? id : distinctId(id, begun);
}

/** True if the id is free, or was already given to this session. */
function claim(holders: Map<string, number>, id: string, begun: number | null): boolean {
  if (begun === null || !COUNTED.test(id)) return true;
  const second = Math.floor(begun / 1000);
  const holder = holders.get(id);
  if (holder === undefined) holders.set(id, second);
  return holder === undefined || holder === second;
}

function oldest({ sessions }: Store): number {
  return Math.min(...sessions.map((session) => session.begun ?? Number.POSITIVE_INFINITY));
}
