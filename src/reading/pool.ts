import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import type { SourceRef } from "../sources/source.ts";
import { readFile, type ReadOptions } from "./read-file.ts";
import type { Job, JobDone } from "./worker.ts";

/** Below this many bytes starting threads costs more than it saves. */
const WORTH_THREADS = 16 * 1024 * 1024;
const MOST_THREADS = 4;
const AHEAD = 3;

export type Progress = (done: { files: number; of: number; bytes: number; ofBytes: number }) => void;

/** Reads many files, on several cores when there is enough to read. Results stand in the order of the refs. */
export async function readMany(
  refs: readonly SourceRef[],
  options: ReadOptions,
  progress?: Progress,
): Promise<JobDone[]> {
  const ofBytes = refs.reduce((sum, ref) => sum + ref.size, 0);
  const threads = Math.min(MOST_THREADS, availableParallelism(), refs.length);
  // Running from TypeScript sources (tests) there is no compiled worker to start.
  const compiled = import.meta.url.endsWith(".js");
  if (!compiled || threads < 2 || ofBytes < WORTH_THREADS) return readHere(refs, options, ofBytes, progress);
  return readInThreads(refs, options, threads, ofBytes, progress);
}

function readHere(refs: readonly SourceRef[], options: ReadOptions, ofBytes: number, progress?: Progress): JobDone[] {
  let bytes = 0;
  return refs.map((ref, index) => {
    const done: JobDone = { index, draft: null, error: null };
    try {
      done.draft = readFile(ref, options);
    } catch (error) {
      done.error = error instanceof Error ? error.message : String(error);
    }
    bytes += ref.size;
    progress?.({ files: index + 1, of: refs.length, bytes, ofBytes });
    return done;
  });
}

function readInThreads(
  refs: readonly SourceRef[],
  options: ReadOptions,
  threads: number,
  ofBytes: number,
  progress?: Progress,
): Promise<JobDone[]> {
  // The largest first, so that no core is left alone with a big file at the end.
  const order = refs.map((_, index) => index).toSorted((a, b) => (refs[b]?.size ?? 0) - (refs[a]?.size ?? 0));
  const results: JobDone[] = Array.from({ length: refs.length });
  let given = 0;
  let finished = 0;
  let bytes = 0;
  const feed = (worker: Worker): void => {
    const index = order[given++];
    const ref = index === undefined ? undefined : refs[index];
    if (index === undefined || !ref) return;
    worker.postMessage({ index, ref, options } satisfies Job);
  };
  return new Promise((resolve, reject) => {
    const workers: Worker[] = [];
    const stop = (): void => {
      for (const worker of workers) void worker.terminate();
    };
    for (let i = 0; i < threads; i++) {
      const worker = new Worker(new URL("./worker.js", import.meta.url), {
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
