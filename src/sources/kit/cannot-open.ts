import { DaybookError } from "../../errors.ts";

/** The error for a session file that is missing or not readable. */
export function cannotOpen(path: string, cause: unknown): DaybookError {
  const hint = "check that the file exists and that you may read it";
  return new DaybookError(`cannot open ${path}`, { code: "unreadable", op: "read session", path, hint, cause });
}
