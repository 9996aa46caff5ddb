/** Failures are thrown as one class with a closed set of codes; data problems are values (`Diagnostic`). */
export type ErrorCode =
  | "usage" // wrong flags or arguments: exit 2
  | "not_found" // a session, turn, line or file that is not there: exit 2
  | "unreadable" // an input that cannot be opened at all
  | "unbalanced" // an audit that does not add up
  | "invalid" // a file that breaks its schema
  | "internal";

export interface ErrorDetail {
  code: ErrorCode;
  /** What was being done, as a verb phrase: "read session". */
  op: string;
  path?: string;
  /** What the person can do about it. */
  hint?: string;
  cause?: unknown;
}

export class DaybookError extends Error {
  readonly code: ErrorCode;
  readonly op: string;
  readonly path: string | null;
  readonly hint: string | null;

  constructor(message: string, detail: ErrorDetail) {
    super(message, detail.cause === undefined ? undefined : { cause: detail.cause });
    this.name = "DaybookError";
    this.code = detail.code;
    this.op = detail.op;
    this.path = detail.path ?? null;
    this.hint = detail.hint ?? null;
  }
}
