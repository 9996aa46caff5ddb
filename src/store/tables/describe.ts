import type { PriceTable } from "../../answers/pricing/price-table.ts";
import type { ProjectPlace } from "../../answers/projects/project.ts";
import type { Session } from "../../turns/session.ts";
import type { Titles } from "./titles.ts";

/** What the index must be told to describe a session: names and prices are not in its files. */
export interface Describe {
  place(session: Session): ProjectPlace;
  /** The place of sessions that recorded this directory and this repository. */
  placeAt(cwd: string, remote: string | null): ProjectPlace;
  /** The names the user gave to directories, as one text: under others, places are other ones. */
  naming: string;
  /** Titles the agents keep beside their sessions now. */
  titles(): Titles;
  prices: PriceTable;
}

/** With the titles that were kept at hand. */
export type Described = Describe & { title(session: Session): string | null };
