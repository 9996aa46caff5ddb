import { DaybookError } from "../../errors.ts";

/** A session file that is gone, or not for us to read. */
export function cannotOpen(path: string, cause: unknown): DaybookError {
  const hint = "check that the file exists and that you may read it";
  return new DaybookError(`cannot open ${path}`, { code: "unreadable", op: "read session", path, hint, cause });
}
