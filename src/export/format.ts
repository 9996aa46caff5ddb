import type { Exported } from "../answers/daybook.ts";
import type { Zone } from "../base/time/zone.ts";
import type { Target } from "./target.ts";

/** What every format is given. */
export interface ExportOptions {
  target: Target;
  /** The time zone of days. */
  zone: Zone;
  /** Hides secrets in a value to be written, unless --no-redact was given. */
  hide: <T>(value: T) => T;
  /** The output is printed, not written to a directory. */
  isPrinted?: boolean | undefined;
  /** For table formats: only these tables. */
  tables?: readonly string[] | undefined;
  /** For formats that contain only numbers and names by default: include the conversation content. */
  content?: boolean | undefined;
  /** Sends messages to another program instead of a file, one at a time. */
  send?: SendSpans | undefined;
}

/** Sends a message that contains this many spans. */
export type SendSpans = (message: string, spans: number) => Promise<void>;

/** A running export. */
export interface Exporter {
  /** Called with all sessions to come: existing files are detected before anything is written. */
  begin?: (sessions: readonly Exported[]) => void;
  /** Takes a session, or throws and leaves no trace of it. */
  add: (session: Exported) => void | Promise<void>;
  end?: () => void | Promise<void>;
}

/** An export format. */
export interface ExportFormat {
  /** What the format is made from. */
  needs: "rows" | "records";
  /**
   * What can be printed without a directory: `all` sessions one after the other, `one` session, one `table`, or
   * `nothing`.
   */
  printed: { most: "all" | "one" | "table" | "nothing"; as: "json" | "document" };
  /** The name of the only file; absent for formats with several files. */
  file?: string;
  tables?: readonly string[];
  /** Conversation content is written only on request. */
  hasContent?: boolean;
  /** Consists of messages for a collector. */
  isSendable?: boolean;
  begin: (options: ExportOptions) => Exporter;
}
