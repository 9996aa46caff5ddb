import type { Job, JobBatch } from "./pool.ts";
import { groupBy } from "../../base/maps.ts";

/** Small jobs are sent in batches: one message costs as much as reading a small file. */
const BATCH_JOBS = 64;

/** Waiting jobs, one queue per kind. Each thread prefers one queue and turns to the others when that is empty. */
export class JobQueues<J extends Job> {
  readonly #queues: { jobs: JobBatch<J>; given: number }[];

  constructor(order: Readonly<JobBatch<J>>, kindOf: (job: J) => string = () => "") {
    const kinds = groupBy(order, ({ job }) => kindOf(job));
    this.#queues = [...kinds.values()].map((jobs) => ({ jobs, given: 0 }));
  }

  /** How many jobs were handed out. */
  get given(): number {
    return this.#queues.reduce((sum, queue) => sum + queue.given, 0);
  }

  /** The next jobs of one kind, about `batch` bytes in total; empty when all jobs are handed out. */
  next(thread: number, batch: number): JobBatch<J> {
    const count = this.#queues.length;
    for (let i = 0; i < count; i++) {
      const queue = this.#queues[(thread + i) % count];
      if (queue === undefined || queue.given === queue.jobs.length) continue;
      const from = queue.given;
      for (let bytes = 0; bytes < batch && queue.given - from < BATCH_JOBS; queue.given++) {
        const one = queue.jobs[queue.given];
        if (!one) break;
        bytes += one.job.bytes;
      }
      return queue.jobs.slice(from, queue.given);
    }
    return [];
  }
}
