import type { UsageBody } from "../format/record.ts";
import { isBuiltIn } from "../sources/registry.ts";
import type { SourceRef } from "../sources/contract.ts";
import type { FileDraft, Statement } from "../turns/model.ts";
import { Spending } from "../turns/spending.ts";
import { packed, type PackedUsage } from "./packed-usage.ts";
import { ORDER_BYTES, runJobs, type Job, type Progress } from "./pool.ts";
import { readFile, sourceOf, type ReadOptions } from "./read-file.ts";

/** What can be asked about one file: the whole draft, or its counted responses. */
export type ReadJob = Job & { ref: SourceRef } & ({ want: "draft"; options: ReadOptions } | { want: "usage" });

export interface JobResult {
  draft?: FileDraft;
  /** Absent when the file needs the whole story. */
  usage?: QuickAnswer;
  error?: string;
}

/** What is told of a file without its whole story. */
export interface QuickAnswer {
  session_id: string;
  packed: PackedUsage;
  /** Totals that hold more than responses. */
  statements: Statement[];
}

/** Answers in whichever thread it is called. Failures are values: one unreadable file stops nothing. */
export function answer(job: ReadJob): JobResult {
  try {
    if (job.want === "draft") return { draft: readFile(job.ref, job.options) };
    const source = sourceOf(job.ref);
    const spending = new Spending();
    let timed = true;
    // Stands for the line of what is told: what comes after a total has a larger one.
    let line = 1;
    const count = (usage: UsageBody, time: number | null): void => {
      // When it was spent only the records before it can tell.
      if (time === null) timed = false;
      spending.take(usage, line, time, null);
    };
    const id = source.quickUsage?.(job.ref, {}, count, (body, time) => {
      if (body.type === "compacted") spending.worked(time);
      else spending.takeTotal(body, line++);
    });
    if (typeof id !== "string" || !timed) return {};
    const { responses, statements } = spending;
    return { usage: { session_id: id, packed: packed(responses.all()), statements } };
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
  // Of usage alone little is left to hand back.
  const batch = jobs.every((job) => job.want === "usage") ? USAGE_BATCH : ORDER_BYTES;
  await runJobs(jobs, { here: answer, onlyHere: isOwn, lost: (error) => ({ error }), each, progress, batch });
}

/** A source the user of the library registered is not known to other threads. */
export function isOwn({ ref }: { ref: SourceRef }): boolean {
  return !isBuiltIn(ref.source);
}
