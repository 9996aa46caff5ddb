import { loadTitles, titleFrom, type Titles } from "../store/tables/titles.ts";
import { namedIn, storedName, storedRoot } from "../store/tables/project-names.ts";
import { IndexStore } from "../store/tables/index-store.ts";
import type { ProjectPlace, Project, ProjectFacts, ProjectNamer } from "../answers/projects/project.ts";
import type { StatedTitle } from "../answers/title.ts";
import { locate, type Located, type Naming } from "../answers/projects/projects.ts";
import { sessionKey, type Session } from "../turns/session.ts";
import { isLocal } from "../errors.ts";

export interface NamesOptions {
  /** Where a book with titles may be. */
  book: string | undefined;
  /** Made when a name is first asked for: what the book knows needs none. */
  namer: () => ProjectNamer;
  /** Titles the agents keep beside their sessions now. */
  titles: () => Titles;
}

/** What sessions and their projects are called. None of it is in a session alone. */
export class Names {
  readonly #options: NamesOptions;
  readonly #projects = new WeakMap<Session, Project>();
  readonly #directories = new Map<string, Project>();
  #namer: ProjectNamer | null = null;
  #titles: Titles | null = null;
  #others: readonly Session[] = [];
  #locate: ((place: ProjectPlace) => Located) | null = null;
  #store: IndexStore | null = null;

  constructor(options: NamesOptions) {
    this.#options = options;
  }

  /** Sessions read together: which of them names a directory is known when all are. */
  among(sessions: readonly Session[]): void {
    this.#others = sessions;
    this.#locate = null;
  }

  /** An index that has put all its sessions together knows their names. */
  from(store: IndexStore): void {
    this.#store = store;
  }

  projectOf(session: Session): Project {
    let project = this.#projects.get(session);
    if (!project) {
      project = (this.#store && storedName(this.#store, sessionKey(session))) ?? this.#projectAmong(session);
      this.#projects.set(session, project);
    }
    return project;
  }

  /** The directory of the session's project. */
  rootOf(session: Session): string {
    return (this.#store && storedRoot(this.#store, sessionKey(session))) ?? this.#located(session).root;
  }

  namingsOf(sessions: readonly Session[]): Naming[] {
    return sessions.map((session) => ({ ...this.projectOf(session), named: this.place(session).named }));
  }

  #projectAmong(session: Session): Project {
    const { project, project_key } = this.#located(session);
    return { project, project_key };
  }

  #located(session: Session): Located {
    return this.#locateAmong(this.place(session));
  }

  #locateAmong(place: ProjectPlace): Located {
    this.#locate ??= locate(this.#others.flatMap((one) => this.#placeOrNone(one)));
    return this.#locate(place);
  }

  /** All others are named without one whose place is not known; whoever asks about that one meets it again. */
  #placeOrNone(session: Session): ProjectPlace[] {
    try {
      return [this.place(session)];
    } catch (error) {
      if (!isLocal(error)) throw error;
      return [];
    }
  }

  /** Where it worked, by what the session itself says, and its directory. */
  place({ source, session_id, meta }: Session): ProjectPlace {
    return this.#place({ source, session_id, cwd: meta.cwd, remote: meta.git?.remote ?? null });
  }

  placeAt(cwd: string, remote: string | null): ProjectPlace {
    return this.#place({ source: "", session_id: "", cwd, remote });
  }

  /** The project of a directory no session need have worked in; null when none is named. */
  projectAt(cwd: string | null): Project | null {
    if (cwd === null || cwd.trim() === "") return null;
    let found = this.#directories.get(cwd);
    if (!found) {
      const place = this.placeAt(cwd, null);
      const { project, project_key } = this.#store ? namedIn(this.#store, cwd, place) : this.#locateAmong(place);
      this.#directories.set(cwd, (found = { project, project_key }));
    }
    return found;
  }

  #place(facts: ProjectFacts): ProjectPlace {
    return (this.#namer ??= this.#options.namer()).place(facts);
  }

  /** What was said last counts, also when the agent has forgotten it: an index that looked for changes knows that. */
  titleOf(session: Session): StatedTitle | null {
    this.#titles ??= this.#store
      ? loadTitles(this.#store)
      : new Map([...this.#remembered(), ...this.#options.titles()]);
    return titleFrom(session, this.#titles);
  }

  #remembered(): Titles {
    const { book } = this.#options;
    const store = book === undefined ? null : IndexStore.peek(book);
    const titles = store ? loadTitles(store) : new Map<string, string | null>();
    store?.close();
    return titles;
  }
}
