import { ApiProblem } from "../api/client.ts";
import { changesThat, type IsAbout } from "../api/live.svelte.ts";

/** Reactive state of a request. The last value stays until the next one arrives, so that the page does not jump. */
export interface QuestionState<T> {
  readonly value: T | null;
  readonly problem: ApiProblem | null;
  /** The request takes long enough to be noticed. */
  readonly slow: boolean;
}

/** Requests that take longer count as slow, in ms. */
const SLOW = 200;

/** Any error as an `ApiProblem`; what is not one already means that the server could not be reached. */
export function toApiProblem(error: unknown): ApiProblem {
  return error instanceof ApiProblem
    ? error
    : new ApiProblem(0, "the server is not responding", "is `daybook serve` still running?");
}

/**
 * Runs `find` again whenever reactive state it reads changes, and on change events: on all of them, on none (`false`), or
 * on those it says are about its answer. If `find` returns null nothing is asked and the value is null.
 */
export function question<T>(
  find: (signal: AbortSignal) => Promise<T> | null,
  options: { live?: false | IsAbout } = {},
): QuestionState<T> {
  const state: { value: T | null; problem: ApiProblem | null; slow: boolean } = $state({
    value: null,
    problem: null,
    slow: false,
  });
  const changes = options.live === false ? null : changesThat(options.live ?? (() => true));
  $effect(() => {
    void changes?.version;
    const stop = new AbortController();
    const asked = find(stop.signal);
    if (asked === null) {
      state.value = null;
      return undefined;
    }
    const timer = setTimeout(() => (state.slow = true), SLOW);
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
        state.problem = toApiProblem(error);
      },
    );
    return () => {
      stop.abort();
      done();
    };
  });
  return state;
}
