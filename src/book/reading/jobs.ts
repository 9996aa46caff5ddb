import { isBuiltIn } from "../../agents/registry.ts";
import type { SourceRef } from "../../agents/contract.ts";
import type { FileDraft } from "../../turns/model.ts";
import { USAGE_WORKER } from "../../places.ts";
import { BATCH_BYTES, runJobs, type Job, type Progress } from "./pool.ts";
import { readFile, sourceOf, type ReadOptions } from "./read-file.ts";
import { usageResult, type UsageResult } from "./usage-job.ts";

/** What can be read from one file: the whole draft, or only its counted responses. */
export type ReadJob = Job & { ref: SourceRef } & ({ want: "draft"; options: ReadOptions } | { want: "usage" });

export interface JobResult extends UsageResult {
  draft?: FileDraft;
}

/** Runs a job in the calling thread. Failures are values: one unreadable file does not stop the others. */
export function runReadJob(job: ReadJob): JobResult {
  try {
    if (job.want === "draft") return { draft: readFile(job.ref, job.options) };
    return usageResult(job.ref, sourceOf(job.ref));
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

/** Runs all jobs and returns the results in the order of the jobs. */
export async function runReadJobs(jobs: readonly ReadJob[], progress?: Progress): Promise<JobResult[]> {
  const answers: JobResult[] = Array.from({ length: jobs.length });
  await streamReadJobs(jobs, (given, index) => void (answers[index] = given), progress);
  return answers;
}

const USAGE_BATCH = 8 * BATCH_BYTES;

/** Like `runReadJobs`, but passes each result to `each` as it arrives, in any order. */
export async function streamReadJobs(
  jobs: readonly ReadJob[],
  each: (given: JobResult, index: number) => void,
  progress?: Progress,
): Promise<void> {
  const usage = jobs.every((job) => job.want === "usage");
  await runJobs(jobs, {
    runHere: runReadJob,
    isLocalOnly: isCustomSource,
    lostResult: (error) => ({ error }),
    onResult: each,
    progress,
    // Usage results are small, so batches can be larger.
    ...(usage ? { program: USAGE_WORKER, batch: USAGE_BATCH, kindOf: ({ ref }) => ref.source } : {}),
  });
}

/** Sources registered by the user of the library are unknown to other threads. */
export function isCustomSource({ ref }: { ref: SourceRef }): boolean {
  return !isBuiltIn(ref.source);
}
