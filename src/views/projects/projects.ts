import { basename } from "./label.ts";
import { tidyPath } from "./paths.ts";
import { toProject, ROOT_DIGITS, type ProjectPlace, type Project } from "./project.ts";

/** The project of a session; `named`: it recorded the repository itself, or the user named its directory. */
export interface ProjectNaming extends Project {
  named: boolean;
}

/** The project of a place, after comparison with all other places. */
export interface LocatedProject extends ProjectNaming {
  root: string;
}

/** The hash of the root at the end of a key: identifies the directory, whatever the project's name. */
export function rootDigitsOf({ project_key }: Project): string {
  return project_key.slice(-ROOT_DIGITS);
}

/** The forms in which a project argument is compared: as a name or key, as a directory, as a normalised directory. */
export function projectQueryOf(wanted: string): { name: string; cwd: string; root: string } {
  return { name: wanted.normalize("NFC"), cwd: wanted, root: tidyPath(wanted) };
}

/**
 * Combines the places of all sessions. Agents differ in what they record about a repository: worktrees that no longer
 * exist belong to their main checkout if it is known, and places without a recorded name take the name of a place with
 * the same root. The result does not depend on the order of the places.
 */
export function locateProjects(places: Iterable<ProjectPlace>): (place: ProjectPlace) => LocatedProject {
  const all = [...places];
  const labels = new Map<string, string>();
  for (const { root, name, main } of all) if (main === null) keepFirst(labels, root, name);
  const mains = mainCheckouts(all);
  const pools = poolCheckouts(all, mains, labels);
  const rootOf = (place: ProjectPlace): string => {
    if (place.main !== null && labels.has(place.main)) return place.main;
    if (place.trust === "certain") return place.root;
    const main = place.repository === null ? undefined : mains.get(place.repository);
    if (main !== undefined) return mainRootOf(main, labels);
    return (place.pool === null ? undefined : pools.get(place.pool)) ?? place.root;
  };
  const recorded = new Map<string, string>();
  for (const place of all) if (place.named) keepFirst(recorded, rootOf(place), place.name);
  return (place) => {
    const root = rootOf(place);
    const better = recorded.get(root) ?? (root === place.root ? undefined : labels.get(root));
    const name = place.named ? place.name : (better ?? place.name);
    return { ...toProject(name, root), root, named: place.named };
  };
}

function mainRootOf({ root, main }: ProjectPlace, labels: ReadonlyMap<string, string>): string {
  return main !== null && labels.has(main) ? main : root;
}

/**
 * The main checkout behind each pool of worktrees: the one that a sibling belongs to, else the only directory of the
 * pool's name that a session worked in.
 */
function poolCheckouts(
  places: readonly ProjectPlace[],
  mains: ReadonlyMap<string, ProjectPlace>,
  labels: ReadonlyMap<string, string>,
): Map<string, string> {
  const found = new Map<string, string>();
  const pools = new Set<string>();
  for (const { pool, trust, root, repository } of places) {
    if (pool === null) continue;
    pools.add(pool);
    const main = repository === null ? undefined : mains.get(repository);
    if (trust === "certain") keepFirst(found, pool, root);
    else if (main !== undefined) keepFirst(found, pool, mainRootOf(main, labels));
  }
  for (const pool of pools) {
    if (found.has(pool)) continue;
    const alike = [...labels.keys()].filter((root) => root !== pool && basename(root) === basename(pool));
    if (alike.length === 1 && alike[0] !== undefined) found.set(pool, alike[0]);
  }
  return found;
}

/** Keeps the alphabetically first name, so that the order of reading does not matter. */
function keepFirst(names: Map<string, string>, root: string, name: string): void {
  const known = names.get(root);
  if (known === undefined || name < known) names.set(root, name);
}

/** The most likely main checkout of each repository: worktrees usually have longer paths. */
function mainCheckouts(places: readonly ProjectPlace[]): Map<string, ProjectPlace> {
  const mains = new Map<string, ProjectPlace>();
  for (const place of places) {
    if (place.repository === null) continue;
    const known = mains.get(place.repository);
    if (!known || isLikelier(place, known)) mains.set(place.repository, place);
  }
  return mains;
}

function isLikelier(a: ProjectPlace, b: ProjectPlace): boolean {
  const [x, y] = [rankOf(a), rankOf(b)];
  const differs = x.findIndex((value, i) => value !== y[i]);
  return differs === -1 ? a.root < b.root : (x[differs] ?? 0) < (y[differs] ?? 0);
}

function rankOf({ trust, main, root }: ProjectPlace): number[] {
  return [["certain", "recorded", "unknown"].indexOf(trust), Number(main !== null), root.length];
}
