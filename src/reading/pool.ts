import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { WORKER } from "../places.ts";
import { JobQueues } from "./job-queues.ts";

/** Below this many bytes starting threads costs more than it saves. */
const WORTH_THREADS = 16 * 1024 * 1024;
const MOST_THREADS = 4;
/** Orders a thread holds ahead of need, so that it never waits for the main thread to hand it the next. */
const AHEAD = 3;
/** Bytes of the jobs that are handed over together. */
export const ORDER_BYTES: number = 1024 * 1024;

export type Progress = (done: {
  files: number;
  of: number;
  bytes: number;
  ofBytes: number;
  /** While the book is made, and takes long: the days that can be asked about already. */
  readable?: { days: number; of: number; since: string | null } | null;
  /** What is counted where it is no files: then `bytes` are as many. */
  things?: string;
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
  /** The thread's program, where it is another than that which can do all jobs. */
  program?: URL | null;
  /** Each thread keeps to the jobs of one kind while there are some: it makes quick code for what it does often. */
  kindOf?: (job: J) => string;
  /** Done as they stand; without it the largest first. */
  inOrder?: boolean;
  /** Ends what is under way and begins no other. */
  signal?: AbortSignal | undefined;
}

/** Does many jobs, on several cores when there is enough to do. */
export async function runJobs<J extends Job, R>(jobs: readonly J[], options: PoolOptions<J, R>): Promise<void> {
  const ofBytes = jobs.reduce((sum, job) => sum + job.bytes, 0);
  const { program = WORKER } = options;
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
  const away = program === null || threads < 2 || ofBytes < WORTH_THREADS ? [] : all.filter(({ job }) => !isHere(job));
  for (const { job, index } of away.length === 0 ? all : all.filter(({ job }) => isHere(job)))
    if (options.signal?.aborted !== true) done(options.here(job), index);
  if (program === null || away.length === 0 || options.signal?.aborted === true) return;
  const { lost, batch = ORDER_BYTES, signal, kindOf } = options;
  // The largest first, so that no core is left alone with a big file at the end.
  const order = options.inOrder === true ? away : away.toSorted((a, b) => b.job.bytes - a.job.bytes);
  await inThreads(order, { program, threads, batch, lost, signal, kindOf }, (result, index) =>
    done(result as R, index),
  );
}

/** Jobs with their places in the list. */
export type Order<J> = { index: number; job: J }[];

export type Delivery<R> = { index: number; result: R }[];

interface Threads<J extends Job> {
  program: URL;
  threads: number;
  batch: number;
  lost: (error: string) => unknown;
  signal?: AbortSignal | undefined;
  kindOf?: ((job: J) => string) | undefined;
}

/** A thread that dies is replaced. What it was at is tried once more job by job, so that only the one it dies of is lost. */
export function inThreads<J extends Job>(
  order: Readonly<Order<J>>,
  { program, threads, batch, lost, signal, kindOf }: Threads<J>,
  done: (result: unknown, index: number) => void,
): Promise<void> {
  const again: Order<J>[] = [];
  const queues = new JobQueues(order, kindOf);
  let finished = 0;
  const isDone = (): boolean => finished === (signal?.aborted === true ? queues.given : order.length);
  const next = (thread: number): Order<J> => {
    const alone = again.pop();
    if (alone) return alone;
    return signal?.aborted === true ? [] : queues.next(thread, batch);
  };
  return new Promise((resolve, reject) => {
    /** What each thread has been handed and not delivered, in order. */
    const held = new Map<Worker, Order<J>[]>();
    let stopped = false;
    const stop = (): void => {
      stopped = true;
      for (const worker of held.keys()) void worker.terminate();
    };
    const feed = (worker: Worker, thread: number): void => {
      const orders = held.get(worker) ?? [];
      while (orders.length < AHEAD) {
        const some = next(thread);
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
    const start = (thread: number): void => {
      const worker = new Worker(program, { resourceLimits: { maxYoungGenerationSizeMb: 16 } });
      held.set(worker, []);
      worker.on("message", (delivery: Delivery<unknown>) => {
        if (stopped) return;
        held.get(worker)?.shift();
        take(delivery);
        feed(worker, thread);
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
        if (!isDone()) start(thread);
      });
      feed(worker, thread);
    };
    for (let thread = 0; thread < threads; thread++) start(thread);
  });
}
