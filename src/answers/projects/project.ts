import { createHash } from "node:crypto";
import { lookAtDisk, type OnDisk } from "./disk.ts";
import { basename, fromRemote, repositoryOf, slug, UNKNOWN } from "./label.ts";
import { canonicalRoot, isWithin, tidyPath, unknownRoot } from "./paths.ts";
import { mainAround, mainBeside, type MainCheckout } from "./worktrees.ts";

export interface Project {
  /** The name worktrees and clones of one repository share. */
  project: string;
  project_key: string;
}

/** What a session says of its project. */
export interface ProjectFacts {
  source: string;
  session_id: string;
  cwd: string | null;
  /** Remote recorded in the session itself. */
  remote: string | null;
}

/** Where a session worked, before others are asked. Plain JSON. */
export interface ProjectPlace {
  name: string;
  /** The directory that is the project: the end of its key is its hash. */
  root: string;
  /** The session recorded the repository, or the user named it: others of the same root take the name. */
  named: boolean;
  /** The main checkout, should somebody be known to have worked there. */
  main: string | null;
  /** Equal for all checkouts of one repository; null when it is not known. */
  repository: string | null;
  /** `certain`: the disk or the user says that this is the root. `unknown`: the session names no directory. */
  trust: "certain" | "recorded" | "unknown";
}

export interface NamerOptions {
  home?: string;
  /** Directory → name, as the user wants it: all in the directory is that project. Directories of one name are one project. */
  given?: Readonly<Record<string, string>>;
  /** What agents' own worktrees look like. */
  layouts?: readonly MainCheckout[];
}

/**
 * Names the project of a session from what the user said, from what the session recorded, then from what is still on disk.
 * Never from where Daybook itself runs. Looks each directory up once.
 */
export class ProjectNamer {
  readonly #home: string;
  readonly #layouts: readonly MainCheckout[];
  /** The longest first: a project inside another is its own. */
  readonly #given: readonly (readonly [dir: string, name: string])[];
  readonly #roots = new Map<string, string>();
  readonly #directories = new Map<string, Directory>();

  constructor({ home = "", given = {}, layouts = [] }: NamerOptions = {}) {
    this.#home = tidyPath(home);
    this.#layouts = [mainAround, ...layouts];
    const entries = Object.entries(given).map(([dir, name]) => [canonicalRoot(dir, home), slug(name)] as const);
    for (const [dir, name] of entries) if (!this.#roots.has(name)) this.#roots.set(name, dir);
    this.#given = entries.toSorted(([a], [b]) => b.length - a.length);
  }

  place({ source, session_id, cwd, remote }: ProjectFacts): ProjectPlace {
    const recorded = remote === null || remote.trim() === "" ? null : remote;
    const name = recorded === null ? null : fromRemote(recorded);
    const named = recorded !== null;
    const repository = recorded === null ? null : repositoryOf(recorded);
    if (cwd === null || cwd.trim() === "") {
      const root = unknownRoot(source, session_id);
      return { name: name === null ? UNKNOWN : slug(name), root, named, main: null, repository, trust: "unknown" };
    }
    const { given, root, onDisk, main } = this.#directory(cwd);
    if (given !== null) return { name: given, root, named: true, main: null, repository: null, trust: "certain" };
    const there = onDisk?.remote ?? null;
    const found = name ?? (there === null ? null : fromRemote(there)) ?? basename(root).replace(/\.git$/, "");
    return {
      ...{ name: slug(found), root, named, main },
      repository: repository ?? (there === null ? null : repositoryOf(there)),
      trust: onDisk?.isRepository === true ? "certain" : "recorded",
    };
  }

  #directory(cwd: string): Directory {
    let directory = this.#directories.get(cwd);
    if (!directory) this.#directories.set(cwd, (directory = this.#lookAt(cwd)));
    return directory;
  }

  #lookAt(cwd: string): Directory {
    const real = canonicalRoot(cwd, this.#home);
    const text = tidyPath(cwd, this.#home);
    const given = this.#given.find(([dir]) => isWithin(real, dir) || isWithin(text, dir))?.[1] ?? null;
    if (given !== null) return { given, root: this.#roots.get(given) ?? real, onDisk: null, main: null };
    // By the name it was called by first: a link may stand inside a project and lead out of it.
    const there = lookAtDisk(cwd, this.#home) ?? lookAtDisk(text, this.#home);
    const onDisk = there && there.root !== cwd ? there : (lookAtDisk(real, this.#home) ?? there);
    if (onDisk?.isRepository === true) return this.#at(onDisk);
    const around = this.#layouts.map((mainOf) => mainOf(text)).find((dir) => dir !== null) ?? null;
    if (around !== null) return this.#at(lookAtDisk(around, this.#home) ?? { root: around, ...OFF_DISK });
    return { ...this.#at(onDisk ?? { root: text, ...OFF_DISK }), main: mainBeside(text) };
  }

  #at(onDisk: OnDisk): Directory {
    return { given: null, root: canonicalRoot(onDisk.root, this.#home), onDisk, main: null };
  }
}

interface Directory {
  given: string | null;
  root: string;
  onDisk: OnDisk | null;
  main: string | null;
}

const OFF_DISK = { remote: null, isRepository: false } as const;

export function asProject(name: string, root: string): Project {
  return { project: name, project_key: `${name}-${rootDigits(root)}` };
}

export const ROOT_DIGITS = 12;

function rootDigits(root: string): string {
  return createHash("sha256").update(root.normalize("NFC"), "utf8").digest("hex").slice(0, ROOT_DIGITS);
}
