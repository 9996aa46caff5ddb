import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterAll } from "vitest";
import { freeClosedDatabases } from "./garbage.ts";
import { ALL_TESTS } from "./global-setup.ts";

// Runs before each test file, also in a process that several of them share.

// The same code passes or fails the same way each time it is tested. `DAYBOOK_TEST_SEED=random` looks further, and a
// number, which a failure prints, looks there again.
const asked = process.env["DAYBOOK_TEST_SEED"] ?? "20260101";
if (asked !== "random") fc.configureGlobal({ seed: Number(asked) });

// Temporary files of a test file go into a directory of their own, which is removed after its last test. A file all of
// whose tests are skipped ends without calling `afterAll`: the next one in this process must not stand inside its directory.
const ofAllTests = process.env[ALL_TESTS] ?? tmpdir();
const ofThisFile = mkdtempSync(join(ofAllTests, "file-"));
process.env["TMPDIR"] = ofThisFile;
afterAll(async () => {
  process.env["TMPDIR"] = ofAllTests;
  rmSync(ofThisFile, { recursive: true, force: true });
  await freeClosedDatabases();
});
