import type { TouchedFileAt } from "../turns/model.ts";
import type { TurnView } from "./turn-view.ts";

/** As little of a turn as counting needs: of tens of thousands nobody wants to read all. */
export interface TurnGlance {
  source: string;
  session_id: string;
  project: string;
  turn_ref: string;
  /** When it was asked for, in ms. */
  time: number | null;
  /** What it changed; empty unless asked for. */
  files: TouchedFileAt[];
}

/** The first and the last turn of a session. */
export interface SessionEnds {
  first: TurnView | null;
  last: TurnView | null;
}

export function glanceOf(turn: TurnView, withFiles: boolean): TurnGlance {
  const { source, session_id, project, turn_ref, started_at, files } = turn;
  const time = started_at === null ? null : Date.parse(started_at);
  return { source, session_id, project, turn_ref, time, files: withFiles ? files : [] };
}
