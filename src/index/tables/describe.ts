import { PriceTable } from "../../views/pricing/price-table.ts";
import type { StatedTitle } from "../../views/title.ts";
import { ProjectNamer, type ProjectPlace } from "../../views/projects/project.ts";
import { worktreeLayouts } from "../../book/reading/source-ids.ts";
import type { Session } from "../../turns/session.ts";
import { titleFrom, type Titles } from "./titles.ts";

/** What determines project names and is in no session. */
export interface Naming {
  /** The user's home directory, which is no project. */
  home: string;
  /** Directory → name of the project that everything in it belongs to. */
  given: Readonly<Record<string, string>>;
}

export function projectNamer({ home, given }: Naming): ProjectNamer {
  return new ProjectNamer({ home, userNames: given, layouts: worktreeLayouts() });
}

/** The user's names for directories as one text, stored to detect changes. */
export function namingText({ given }: Pick<Naming, "given">): string {
  return Object.keys(given).length === 0 ? "" : JSON.stringify(given);
}

/** Facts about a session that are not in its files: its project, and what its tokens cost. */
export class SessionDescriber {
  readonly naming: string;
  readonly prices: PriceTable = new PriceTable();
  readonly #naming: Naming;
  #namer: ProjectNamer | null = null;

  constructor(naming: Naming) {
    this.#naming = naming;
    this.naming = namingText(naming);
  }

  isFor({ home, given }: Naming): boolean {
    return this.#naming.home === home && this.naming === namingText({ given });
  }

  place({ source, session_id, meta }: Session): ProjectPlace {
    return this.#names().place({ source, session_id, cwd: meta.cwd, remote: meta.git?.remote ?? null });
  }

  /** The place of sessions that recorded this directory and this repository. */
  placeAt(cwd: string, remote: string | null): ProjectPlace {
    return this.#names().place({ source: "", session_id: "", cwd, remote });
  }

  /** Created lazily, because it looks at the disk. */
  #names(): ProjectNamer {
    return (this.#namer ??= projectNamer(this.#naming));
  }

  /** Adds the stored titles. */
  withTitles(titles: Titles): TitledDescriber {
    return {
      prices: this.prices,
      place: (session) => this.place(session),
      title: (session) => titleFrom(session, titles),
    };
  }
}

export interface TitledDescriber extends Pick<SessionDescriber, "prices" | "place"> {
  title(session: Session): StatedTitle | null;
}
