import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Memory } from "./memory.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Many small objects, as an answer leaves them behind. */
function answer(): { text: string }[] {
  return Array.from({ length: 600_000 }, (_, i) => ({ text: `what was asked for ${i}` }));
}

it("gives back what answers left behind, when nobody has asked for a while", () => {
  const memory = new Memory();
  const before = process.memoryUsage().heapUsed;
  let made: { text: string }[] | null = answer();
  const held = process.memoryUsage().heapUsed - before;
  expect(made.length).toBeGreaterThan(0);
  made = null;
  memory.answered();
  vi.advanceTimersByTime(2000);
  memory.answered();
  vi.advanceTimersByTime(2000);
  // A second answer restarts the timer.
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(1000);
  expect(vi.getTimerCount()).toBe(0);
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(held / 2);
  memory.end();
});
