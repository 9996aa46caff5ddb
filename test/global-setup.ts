import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Everything tests put aside goes into one directory, and that is gone when they are done. */
export function setup(): () => void {
  const dir = mkdtempSync(join(tmpdir(), "daybook-tests-"));
  process.env["TMPDIR"] = dir;
  return () => rmSync(dir, { recursive: true, force: true });
}
