import type { Context } from "hono";
import { DaybookError, type ErrorCode } from "../../base/errors.ts";
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
  400: "Invalid request",
  401: "Token required",
  403: "Forbidden",
  404: "Not found",
  405: "Method not allowed",
  409: "Cannot be answered",
  413: "Too large",
  415: "Unsupported content type",
  421: "Wrong host",
  422: "Invalid content",
  500: "Something went wrong",
  503: "Busy",
};

/** An error response as `application/problem+json`. */
export function problem(
  c: Context,
  status: 400 | 401 | 403 | 404 | 405 | 409 | 413 | 415 | 421 | 422 | 500 | 503,
  detail: string,
  hint: string | null = null,
): Response {
  const body: Problem = { type: "about:blank", title: TITLE[status] ?? "", status, detail, hint };
  return c.body(JSON.stringify(body), status, { "content-type": "application/problem+json" });
}

/** Maps failures to responses. `hide` removes secrets from messages that contain a path or quote a text. */
export function problemOf(c: Context, error: unknown, hide: (text: string) => string): Response {
  if (error instanceof DaybookError) {
    const hint = error.hint === null ? null : hide(error.hint);
    return problem(c, STATUS[error.code], hide(error.message), hint);
  }
  return problem(c, 500, hide(error instanceof Error ? error.message : String(error)));
}
