import { expect, it } from "vitest";
import { moveOver } from "./move-over.ts";

/** Renaming that fails so many times; counts the attempts. */
function failing(times: number, code: string): { rename: () => void; attempts: () => number } {
  let attempts = 0;
  const rename = (): void => {
    if (attempts++ < times) throw Object.assign(new Error(code), { code });
  };
  return { rename, attempts: () => attempts };
}

it("waits on Windows for a file that another program has open", () => {
  const { rename, attempts } = failing(3, "EPERM");
  moveOver("new", "old", { platform: "win32", rename });
  expect(attempts()).toBe(4);
});

it("gives up at other errors, and on other systems, at once", () => {
  for (const [platform, code] of [
    ["win32", "ENOENT"],
    ["linux", "EACCES"],
    ["darwin", "EPERM"],
  ] as const) {
    const { rename, attempts } = failing(1, code);
    expect(() => moveOver("new", "old", { platform, rename })).toThrow(code);
    expect(attempts()).toBe(1);
  }
});

it("says what keeps a file that stays open", () => {
  const { rename } = failing(Infinity, "EBUSY");
  expect(() => moveOver("new", "old", { platform: "win32", rename })).toThrow("EBUSY");
});
