import { tidyPath } from "./paths.ts";
import { asProject, ROOT_DIGITS, type ProjectPlace, type Project } from "./project.ts";

/** What a session is called after; `named`: it recorded the repository itself, or the user named its directory. */
export interface Naming extends Project {
  named: boolean;
}

/** A place with all that other sessions know about it. */
export interface Located extends Naming {
  root: string;
}

/** The end of a key says which directory it is, whatever the project is called. */
export function rootOf({ project_key }: Project): string {
  return project_key.slice(-ROOT_DIGITS);
}

/** What somebody may call a project by: its name, its key, or a directory of it however it is spelt. */
export function callsOf(wanted: string): { name: string; cwd: string; root: string } {
  return { name: wanted.normalize("NFC"), cwd: wanted, root: tidyPath(wanted) };
}

/**
 * Puts places together. Agents differ in what they record of a repository: worktrees of one that are not on the disk any
 * more belong to its main checkout where that is known, and who recorded no name takes that of one who did. The order in
 * which places are given does not matter.
 */
export function locate(places: Iterable<ProjectPlace>): (place: ProjectPlace) => Located {
  const all = [...places];
  const labels = new Map<string, string>();
  for (const { root, name, main } of all) if (main === null) keepFirst(labels, root, name);
  const mains = mainCheckouts(all);
  const rootOf = (place: ProjectPlace): string => {
    if (place.main !== null && labels.has(place.main)) return place.main;
    const main = place.repository === null || place.trust === "certain" ? undefined : mains.get(place.repository);
    return main === undefined ? place.root : beside(main, labels);
  };
  const recorded = new Map<string, string>();
  for (const place of all) if (place.named) keepFirst(recorded, rootOf(place), place.name);
  return (place) => {
    const root = rootOf(place);
    const better = recorded.get(root) ?? (root === place.root ? undefined : labels.get(root));
    const name = place.named ? place.name : (better ?? place.name);
    return { ...asProject(name, root), root, named: place.named };
  };
}

function beside({ root, main }: ProjectPlace, labels: ReadonlyMap<string, string>): string {
  return main !== null && labels.has(main) ? main : root;
}

/** Of several the first in the alphabet, so that the order of reading does not matter. */
function keepFirst(names: Map<string, string>, root: string, name: string): void {
  const known = names.get(root);
  if (known === undefined || name < known) names.set(root, name);
}

/** Per repository the checkout that is most likely the first one: worktrees are called after it, or kept somewhere deep. */
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
