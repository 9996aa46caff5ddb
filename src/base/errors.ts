/** Failures are thrown as one class with a closed set of codes; data problems are values (`Diagnostic`). */
export type ErrorCode =
  | "usage" // wrong flags or arguments: exit 2
  | "not_found" // a session, turn, line or file that does not exist: exit 2
  | "unreadable" // an input that cannot be opened at all
  | "unbalanced" // an audit that does not add up
  | "invalid" // a file that breaks its schema
  | "refused" // not allowed by the rules: exit 1
  | "unreachable" // a store or server that does not answer: exit 4; retrying is safe
  | "stopped" // cancelled by the user: exit 130, as shells report Ctrl-C
  | "internal";

export interface ErrorDetail {
  code: ErrorCode;
  /** What was being done, as a verb phrase: "read session". */
  op: string;
  path?: string;
  /** What the user can do about it. */
  hint?: string;
  cause?: unknown;
  /** True when the failure is not limited to one file or session: a caller that reads many must stop. */
  everywhere?: boolean;
}

/** Codes of failures that concern one file and leave all others readable. */
const LOCAL: ReadonlySet<ErrorCode> = new Set(["unreadable", "invalid", "internal"]);

export class DaybookError extends Error {
  readonly code: ErrorCode;
  readonly op: string;
  readonly path: string | null;
  readonly hint: string | null;
  readonly everywhere: boolean;

  constructor(message: string, detail: ErrorDetail) {
    super(message, detail.cause === undefined ? undefined : { cause: detail.cause });
    this.name = "DaybookError";
    this.code = detail.code;
    this.op = detail.op;
    this.path = detail.path ?? null;
    this.hint = detail.hint ?? null;
    this.everywhere = detail.everywhere ?? !LOCAL.has(detail.code);
  }
}

/** File system errors: no space, read-only, too many open files, no memory. */
const SYSTEM = new Set(["ENOSPC", "EDQUOT", "EROFS", "EMFILE", "ENFILE", "ENOMEM"]);
/** SQLite result codes: busy, locked, out of memory, read-only, I/O error, corrupt, full, cannot open, no database. */
const SQLITE = new Set([5, 6, 7, 8, 10, 11, 13, 14, 26]);

/**
 * Whether an error thrown for one file or session leaves the others unaffected, so that they can still be answered.
 * Other errors (a full disk, a damaged index) must reach a caller that can report or repair them.
 */
export function isLocal(error: unknown): boolean {
  if (error instanceof DaybookError) return !error.everywhere;
  if (!(error instanceof Error)) return true;
  if ("errcode" in error && typeof error.errcode === "number") return !SQLITE.has(error.errcode & 0xff);
  return !("code" in error && typeof error.code === "string" && SYSTEM.has(error.code));
}

/** What the system or a driver calls the error: `ENOENT`, `42P01`. */
export function codeOf(error: unknown): string | null {
  return typeof error === "object" && error !== null && "code" in error ? String(error.code) : null;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
