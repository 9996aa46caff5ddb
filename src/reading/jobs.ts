import { isBuiltIn } from "../sources/registry.ts";
import type { SourceRef } from "../sources/contract.ts";
import type { FileDraft } from "../turns/model.ts";
import { USAGE_WORKER } from "../places.ts";
import { ORDER_BYTES, runJobs, type Job, type Progress } from "./pool.ts";
import { readFile, sourceOf, type ReadOptions } from "./read-file.ts";
import { usageResult, type UsageResult } from "./usage-job.ts";

/** What can be asked about one file: the whole draft, or its counted responses. */
export type ReadJob = Job & { ref: SourceRef } & ({ want: "draft"; options: ReadOptions } | { want: "usage" });

export interface JobResult extends UsageResult {
  draft?: FileDraft;
}

/** Answers in whichever thread it is called. Failures are values: one unreadable file stops nothing. */
export function answer(job: ReadJob): JobResult {
  try {
    if (job.want === "draft") return { draft: readFile(job.ref, job.options) };
    return usageResult(job.ref, sourceOf(job.ref));
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

/** The answers of many files, in the order of the jobs. */
export async function askAll(jobs: readonly ReadJob[], progress?: Progress): Promise<JobResult[]> {
  const answers: JobResult[] = Array.from({ length: jobs.length });
  await askEach(jobs, (given, index) => void (answers[index] = given), progress);
  return answers;
}

const USAGE_BATCH = 8 * ORDER_BYTES;

/** The same, each as it comes, in any order. */
export async function askEach(
  jobs: readonly ReadJob[],
  each: (given: JobResult, index: number) => void,
  progress?: Progress,
): Promise<void> {
  const usage = jobs.every((job) => job.want === "usage");
  await runJobs(jobs, {
    ...{ here: answer, onlyHere: isOwn, lost: (error) => ({ error }), each, progress },
    // Of usage alone little is left to hand back.
    ...(usage ? { program: USAGE_WORKER, batch: USAGE_BATCH, kindOf: ({ ref }) => ref.source } : {}),
  });
}

/** A source the user of the library registered is not known to other threads. */
export function isOwn({ ref }: { ref: SourceRef }): boolean {
  return !isBuiltIn(ref.source);
}
