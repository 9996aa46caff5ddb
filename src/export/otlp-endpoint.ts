import { setTimeout as sleep } from "node:timers/promises";
import { DaybookError } from "../errors.ts";

/** Answers after which a message may be sent again, as the protocol says. */
const AGAIN: ReadonlySet<number> = new Set([429, 502, 503, 504]);
const TRIES = 4;
/** In ms, doubled with every try; no receiver may ask for more than the longest. */
const FIRST_WAIT = 500;
const LONGEST_WAIT = 10_000;
const PATIENCE = 30_000;
const HERE: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);

export interface Receiver {
  send: (message: string) => Promise<void>;
  /** Spans that were not taken, and why. */
  rejected: { spans: number; why: string };
}

/**
 * Sends messages to a collector that the user named. What sessions say leaves the machine here, and nowhere else in an export: only to
 * this machine itself, or over TLS.
 */
export function otlpReceiver(endpoint: string, headers: Readonly<Record<string, string>>): Receiver {
  const url = tracesUrl(endpoint);
  const rejected = { spans: 0, why: "" };
  const send = async (message: string): Promise<void> => {
    const answer = await post(url, message, headers);
    const { partialSuccess } = answer as {
      partialSuccess?: { rejectedSpans?: string | number; errorMessage?: string };
    };
    // The rest was taken: sending again would double it.
    rejected.spans += Number(partialSuccess?.rejectedSpans ?? 0);
    rejected.why ||= partialSuccess?.errorMessage ?? "";
  };
  return { send, rejected };
}

/** `http` only to this machine. An address without a path is a collector's, whose traces have a path of their own. */
export function tracesUrl(endpoint: string): URL {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : null;
  const isOpen = url?.protocol === "http:" && HERE.has(url.hostname);
  if (!url || !(isOpen || url.protocol === "https:") || url.username !== "" || url.password !== "")
    throw new DaybookError(`--endpoint does not take ${endpoint}`, {
      ...{
        code: "usage",
        op: "export",
        hint: "https://HOST, or http://localhost:4318; keys go into OTEL_EXPORTER_OTLP_HEADERS",
      },
    });
  if (url.pathname === "/") url.pathname = "/v1/traces";
  return url;
}

/** `name=value,name=value`, percent-encoded, as OpenTelemetry's own variable has it. */
export function otlpHeaders(text: string | undefined): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const pair of (text ?? "").split(",")) {
    const at = pair.indexOf("=");
    if (at > 0) headers[pair.slice(0, at).trim()] = decodeURIComponent(pair.slice(at + 1).trim());
  }
  return headers;
}

async function post(url: URL, body: string, headers: Readonly<Record<string, string>>): Promise<object> {
  for (let n = 1; ; n++) {
    const answer = await once(url, body, headers);
    if (answer.ok) {
      const text = await answer.text();
      return (text.startsWith("{") ? JSON.parse(text) : {}) as object;
    }
    await answer.body?.cancel();
    if (!AGAIN.has(answer.status) || n === TRIES) throw failed(url, `it answered ${answer.status}`);
    const asked = Number(answer.headers.get("retry-after") ?? Number.NaN) * 1000;
    await sleep(Math.min(Number.isNaN(asked) ? FIRST_WAIT * 2 ** (n - 1) : asked, LONGEST_WAIT));
  }
}

async function once(url: URL, body: string, headers: Readonly<Record<string, string>>): Promise<Response> {
  try {
    return await globalThis.fetch(url, {
      ...{ method: "POST", body, redirect: "error", signal: AbortSignal.timeout(PATIENCE) },
      headers: { ...headers, "content-type": "application/json" },
    });
  } catch (cause) {
    const why = cause instanceof Error && cause.cause instanceof Error ? cause.cause.message : String(cause);
    throw failed(url, why, cause);
  }
}

/** Nobody else's session can be sent either. */
function failed(url: URL, why: string, cause?: unknown): DaybookError {
  return new DaybookError(`${url.origin}${url.pathname} did not take the spans: ${why}`, {
    ...{
      code: "unreadable",
      op: "export",
      cause,
      everywhere: true,
      hint: "what was sent before is there already; sent again it has the same ids",
    },
  });
}
