import { createContext } from "svelte";
import type { Schemas } from "../api/client.ts";
import type { ExpectedExits } from "./expected-exits.svelte.ts";

/** State of a session's page that all its components share. */
export interface ReadingContext extends ExpectedExits {
  readonly source: string;
  readonly session: string;
  /** The reader asked to see secrets. */
  readonly reveal: boolean;
  /** Working directory: paths are shown relative to it. */
  readonly cwd: string | null;
  /** The native line named in the URL. */
  readonly line: number | null;
  /**
   * What the reader opened or closed, by name. Components far from the viewport are removed and must come back in the
   * same state.
   */
  readonly opened: Map<string, boolean>;
  /** A child session, if the book has it. */
  child(source: string, session: string): Schemas["SessionCard"] | null;
  /** The decision on the question that was asked on a line. */
  decision(line: number): Schemas["Decision"] | null;
}

const [get, set] = createContext<ReadingContext>();
export const readingContext: () => ReadingContext = get;
export const setReadingContext: (context: ReadingContext) => ReadingContext = set;
