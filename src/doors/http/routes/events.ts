import { createRoute } from "@hono/zod-openapi";
import { streamSSE } from "hono/streaming";
import type { Daybook } from "../../../answers/daybook.ts";
import { keyOfSession } from "../../../record/session-key.ts";
import type { SessionRef } from "../../../record/record.ts";
import type { SessionView } from "../../../views/session-view.ts";
import type { ChangedSession, ChangeEvent } from "../answers.ts";
import type { Api, ServerContext } from "../route.ts";

/** Interval of keep-alive events, in ms. */
const BEAT_MS = 20_000;

const route = createRoute({
  method: "get",
  path: "/events",
  operationId: "getEvents",
  summary: "Changes as they happen, as server-sent events named `changes`",
  responses: {
    200: {
      description: "",
      content: { "text/event-stream": { schema: { $ref: "#/components/schemas/ChangeEvent" } } },
    },
  },
});

/** One watcher serves all listeners; without listeners nothing is watched. */
export function eventRoute(api: Api, served: ServerContext): void {
  api.openapi(route, ((c: Parameters<typeof streamSSE>[0]) =>
    streamSSE(c, async (stream) => {
      const waiting: ChangeEvent[] = [];
      let wake: (() => void) | null = null;
      const leave = served.changes.listen((event) => {
        waiting.push(event);
        wake?.();
      });
      stream.onAbort(() => {
        leave();
        wake?.();
      });
      try {
        while (!stream.aborted) {
          const event = waiting.shift();
          if (event) await stream.writeSSE({ event: "changes", data: JSON.stringify(event) });
          else {
            const beat = new Promise<"beat" | "change">((resolve) => {
              const timer = setTimeout(() => resolve("beat"), BEAT_MS);
              wake = () => {
                clearTimeout(timer);
                resolve("change");
              };
            });
            if ((await beat) === "beat" && !stream.aborted) await stream.writeSSE({ event: "beat", data: "" });
          }
        }
      } finally {
        leave();
      }
    })) as never);
}

/**
 * Time between two checks of the agents' files, in ms: a write is shown within a second. New files, and a store, may
 * take a few.
 */
const PACE: Pace = { every: 300, all: 3000 };

export interface Pace {
  every: number;
  all: number;
}

/** More sessions than this in one event are named alone: all answers change then. */
const MOST_PLACED = 50;

/** Watches the agents' files, or a store, as long as there is a listener. */
export class ChangeListeners {
  readonly #daybook: Daybook;
  readonly #failed: (error: unknown) => void;
  readonly #listeners = new Set<(event: ChangeEvent) => void>();
  readonly #pace: Pace;
  #stop: AbortController | null = null;
  #isSteady = false;

  constructor(daybook: Daybook, failed: (error: unknown) => void, pace: Pace = PACE) {
    this.#daybook = daybook;
    this.#failed = failed;
    this.#pace = pace;
  }

  /** From now on watches even without listeners, until closed. */
  begin(): void {
    this.#isSteady = true;
    if (this.#stop === null) void this.#watch((this.#stop = new AbortController()));
  }

  /** Returns a function that removes the listener. */
  listen(listener: (event: ChangeEvent) => void): () => void {
    this.#listeners.add(listener);
    if (this.#stop === null) void this.#watch((this.#stop = new AbortController()));
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0 && !this.#isSteady) this.close();
    };
  }

  async #changed({ source, session_id }: SessionRef, isOneOfMany: boolean): Promise<ChangedSession> {
    const [view] = isOneOfMany ? [] : await this.#sessionNamed(keyOfSession(source, session_id));
    const dayOf = (time: string | null | undefined): string | null =>
      time === null || time === undefined ? null : this.#daybook.zone.day(Date.parse(time));
    const days = { since: dayOf(view?.started_at), until: dayOf(view?.ended_at) };
    return { source, session_id, project: view?.project ?? null, ...days };
  }

  /** None if it was removed. */
  async #sessionNamed(session: string): Promise<SessionView[]> {
    return this.#daybook.sessions({ session }).catch(() => []);
  }

  close(): void {
    this.#stop?.abort();
    this.#stop = null;
  }

  async #watch(stop: AbortController): Promise<void> {
    try {
      for await (const { sync, sessions } of this.#daybook.watch({ ...this.#pace, signal: stop.signal })) {
        if (sessions.length === 0) continue;
        const event: ChangeEvent = {
          sessions: await Promise.all(sessions.map((one) => this.#changed(one, sessions.length > MOST_PLACED))),
          files_read: sync?.files_read ?? null,
        };
        for (const listener of this.#listeners) listener(event);
      }
    } catch (error) {
      this.#failed(error);
      // The next listener tries again.
      if (this.#stop === stop) this.#stop = null;
    }
  }
}
