import type { TouchedFileAt } from "../turns/model.ts";
import type { SessionView } from "./session-view.ts";

/** The few fields of a turn that counting needs: loading tens of thousands of complete turns would be slow. */
export interface Glance {
  source: string;
  session_id: string;
  project: string;
  turn_ref: string;
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

export function countKinds(all: Iterable<Pick<SessionView, "source" | "kind">>): KindCount[] {
  const counts = new Map<string, KindCount>();
  for (const { source, kind } of all) {
    const known = counts.get(`${source} ${kind}`) ?? { source, kind, sessions: 0 };
    known.sessions++;
    counts.set(`${source} ${kind}`, known);
  }
  return [...counts.values()];
}
