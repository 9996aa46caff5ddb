import { parentPort } from "node:worker_threads";
import type { SourceRef } from "../sources/source.ts";
import type { FileDraft } from "../turns/model.ts";
import { readFile, type ReadOptions } from "./read-file.ts";

export interface Job {
  index: number;
  ref: SourceRef;
  options: ReadOptions;
}

export interface JobDone {
  index: number;
  draft: FileDraft | null;
  error: string | null;
}

/** Reads the files it is handed, one at a time. */
parentPort?.on("message", (job: Job) => {
  const done: JobDone = { index: job.index, draft: null, error: null };
  try {
    done.draft = readFile(job.ref, job.options);
  } catch (error) {
    done.error = error instanceof Error ? error.message : String(error);
  }
  parentPort?.postMessage(done);
});
