import { createContext } from "svelte";
import type { Schemas } from "../api/client.ts";

/** What every part of a session's page may need of the whole. */
export interface ReadingContext {
  readonly source: string;
  readonly session: string;
  /** Secrets are shown, because the reader asked for it. */
  readonly reveal: boolean;
  /** Where the work was done: paths are shown from there. */
  readonly cwd: string | null;
  /** The native line that the address names. */
  readonly line: number | null;
  /** What the reader opened and closed: what is far away is taken out of the page, and comes back as it was. */
  readonly opened: Map<string, boolean>;
  /** A child session by its name, as far as the book has it. */
  child(source: string, session: string): Schemas["SessionCard"] | null;
  /** What the human answered to the question on a line. */
  decision(line: number): Schemas["Decision"] | null;
}

const [get, set] = createContext<ReadingContext>();
export const reading: () => ReadingContext = get;
export const setReading: (context: ReadingContext) => ReadingContext = set;
