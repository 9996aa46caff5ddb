import { afterEach, expect, it, vi } from "vitest";
import type { Io } from "./io.ts";
import { progressBar } from "./long-work.ts";

afterEach(() => void vi.useRealTimers());

it("the progress bar estimates the remaining time from the speed of the current phase only", () => {
  vi.useFakeTimers({ now: 0 });
  let shown = "";
  const io = { err: (text: string) => void (shown = text), errIsTerminal: true, env: {}, columns: 80 };
  const bar = progressBar(io as unknown as Io, false);
  const tick = (at: number, count: number, of: number): string => {
    vi.setSystemTime(at);
    bar.tick({ files: count, of, bytes: count, ofBytes: of, things: "rows" });
    return shown;
  };
  tick(1000, 100, 1000);
  expect(tick(10_000, 1000, 1000)).toContain("1000/1000 rows  0s left");
  tick(20_000, 100, 5100);
  expect(tick(21_000, 1100, 5100)).toContain("22%  1100/5100 rows  4s left");
});
