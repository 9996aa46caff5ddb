import { parentPort } from "node:worker_threads";
import { ingestJob, type IngestJob } from "./store/sync/ingest.ts";
import { answer, type ReadJob } from "./reading/jobs.ts";
import type { Delivery, Order } from "./reading/pool.ts";

export { obeyParent } from "./store/sync/sync-order.ts";

export function handle(job: ReadJob | IngestJob): unknown {
  return job.want === "ingest" ? ingestJob(job) : answer(job);
}

/** The thread's program: does the jobs it is handed, one at a time. */
parentPort?.on("message", (order: Order<ReadJob | IngestJob>) => {
  const delivery: Delivery<unknown> = order.map(({ index, job }) => ({ index, result: handle(job) }));
  parentPort?.postMessage(delivery);
});
