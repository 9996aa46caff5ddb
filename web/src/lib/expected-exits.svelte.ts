import { ask, type Schemas } from "../api/client.ts";
import { isAbout } from "../api/live.svelte.ts";
import { question } from "./question.svelte.ts";
import { keyOfSession } from "./session-key.ts";

/** Calls of a session whose non-zero exit code is an ordinary answer, such as a search without a hit: no failures. */
export interface ExpectedExits {
  isExpected(callId: string): boolean;
  /** How many calls failed, without those: of a turn, or of the whole session. */
  failedIn(counted: Pick<Schemas["Turn"], "tools"> & { turn_ref?: string }): number;
}

/** `whose` returns null while nothing is known to have failed: then nothing is asked. */
export function expectedExits(whose: () => { source: string; session: string } | null): ExpectedExits {
  const failures = question(
    (signal) => {
      const asked = whose();
      if (asked === null) return null;
      return ask("/tools", {
        query: { session: keyOfSession(asked.source, asked.session), status: "failed", limit: 500 },
        signal,
      });
    },
    { live: (event) => isAbout(event, whose()?.source ?? "", whose()?.session ?? "") },
  );
  const calls = $derived((failures.value?.tools ?? []).filter(({ expected_exit }) => expected_exit === true));
  const ids = $derived(new Set(calls.map(({ call_id }) => call_id)));
  return {
    isExpected: (callId) => ids.has(callId),
    failedIn: ({ tools, turn_ref }) =>
      tools.failed - calls.filter((call) => turn_ref === undefined || call.turn_ref === turn_ref).length,
  };
}
