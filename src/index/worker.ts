import { parentPort } from "node:worker_threads";
import { ingestJob, type IngestJob } from "./sync/ingest.ts";
import { SegmentBuilder } from "./words/segment-builder.ts";
import { runReadJob, type ReadJob } from "../book/reading/jobs.ts";
import type { ResultBatch, JobBatch } from "../book/reading/pool.ts";

export { runSyncProcess } from "./sync/sync-order.ts";

export function handle(job: ReadJob | IngestJob, words: SegmentBuilder): unknown {
  return job.want === "ingest" ? ingestJob(job, words) : runReadJob(job);
}

/** Used again and again: its lists have grown to the size they need. */
const words: SegmentBuilder = new SegmentBuilder();

/** Entry point of a worker thread: runs the jobs it receives, one at a time; their words are sent together. */
parentPort?.on("message", (order: JobBatch<ReadJob | IngestJob>) => {
  const delivery: ResultBatch<unknown> = order.map(({ index, job }) => ({ index, result: handle(job, words) }));
  words.finish();
  parentPort?.postMessage(delivery);
});
