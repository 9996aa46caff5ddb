import { loadTitles, titleFrom, type Titles } from "../index/tables/titles.ts";
import { projectOfDirectory, storedProject, storedRoot } from "../index/tables/project-names.ts";
import type { IndexStore } from "../index/tables/index-store.ts";
import type { ProjectPlace, Project, ProjectFacts, ProjectNamer } from "../views/projects/project.ts";
import type { StatedTitle } from "../views/title.ts";
import { locateProjects, type LocatedProject } from "../views/projects/projects.ts";
import type { Session } from "../turns/session.ts";
import { sessionKey } from "../record/session-key.ts";

/**
 * The titles and projects of sessions, as the index has them: a single session file does not determine either. What the
 * index does not have is named by itself.
 */
export class Names {
  /** Created lazily: names stored in the index need no namer. */
  readonly #createNamer: () => ProjectNamer;
  readonly #projects = new WeakMap<Session, Project>();
  readonly #directories = new Map<string, Project>();
  #namer: ProjectNamer | null = null;
  #titles: Titles | null = null;
  #store: IndexStore | null = null;

  constructor(namer: () => ProjectNamer) {
    this.#createNamer = namer;
  }

  /** Uses the names stored in the index, which were decided over all sessions. */
  from(store: IndexStore): void {
    this.#store = store;
    this.#titles = null;
  }

  projectOf(session: Session): Project {
    let project = this.#projects.get(session);
    if (!project) {
      project = (this.#store && storedProject(this.#store, sessionKey(session))) ?? this.#projectAlone(session);
      this.#projects.set(session, project);
    }
    return project;
  }

  /** The directory of the session's project. */
  rootOf(session: Session): string {
    return (this.#store && storedRoot(this.#store, sessionKey(session))) ?? this.#located(session).root;
  }

  #projectAlone(session: Session): Project {
    const { project, project_key } = this.#located(session);
    return { project, project_key };
  }

  /** Where the session worked, by its own records and its directory. */
  #located({ source, session_id, meta }: Session): LocatedProject {
    const place = this.#place({ source, session_id, cwd: meta.cwd, remote: meta.git?.remote ?? null });
    return locateProjects([place])(place);
  }

  /** The project of a directory, even if no session worked in it; null if no directory is given. */
  projectAt(cwd: string | null): Project | null {
    if (cwd === null || cwd.trim() === "") return null;
    let found = this.#directories.get(cwd);
    if (!found) {
      const place = this.#place({ source: "", session_id: "", cwd, remote: null });
      const { project, project_key } = this.#store
        ? projectOfDirectory(this.#store, cwd, place)
        : locateProjects([place])(place);
      this.#directories.set(cwd, (found = { project, project_key }));
    }
    return found;
  }

  #place(facts: ProjectFacts): ProjectPlace {
    return (this.#namer ??= this.#createNamer()).place(facts);
  }

  /** The last known title counts, even if the agent has deleted it since; the index keeps those. */
  titleOf(session: Session): StatedTitle | null {
    this.#titles ??= this.#store ? loadTitles(this.#store) : new Map<string, string | null>();
    return titleFrom(session, this.#titles);
  }
}
