import { DaybookError } from "../../base/errors.ts";

let distrust = (): void => undefined;

/** Registers a callback for damage found anywhere, so that the index is not trusted again. */
export function onDamage(hear: () => void): void {
  distrust = hear;
}

/** The index on disk is damaged. */
export class DamagedIndex extends DaybookError {
  constructor(cause: unknown) {
    super("the index is damaged", {
      code: "unreadable",
      op: "read index",
      hint: "ask again: it is made again from the book",
      cause,
      everywhere: true,
    });
    distrust();
  }
}

/** SQLite's codes for a file that is malformed, no database, or violates a constraint. */
const CODES: ReadonlySet<number> = new Set([11, 19, 26]);
const SHORT_READ = 522;

/** Whether a SQLite error means damage. Everything our own statements refer to exists in every intact index. */
export function isDamage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = "errcode" in error && typeof error.errcode === "number" ? error.errcode : null;
  if (code !== null && (CODES.has(code & 0xff) || code === SHORT_READ)) return true;
  return /malformed|not a database|corrupt|no such (?:table|column)|vtable constructor failed/i.test(error.message);
}

const FULL = 13;
/** A write that failed for another reason than a full disk: a quota, or a file size limit. */
const WRITE_FAILED = 778;

export function isFull(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && (error.errcode === FULL || error.errcode === WRITE_FAILED);
}

/** Parses JSON from a row. */
export function parseRow(text: unknown): unknown {
  try {
    return JSON.parse(String(text)) as unknown;
  } catch (error) {
    throw new DamagedIndex(error);
  }
}
