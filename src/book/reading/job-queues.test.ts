import { expect, it } from "vitest";
import { JobQueues } from "./job-queues.ts";

const jobsOf = (kinds: string) => [...kinds].map((want, index) => ({ index, job: { want, bytes: 1 } }));
const indexes = (jobs: readonly { index: number }[]): number[] => jobs.map(({ index }) => index);

it("each thread gets jobs of one kind in order while there are any, and each job is handed out once", () => {
  const queues = new JobQueues(jobsOf("abaabb"), ({ want }) => want);
  expect(indexes(queues.next(0, 2))).toEqual([0, 2]);
  expect(indexes(queues.next(1, 1))).toEqual([1]);
  expect(queues.given).toBe(3);
  expect(indexes(queues.next(0, 2))).toEqual([3]);
  expect(indexes(queues.next(2, 2))).toEqual([4, 5]);
  expect(indexes(queues.next(1, 2))).toEqual([]);
  expect(queues.given).toBe(6);
});

it("jobs without kinds are handed out in order", () => {
  const queues = new JobQueues(jobsOf("abab"));
  expect(indexes(queues.next(1, 3))).toEqual([0, 1, 2]);
  expect(indexes(queues.next(0, 3))).toEqual([3]);
});
