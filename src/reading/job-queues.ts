import type { Job, Order } from "./pool.ts";

/** Small jobs are handed over together: a message costs as much as reading a small file. */
const ORDER_JOBS = 64;

/** Jobs that wait, of each kind in a queue of its own. A thread has one that it takes from while there is something in it. */
export class JobQueues<J extends Job> {
  readonly #queues: { jobs: Order<J>; given: number }[];

  constructor(order: Readonly<Order<J>>, kindOf: (job: J) => string = () => "") {
    const kinds = new Map<string, Order<J>>();
    for (const one of order) {
      const kind = kindOf(one.job);
      const known = kinds.get(kind);
      if (known) known.push(one);
      else kinds.set(kind, [one]);
    }
    this.#queues = [...kinds.values()].map((jobs) => ({ jobs, given: 0 }));
  }

  /** How many were handed over. */
  get given(): number {
    return this.#queues.reduce((sum, queue) => sum + queue.given, 0);
  }

  /** The next of one kind, of about so many bytes; none when all are handed over. */
  next(thread: number, batch: number): Order<J> {
    const count = this.#queues.length;
    for (let i = 0; i < count; i++) {
      const queue = this.#queues[(thread + i) % count];
      if (queue === undefined || queue.given === queue.jobs.length) continue;
      const from = queue.given;
      for (let bytes = 0; bytes < batch && queue.given - from < ORDER_JOBS; queue.given++) {
        const one = queue.jobs[queue.given];
        if (!one) break;
        bytes += one.job.bytes;
      }
      return queue.jobs.slice(from, queue.given);
    }
    return [];
  }
}
