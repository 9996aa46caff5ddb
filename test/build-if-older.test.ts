import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
// @ts-expect-error a script of plain JavaScript
import { isOlder } from "../scripts/build-if-older.js";

const root = mkdtempSync(join(tmpdir(), "daybook-build-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Whether `npm start` would build. */
const builds = isOlder as (root: string) => boolean;

function put(name: string, second: number): void {
  const path = join(root, name);
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, "");
  utimesSync(path, second, second);
}

it("npm start builds when there is no build, or one older than its sources, and not after npm ci has built", () => {
  put("src/cli/main.ts", 100);
  put("package.json", 100);
  expect(builds(root)).toBe(true);
  put("dist/worker.cjs", 200);
  expect(builds(root)).toBe(false);
  // A test is no part of what is built.
  put("src/cli/main.test.ts", 300);
  expect(builds(root)).toBe(false);
  for (const name of ["src/cli/main.ts", "web/src/app.ts", "package.json"]) {
    put(name, 300);
    expect([name, builds(root)]).toEqual([name, true]);
    put(name, 100);
  }
  expect(builds(root)).toBe(false);
});
