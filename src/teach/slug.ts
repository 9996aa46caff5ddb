import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { ancestors, gitDir, mainRoot, originOf } from "../views/projects/disk.ts";
import { basename, nameFromRemote } from "../views/projects/label.ts";
import { textAt } from "../base/io/named-path.ts";
import { stateFile, type State } from "./state.ts";

type Env = Readonly<Record<string, string | undefined>>;

const STRONG = [".project.yaml", "package.json", "pyproject.toml", "Cargo.toml", "Gemfile", "go.mod"];
const WEAK = ["README", "README.md", "README.rst", "LICENSE", "LICENSE.md"];

/**
 * The name of a project's folder below `projects`, determined as gstack does. All readers and writers use this
 * function, so that a preference is found again where it was set.
 */
export function slugOf(cwd: string | null, state: State | null, env: Env): string {
  const given = sanitizeSlug(env["GSTACK_PROJECT_SLUG"] ?? "");
  if (given !== null) return given;
  if (cwd === null || cwd.trim() === "") return UNKNOWN;
  const dir = resolve(cwd);
  const places = placesFrom(dir);
  const noted = state?.owner === "gstack" ? cachedSlug(dir, state, places) : null;
  return noted ?? sanitizeSlug(fromDisk(dir, places)) ?? UNKNOWN;
}

const UNKNOWN = "unknown";

interface Place {
  dir: string;
  git: string | null;
  origin: string | null;
  isStrong: boolean;
  isWeak: boolean;
}

/** The directory and all above it, the innermost first. */
function placesFrom(dir: string): Place[] {
  return ancestors(dir).map((place) => {
    const git = gitDir(place);
    return {
      dir: place,
      git,
      origin: git === null ? null : originOf(git),
      isStrong: git !== null || STRONG.some((name) => existsSync(join(place, name))),
      isWeak: WEAK.some((name) => existsSync(join(place, name))),
    };
  });
}

/**
 * The outermost repository with a remote, so that vendored code does not split a project; else the outermost directory
 * with a project file.
 */
function fromDisk(dir: string, places: readonly Place[]): string {
  const named = places.flatMap(({ origin }) => (origin === null ? [] : (nameFromRemote(origin) ?? []))).at(-1);
  if (named !== undefined && sanitizeSlug(named) !== null) return named;
  const root = places.findLast(({ isStrong }) => isStrong) ?? places.findLast(({ isWeak }) => isWeak);
  if (!root || root.git === null) return basename(root?.dir ?? dir);
  // Worktrees of one clone are one project, also where it has no remote.
  return basename(mainRoot(root.dir, root.git)).replace(/\.git$/, "");
}

/**
 * The name that gstack cached for this directory. Two kinds of entries are known to be wrong: the directory's own name
 * when a project is above it, and the name of a root without a remote when a repository with one is below.
 */
function cachedSlug(dir: string, state: State, places: readonly Place[]): string | null {
  const noted = sanitizeSlug(textAt(join(stateFile.slugCache(state), dir.replaceAll(/[/\\]/g, "_")))?.trim() ?? "");
  if (noted === null) return null;
  const above = places.slice(1);
  if (noted === sanitizeSlug(basename(dir)) && above.some(({ isStrong, isWeak }) => isStrong || isWeak)) return null;
  const root = places.findIndex((place) => place.git !== null && sanitizeSlug(basename(place.dir)) === noted);
  const isWrong = places[root]?.origin === null && places.slice(0, root).some(({ origin }) => origin !== null);
  return isWrong ? null : noted;
}

/** Removes characters that mean something to a shell; null when nothing is left or it would lead out of the folder. */
export function sanitizeSlug(slug: string): string | null {
  const plain = slug.replace(/[^A-Za-z0-9._-]/g, "").slice(0, 100);
  return /^\.*$/.test(plain) ? null : plain;
}
