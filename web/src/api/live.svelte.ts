import { untrack } from "svelte";
import { listen, type Schemas } from "./client.ts";

/**
 * State of the event stream. `version` increases with every change: an effect that reads it runs again, and so asks
 * again.
 */
export const live: { connected: boolean; version: number; last: Schemas["ChangeEvent"] | null } = $state({
  connected: false,
  version: 0,
  last: null,
});

export function startListening(): () => void {
  let isFirst = true;
  return listen(
    (event) => {
      live.last = event;
      live.version++;
    },
    (connected) => {
      // Changes may have been missed while disconnected, so everything is asked again; not on the first connection.
      if (connected && !live.connected && !isFirst) live.version++;
      if (connected) isFirst = false;
      live.connected = connected;
    },
  );
}

/** Whether the last change is about this session. */
export function isAbout(event: Schemas["ChangeEvent"] | null, source: string, session: string): boolean {
  return event?.sessions.some((one) => one.source === source && one.session_id === session) ?? false;
}

/** The page itself changed something about a session: what shows it asks again. */
export function noteChange({ source, session_id }: { source: string; session_id: string }): void {
  live.last = { sessions: [{ source, session_id, project: null, since: null, until: null }], files_read: null };
  live.version++;
}

/** What an answer depends on; what is left out is not limited. */
export interface Scope {
  project?: string | null | undefined;
  since?: string | null | undefined;
  until?: string | null | undefined;
}

/** Whether a change may concern answers of this scope. What is not known of it may. */
export function touches({ sessions }: Schemas["ChangeEvent"], { project, since, until }: Scope): boolean {
  return sessions.some(
    (one) =>
      (!project || one.project === null || one.project === project) &&
      (!until || one.since === null || one.since <= until) &&
      (!since || one.until === null || one.until >= since),
  );
}

export type IsAbout = (event: Schemas["ChangeEvent"]) => boolean;

/** Counts the changes that concern something: an effect that reads `version` runs again for these alone. */
export function changesThat(concern: IsAbout): { readonly version: number } {
  let version = $state(0);
  let [seen, last] = untrack(() => [live.version, live.last]);
  $effect(() => {
    if (live.version === seen) return;
    seen = live.version;
    untrack(() => {
      const event = live.last;
      // A new version without a new event: the stream was reconnected, and changes may have been missed.
      if (event === null || event === last || concern(event)) version++;
      last = event;
    });
  });
  return {
    get version() {
      return version;
    },
  };
}
