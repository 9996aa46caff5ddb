import { createContext, type Component, type Snippet } from "svelte";
import type { Schemas } from "../api/client.ts";
import type { ExpectedExits } from "./expected-exits.svelte.ts";
import type { SessionRef } from "./turn-items.ts";

export interface LineFootProps {
  line: number | null;
  endLine?: number | null;
  children?: Snippet;
  /** Small buttons after its own; a document has none. */
  more?: Snippet | undefined;
}

export interface ChildSessionProps {
  child: { ref: SessionRef; relation: string; role: string | null };
}

/** State that all components of a session share, and the two of them that are not the same on the page and in a document. */
export interface ReadingContext extends ExpectedExits {
  readonly LineFoot: Component<LineFootProps>;
  readonly ChildSession: Component<ChildSessionProps>;
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
