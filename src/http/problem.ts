import type { Context } from "hono";
import { DaybookError, type ErrorCode } from "../errors.ts";
import type { Problem } from "./answers.ts";

const STATUS: Readonly<Record<ErrorCode, 400 | 404 | 409 | 422 | 500>> = {
  usage: 400,
  not_found: 404,
  unreadable: 409,
  unbalanced: 409,
  invalid: 422,
  refused: 409,
  unreachable: 409,
  stopped: 409,
  internal: 500,
};

const TITLE: Readonly<Record<number, string>> = {
  400: "The question is not one",
  401: "A token is needed",
  403: "Not from here",
  404: "Not found",
  405: "Only reading is possible here",
  409: "What is asked for cannot be read",
  413: "Too large",
  415: "Not a kind of content that is taken",
  421: "Another host is meant",
  422: "Not valid",
  500: "Something went wrong",
  503: "Busy",
};

/** What a person can be told of a failure, as `application/problem+json`. */
export function problem(
  c: Context,
  status: 400 | 401 | 403 | 404 | 405 | 409 | 413 | 415 | 421 | 422 | 500 | 503,
  detail: string,
  hint: string | null = null,
): Response {
  const body: Problem = { type: "about:blank", title: TITLE[status] ?? "", status, detail, hint };
  return c.body(JSON.stringify(body), status, { "content-type": "application/problem+json" });
}

/** Failures are mapped here, once. `hide` takes secrets out of what names a path or quotes a text. */
export function problemOf(c: Context, error: unknown, hide: (text: string) => string): Response {
  if (error instanceof DaybookError) {
    const hint = error.hint === null ? null : hide(error.hint);
    return problem(c, STATUS[error.code], hide(error.message), hint);
  }
  return problem(c, 500, hide(error instanceof Error ? error.message : String(error)));
}
