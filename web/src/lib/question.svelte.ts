import { ApiProblem } from "../api/client.ts";
import { live } from "../api/live.svelte.ts";

/** The answer to a question as it is shown: the last one stays until the next is there, so that nothing jumps. */
export interface Asked<T> {
  readonly value: T | null;
  readonly problem: ApiProblem | null;
  /** It takes longer than people notice. */
  readonly slow: boolean;
}

const NOTICED = 200;

/** Why nothing was answered, whatever went wrong. */
export function said(error: unknown): ApiProblem {
  return error instanceof ApiProblem
    ? error
    : new ApiProblem(0, "the server does not answer", "is `daybook serve` still running?");
}

/**
 * Asks whenever what the question reads changes, and when something changed. `live: false` where changes cannot change the answer.
 */
export function question<T>(
  find: (signal: AbortSignal) => Promise<T> | null,
  options: { live?: boolean } = {},
): Asked<T> {
  const state: { value: T | null; problem: ApiProblem | null; slow: boolean } = $state({
    value: null,
    problem: null,
    slow: false,
  });
  $effect(() => {
    if (options.live !== false) void live.version;
    const stop = new AbortController();
    const asked = find(stop.signal);
    if (asked === null) {
      state.value = null;
      return undefined;
    }
    const timer = setTimeout(() => (state.slow = true), NOTICED);
    const done = (): void => {
      clearTimeout(timer);
      state.slow = false;
    };
    asked.then(
      (value) => {
        if (stop.signal.aborted) return;
        done();
        state.value = value;
        state.problem = null;
      },
      (error: unknown) => {
        if (stop.signal.aborted) return;
        done();
        state.problem = said(error);
      },
    );
    return () => {
      stop.abort();
      done();
    };
  });
  return state;
}
