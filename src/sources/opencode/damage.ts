import { DaybookError } from "../../errors.ts";
import type { Row, Statement } from "../../io/sqlite.ts";

const SQLITE_CORRUPT = 11;

/**
 * Fetches a row by its id. Returns an empty row if it is on a damaged page, so that the rest of the session is still
 * read.
 */
export function fetchRow(statement: Statement, id: string): Row {
  try {
    return statement.get(id) ?? {};
  } catch (cause) {
    if (isDamage(cause)) return {};
    throw unreadableRow(cause);
  }
}

export function isDamage(cause: unknown): boolean {
  return cause instanceof Error && "errcode" in cause && cause.errcode === SQLITE_CORRUPT;
}

export function unreadableRow(cause: unknown): DaybookError {
  return new DaybookError("cannot read a row of the database", {
    code: "unreadable",
    op: "read session",
    hint: "the database may be damaged, or locked by another program",
    cause,
  });
}
