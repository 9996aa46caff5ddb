import { existsSync, mkdirSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { DaybookError } from "../errors.ts";
import { moveOver } from "./move-over.ts";

/** A change to an agent's configuration file; null where the file does not exist. */
export interface ConfigChange {
  path: string;
  before: string | null;
  after: string | null;
}

/** Writes the file atomically. Throws if the file no longer has the content in `before`. */
export function writeChange({ path, before, after }: ConfigChange): void {
  const now = existsSync(path) ? readFileSync(path, "utf8") : null;
  if (now !== before)
    throw new DaybookError(`${path} was changed meanwhile`, {
      code: "unreadable",
      op: "change configuration",
      path,
      hint: "nothing was written; try again",
    });
  if (after === null) return rmSync(path);
  mkdirSync(dirname(path), { recursive: true });
  // Write through a symbolic link instead of replacing it.
  const file = existsSync(path) ? realpathSync(path) : path;
  const mode = before === null ? 0o600 : statSync(file).mode;
  const fresh = `${file}.daybook-new`;
  try {
    writeFileSync(fresh, after, { mode });
    moveOver(fresh, file);
  } finally {
    rmSync(fresh, { force: true });
  }
}
