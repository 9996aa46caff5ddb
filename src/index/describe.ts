import type { PriceTable } from "../pricing/price-table.ts";
import type { Project } from "../projects/project.ts";
import type { Session } from "../turns/session.ts";
import type { Titles } from "./titles.ts";

/** What the index must be told to describe a session: names and prices are not in its files. */
export interface Describe {
  project(session: Session): Project;
  /** Titles the agents keep beside their sessions now. */
  titles(): Titles;
  prices: PriceTable;
}

/** With the titles that were kept at hand. */
export type Described = Describe & { title(session: Session): string | null };
