import { afterEach, expect, it, vi } from "vitest";
import type { Io } from "./io.ts";
import { progressBar } from "./progress.ts";

afterEach(() => void vi.useRealTimers());

it("says how long it takes by how fast this goes, not what came before", () => {
  vi.useFakeTimers({ now: 0 });
  let drawn = "";
  const io = { err: (text: string) => void (drawn = text), errIsTerminal: true, env: {}, columns: 80 };
  const bar = progressBar(io as unknown as Io, false);
  const tick = (at: number, count: number, of: number): string => {
    vi.setSystemTime(at);
    bar.tick({ files: count, of, bytes: count, ofBytes: of, things: "rows" });
    return drawn;
  };
  tick(1000, 100, 1000);
  expect(tick(10_000, 1000, 1000)).toContain("1000/1000 rows  0s left");
  tick(20_000, 100, 5100);
  expect(tick(21_000, 1100, 5100)).toContain("22%  1100/5100 rows  4s left");
});
