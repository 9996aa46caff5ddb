import type { Stats } from "node:fs";
import { expect, it } from "vitest";
import type { DiscoverContext } from "../contract.ts";
import { noteTitles } from "./session-files.ts";

function noted(...files: [size: number, mtimeMs: number][]): string {
  let note = "";
  const ctx = { note: (_: string, text: string) => void (note = text) } as unknown as DiscoverContext;
  noteTitles(
    ctx,
    "/root",
    files.map(([size, mtimeMs]) => ({ size, mtimeMs }) as Stats),
  );
  return note;
}

it("the fingerprint of title files depends on size, modification time and order", () => {
  const [size, time] = [66, 1_794_800_000_000];
  const before = noted([size, time]);
  // A change of the time must not cancel out a change of the size.
  for (let later = 0; later < 1000; later++) {
    expect(noted([size + 66, time + later])).not.toBe(before);
    expect(noted([size, time + later + 1])).not.toBe(before);
  }
  expect(noted([1, time], [2, time])).not.toBe(noted([2, time], [1, time]));
});
