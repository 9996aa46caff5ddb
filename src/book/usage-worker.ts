import { parentPort, type TransferListItem } from "node:worker_threads";
import { usageResult, type UsageResult } from "./reading/usage-job.ts";
import type { ResultBatch, JobBatch } from "./reading/pool.ts";
import type { SourceRef } from "../agents/contract.ts";
import { QUICK_SOURCES } from "../agents/quick.ts";

export function handle({ ref }: { ref: SourceRef }): UsageResult {
  return usageResult(ref, QUICK_SOURCES.get(ref.source));
}

/**
 * Entry point of a worker thread that reads usage only. It loads ten times faster, for sums that take no more than a
 * second.
 */
parentPort?.on("message", (order: JobBatch<{ want: string; bytes: number; ref: SourceRef }>) => {
  const delivery: ResultBatch<UsageResult> = order.map(({ index, job }) => ({ index, result: handle(job) }));
  parentPort?.postMessage(
    delivery,
    delivery.flatMap(({ result }): TransferListItem[] => (result.usage ? [result.usage.packed.rows.buffer] : [])),
  );
});
