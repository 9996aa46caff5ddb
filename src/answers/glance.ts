import type { TouchedFileAt } from "../turns/model.ts";
import type { SessionView } from "./session-view.ts";
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

/** How much was asked for in one project. */
export interface ProjectWork {
  project: string;
  sessions: number;
  turns: number;
  /** When something was asked for last, in ms. */
  last: number | null;
}

/** How many sessions there are of one agent and kind. */
export interface SessionKinds extends Pick<SessionView, "source" | "kind"> {
  sessions: number;
}

export function countKinds(all: Iterable<Pick<SessionView, "source" | "kind">>): SessionKinds[] {
  const counts = new Map<string, SessionKinds>();
  for (const { source, kind } of all) {
    const known = counts.get(`${source} ${kind}`) ?? { source, kind, sessions: 0 };
    known.sessions++;
    counts.set(`${source} ${kind}`, known);
  }
  return [...counts.values()];
}

/** The first and the last turn of a session. */
export interface SessionEnds {
  first: TurnView | null;
  last: TurnView | null;
}

export function glanceOf(turn: TurnView, withFiles: boolean): TurnGlance {
  const { source, session_id, project, turn_ref, started_at, files } = turn;
  const time = started_at === null ? null : Date.parse(started_at);
  return { source, session_id, project, turn_ref, time, files: withFiles ? (files ?? []) : [] };
}

/** Turns added up by project. */
export function projectWork(glances: readonly TurnGlance[]): ProjectWork[] {
  const work = new Map<string, ProjectWork>();
  const met = new Set<string>();
  for (const { project, source, session_id, time } of glances) {
    const sum = work.get(project) ?? { project, sessions: 0, turns: 0, last: null };
    work.set(project, sum);
    const name = `${source}/${session_id}`;
    if (!met.has(name)) sum.sessions++;
    met.add(name);
    sum.turns++;
    if (time !== null && time > (sum.last ?? -Infinity)) sum.last = time;
  }
  return [...work.values()];
}
