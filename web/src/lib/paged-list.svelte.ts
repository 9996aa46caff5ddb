import type { ApiProblem } from "../api/client.ts";
import { changesThat, type IsAbout } from "../api/live.svelte.ts";
import { toApiProblem } from "./question.svelte.ts";

/** Rows per request: the most that the API returns. */
const MOST = 500;

interface ListPage<T> {
  rows: T[];
  total: number;
  next: string | null;
}

/** A long list that is loaded page by page as the reader scrolls. */
export interface PagedList<T> {
  readonly rows: readonly T[];
  readonly total: number | null;
  readonly problem: ApiProblem | null;
  readonly slow: boolean;
  readonly hasMore: boolean;
  /** Loads the next page, unless a request is already running. */
  more: () => void;
}

/**
 * `find` runs again from the start whenever reactive state it reads changes, and on change events about it. After one
 * it loads as many rows as were there before, so that the reader's scroll position is kept.
 */
export function pagedList<T>(
  find: (cursor: string | undefined, limit: number, signal: AbortSignal) => Promise<ListPage<T>>,
  { size = 100, isAbout = () => true }: { size?: number; isAbout?: IsAbout } = {},
): PagedList<T> {
  let rows: readonly T[] = $state.raw([]);
  let total: number | null = $state(null);
  let problem: ApiProblem | null = $state(null);
  let slow = $state(false);
  let next: string | null = $state(null);
  let seen = -1;
  const changes = changesThat(isAbout);
  let stop = new AbortController();
  let isAsking = false;

  $effect(() => {
    // A change event keeps the reader's position; a different query starts with the first page.
    const isNew = changes.version !== seen && seen !== -1;
    seen = changes.version;
    const wanted = isNew ? Math.max(size, Math.min(MOST, rows.length)) : size;
    const own = new AbortController();
    stop = own;
    isAsking = true;
    const timer = setTimeout(() => (slow = true), 200);
    find(undefined, wanted, own.signal).then(
      (page) => {
        if (own.signal.aborted) return;
        ({ rows, total, next } = page);
        problem = null;
        isAsking = slow = false;
        clearTimeout(timer);
      },
      (error: unknown) => {
        if (own.signal.aborted) return;
        problem = toApiProblem(error);
        isAsking = slow = false;
        clearTimeout(timer);
      },
    );
    return () => {
      own.abort();
      clearTimeout(timer);
    };
  });

  return {
    get rows() {
      return rows;
    },
    get total() {
      return total;
    },
    get problem() {
      return problem;
    },
    get slow() {
      return slow;
    },
    get hasMore() {
      return next !== null;
    },
    more: () => {
      if (next === null || isAsking) return;
      isAsking = true;
      const { signal } = stop;
      find(next, MOST, signal).then(
        (page) => {
          if (signal.aborted) return;
          rows = [...rows, ...page.rows];
          ({ total, next } = page);
          isAsking = false;
        },
        (error: unknown) => {
          if (signal.aborted) return;
          problem = toApiProblem(error);
          isAsking = false;
        },
      );
    },
  };
}
