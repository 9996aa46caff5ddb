import type { Project } from "./project.ts";

/** What a session is called after; `named`: it recorded the repository itself. */
export interface Naming extends Project {
  named: boolean;
}

/** The end of a key says which directory it is, whatever the project is called. */
export const ROOT_DIGITS = 12;

export function rootOf({ project_key }: Project): string {
  return project_key.slice(-ROOT_DIGITS);
}

export function withName(project: Project, name: string): Project {
  return asProject(name, rootOf(project));
}

export function asProject(project: string, root: string): Project {
  return { project, project_key: `${project}-${root}` };
}

/**
 * Agents differ in what they record of a repository. Where one session of a directory recorded its remote, those that did
 * not take its name; of several the first in the alphabet, so that the order of reading does not matter.
 */
export function betterNames(namings: Iterable<Naming>): (naming: Naming) => Project {
  const recorded = new Map<string, string>();
  for (const naming of namings) {
    const root = rootOf(naming);
    const known = recorded.get(root);
    if (naming.named && (known === undefined || naming.project < known)) recorded.set(root, naming.project);
  }
  return ({ named, ...project }) => {
    const name = named ? undefined : recorded.get(rootOf(project));
    return name === undefined ? project : withName(project, name);
  };
}
