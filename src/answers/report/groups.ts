import type { Project } from "../../views/projects/project.ts";
import { rootDigitsOf, type ProjectNaming } from "../../views/projects/projects.ts";
import { order } from "../../base/text/order.ts";

/**
 * Returns a function that maps a project to its name in the report. Agents differ in what they record about the
 * repository: when one session of a directory knows the remote and another does not, both are the same project and take
 * the better name.
 */
export function projectNaming(namings: Iterable<ProjectNaming>): (project: Project) => string {
  const best = new Map<string, { name: string; rank: number }>();
  for (const { project, project_key, named } of namings) {
    const root = rootDigitsOf({ project, project_key });
    const rank = named ? 0 : 1;
    const known = best.get(root);
    if (!known || rank < known.rank || (rank === known.rank && order(project, known.name) < 0))
      best.set(root, { name: project, rank });
  }
  const names = new Map<string, string>();
  return ({ project, project_key }) => {
    let name = names.get(`${project_key} ${project}`);
    if (name === undefined)
      names.set(
        `${project_key} ${project}`,
        (name = best.get(rootDigitsOf({ project, project_key }))?.name ?? project),
      );
    return name;
  };
}
