import { parentPort } from "node:worker_threads";
import { ingestJob, type IngestJob } from "./store/sync/ingest.ts";
import { syncHere, type SyncOrder } from "./store/sync/thread.ts";
import { answer, type ReadJob } from "./reading/jobs.ts";
import type { Delivery, Order } from "./reading/pool.ts";

export function handle(job: ReadJob | IngestJob): unknown {
  return job.want === "ingest" ? ingestJob(job) : answer(job);
}

const stopping = new AbortController();

/** The thread's program: does the jobs it is handed, one at a time, or one sync until it is told to stop. */
parentPort?.on("message", (message: Order<ReadJob | IngestJob> | SyncOrder | "stop") => {
  if (message === "stop") stopping.abort();
  else if (!Array.isArray(message)) void syncHere(message, stopping.signal, (said) => parentPort?.postMessage(said));
  else {
    const delivery: Delivery<unknown> = message.map(({ index, job }) => ({ index, result: handle(job) }));
    parentPort?.postMessage(delivery);
  }
});
