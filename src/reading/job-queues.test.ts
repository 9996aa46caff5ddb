import { expect, it } from "vitest";
import { JobQueues } from "./job-queues.ts";

const order = (kinds: string) => [...kinds].map((want, index) => ({ index, job: { want, bytes: 1 } }));
const places = (jobs: readonly { index: number }[]): number[] => jobs.map(({ index }) => index);

it("each thread keeps to one kind of jobs while there are some, in their order, and all are handed over once", () => {
  const queues = new JobQueues(order("abaabb"), ({ want }) => want);
  expect(places(queues.next(0, 2))).toEqual([0, 2]);
  expect(places(queues.next(1, 1))).toEqual([1]);
  expect(queues.given).toBe(3);
  expect(places(queues.next(0, 2))).toEqual([3]);
  expect(places(queues.next(2, 2))).toEqual([4, 5]);
  expect(places(queues.next(1, 2))).toEqual([]);
  expect(queues.given).toBe(6);
});

it("jobs without kinds are handed over as they stand", () => {
  const queues = new JobQueues(order("abab"));
  expect(places(queues.next(1, 3))).toEqual([0, 1, 2]);
  expect(places(queues.next(0, 3))).toEqual([3]);
});
