import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { IdleCollector } from "./idle-collector.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Many small objects, like the garbage of an answer. */
function answer(): { text: string }[] {
  return Array.from({ length: 600_000 }, (_, i) => ({ text: `what was asked for ${i}` }));
}

it("IdleCollector collects the garbage of answers after some time without requests", () => {
  const collector = new IdleCollector();
  const before = process.memoryUsage().heapUsed;
  let garbage: { text: string }[] | null = answer();
  const allocated = process.memoryUsage().heapUsed - before;
  expect(garbage.length).toBeGreaterThan(0);
  garbage = null;
  collector.answered();
  vi.advanceTimersByTime(2000);
  collector.answered();
  vi.advanceTimersByTime(2000);
  // A second answer restarts the timer.
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(1000);
  expect(vi.getTimerCount()).toBe(0);
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(allocated / 2);
  collector.end();
});
