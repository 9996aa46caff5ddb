import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
// @ts-expect-error a plain JavaScript file without types
import { isOlder } from "../scripts/build-if-older.js";

const root = mkdtempSync(join(tmpdir(), "daybook-build-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Whether `npm start` would build. */
const builds = isOlder as (root: string) => boolean;

function writeFileAt(name: string, second: number): void {
  const path = join(root, name);
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, "");
  utimesSync(path, second, second);
}

it("npm start builds only if the build is missing or older than its sources", () => {
  writeFileAt("src/doors/cli/main.ts", 100);
  writeFileAt("package.json", 100);
  expect(builds(root)).toBe(true);
  writeFileAt("dist/worker.cjs", 200);
  expect(builds(root)).toBe(false);
  // Tests are not part of the build.
  writeFileAt("src/cli/main.test.ts", 300);
  expect(builds(root)).toBe(false);
  for (const name of ["src/doors/cli/main.ts", "web/src/app.ts", "package.json"]) {
    writeFileAt(name, 300);
    expect([name, builds(root)]).toEqual([name, true]);
    writeFileAt(name, 100);
  }
  expect(builds(root)).toBe(false);
});
