import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { WORKER } from "../../places.ts";
import { JobQueues } from "./job-queues.ts";

/** Below this many bytes starting threads costs more than it saves. */
const WORTH_THREADS = 16 * 1024 * 1024;
const MAX_THREADS = 4;
/** Batches queued at a thread ahead of need, so that it never waits for the main thread. */
const QUEUED_BATCHES = 3;
/** Total size of the jobs sent in one message. */
export const BATCH_BYTES: number = 1024 * 1024;

export type Progress = (done: {
  files: number;
  of: number;
  bytes: number;
  ofBytes: number;
  /** While building the book takes long: the days that can be asked about already. */
  readable?: { days: number; of: number; since: string | null } | null;
  /** What is counted, if not files: `bytes` then counts the same things. */
  things?: string;
}) => void;

/** A unit of work for a thread. `want` tells the worker which handler to call. */
export interface Job {
  want: string;
  /** Bytes it has to read: used for ordering and progress. */
  bytes: number;
}

export interface PoolOptions<J, R> {
  /** Runs the job in this thread: the same function that the worker calls. */
  runHere: (job: J) => R;
  /** Whether the job can only run in this thread. */
  isLocalOnly?: (job: J) => boolean;
  /** The result of a job that kills every thread it runs in, such as a file too large for its memory. */
  lostResult: (error: string) => R;
  /** Called with each result as it arrives, in any order. */
  onResult: (result: R, index: number) => void;
  progress?: Progress | undefined;
  /** Bytes sent in one message: more where the results are small. */
  batch?: number;
  /** Script of the threads, unless the general one is to be used. */
  program?: URL | null;
  /** Each thread prefers jobs of one kind: V8 optimises code that runs often. */
  kindOf?: (job: J) => string;
  /** Start the jobs in the given order; by default the largest come first. */
  inOrder?: boolean;
  /** Stops starting jobs; those under way are finished. */
  signal?: AbortSignal | undefined;
}

/** Runs many jobs, on several cores if there is enough to do. */
export async function runJobs<J extends Job, R>(jobs: readonly J[], options: PoolOptions<J, R>): Promise<void> {
  const ofBytes = jobs.reduce((sum, job) => sum + job.bytes, 0);
  const { program = WORKER } = options;
  const threads = Math.min(MAX_THREADS, availableParallelism(), jobs.length);
  let files = 0;
  let bytes = 0;
  const done = (result: R, index: number): void => {
    files++;
    bytes += jobs[index]?.bytes ?? 0;
    options.onResult(result, index);
    options.progress?.({ files, of: jobs.length, bytes, ofBytes });
  };
  const all = jobs.map((job, index) => ({ job, index }));
  const isHere = (job: J): boolean => options.isLocalOnly?.(job) === true;
  const away = program === null || threads < 2 || ofBytes < WORTH_THREADS ? [] : all.filter(({ job }) => !isHere(job));
  for (const { job, index } of away.length === 0 ? all : all.filter(({ job }) => isHere(job)))
    if (options.signal?.aborted !== true) done(options.runHere(job), index);
  if (program === null || away.length === 0 || options.signal?.aborted === true) return;
  const { lostResult: lost, batch = BATCH_BYTES, signal, kindOf } = options;
  // Largest first, so that no core is left alone with a big file at the end.
  const order = options.inOrder === true ? away : away.toSorted((a, b) => b.job.bytes - a.job.bytes);
  await runInThreads(order, { program, threads, batch, lost, signal, kindOf }, (result, index) =>
    done(result as R, index),
  );
}

/** Jobs with their indexes in the list. */
export type JobBatch<J> = { index: number; job: J }[];

export type ResultBatch<R> = { index: number; result: R }[];

interface ThreadOptions<J extends Job> {
  program: URL;
  threads: number;
  batch: number;
  lost: (error: string) => unknown;
  signal?: AbortSignal | undefined;
  kindOf?: ((job: J) => string) | undefined;
}

/**
 * Runs jobs in threads. A thread that dies is replaced. Its batch is retried job by job, so that only the job that
 * kills the thread is lost.
 */
export function runInThreads<J extends Job>(
  order: Readonly<JobBatch<J>>,
  { program, threads, batch, lost, signal, kindOf }: ThreadOptions<J>,
  done: (result: unknown, index: number) => void,
): Promise<void> {
  const again: JobBatch<J>[] = [];
  const queues = new JobQueues(order, kindOf);
  let finished = 0;
  const isDone = (): boolean => finished === (signal?.aborted === true ? queues.given : order.length);
  const next = (thread: number): JobBatch<J> => {
    const alone = again.pop();
    if (alone) return alone;
    return signal?.aborted === true ? [] : queues.next(thread, batch);
  };
  return new Promise((resolve, reject) => {
    /** Batches sent to each thread whose results have not arrived, in order. */
    const held = new Map<Worker, JobBatch<J>[]>();
    let stopped = false;
    const stop = (): void => {
      stopped = true;
      for (const worker of held.keys()) void worker.terminate();
    };
    const feed = (worker: Worker, thread: number): void => {
      const orders = held.get(worker) ?? [];
      while (orders.length < QUEUED_BATCHES) {
        const some = next(thread);
        if (some.length === 0) return;
        orders.push(some);
        worker.postMessage(some);
      }
    };
    const take = (delivery: ResultBatch<unknown>): void => {
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
      worker.on("message", (delivery: ResultBatch<unknown>) => {
        if (stopped) return;
        held.get(worker)?.shift();
        take(delivery);
        feed(worker, thread);
      });
      let died: Error | null = null;
      worker.on("error", (error) => void (died = error));
      // Wait for "exit", not "error": results sent before the thread died may arrive after "error", but never after
      // "exit".
      worker.on("exit", (code) => {
        // A thread works through its batches in order, so it died in the first one.
        const [at = [], ...rest] = held.get(worker) ?? [];
        held.delete(worker);
        if (stopped) return;
        const error = died ?? new Error(`the thread ended with ${code}`);
        again.push(...rest, ...(at.length > 1 ? at.map((one) => [one]) : []));
        const [only] = at;
        if (!only) {
          // It died without a job: a replacement would die as well.
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
