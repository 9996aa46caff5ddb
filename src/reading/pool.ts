import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { WORKER } from "../places.ts";

/** Below this many bytes starting threads costs more than it saves. */
const WORTH_THREADS = 16 * 1024 * 1024;
const MOST_THREADS = 4;
/** Orders a thread holds ahead of need, so that it never waits for the main thread to hand it the next. */
const AHEAD = 3;
/** Small jobs are handed over together: a message costs as much as reading a small file. */
export const ORDER_BYTES: number = 1024 * 1024;
const ORDER_JOBS = 64;

export type Progress = (done: {
  files: number;
  of: number;
  bytes: number;
  ofBytes: number;
  /** While the book is made, and takes long: the days that can be asked about already. */
  readable?: { days: number; of: number; since: string | null } | null;
}) => void;

/** Something a thread can be asked. `want` tells the worker's program which hand to give it to. */
export interface Job {
  want: string;
  /** Bytes it has to read: decides order and progress. */
  bytes: number;
}

export interface PoolOptions<J, R> {
  /** Does the job in this thread: the same function the worker's program calls. */
  here: (job: J) => R;
  /** No other thread can do it. */
  onlyHere?: (job: J) => boolean;
  /** The result of a job that no thread survives, such as a file too large for its memory. */
  lost: (error: string) => R;
  /** Called for each result as it comes, in any order. */
  each: (result: R, index: number) => void;
  progress?: Progress | undefined;
  /** Bytes handed over together: more where little is made of them. */
  batch?: number;
  /** Done as they stand; without it the largest first. */
  inOrder?: boolean;
  /** Ends what is under way and begins no other. */
  signal?: AbortSignal | undefined;
}

/** Does many jobs, on several cores when there is enough to do. */
export async function runJobs<J extends Job, R>(jobs: readonly J[], options: PoolOptions<J, R>): Promise<void> {
  const ofBytes = jobs.reduce((sum, job) => sum + job.bytes, 0);
  const threads = Math.min(MOST_THREADS, availableParallelism(), jobs.length);
  let files = 0;
  let bytes = 0;
  const done = (result: R, index: number): void => {
    files++;
    bytes += jobs[index]?.bytes ?? 0;
    options.each(result, index);
    options.progress?.({ files, of: jobs.length, bytes, ofBytes });
  };
  const all = jobs.map((job, index) => ({ job, index }));
  const isHere = (job: J): boolean => options.onlyHere?.(job) === true;
  const away = WORKER === null || threads < 2 || ofBytes < WORTH_THREADS ? [] : all.filter(({ job }) => !isHere(job));
  for (const { job, index } of away.length === 0 ? all : all.filter(({ job }) => isHere(job)))
    if (options.signal?.aborted !== true) done(options.here(job), index);
  if (WORKER === null || away.length === 0 || options.signal?.aborted === true) return;
  const { lost, batch = ORDER_BYTES, signal } = options;
  // The largest first, so that no core is left alone with a big file at the end.
  const order = options.inOrder === true ? away : away.toSorted((a, b) => b.job.bytes - a.job.bytes);
  await inThreads(order, { program: WORKER, threads, batch, lost, signal }, (result, index) =>
    done(result as R, index),
  );
}

/** Jobs with their places in the list. */
export type Order<J> = { index: number; job: J }[];

export type Delivery<R> = { index: number; result: R }[];

interface Threads {
  program: URL;
  threads: number;
  batch: number;
  lost: (error: string) => unknown;
  signal?: AbortSignal | undefined;
}

/** A thread that dies is replaced. What it was at is tried once more job by job, so that only the one it dies of is lost. */
export function inThreads(
  order: Readonly<Order<Job>>,
  { program, threads, batch, lost, signal }: Threads,
  done: (result: unknown, index: number) => void,
): Promise<void> {
  const again: Order<Job>[] = [];
  let given = 0;
  let finished = 0;
  const isDone = (): boolean => finished === (signal?.aborted === true ? given : order.length);
  const next = (): Order<Job> => {
    const alone = again.pop();
    if (alone) return alone;
    if (signal?.aborted === true) return [];
    const some: Order<Job> = [];
    for (let bytes = 0; bytes < batch && some.length < ORDER_JOBS; given++) {
      const one = order[given];
      if (!one) break;
      some.push(one);
      bytes += one.job.bytes;
    }
    return some;
  };
  return new Promise((resolve, reject) => {
    /** What each thread has been handed and not delivered, in order. */
    const held = new Map<Worker, Order<Job>[]>();
    let stopped = false;
    const stop = (): void => {
      stopped = true;
      for (const worker of held.keys()) void worker.terminate();
    };
    const feed = (worker: Worker): void => {
      const orders = held.get(worker) ?? [];
      while (orders.length < AHEAD) {
        const some = next();
        if (some.length === 0) return;
        orders.push(some);
        worker.postMessage(some);
      }
    };
    const take = (delivery: Delivery<unknown>): void => {
      finished += delivery.length;
      try {
        for (const { index, result } of delivery) done(result, index);
      } catch (error) {
        stop();
        reject(error instanceof Error ? error : new Error(String(error)));
        return;
      }
      if (!isDone()) return;
      stop();
      resolve();
    };
    const start = (): void => {
      const worker = new Worker(program, { resourceLimits: { maxYoungGenerationSizeMb: 16 } });
      held.set(worker, []);
      worker.on("message", (delivery: Delivery<unknown>) => {
        if (stopped) return;
        held.get(worker)?.shift();
        take(delivery);
        feed(worker);
      });
      let died: Error | null = null;
      worker.on("error", (error) => void (died = error));
      // Not when the error is heard of: what it delivered before it died may come after that, but never after its end.
      worker.on("exit", (code) => {
        // Orders are done one after the other: it died of the first.
        const [at = [], ...rest] = held.get(worker) ?? [];
        held.delete(worker);
        if (stopped) return;
        const error = died ?? new Error(`the thread ended with ${code}`);
        again.push(...rest, ...(at.length > 1 ? at.map((one) => [one]) : []));
        const [only] = at;
        if (!only) {
          // It died of no job: so would the next.
          stop();
          reject(error);
          return;
        }
        if (at.length === 1) take([{ index: only.index, result: lost(error.message) }]);
        if (!isDone()) start();
      });
      feed(worker);
    };
    for (let i = 0; i < threads; i++) start();
  });
}
