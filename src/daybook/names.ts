import { loadTitles, titleFrom, type Titles } from "../store/tables/titles.ts";
import { projectOfDirectory, storedProject, storedRoot } from "../store/tables/project-names.ts";
import { IndexStore } from "../store/tables/index-store.ts";
import type { ProjectPlace, Project, ProjectFacts, ProjectNamer } from "../answers/projects/project.ts";
import type { StatedTitle } from "../answers/title.ts";
import { locateProjects, type LocatedProject, type ProjectNaming } from "../answers/projects/projects.ts";
import type { Session } from "../turns/session.ts";
import { isLocal } from "../errors.ts";
import { sessionKey } from "../format/session-key.ts";

export interface NamesOptions {
  /** Where a book with titles may be. */
  book: string | undefined;
  /** Created lazily: names stored in the book need no namer. */
  namer: () => ProjectNamer;
  /** The titles agents currently keep in files beside their sessions. */
  titles: () => Titles;
}

/** The titles and projects of sessions. A single session file does not determine either. */
export class Names {
  readonly #options: NamesOptions;
  readonly #projects = new WeakMap<Session, Project>();
  readonly #directories = new Map<string, Project>();
  #namer: ProjectNamer | null = null;
  #titles: Titles | null = null;
  #others: readonly Session[] = [];
  #locate: ((place: ProjectPlace) => LocatedProject) | null = null;
  #store: IndexStore | null = null;

  constructor(options: NamesOptions) {
    this.#options = options;
  }

  /** Sessions read together: which of them names a directory is known only from all of them. */
  among(sessions: readonly Session[]): void {
    this.#others = sessions;
    this.#locate = null;
  }

  /** Uses the names stored in the index, which were decided over all sessions. */
  from(store: IndexStore): void {
    this.#store = store;
  }

  projectOf(session: Session): Project {
    let project = this.#projects.get(session);
    if (!project) {
      project = (this.#store && storedProject(this.#store, sessionKey(session))) ?? this.#projectAmong(session);
      this.#projects.set(session, project);
    }
    return project;
  }

  /** The directory of the session's project. */
  rootOf(session: Session): string {
    return (this.#store && storedRoot(this.#store, sessionKey(session))) ?? this.#located(session).root;
  }

  namingsOf(sessions: readonly Session[]): ProjectNaming[] {
    return sessions.map((session) => ({ ...this.projectOf(session), named: this.place(session).named }));
  }

  #projectAmong(session: Session): Project {
    const { project, project_key } = this.#located(session);
    return { project, project_key };
  }

  #located(session: Session): LocatedProject {
    return this.#locateAmong(this.place(session));
  }

  #locateAmong(place: ProjectPlace): LocatedProject {
    this.#locate ??= locateProjects(this.#others.flatMap((one) => this.#placeOrNone(one)));
    return this.#locate(place);
  }

  /**
   * A session whose place cannot be determined is left out when naming the others; a question about that session
   * fails on its own.
   */
  #placeOrNone(session: Session): ProjectPlace[] {
    try {
      return [this.place(session)];
    } catch (error) {
      if (!isLocal(error)) throw error;
      return [];
    }
  }

  /** Where the session worked, by its own records and its directory. */
  place({ source, session_id, meta }: Session): ProjectPlace {
    return this.#place({ source, session_id, cwd: meta.cwd, remote: meta.git?.remote ?? null });
  }

  placeAt(cwd: string, remote: string | null): ProjectPlace {
    return this.#place({ source: "", session_id: "", cwd, remote });
  }

  /** The project of a directory, even if no session worked in it; null if no directory is given. */
  projectAt(cwd: string | null): Project | null {
    if (cwd === null || cwd.trim() === "") return null;
    let found = this.#directories.get(cwd);
    if (!found) {
      const place = this.placeAt(cwd, null);
      const { project, project_key } = this.#store
        ? projectOfDirectory(this.#store, cwd, place)
        : this.#locateAmong(place);
      this.#directories.set(cwd, (found = { project, project_key }));
    }
    return found;
  }

  #place(facts: ProjectFacts): ProjectPlace {
    return (this.#namer ??= this.#options.namer()).place(facts);
  }

  /** The last known title counts, even if the agent has deleted it since; the index keeps those. */
  titleOf(session: Session): StatedTitle | null {
    this.#titles ??= this.#store
      ? loadTitles(this.#store)
      : new Map([...this.#remembered(), ...this.#options.titles()]);
    return titleFrom(session, this.#titles);
  }

  #remembered(): Titles {
    const { book } = this.#options;
    const store = book === undefined ? null : IndexStore.openExisting(book);
    const titles = store ? loadTitles(store) : new Map<string, string | null>();
    store?.close();
    return titles;
  }
}
