import { parentPort } from "node:worker_threads";
import { ingestJob, type IngestJob } from "./index/ingest.ts";
import { answer, type ReadJob } from "./reading/jobs.ts";
import type { Delivery, Order } from "./reading/pool.ts";

/** The thread's program: does the jobs it is handed, one at a time. */
parentPort?.on("message", ({ index, job }: Order<ReadJob | IngestJob>) => {
  const result = job.want === "ingest" ? ingestJob(job) : answer(job);
  parentPort?.postMessage({ index, result } satisfies Delivery<unknown>);
});
