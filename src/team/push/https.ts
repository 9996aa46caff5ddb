import { DaybookError, messageOf } from "../../errors.ts";
import type { Applied } from "./apply.ts";
import type { Destination, StoreState } from "./destination.ts";
import { isOffline, retrying, type RetryOptions } from "./retry.ts";
import { PUSH_PATHS, sessionLines } from "./wire.ts";

/** How long a server may take for one session, in ms. */
const PATIENCE = 120_000;

/** A team's server, which knows by the token whose rows these are. */
export function httpsDestination(url: string, token: string, how: RetryOptions): Destination {
  const base = url.replace(/\/+$/, "");
  const name = base.replace(/^(https?:\/\/)[^@/]*@/, "$1");
  // A body is made anew for every attempt: one that streams can be read once.
  const ask = async <T>(path: string, init: () => RequestInit): Promise<T> =>
    retrying(async () => {
      const { headers, ...rest } = init();
      const response = await globalThis.fetch(`${base}${path}`, {
        ...rest,
        headers: { ...(headers as Record<string, string> | undefined), authorization: `Bearer ${token}` },
        signal: AbortSignal.timeout(PATIENCE),
        redirect: "error",
      });
      if (response.ok) return (await response.json()) as T;
      throw refusal(name, response.status, await response.text());
    }, how).catch((error: unknown) => {
      throw asError(error, name);
    });
  return {
    name,
    state: ({ machine_id }) => ask<StoreState>(`${PUSH_PATHS.state}?machine=${machine_id}`, () => ({})),
    async put(machine, session) {
      const init = (): RequestInit => ({
        ...{ method: "POST", headers: { "content-type": "application/x-ndjson" } },
        ...{ body: ReadableStream.from(encoded(sessionLines(machine, session))), duplex: "half" },
      });
      return (await ask<{ applied: Applied }>(PUSH_PATHS.session, init)).applied;
    },
    async forget(machine, sessions) {
      const body = JSON.stringify({ machine, sessions });
      const init = { method: "POST", headers: { "content-type": "application/json" }, body };
      return (await ask<{ forgotten: number }>(PUSH_PATHS.forget, () => init)).forgotten;
    },
    close: async () => undefined,
  };
}

/** Made as the server takes them. */
function* encoded(lines: Iterable<string>): Generator<Uint8Array, void, undefined> {
  for (const line of lines) yield Buffer.from(line);
}

function refusal(name: string, status: number, text: string): Error {
  const said = saidIn(text).replaceAll(/\s+/g, " ").slice(0, 200);
  if (status === 401 || status === 403)
    return new DaybookError(`${name} does not let us push: ${said || status}`, {
      ...{ code: "refused", op: "push" },
      hint: "a token with the scope `push` is made by `daybook team invite`; [team] token or $DAYBOOK_TEAM_TOKEN holds it",
    });
  // A server that restarts or has much to do, and whoever stands in front of one.
  if (status === 429 || status === 502 || status === 503 || status === 504)
    return Object.assign(new Error(`${status} ${said}`), { code: "ECONNRESET" });
  return new DaybookError(`${name} answered ${status}: ${said}`, { code: "refused", op: "push" });
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

function asError(error: unknown, name: string): unknown {
  if (error instanceof DaybookError || !isOffline(error)) return error;
  const { cause } = error as { cause?: unknown };
  return new DaybookError(`${name} cannot be reached: ${messageOf(cause ?? error) || "nobody answers"}`, {
    ...{ code: "unreachable", op: "push", cause: error },
    hint: "nothing is lost: the next push sends what this one could not",
  });
}
