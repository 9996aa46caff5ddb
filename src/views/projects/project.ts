import { createHash } from "node:crypto";
import { getOrAdd } from "../../base/maps.ts";
import { inspectDirectory, type DirectoryOnDisk } from "./disk.ts";
import { basename, nameFromRemote, repositoryOf, slug, UNKNOWN_PROJECT } from "./label.ts";
import { canonicalRoot, isWithin, tidyPath, unknownRoot } from "./paths.ts";

export interface Project {
  /** The name, shared by worktrees and clones of one repository. */
  project: string;
  project_key: string;
}

/** The facts about its project that a session records. */
export interface ProjectFacts {
  source: string;
  session_id: string;
  cwd: string | null;
  /** Remote recorded in the session itself. */
  remote: string | null;
}

/** The project place of a session, before it is compared with other sessions. Plain JSON. */
export interface ProjectPlace {
  name: string;
  /** The project's root directory; its hash is the end of the project key. */
  root: string;
  /** The session recorded the repository, or the user named it: other sessions of the same root take this name. */
  named: boolean;
  /** The assumed main checkout; used only if another session is known to have worked there. */
  main: string | null;
  /** The directory that holds all worktrees of this repository, named like it; null for any other place. */
  pool: string | null;
  /** Equal for all checkouts of one repository; null when it is not known. */
  repository: string | null;
  /** `certain`: the root is confirmed by the disk or the user. `unknown`: the session names no directory. */
  trust: "certain" | "recorded" | "unknown";
}

export interface NamerOptions {
  home?: string;
  /** Names set by the user, directory → name, for everything below it. Directories with equal names are one project. */
  userNames?: Readonly<Record<string, string>>;
  /** Path conventions of worktrees that agents create. */
  layouts?: readonly MainCheckoutRule[];
}

/**
 * Names the project of a session from the user's settings, from what the session recorded, then from what is still on
 * disk; never from the directory Daybook runs in. Each directory is looked up once.
 */
export class ProjectNamer {
  readonly #home: string;
  readonly #layouts: readonly MainCheckoutRule[];
  /** Longest path first, so that a project inside another one is found first. */
  readonly #userNames: readonly (readonly [dir: string, name: string])[];
  readonly #roots = new Map<string, string>();
  readonly #directories = new Map<string, Directory>();

  constructor({ home = "", userNames = {}, layouts = [] }: NamerOptions = {}) {
    this.#home = tidyPath(home);
    this.#layouts = [mainCheckoutAround, ...layouts];
    const entries = Object.entries(userNames).map(([dir, name]) => [canonicalRoot(dir, home), slug(name)] as const);
    for (const [dir, name] of entries) if (!this.#roots.has(name)) this.#roots.set(name, dir);
    this.#userNames = entries.toSorted(([a], [b]) => b.length - a.length);
  }

  place({ source, session_id, cwd, remote }: ProjectFacts): ProjectPlace {
    const recorded = remote === null || remote.trim() === "" ? null : remote;
    const name = recorded === null ? null : nameFromRemote(recorded);
    const named = recorded !== null;
    const repository = recorded === null ? null : repositoryOf(recorded);
    if (cwd === null || cwd.trim() === "") {
      const root = unknownRoot(source, session_id);
      return {
        name: name === null ? UNKNOWN_PROJECT : slug(name),
        root,
        named,
        main: null,
        pool: null,
        repository,
        trust: "unknown",
      };
    }
    const { userName, root, onDisk, main, pool } = this.#directory(cwd);
    if (userName !== null)
      return { name: userName, root, named: true, main: null, pool: null, repository: null, trust: "certain" };
    const there = onDisk?.remote ?? null;
    const found = name ?? (there === null ? null : nameFromRemote(there)) ?? basename(root).replace(/\.git$/, "");
    return {
      name: slug(found),
      root,
      named,
      main,
      pool,
      repository: repository ?? (there === null ? null : repositoryOf(there)),
      trust: onDisk?.isRepository === true ? "certain" : "recorded",
    };
  }

  #directory(cwd: string): Directory {
    return getOrAdd(this.#directories, cwd, () => this.#lookAt(cwd));
  }

  #lookAt(cwd: string): Directory {
    const real = canonicalRoot(cwd, this.#home);
    const text = tidyPath(cwd, this.#home);
    const userName = this.#userNames.find(([dir]) => isWithin(real, dir) || isWithin(text, dir))?.[1] ?? null;
    if (userName !== null)
      return { userName, root: this.#roots.get(userName) ?? real, onDisk: null, main: null, pool: null };
    // The recorded path is tried before the real path: a symbolic link inside a project may lead out of it.
    const there = inspectDirectory(cwd, this.#home) ?? inspectDirectory(text, this.#home);
    const onDisk = there && there.root !== cwd ? there : (inspectDirectory(real, this.#home) ?? there);
    const pool = poolAround(text);
    if (onDisk?.isRepository === true) return { ...this.#at(onDisk), pool: pool?.dir ?? null };
    if (pool) return this.#inPool(pool);
    const around = this.#layouts.map((mainOf) => mainOf(text)).find((dir) => dir !== null) ?? null;
    // Files of a program in the home directory are no worktrees of it.
    if (around !== null && around !== this.#home)
      return this.#at(inspectDirectory(around, this.#home) ?? { root: around, ...OFF_DISK });
    return { ...this.#at(onDisk ?? { root: text, ...OFF_DISK }), main: mainCheckoutBeside(text) };
  }

  /** A worktree that is gone: its siblings, and sessions elsewhere, may still show where the main checkout is. */
  #inPool({ dir, clone }: WorktreePool): Directory {
    const cloned = inspectDirectory(clone, this.#home);
    if (cloned?.isRepository === true) return { ...this.#at(cloned), pool: dir };
    return { ...this.#at({ root: dir, ...OFF_DISK }), main: clone, pool: dir };
  }

  #at(onDisk: DirectoryOnDisk): Directory {
    return { userName: null, root: canonicalRoot(onDisk.root, this.#home), onDisk, main: null, pool: null };
  }
}

interface Directory {
  userName: string | null;
  root: string;
  onDisk: DirectoryOnDisk | null;
  main: string | null;
  pool: string | null;
}

const OFF_DISK = { remote: null, isRepository: false } as const;

export function toProject(name: string, root: string): Project {
  return { project: name, project_key: `${name}-${rootDigits(root)}` };
}

export const ROOT_DIGITS = 12;

function rootDigits(root: string): string {
  return createHash("sha256").update(root.normalize("NFC"), "utf8").digest("hex").slice(0, ROOT_DIGITS);
}

/** Derives the main checkout from the path of a worktree; null when the path does not follow the convention. */
type MainCheckoutRule = (dir: string) => string | null;

/**
 * A directory in which a program keeps all worktrees of one repository. The path says what the repository is called,
 * not where its main checkout is.
 */
interface WorktreePool {
  dir: string;
  /** Where the main checkout is if the program cloned the repository itself. */
  clone: string;
}

/** `repo/.worktrees/name`, `repo/.conductor/name`: worktrees inside their repository. */
const INSIDE = /^(.+?)\/\.(?:worktrees|conductor)\/[^/]+(?:\/|$)/;
/** `repo-wt/name`, `repo.worktrees/name`, `repo-worktrees/name`: worktrees beside it. */
const BESIDE = /^(.+\/[^/]+?)(?:[.-]worktrees|[.-]wt)\/[^/]+(?:\/|$)/;
/** `conductor/workspaces/repo/name`, beside `conductor/repos/repo` for a repository that Conductor cloned. */
const POOLED = /^(.+\/conductor)\/workspaces\/([^/]+)\/[^/]+(?:\/|$)/;

/** Reliable enough to be used without confirmation. */
function mainCheckoutAround(dir: string): string | null {
  return INSIDE.exec(dir)?.[1] ?? null;
}

/** Only a convention: used if another session is known to have worked in that main checkout. */
function mainCheckoutBeside(dir: string): string | null {
  return BESIDE.exec(dir)?.[1] ?? null;
}

/** Null when the directory is not in such a pool. */
function poolAround(dir: string): WorktreePool | null {
  const [, base, repository] = POOLED.exec(dir) ?? [];
  if (base === undefined || repository === undefined) return null;
  return { dir: `${base}/workspaces/${repository}`, clone: `${base}/repos/${repository}` };
}
