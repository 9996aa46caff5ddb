import type { Session } from "../turns/session.ts";
import { rootOf, type Naming } from "../answers/projects/projects.ts";
import { order } from "./citations.ts";

type ProjectOf = (session: Session) => { project: string; project_key: string };

/**
 * The name a session's project goes by in a report. Agents differ in what they record of the repository: where one session
 * of a directory knows the remote and another does not, both are the same project and take the better name.
 */
export function projectNames(namings: Iterable<Naming>, projectOf: ProjectOf): (session: Session) => string {
  const nameOf = projectNaming(namings);
  return (session) => nameOf(projectOf(session));
}

/** The same of a project as a session names it. */
export function projectNaming(namings: Iterable<Naming>): (project: ReturnType<ProjectOf>) => string {
  const best = new Map<string, { name: string; rank: number }>();
  for (const { project, project_key, named } of namings) {
    const root = rootOf({ project, project_key });
    const rank = named ? 0 : 1;
    const known = best.get(root);
    if (!known || rank < known.rank || (rank === known.rank && order(project, known.name) < 0))
      best.set(root, { name: project, rank });
  }
  return ({ project, project_key }) => best.get(rootOf({ project, project_key }))?.name ?? project;
}
