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
