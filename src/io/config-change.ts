import {
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { DaybookError } from "../errors.ts";

/** A file of an agent as it is and as it would be; null where there is none. */
export interface ConfigChange {
  path: string;
  before: string | null;
  after: string | null;
}

/** Writes it whole or not at all, unless somebody else has changed the file meanwhile. */
export function writeChange({ path, before, after }: ConfigChange): void {
  const now = existsSync(path) ? readFileSync(path, "utf8") : null;
  if (now !== before)
    throw new DaybookError(`${path} was changed meanwhile`, {
      ...{ code: "unreadable", op: "change configuration", path, hint: "nothing was written; try again" },
    });
  if (after === null) return rmSync(path);
  mkdirSync(dirname(path), { recursive: true });
  // A link stays one.
  const file = existsSync(path) ? realpathSync(path) : path;
  const mode = before === null ? 0o600 : statSync(file).mode;
  const fresh = `${file}.daybook-new`;
  try {
    writeFileSync(fresh, after, { mode });
    renameSync(fresh, file);
  } finally {
    rmSync(fresh, { force: true });
  }
}
