import { DaybookError, messageOf } from "../base/errors.ts";
import type { TokenScope } from "../views/team.ts";
import { isOffline, retrying, type RetryOptions } from "./push/retry.ts";

/** How long a server may take for one answer, in ms. */
const ANSWER_WAIT_MS = 120_000;

export interface ServerOptions {
  url: string;
  token: string;
  /** What is done there; the token must have this scope. */
  scope: TokenScope;
  /** The hint if the server does not answer. */
  unanswered: string;
  how: RetryOptions;
}

/** A team's server, which identifies the person by the token. */
export class TeamServer {
  /** The address, without secrets. */
  readonly name: string;
  readonly #base: string;
  readonly #options: ServerOptions;

  constructor(options: ServerOptions) {
    this.#options = options;
    this.#base = options.url.replace(/\/+$/, "");
    this.name = this.#base.replace(/^(https?:\/\/)[^@/]*@/, "$1");
  }

  /**
   * The body is created anew for every attempt, since a stream can be read only once. `take` must finish within the
   * timeout.
   */
  async ask<T>(path: string, init: () => RequestInit, take: (response: Response) => Promise<T>): Promise<T> {
    const { token, how } = this.#options;
    try {
      return await retrying(async () => {
        const { headers, ...rest } = init();
        const late = new AbortController();
        const timer = setTimeout(
          () => late.abort(new DOMException("no answer in time", "TimeoutError")),
          ANSWER_WAIT_MS,
        );
        try {
          const response = await globalThis.fetch(`${this.#base}${path}`, {
            ...rest,
            headers: { ...(headers as Record<string, string> | undefined), authorization: `Bearer ${token}` },
            signal: late.signal,
            redirect: "error",
          });
          if (response.ok) return await take(response);
          throw this.#refusal(response.status, await response.text());
        } finally {
          clearTimeout(timer);
        }
      }, how);
    } catch (error) {
      throw this.#asError(error);
    }
  }

  #refusal(status: number, text: string): Error {
    const { scope } = this.#options;
    const said = errorDetail(text).replaceAll(/\s+/g, " ").slice(0, 200);
    if (status === 401 || status === 403)
      return new DaybookError(`${this.name} refused the ${scope}: ${said || status}`, {
        code: "refused",
        op: scope,
        hint: tokenHint(scope),
      });
    // A server or proxy that is restarting or busy.
    if (status === 429 || status === 502 || status === 503 || status === 504)
      return Object.assign(new Error(`${status} ${said}`), { code: "ECONNRESET" });
    // Only what was sent is wrong: another request may be accepted.
    if (status === 413 || status === 422) return new DaybookError(said, { code: "invalid", op: scope });
    const older = status === 404 ? { hint: "check that it is a team's server, and not older than this Daybook" } : {};
    return new DaybookError(`${this.name} answered ${status}: ${said}`, { code: "refused", op: scope, ...older });
  }

  #asError(error: unknown): unknown {
    if (error instanceof DaybookError) return error;
    const { cause } = error as { cause?: unknown };
    // For certificate errors and refused connections, `fetch` gives the reason only in the cause.
    if (!isOffline(error) && !(error instanceof TypeError && cause !== undefined)) return error;
    return new DaybookError(`${this.name} cannot be reached: ${messageOf(cause ?? error) || "no answer"}`, {
      code: "unreachable",
      op: this.#options.scope,
      cause: error,
      hint: this.#options.unanswered,
    });
  }
}

/** Plain HTTP is allowed only on this machine. */
export function isServerUrl(url: string): boolean {
  return url.startsWith("https://") || /^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?(?:\/|$)/.test(url);
}

/**
 * A token for this scope. A machine that pushes and reads may have two tokens, one of them in the config: the prefix
 * of a token tells its scope.
 */
export function tokenFor(
  scope: TokenScope,
  settings: { token?: string },
  env: Readonly<Record<string, string | undefined>>,
): string {
  const given = [settings.token, env["DAYBOOK_TEAM_TOKEN"]]
    .map((text) => text?.trim() ?? "")
    .filter((text) => text !== "");
  const other = scope === "push" ? "daybook_read_" : "daybook_push_";
  const token = given.find((text) => !text.startsWith(other)) ?? given[0];
  if (token !== undefined) return token;
  throw new DaybookError("a team's server needs a token", { code: "usage", op: scope, hint: tokenHint(scope) });
}

function tokenHint(scope: TokenScope): string {
  const made = `daybook team invite${scope === "push" ? "" : ` NAME --scope ${scope}`}`;
  return `\`${made}\` creates a token with the scope \`${scope}\`; put it into [team] token or $DAYBOOK_TEAM_TOKEN`;
}

/** The message of the server, or of a proxy in front of it. */
function errorDetail(text: string): string {
  try {
    const { detail, title } = JSON.parse(text) as { detail?: unknown; title?: unknown };
    return typeof detail === "string" ? detail : typeof title === "string" ? title : "";
  } catch {
    return text;
  }
}
