import { DaybookError, type ErrorDetail } from "../../base/errors.ts";
import { LockedError } from "../../record/write-lock.ts";
import { DiskFullError, UnwritableError } from "../../base/io/disk.ts";

/** An error as plain data, to be sent to another process. */
export interface PlainError {
  kind: "locked" | "full" | "unwritable" | "ours" | "other";
  message: string;
  detail: ErrorDetail;
  /** For a lock: who holds it. */
  holder: LockedError["holder"];
  /** For a full disk: bytes that were to be written. */
  bytes: number | null;
}

export function plainError(error: unknown): PlainError {
  const message = error instanceof Error ? error.message : String(error);
  const ours = error instanceof DaybookError ? error : null;
  const { code = "internal", op = "sync", path = null, hint = null, everywhere = true } = ours ?? {};
  return {
    kind: kindOf(error),
    message,
    detail: { code, op, everywhere, ...(path === null ? {} : { path }), ...(hint === null ? {} : { hint }) },
    holder: error instanceof LockedError ? error.holder : null,
    bytes: error instanceof DiskFullError ? error.bytes : null,
  };
}

function kindOf(error: unknown): PlainError["kind"] {
  if (error instanceof LockedError) return "locked";
  if (error instanceof DiskFullError) return "full";
  if (error instanceof UnwritableError) return "unwritable";
  return error instanceof DaybookError ? "ours" : "other";
}

/** Restores the error with its class, which callers test for. */
export function errorFrom({ kind, message, detail, holder, bytes }: PlainError): Error {
  const path = detail.path ?? "";
  switch (kind) {
    case "locked":
      return new LockedError(path, holder);
    case "full":
      return new DiskFullError(path, bytes);
    case "unwritable":
      return new UnwritableError(path, null);
    case "ours":
      return new DaybookError(message, detail);
    case "other":
      return new Error(message);
  }
}
