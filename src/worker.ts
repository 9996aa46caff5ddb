import { parentPort } from "node:worker_threads";
import { answer, type Job, type JobDone } from "./reading/jobs.ts";

/** Answers for the files it is handed, one at a time. */
parentPort?.on("message", ({ index, ref, question }: Job) => {
  parentPort?.postMessage({ index, ...answer(ref, question) } satisfies JobDone);
});
