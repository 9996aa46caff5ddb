import { readdirSync, realpathSync, statSync, type Dirent, type Stats } from "node:fs";
import { resolve, sep } from "node:path";
import type { SourceId } from "../../format/record.ts";
import type { DiagnosticCode, DiscoverContext, SourceRef } from "../contract.ts";

/** A place to look for sessions. */
export interface Place {
  path: string;
  /** Whether its absence is worth telling. */
  expected: boolean;
}

/** Where to begin inside a root. */
export interface Start {
  path: string;
  /** The agent's own directory: there a session's name and place are proof enough; elsewhere the content is looked at. */
  trusted: boolean;
}

/** What is said of a pipe, a socket or a device with the name of a session. */
export const NO_FILE = "no file, but a pipe, a socket or a device: it is not read";

/** What a file is: a session, somebody else's, one that cannot be opened, or nothing worth a word. */
export type Judgement = "yes" | "no" | "unreadable" | "ignored";

/** How one agent's session files are told from what lies around them. */
export interface SessionFiles {
  source: SourceId;
  /** The agent's name, for people. */
  name: string;
  places: readonly Place[];
  starts(root: string): readonly Start[];
  /** Directories that hold no sessions. */
  skipped: ReadonlySet<string>;
  /** Name of the files that give sessions titles, where titles stand in files of their own. */
  titles?: string;
  /** `known`: it was read as a session before. */
  judge(path: string, trusted: boolean, known: boolean): Judgement;
}

/** Session files under the agent's places, ordered by path. */
export function findSessionFiles(ctx: DiscoverContext, files: SessionFiles): SourceRef[] {
  const walk = new Walk(ctx, files);
  for (const place of files.places) walk.root(place);
  return walk.refs();
}

class Walk {
  readonly #ctx: DiscoverContext;
  readonly #files: SessionFiles;
  readonly #found = new Map<string, SourceRef>();
  /** Real paths seen: a symbolic link may lead back up. */
  readonly #visited = new Set<string>();
  /** How the files with titles looked that were met in a root. */
  readonly #titles: Stats[] = [];

  constructor(ctx: DiscoverContext, files: SessionFiles) {
    this.#ctx = ctx;
    this.#files = files;
  }

  refs(): SourceRef[] {
    return [...this.#found.values()].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
  }

  root({ path, expected }: Place): void {
    const root = resolve(path);
    this.#ctx.looked?.(root);
    const stat = statOf(root);
    if (!stat) {
      if (expected) this.#report("root_missing", root, "there is no such directory or file");
    } else if (stat.isFile()) this.#add(root, stat);
    else for (const start of this.#files.starts(root)) this.#directory(start.path, start.trusted);
    noteTitles(this.#ctx, root, this.#titles.splice(0));
  }

  /** `known`: its real path, where that follows from the directory it is in. */
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
    // By name: of two ways to one directory the same is taken on every machine.
    const within = insideOf(directory);
    const reallyWithin = insideOf(real);
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
        else this.#report("file_unreadable", path, NO_FILE);
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
    this.#found.set(path, { source: this.#files.source, path, size, mtimeMs, container });
  }

  #report(code: DiagnosticCode, path: string, message: string): void {
    this.#ctx.report({ code, source: this.#files.source, path, message });
  }
}

/**
 * Notes how the files look that give titles to the sessions of a root: titles are read again when one of them changed, for no
 * session need have changed with it.
 */
export function noteTitles(ctx: DiscoverContext, root: string, files: readonly Stats[]): void {
  // Digit by digit (FNV-1a): a size and a time that change together must not cancel each other out.
  let print = 0x811c9dc5;
  for (const { size, mtimeMs } of files)
    for (const digit of `${size} ${mtimeMs};`) print = Math.imul(print ^ digit.charCodeAt(0), 0x01000193);
  if (files.length > 0) ctx.note?.(root, `titles ${files.length} ${print}`);
}

/** What stands before the names in a directory whose own path is in order. Only that of a whole disk ends as a beginning does. */
export function insideOf(directory: string): string {
  return directory.endsWith(sep) ? directory : directory + sep;
}

/** The last part of a path found by a walk. */
export function nameOf(path: string): string {
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
