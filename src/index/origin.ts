import type { Recording } from "../views/recorded.ts";
import type { SessionView } from "../views/session-view.ts";
import type { ToolView } from "../views/tool-view.ts";
import type { ToolFinishedBody } from "../record/record.ts";
import type { Assembly } from "../turns/assemble.ts";
import type { TextStore } from "./search/search.ts";
import type { RemoteDemand } from "./tables/remote-demand.ts";

/** What the rows of an index were made from: there, what they leave out can be read. */
export interface IndexOrigin {
  /** Writes the rows that a question needs, where rows are written only when they are needed. */
  fill?(about: RemoteDemand): void;
  /** Where a search gets its texts from. */
  texts(): TextStore;
  /** Gives access to a session's records; null when they are not available. */
  recordedSession(session: SessionView): Recording | null;
  /** What calls of one session printed. */
  outputs(calls: readonly ToolView[]): readonly Pick<ToolFinishedBody, "call_id" | "output">[];
  /** Assembles the named sessions with all they depend on, and perhaps others; null: every session in scope. */
  assemble(keys: readonly string[] | null, scope: ReadonlySet<string> | null): Assembly;
}
