import type { ApiProblem } from "../api/client.ts";
import { live } from "../api/live.svelte.ts";
import { said } from "./question.svelte.ts";

interface Piece<T> {
  rows: T[];
  total: number;
  next: string | null;
}

/** A long list that is asked for piece by piece as it is read. */
export interface Pieces<T> {
  readonly rows: readonly T[];
  readonly total: number | null;
  readonly problem: ApiProblem | null;
  readonly slow: boolean;
  readonly hasMore: boolean;
  /** Asks for the next piece, unless it is under way. */
  more: () => void;
}

/**
 * `find` is asked from the start whenever what it reads changes, and when something changed: then as many rows as were there before, so that
 * the reader's place stays.
 */
export function pieces<T>(
  find: (cursor: string | undefined, limit: number, signal: AbortSignal) => Promise<Piece<T>>,
  size = 100,
  most = 500,
): Pieces<T> {
  let rows: readonly T[] = $state.raw([]);
  let total: number | null = $state(null);
  let problem: ApiProblem | null = $state(null);
  let slow = $state(false);
  let next: string | null = $state(null);
  let seen = -1;
  let stop = new AbortController();
  let isAsking = false;

  $effect(() => {
    // Changes keep the reader's place; another question begins anew.
    const isNew = live.version !== seen && seen !== -1;
    seen = live.version;
    const wanted = isNew ? Math.max(size, Math.min(most, rows.length)) : size;
    const own = new AbortController();
    stop = own;
    isAsking = true;
    const timer = setTimeout(() => (slow = true), 200);
    find(undefined, wanted, own.signal).then(
      (piece) => {
        if (own.signal.aborted) return;
        ({ rows, total, next } = piece);
        problem = null;
        isAsking = slow = false;
        clearTimeout(timer);
      },
      (error: unknown) => {
        if (own.signal.aborted) return;
        problem = said(error);
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
      find(next, most, signal).then(
        (piece) => {
          if (signal.aborted) return;
          rows = [...rows, ...piece.rows];
          ({ total, next } = piece);
          isAsking = false;
        },
        (error: unknown) => {
          if (signal.aborted) return;
          problem = said(error);
          isAsking = false;
        },
      );
    },
  };
}
