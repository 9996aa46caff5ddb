/** Failures are thrown as one class with a closed set of codes; data problems are values (`Diagnostic`). */
export type ErrorCode =
  | "usage" // wrong flags or arguments: exit 2
  | "not_found" // a session, turn, line or file that is not there: exit 2
  | "unreadable" // an input that cannot be opened at all
  | "unbalanced" // an audit that does not add up
  | "invalid" // a file that breaks its schema
  | "refused" // what the rules do not allow: exit 1
  | "unreachable" // a store or server that does not answer: exit 4, as nothing is lost by trying again
  | "stopped" // by whoever asked: exit 130, as a shell says it of Ctrl-C
  | "internal";

export interface ErrorDetail {
  code: ErrorCode;
  /** What was being done, as a verb phrase: "read session". */
  op: string;
  path?: string;
  /** What the person can do about it. */
  hint?: string;
  cause?: unknown;
  /** True when it is no matter of one file or session: whoever reads many must stop. */
  everywhere?: boolean;
}

/** What may be wrong with one file while all others are well. */
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

/** Of the file system: no room, no right to write, no more files. */
const SYSTEM = new Set(["ENOSPC", "EDQUOT", "EROFS", "EMFILE", "ENFILE", "ENOMEM"]);
/** Of SQLite: busy, locked, no memory, read-only, input or output, damaged, full, cannot open, no database. */
const SQLITE = new Set([5, 6, 7, 8, 10, 11, 13, 14, 26]);

/**
 * Whether what was thrown over one file or session says nothing of the others, so that they can still be answered. The rest, a
 * full disk or a damaged index, must reach whoever can say so or mend it.
 */
export function isLocal(error: unknown): boolean {
  if (error instanceof DaybookError) return !error.everywhere;
  if (!(error instanceof Error)) return true;
  if ("errcode" in error && typeof error.errcode === "number") return !SQLITE.has(error.errcode & 0xff);
  return !("code" in error && typeof error.code === "string" && SYSTEM.has(error.code));
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
