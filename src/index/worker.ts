import { parentPort } from "node:worker_threads";
import { ingestJob, type IngestJob } from "./sync/ingest.ts";
import { runReadJob, type ReadJob } from "../book/reading/jobs.ts";
import type { ResultBatch, JobBatch } from "../book/reading/pool.ts";

export { runSyncProcess } from "./sync/sync-order.ts";

export function handle(job: ReadJob | IngestJob): unknown {
  return job.want === "ingest" ? ingestJob(job) : runReadJob(job);
}

/** Entry point of a worker thread: runs the jobs it receives, one at a time. */
parentPort?.on("message", (order: JobBatch<ReadJob | IngestJob>) => {
  const delivery: ResultBatch<unknown> = order.map(({ index, job }) => ({ index, result: handle(job) }));
  parentPort?.postMessage(delivery);
});
