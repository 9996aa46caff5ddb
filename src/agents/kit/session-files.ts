/** Finding session files and stores. */
import { readdirSync, realpathSync, statSync, type Dirent, type Stats } from "node:fs";
import { join, resolve, sep } from "node:path";
import type { SourceId } from "../../record/record.ts";
import { order } from "../../base/text/order.ts";
import type { DiagnosticCode, DiscoverContext, SourceRef } from "../contract.ts";
import { listDatabaseSessions, stampOf, type ListedRow } from "./database-sessions.ts";

/** A location to search for sessions. */
export interface SearchPlace {
  path: string;
  /** Whether to report it as missing. */
  expected: boolean;
}

/** A directory inside a root at which the walk starts. */
export interface WalkStart {
  path: string;
  /**
   * The agent's own directory, where name and location suffice to recognise a session; elsewhere the content is
   * checked.
   */
  trusted: boolean;
}

/** Message for a pipe, socket or device that is named like a session. */
export const NOT_A_REGULAR_FILE = "no file, but a pipe, a socket or a device: it is not read";

/** Whether a file is a session, one of another program, one that cannot be opened, or not worth reporting. */
export type FileVerdict = "yes" | "no" | "unreadable" | "ignored";

/** How to find one agent's session files and tell them from other files. */
interface FileRules {
  source: SourceId;
  /** The agent's display name. */
  name: string;
  places: readonly SearchPlace[];
  starts(root: string): readonly WalkStart[];
  /** Names of directories that hold no sessions. */
  skipped: ReadonlySet<string>;
  /** Name of the files that hold session titles, if the agent stores titles in separate files. */
  titles?: string;
  /** `known`: the file was read as a session before. */
  judge(path: string, trusted: boolean, known: boolean): FileVerdict;
  /** Other files that hold a part of the session, and directories whose files do: a change of any is a change of it. */
  beside?(path: string): readonly string[];
}

/** Session files under the agent's places, ordered by path. */
export function findSessionFiles(ctx: DiscoverContext, files: FileRules): SourceRef[] {
  const walk = new Walk(ctx, files);
  for (const place of files.places) walk.root(place);
  return walk.refs();
}

class Walk {
  readonly #ctx: DiscoverContext;
  readonly #files: FileRules;
  readonly #found = new Map<string, SourceRef>();
  /** Real paths already walked: a symbolic link may lead back up. */
  readonly #visited = new Set<string>();
  /** Stats of the title files found in the current root. */
  readonly #titles: Stats[] = [];

  constructor(ctx: DiscoverContext, files: FileRules) {
    this.#ctx = ctx;
    this.#files = files;
  }

  refs(): SourceRef[] {
    return [...this.#found.values()].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
  }

  root({ path, expected }: SearchPlace): void {
    const root = resolve(path);
    this.#ctx.looked?.(root);
    const stat = statOf(root);
    if (!stat) {
      if (expected) this.#report("root_missing", root, "there is no such directory or file");
    } else if (stat.isFile()) this.#add(root, stat);
    else for (const start of this.#files.starts(root)) this.#directory(start.path, start.trusted);
    noteTitles(this.#ctx, root, this.#titles.splice(0));
  }

  /** `known`: its real path, if that follows from the parent directory. */
  #directory(directory: string, trusted: boolean, known?: string): void {
    let entries: Dirent[];
    let real: string;
    try {
      real = known ?? realpathSync.native(directory);
      if (this.#visited.has(real)) return;
      this.#visited.add(real);
      entries = readdirSync(directory, { withFileTypes: true });
    } catch (error) {
      this.#report("root_unreadable", directory, error instanceof Error ? error.message : "cannot be listed");
      return;
    }
    // Sorted by name, so that of two paths to one directory every machine takes the same.
    const within = withSeparator(directory);
    const reallyWithin = withSeparator(real);
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = within + entry.name;
      const linked = entry.isSymbolicLink();
      const stat = linked ? statOf(path) : entry;
      if (stat?.isDirectory()) {
        if (this.#files.skipped.has(entry.name)) continue;
        this.#directory(path, trusted, linked ? undefined : reallyWithin + entry.name);
      } else if (entry.name === this.#files.titles) this.#meetTitles(path);
      else if (stat && /\.jsonl?$/i.test(entry.name)) {
        if (stat.isFile()) this.#consider(path, trusted);
        else this.#report("file_unreadable", path, NOT_A_REGULAR_FILE);
      }
    }
  }

  #meetTitles(path: string): void {
    const stat = statOf(path);
    if (stat) this.#titles.push(stat);
  }

  #consider(path: string, trusted: boolean): void {
    const known = (this.#ctx.known?.(path).length ?? 0) > 0;
    const judged = this.#files.judge(path, trusted, known);
    const stat = judged === "ignored" ? null : statOf(path);
    if (!stat) return;
    if (judged === "yes") this.#add(path, stat);
    else if (judged === "unreadable") this.#report("file_unreadable", path, "the file cannot be opened");
    else this.#report("file_foreign", path, `not a ${this.#files.name} session; another tool wrote it`);
  }

  #add(path: string, { size, mtimeMs }: Stats): void {
    const container = /\.json$/i.test(path) ? "json" : "jsonl";
    const beside = this.#files.beside?.(path).map(statOf) ?? [];
    const latest = beside.reduce((last, stat) => Math.max(last, stat?.mtimeMs ?? 0), mtimeMs);
    const ref: SourceRef = { source: this.#files.source, path, size, mtimeMs: latest, container };
    if (this.#files.beside)
      ref.stamp = stampOf([size, mtimeMs, ...beside.map((stat) => stat && [stat.size, stat.mtimeMs])]);
    this.#found.set(path, ref);
  }

  #report(code: DiagnosticCode, path: string, message: string): void {
    this.#ctx.report({ code, source: this.#files.source, path, message });
  }
}

/** The roots that the user named, else the agent's own directory; each is reported if it is missing. */
export function rootsOr(ctx: Pick<DiscoverContext, "roots">, own: string): SearchPlace[] {
  return (ctx.roots ?? [own]).map((path) => ({ path, expected: true }));
}

/** The logs of an agent. */
export interface Logs extends Pick<FileRules, "source" | "name" | "beside"> {
  /** The agent's own directory. */
  home: string;
  /** Where the logs are inside a directory that the user may name. */
  stores: readonly string[];
  /** End of the names of logs. */
  suffix: string;
  skipped?: readonly string[];
  recognise: (path: string) => FileVerdict;
}

/** Session files of an agent that keeps one log a session, recognised by its first records. */
export function findLogs(ctx: DiscoverContext, agent: Logs): SourceRef[] {
  const { source, name, home, stores, suffix, skipped = [], recognise, beside } = agent;
  return findSessionFiles(ctx, {
    source,
    name,
    skipped: new Set(["node_modules", ".git", ...skipped]),
    places: rootsOr(ctx, home),
    starts: (root) => [{ path: stores.map((one) => join(root, one)).find(isDirectory) ?? root, trusted: false }],
    judge: (path, _trusted, known) => (!path.endsWith(suffix) ? "ignored" : known ? "yes" : recognise(path)),
    ...(beside ? { beside } : {}),
  });
}

/** Where to start in a root: at the first of these directories that it has, else at the root itself. */
export function startIn(root: string, stores: readonly string[], isTrusted: (root: string) => boolean): WalkStart {
  const store = stores.map((name) => join(root, name)).find(isDirectory);
  return store === undefined ? { path: root, trusted: isTrusted(root) } : { path: store, trusted: true };
}

/** What a walk over stores with databases needs, whatever the stores look like. */
export class StoreWalk {
  protected readonly ctx: DiscoverContext;
  readonly #source: SourceId;
  readonly #visited = new Set<string>();

  constructor(ctx: DiscoverContext, source: SourceId) {
    this.ctx = ctx;
    this.#source = source;
  }

  report(code: DiagnosticCode, path: string, message: string): void {
    this.ctx.report({ code, source: this.#source, path, message });
  }

  /** A symbolic link may lead back to a parent directory, or to something that was already read. */
  protected isSeen(path: string): boolean {
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

  protected entries(path: string): Dirent[] {
    return entriesIn(path, (message) => this.report("root_unreadable", path, message));
  }

  /** The sessions of a database; null if it belongs to another program, undefined if it cannot be read. */
  protected sessionsIn(path: string, list: () => ListedRow[] | null): ListedRow[] | null | undefined {
    try {
      return listDatabaseSessions(this.ctx, path, list);
    } catch (error) {
      this.report("file_unreadable", path, error instanceof Error ? error.message : "the database cannot be read");
      return undefined;
    }
  }
}

/** Orders sessions by path and, within a store, by id. */
export function byPlace(a: SourceRef, b: SourceRef): number {
  if (a.path !== b.path) return a.path < b.path ? -1 : 1;
  return (a.key ?? "") < (b.key ?? "") ? -1 : 1;
}

/**
 * Notes a fingerprint of the title files of a root. A title can change without its session file, so titles are read
 * again when this note changes.
 */
export function noteTitles(ctx: DiscoverContext, root: string, files: readonly Stats[]): void {
  // FNV-1a over the digits: a size and a time that change together must not cancel each other out.
  let fingerprint = 0x811c9dc5;
  for (const { size, mtimeMs } of files)
    for (const digit of `${size} ${mtimeMs};`) fingerprint = Math.imul(fingerprint ^ digit.charCodeAt(0), 0x01000193);
  if (files.length > 0) ctx.note?.(root, `titles ${files.length} ${fingerprint}`);
}

/** The normalised path of a directory with a trailing separator; only the path of a root directory already has one. */
export function withSeparator(directory: string): string {
  return directory.endsWith(sep) ? directory : directory + sep;
}

/** The last part of a path found by a walk. */
export function fileNameOf(path: string): string {
  return path.slice(path.lastIndexOf(sep) + 1);
}

export function isDirectory(path: string): boolean {
  return statOf(path)?.isDirectory() === true;
}

export function statOf(path: string): Stats | null {
  try {
    return statSync(path, { throwIfNoEntry: false }) ?? null;
  } catch {
    return null;
  }
}

/** The entries of a directory, sorted by name. If it cannot be listed, none; `unreadable` gets the error message. */
function entriesIn(path: string, unreadable: (message: string) => void = () => undefined): Dirent[] {
  try {
    return readdirSync(path, { withFileTypes: true }).sort((a, b) => order(a.name, b.name));
  } catch (error) {
    unreadable(error instanceof Error ? error.message : "cannot be listed");
    return [];
  }
}

/** The names of the files of a directory, sorted; none if it cannot be listed. */
export function filesIn(path: string): string[] {
  return entriesIn(path)
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name);
}

export function directoriesIn(path: string): string[] {
  return entriesIn(path)
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name);
}
