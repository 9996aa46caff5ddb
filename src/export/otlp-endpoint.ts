import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { DaybookError } from "../base/errors.ts";
import { plain } from "../base/text/inert.ts";
import type { SendSpans } from "./format.ts";

/** Status codes after which the protocol allows sending a message again. */
const AGAIN: ReadonlySet<number> = new Set([429, 502, 503, 504]);
/** The status of a server that does not accept compressed messages. */
const UNKNOWN_ENCODING = 415;
const TRIES = 5;
/** In ms, doubled with every retry. If the server asks for a longer wait than the maximum, give up. */
const FIRST_WAIT = 500;
const LONGEST_WAIT = 60_000;
const ANSWER_WAIT_MS = 30_000;
const HERE = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;
/** Maximum length of a quoted error message. */
const MOST_SAID = 200;

export interface Receiver {
  send: SendSpans;
  /** The number of accepted and rejected spans, and the server's message. */
  taken: () => { spans: number; rejected: number; why: string };
}

export interface ReceiverOptions {
  /** Sent with every message. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** Compress messages unless false. */
  compress?: boolean | undefined;
  /** Allow plain HTTP to another machine. */
  allowHttp?: boolean | undefined;
  /** For tests, which do not wait. */
  wait?: ((ms: number) => Promise<unknown>) | undefined;
}

/**
 * Sends messages to a collector named by the user. This is the only place in an export where session data leaves the
 * machine: only to a local address or over TLS, unless the user allows otherwise.
 */
export function otlpReceiver(endpoint: string, options: ReceiverOptions = {}): Receiver {
  const post = new Post(tracesUrl(endpoint, options.allowHttp), options);
  const taken = { spans: 0, rejected: 0, why: "" };
  const send: SendSpans = async (message, spans) => {
    const answer = await post.send(message);
    const { partialSuccess } = answer as {
      partialSuccess?: { rejectedSpans?: string | number; errorMessage?: string };
    };
    // The rest was accepted: sending the message again would duplicate it. A server may also return a warning while
    // accepting everything.
    const rejected = Number(partialSuccess?.rejectedSpans ?? 0) || 0;
    taken.spans += spans - rejected;
    taken.rejected += rejected;
    taken.why ||= partialSuccess?.errorMessage ?? "";
  };
  return { send, taken: () => taken };
}

/** `http` is allowed only to this machine. An address without a path gets the collector's default path for traces. */
export function tracesUrl(endpoint: string, allowHttp = false): URL {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : null;
  const isOpen = url?.protocol === "http:" && (allowHttp || HERE.test(url.hostname));
  if (!url || !(isOpen || url.protocol === "https:") || url.username !== "" || url.password !== "")
    throw new DaybookError(`--endpoint cannot be ${endpoint}`, { code: "usage", op: "export", hint: hintFor(url) });
  if (url.pathname === "/") url.pathname = "/v1/traces";
  return url;
}

function hintFor(url: URL | null): string {
  return url?.protocol === "http:" && url.username === "" && url.password === ""
    ? "others could read it on the way: use https://, or --allow-http in a trusted network"
    : "https://HOST, or http://localhost:4318; keys go into OTEL_EXPORTER_OTLP_HEADERS";
}

/** Parses `name=value,name=value`, percent-encoded, as in OpenTelemetry's own variable. */
export function otlpHeaders(text: string | undefined): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const pair of (text ?? "").split(",")) {
    const at = pair.indexOf("=");
    if (at > 0) headers[pair.slice(0, at).trim()] = decoded(pair.slice(at + 1).trim());
  }
  return headers;
}

/** An invalid percent escape is taken literally. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Posts messages to one address, one after the other. */
class Post {
  readonly #url: URL;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #wait: (ms: number) => Promise<unknown>;
  #compress: boolean;
  /** A message was accepted before, so the address is right, and a failure now may be temporary. */
  #isKnown = false;

  constructor(url: URL, { headers = {}, compress = true, wait = sleep }: ReceiverOptions) {
    this.#url = url;
    this.#headers = headers;
    this.#compress = compress;
    this.#wait = wait;
  }

  async send(message: string): Promise<object> {
    for (let n = 1; ; n++) {
      const answer = await this.#once(message, n < TRIES);
      if (answer?.ok === true) {
        this.#isKnown = true;
        return objectIn(await answer.text());
      }
      if (answer?.status === UNKNOWN_ENCODING && this.#compress) {
        await answer.body?.cancel();
        this.#compress = false;
        continue;
      }
      const ms = answer ? askedFor(answer) : null;
      if (answer && (!AGAIN.has(answer.status) || n >= TRIES || (ms ?? 0) > LONGEST_WAIT))
        throw failed(this.#url, await refusal(answer, ms));
      await answer?.body?.cancel();
      await this.#wait(ms ?? FIRST_WAIT * 2 ** (n - 1));
    }
  }

  /** Null if there was no response and a retry may help. */
  async #once(message: string, mayFail: boolean): Promise<Response | null> {
    try {
      return await globalThis.fetch(this.#url, {
        method: "POST",
        redirect: "error",
        signal: AbortSignal.timeout(ANSWER_WAIT_MS),
        body: this.#compress ? new Uint8Array(gzipSync(message, { level: 6 })) : message,
        headers: {
          ...this.#headers,
          "content-type": "application/json",
          ...(this.#compress ? { "content-encoding": "gzip" } : {}),
        },
      });
    } catch (cause) {
      if (this.#isKnown && mayFail) return null;
      const why = cause instanceof Error && cause.cause instanceof Error ? cause.cause.message : String(cause);
      throw failed(this.#url, why, cause);
    }
  }
}

/** The wait requested by the server in ms, given in seconds or as a date. */
function askedFor(answer: Response): number | null {
  const text = answer.headers.get("retry-after")?.trim() ?? "";
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const time = Date.parse(text);
  return Number.isNaN(time) ? null : Math.max(0, time - Date.now());
}

/** The reason given by the server; the protocol puts it into JSON. */
async function refusal(answer: Response, ms: number | null): Promise<string> {
  const text = await answer.text();
  const { message } = objectIn(text) as { message?: unknown };
  const said = plain(typeof message === "string" ? message : text)
    .replaceAll(/\s+/g, " ")
    .trim()
    .slice(0, MOST_SAID);
  const asked = ms !== null && ms > LONGEST_WAIT ? ` and asks to wait ${Math.round(ms / 1000)} s` : "";
  return `it answered ${answer.status}${asked}${said === "" || said.startsWith("<") ? "" : ` (${said})`}`;
}

/** Some servers answer with an empty body or an HTML page. */
function objectIn(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    return {};
  }
}

/** Marked as `everywhere`: no other session could be sent either. */
function failed(url: URL, why: string, cause?: unknown): DaybookError {
  return new DaybookError(`${url.origin}${url.pathname} did not accept the spans: ${why}`, {
    code: "unreadable",
    op: "export",
    cause,
    everywhere: true,
    hint: "spans sent before are stored; sent again they keep their ids",
  });
}
