import type { ExportedSession } from "../daybook.ts";
import type { Zone } from "../time/zone.ts";
import type { Target } from "./target.ts";

/** What every format is given to write with. */
export interface ExportOptions {
  target: Target;
  /** Whose days they are. */
  zone: Zone;
  /** What may be written of a value: secrets are hidden unless they were asked for. */
  hide: <T>(value: T) => T;
  /** Without a directory: what is written goes to one reader. */
  isPrinted?: boolean | undefined;
  /** Of formats made of tables: only these. */
  tables?: readonly string[] | undefined;
  /** Of formats that are numbers and names by themselves: what was said and done as well. */
  content?: boolean | undefined;
  /** Takes messages, one at a time, where they go to another program and not to a file. */
  send?: SendSpans | undefined;
}

/** Sends a message with as many spans. */
export type SendSpans = (message: string, spans: number) => Promise<void>;

/** One export under way. */
export interface Exporter {
  /** All sessions that will come: files that would be replaced are found before anything is written. */
  begin?: (sessions: readonly ExportedSession[]) => void;
  /** Takes a session, or throws and leaves nothing of it. */
  add: (session: ExportedSession) => void | Promise<void>;
  end?: () => void | Promise<void>;
}

/** A way to write sessions down. */
export interface ExportFormat {
  /** What it is made from. */
  needs: "rows" | "records";
  /**
   * What can be written without a directory: `all` one after the other, `one` session, one `table`, or `nothing`.
   */
  printed: { most: "all" | "one" | "table" | "nothing"; as: "json" | "document" };
  /** A single file, and what it is called in a directory; absent where there are several. */
  file?: string;
  tables?: readonly string[];
  /** What was said and done is written only where it is asked for. */
  hasContent?: boolean;
  /** It is messages that a collector takes. */
  isSendable?: boolean;
  begin: (options: ExportOptions) => Exporter;
}
