import type { Session } from "../../turns/session.ts";
import { byTime, glimpseOf, lastOf, type Glimpse, type Work } from "./glimpse.ts";

type ProjectOf = (session: Session) => { project: string; project_key: string };

/** The work as sessions hold it that were read. */
export class SessionWork implements Work {
  readonly #sessions: readonly Session[];
  readonly #projectOf: ProjectOf;

  constructor(sessions: readonly Session[], projectOf: ProjectOf) {
    this.#sessions = sessions;
    this.#projectOf = projectOf;
  }

  newest(start: number, end: number): Glimpse[] {
    return this.#sessions
      .flatMap((session) => lastOf(this.#glimpses(session, start, end).toSorted(byTime)))
      .toSorted(byTime);
  }

  turns(start: number, end: number, wanted: Parameters<Work["turns"]>[2]): Glimpse[] {
    return this.#sessions
      .filter((session) => wanted(this.#projectOf(session)))
      .flatMap((session) => this.#glimpses(session, start, end))
      .toSorted(byTime);
  }

  #glimpses(session: Session, start: number, end: number): Glimpse[] {
    const project = this.#projectOf(session);
    return session.turns.flatMap((turn) => {
      const { time } = turn.draft.trigger;
      if (time === null || time < start || time >= end) return [];
      return glimpseOf(turn, project) ?? [];
    });
  }
}
