import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import type { SourceRef } from "../sources/source.ts";
import { WORKER } from "../places.ts";
import { answer, type Answer, type Job, type JobDone, type Question } from "./jobs.ts";

/** Below this many bytes starting threads costs more than it saves. */
const WORTH_THREADS = 16 * 1024 * 1024;
const MOST_THREADS = 4;
const AHEAD = 3;

export type Progress = (done: { files: number; of: number; bytes: number; ofBytes: number }) => void;

/** Asks the same of many files, on several cores when there is enough to read. Answers stand in the order of the refs. */
export async function askMany(refs: readonly SourceRef[], question: Question, progress?: Progress): Promise<Answer[]> {
  const ofBytes = refs.reduce((sum, ref) => sum + ref.size, 0);
  const threads = Math.min(MOST_THREADS, availableParallelism(), refs.length);
  if (WORKER === null || threads < 2 || ofBytes < WORTH_THREADS) return askHere(refs, question, ofBytes, progress);
  return askThreads(refs, question, WORKER, threads, ofBytes, progress);
}

function askHere(refs: readonly SourceRef[], question: Question, ofBytes: number, progress?: Progress): Answer[] {
  let bytes = 0;
  return refs.map((ref, index) => {
    const given = answer(ref, question);
    bytes += ref.size;
    progress?.({ files: index + 1, of: refs.length, bytes, ofBytes });
    return given;
  });
}

function askThreads(
  refs: readonly SourceRef[],
  question: Question,
  program: URL,
  threads: number,
  ofBytes: number,
  progress?: Progress,
): Promise<Answer[]> {
  // The largest first, so that no core is left alone with a big file at the end.
  const order = refs.map((_, index) => index).toSorted((a, b) => (refs[b]?.size ?? 0) - (refs[a]?.size ?? 0));
  const results: Answer[] = Array.from({ length: refs.length });
  let given = 0;
  let finished = 0;
  let bytes = 0;
  const feed = (worker: Worker): void => {
    const index = order[given++];
    const ref = index === undefined ? undefined : refs[index];
    if (index === undefined || !ref) return;
    worker.postMessage({ index, ref, question } satisfies Job);
  };
  return new Promise((resolve, reject) => {
    const workers: Worker[] = [];
    const stop = (): void => {
      for (const worker of workers) void worker.terminate();
    };
    for (let i = 0; i < threads; i++) {
      const worker = new Worker(program, {
        resourceLimits: { maxYoungGenerationSizeMb: 32 },
      });
      workers.push(worker);
      worker.on("message", (done: JobDone) => {
        results[done.index] = done;
        finished++;
        bytes += refs[done.index]?.size ?? 0;
        progress?.({ files: finished, of: refs.length, bytes, ofBytes });
        if (finished < refs.length) return feed(worker);
        stop();
        resolve(results);
      });
      worker.on("error", (error) => {
        stop();
        reject(error);
      });
      // One ahead of need: a worker never waits for the main thread to hand it the next file.
      for (let ahead = 0; ahead < AHEAD; ahead++) feed(worker);
    }
  });
}
