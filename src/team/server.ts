import { DaybookError, messageOf } from "../errors.ts";
import type { TokenScope } from "../answers/team.ts";
import { isOffline, retrying, type RetryOptions } from "./push/retry.ts";

/** How long a server may take for one answer, in ms. */
const PATIENCE = 120_000;

export interface ServerOptions {
  url: string;
  token: string;
  /** What is done there, for which a token must be good. */
  scope: TokenScope;
  /** What to do where nobody answers. */
  unanswered: string;
  how: RetryOptions;
}

/** A team's server, which knows by the token who asks. */
export class TeamServer {
  /** The address, without what is secret in it. */
  readonly name: string;
  readonly #base: string;
  readonly #options: ServerOptions;

  constructor(options: ServerOptions) {
    this.#options = options;
    this.#base = options.url.replace(/\/+$/, "");
    this.name = this.#base.replace(/^(https?:\/\/)[^@/]*@/, "$1");
  }

  /** A body is made anew for every attempt: one that streams can be read once. What `take` makes of the answer must be there in time. */
  async ask<T>(path: string, init: () => RequestInit, take: (response: Response) => Promise<T>): Promise<T> {
    const { token, how } = this.#options;
    try {
      return await retrying(async () => {
        const { headers, ...rest } = init();
        const late = new AbortController();
        const timer = setTimeout(() => late.abort(new DOMException("no answer in time", "TimeoutError")), PATIENCE);
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
    const said = saidIn(text).replaceAll(/\s+/g, " ").slice(0, 200);
    if (status === 401 || status === 403)
      return new DaybookError(`${this.name} does not let us ${scope}: ${said || status}`, {
        ...{ code: "refused", op: scope, hint: tokenHint(scope) },
      });
    // A server that restarts or has much to do, and whoever stands in front of one.
    if (status === 429 || status === 502 || status === 503 || status === 504)
      return Object.assign(new Error(`${status} ${said}`), { code: "ECONNRESET" });
    const older = status === 404 ? { hint: "is it a team's server, and not older than this Daybook?" } : {};
    return new DaybookError(`${this.name} answered ${status}: ${said}`, { code: "refused", op: scope, ...older });
  }

  #asError(error: unknown): unknown {
    if (error instanceof DaybookError) return error;
    const { cause } = error as { cause?: unknown };
    // Of a certificate or a port that is not taken `fetch` says why in the cause alone.
    if (!isOffline(error) && !(error instanceof TypeError && cause !== undefined)) return error;
    return new DaybookError(`${this.name} cannot be reached: ${messageOf(cause ?? error) || "nobody answers"}`, {
      ...{ code: "unreachable", op: this.#options.scope, cause: error, hint: this.#options.unanswered },
    });
  }
}

/** Without encryption only what does not leave the machine. */
export function isServerUrl(url: string): boolean {
  return url.startsWith("https://") || /^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?(?:\/|$)/.test(url);
}

/**
 * A token that may be good for this. Who pushes from a machine and reads there has two, one of them in the config: what a token is called
 * says which is meant.
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
  throw new DaybookError("a team's server asks for a token", { code: "usage", op: scope, hint: tokenHint(scope) });
}

function tokenHint(scope: TokenScope): string {
  const made = `daybook team invite${scope === "push" ? "" : ` NAME --scope ${scope}`}`;
  return `a token with the scope \`${scope}\` is made by \`${made}\`; [team] token or $DAYBOOK_TEAM_TOKEN holds it`;
}

/** What a server says of itself, or whoever stands in front of it. */
function saidIn(text: string): string {
  try {
    const { detail, title } = JSON.parse(text) as { detail?: unknown; title?: unknown };
    return typeof detail === "string" ? detail : typeof title === "string" ? title : "";
  } catch {
    return text;
  }
}
