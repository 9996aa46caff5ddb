import { TeamServer } from "../server.ts";
import type { PushOutcome } from "./apply.ts";
import type { Destination, StoreState } from "./destination.ts";
import type { RetryOptions } from "./retry.ts";
import { PUSH_PATHS, sessionLines } from "./wire.ts";

/** A team's server, which identifies the owner by the token. */
export function httpsDestination(url: string, token: string, how: RetryOptions): Destination {
  const unanswered = "nothing is lost: the next push sends what this one could not";
  const server = new TeamServer({ url, token, how, scope: "push", unanswered });
  const ask = <T>(path: string, init: () => RequestInit): Promise<T> =>
    server.ask(path, init, async (response) => (await response.json()) as T);
  return {
    name: server.name,
    state: ({ machine_id }) => ask<StoreState>(`${PUSH_PATHS.state}?machine=${machine_id}`, () => ({})),
    async put(machine, session) {
      const init = (): RequestInit => ({
        method: "POST",
        headers: { "content-type": "application/x-ndjson" },
        body: ReadableStream.from(encoded(sessionLines(machine, session))),
        duplex: "half",
      });
      return (await ask<{ applied: PushOutcome }>(PUSH_PATHS.session, init)).applied;
    },
    async forget(machine, sessions) {
      const body = JSON.stringify({ machine, sessions });
      const init = { method: "POST", headers: { "content-type": "application/json" }, body };
      return (await ask<{ forgotten: number }>(PUSH_PATHS.forget, () => init)).forgotten;
    },
    close: async () => undefined,
  };
}

/** Encoded as the server consumes them. */
function* encoded(lines: Iterable<string>): Generator<Uint8Array, void, undefined> {
  for (const line of lines) yield Buffer.from(line);
}
