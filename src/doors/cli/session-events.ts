import { inside, type Daybook, type WatchedChange } from "../../answers/daybook.ts";
import type { TurnView } from "../../views/turn-view.ts";
import { sessionKey, keyOfSession } from "../../record/session-key.ts";

/** What a person may want to know at once: the session asks something, its turn failed, or its turn is done. */
export type WatchEventKind = "waiting" | "failed" | "finished";

export interface WatchEvent {
  kind: WatchEventKind;
  source: string;
  session_id: string;
  turn_ref: string;
  project: string;
  /** The request of the turn. */
  request: string;
  /** The open question or what else it waits for, the reason of the failure, or the last answer. */
  text: string;
}

/** Turns changes of sessions into events, each reported once. Nothing before `since` (ms) is an event. */
export class SessionEvents {
  readonly #daybook: Daybook;
  readonly #since: number;
  readonly #seen = new Set<string>();

  constructor(daybook: Daybook, since: number) {
    this.#daybook = daybook;
    this.#since = since;
  }

  async of(changes: readonly WatchedChange[]): Promise<WatchEvent[]> {
    const events: WatchEvent[] = [];
    const alive = changes.filter(({ change }) => change !== "removed");
    const ends = await inside(this.#daybook).ends(alive);
    for (const [i, change] of alive.entries()) {
      const event = await this.#eventOf(change, ends[i]?.last ?? null);
      const name = event && `${sessionKey(event)}/${event.turn_ref} ${event.kind} ${event.text}`;
      if (!event || name === null || this.#seen.has(name)) continue;
      this.#seen.add(name);
      events.push(event);
    }
    return events;
  }

  async #eventOf({ source, session_id }: WatchedChange, last: TurnView | null): Promise<WatchEvent | null> {
    if (last === null || last.taken_back !== null) return null;
    const session = keyOfSession(source, session_id);
    const [view] = await this.#daybook.sessions({ session });
    // A sub-agent reports to its parent session, not to the human.
    if (view?.kind !== "root" || Date.parse(last.ended_at ?? view.ended_at ?? "") < this.#since) return null;
    const about = {
      source,
      session_id,
      turn_ref: last.turn_ref,
      project: last.project,
      request: last.trigger.text ?? "",
    };
    if (last.outcome === "completed") return { kind: "finished", ...about, text: last.final_text ?? "" };
    if (last.outcome === "failed") return { kind: "failed", ...about, text: last.outcome_detail ?? "" };
    if (last.outcome !== "open") return null;
    const asked = await this.#daybook.decisions({ session, unanswered: true });
    const question = asked.findLast(({ turn_ref }) => turn_ref === last.turn_ref);
    const text = question ? (question.title ?? "") : (await inside(this.#daybook).waiting()).get(session);
    return text === undefined ? null : { kind: "waiting", ...about, text };
  }
}
