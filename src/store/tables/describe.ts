import { PriceTable } from "../../answers/pricing/price-table.ts";
import type { StatedTitle } from "../../answers/title.ts";
import { ProjectNamer, type ProjectPlace } from "../../answers/projects/project.ts";
import { worktreeLayouts } from "../../reading/source-ids.ts";
import type { Session } from "../../turns/session.ts";
import { titleFrom, type Titles } from "./titles.ts";

/** What decides about the names of projects and is in no session. */
export interface Naming {
  /** The user's home directory: nobody's project. */
  home: string;
  /** Directory → name of the project all in it belongs to. */
  given: Readonly<Record<string, string>>;
}

export function projectNamer(naming: Naming): ProjectNamer {
  return new ProjectNamer({ ...naming, layouts: worktreeLayouts() });
}

/** The names the user gave to directories, as one text: under others, places are other ones. */
export function namingText({ given }: Pick<Naming, "given">): string {
  return Object.keys(given).length === 0 ? "" : JSON.stringify(given);
}

/** What the index says of a session that is not in its files: where it worked, and what its tokens cost. */
export class Describe {
  readonly naming: string;
  readonly prices: PriceTable = new PriceTable();
  readonly #naming: Naming;
  #namer: ProjectNamer | null = null;

  constructor(naming: Naming) {
    this.#naming = naming;
    this.naming = namingText(naming);
  }

  place({ source, session_id, meta }: Session): ProjectPlace {
    return this.#names().place({ source, session_id, cwd: meta.cwd, remote: meta.git?.remote ?? null });
  }

  /** The place of sessions that recorded this directory and this repository. */
  placeAt(cwd: string, remote: string | null): ProjectPlace {
    return this.#names().place({ source: "", session_id: "", cwd, remote });
  }

  /** Looks at the disk: made when a place is first asked for. */
  #names(): ProjectNamer {
    return (this.#namer ??= projectNamer(this.#naming));
  }

  /** With the titles that were kept at hand. */
  withTitles(titles: Titles): Described {
    return {
      prices: this.prices,
      place: (session) => this.place(session),
      title: (session) => titleFrom(session, titles),
    };
  }
}

export interface Described extends Pick<Describe, "prices" | "place"> {
  title(session: Session): StatedTitle | null;
}
