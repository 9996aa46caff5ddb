import { listen, type Schemas } from "./client.ts";

/** What is new, for everything that is shown: whoever reads `version` asks again when it changes. */
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
      // What happened while nobody listened is unknown: everything is asked again. At first nothing was shown before.
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
