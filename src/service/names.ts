import { keptTitles, type Titles } from "../index/titles.ts";
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
  #kept: Titles | null = null;
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

  titleOf(session: Session): string | null {
    return this.titleFrom(session, this.#keptTitles());
  }

  titleFrom(session: Session, kept: Titles): string | null {
    if (session.meta.title_by === "human") return session.meta.title;
    const stated = this.titles();
    const id = session.session_id;
    // What was said last counts, also when the agent has forgotten it.
    return (stated.has(id) ? stated.get(id) : kept.get(id)) ?? session.meta.title;
  }

  titles(): Titles {
    return (this.#titles ??= this.#stated());
  }

  #keptTitles(): Titles {
    if (this.#kept) return this.#kept;
    const store = this.#store ?? (this.#home === undefined ? null : IndexStore.peek(this.#home));
    this.#kept = store ? keptTitles(store) : new Map<string, string | null>();
    if (store !== this.#store) store?.close();
    return this.#kept;
  }
}
