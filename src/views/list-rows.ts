import type { TouchedFileAt } from "../turns/model.ts";
import type { SessionView } from "./session-view.ts";
import type { TurnView } from "./turn-view.ts";

/** A file that turns changed. */
export interface ChangedFile {
  path: string;
  /** Project of the turn that changed the file last. */
  project: string;
  turns: number;
  last_time: string | null;
}

/** The few fields of a turn that counting needs: loading tens of thousands of complete turns would be slow. */
export interface TurnGlance extends Pick<TurnView, "source" | "session_id" | "project" | "turn_ref"> {
  /** Time of the trigger, epoch ms. */
  time: number | null;
  /** Files that the turn changed; empty unless requested. */
  files: TouchedFileAt[];
}

/** Number of sessions and turns of one project. */
export interface ProjectWork {
  project: string;
  sessions: number;
  turns: number;
  /** Time of the latest trigger, epoch ms. */
  last: number | null;
}

/** Number of sessions of one source and kind. */
export interface KindCount extends Pick<SessionView, "source" | "kind"> {
  sessions: number;
}
