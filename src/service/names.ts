import { keptTitles, titleFrom, type Titles } from "../index/titles.ts";
import { storedName } from "../index/project-names.ts";
import { IndexStore } from "../index/store.ts";
import { ProjectNamer, type Project } from "../projects/project.ts";
import { betterNames } from "../projects/namings.ts";
import { namingsOf } from "../report/groups.ts";
import { sessionKey, type Session } from "../turns/session.ts";

/** What sessions and their projects are called. None of it is in a session alone. */
export class Names {
  readonly #home: string | undefined;
  readonly #namer = new ProjectNamer();
  readonly #projects = new Map<Session, Project>();
  readonly #stated: () => Titles;
  #titles: Titles | null = null;
  #others: readonly Session[] = [];
  #better: ReturnType<typeof betterNames> | null = null;
  #store: IndexStore | null = null;

  /** `stated`: titles the agents keep beside their sessions now. */
  constructor(home: string | undefined, stated: () => Titles) {
    this.#home = home;
    this.#stated = stated;
  }

  /** Sessions read together: which of them names a directory is known when all are. */
  among(sessions: readonly Session[]): void {
    this.#others = sessions;
  }

  /** An index that has put all its sessions together knows their names. */
  from(store: IndexStore): void {
    this.#store = store;
  }

  projectOf(session: Session): Project {
    let project = this.#projects.get(session);
    if (!project) {
      project = (this.#store && storedName(this.#store, sessionKey(session))) ?? this.#betterName(session);
      this.#projects.set(session, project);
    }
    return project;
  }

  /** Named after what other sessions of its directory recorded, where it recorded nothing itself. */
  #betterName(session: Session): Project {
    this.#better ??= betterNames(namingsOf(this.#others, (one) => this.ownProject(one)));
    return this.#better({ ...this.ownProject(session), named: Boolean(session.meta.git?.remote) });
  }

  /** Named after what the session itself says, and its directory. */
  ownProject({ source, session_id, meta }: Session): Project {
    return this.#namer.name({ source, session_id, cwd: meta.cwd, remote: meta.git?.remote ?? null });
  }

  /** What was said last counts, also when the agent has forgotten it: an index that looked for news knows that. */
  titleOf(session: Session): string | null {
    this.#titles ??= this.#store ? keptTitles(this.#store) : new Map([...this.#remembered(), ...this.#stated()]);
    return titleFrom(session, this.#titles);
  }

  #remembered(): Titles {
    const store = this.#home === undefined ? null : IndexStore.peek(this.#home);
    const titles = store ? keptTitles(store) : new Map<string, string | null>();
    store?.close();
    return titles;
  }
}
