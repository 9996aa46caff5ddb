import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { DaybookError } from "../errors.ts";
import { plain } from "../text/inert.ts";
import type { SendSpans } from "./format.ts";

/** Answers after which a message may be sent again, as the protocol says. */
const AGAIN: ReadonlySet<number> = new Set([429, 502, 503, 504]);
/** What a server says that reads no compressed messages. */
const UNKNOWN_ENCODING = 415;
const TRIES = 5;
/** In ms, doubled with every try. A receiver that asks for more patience than the longest is not waited for. */
const FIRST_WAIT = 500;
const LONGEST_WAIT = 60_000;
const PATIENCE = 30_000;
const HERE = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;
/** Characters of a refusal that are worth reading. */
const MOST_SAID = 200;

export interface Receiver {
  send: SendSpans;
  /** Spans that were taken, those that were not, and what it had to say. */
  taken: () => { spans: number; rejected: number; why: string };
}

export interface ReceiverOptions {
  /** Sent with every message. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** Messages are made smaller on the way unless it is false. */
  compress?: boolean | undefined;
  /** Another machine may be sent to without TLS. */
  allowHttp?: boolean | undefined;
  /** For tests, which wait for nothing. */
  wait?: ((ms: number) => Promise<unknown>) | undefined;
}

/**
 * Sends messages to a collector that the user named. What sessions say leaves the machine here, and nowhere else in an export: only to
 * this machine itself, or over TLS, unless the user wants it otherwise.
 */
export function otlpReceiver(endpoint: string, options: ReceiverOptions = {}): Receiver {
  const post = new Post(tracesUrl(endpoint, options.allowHttp), options);
  const taken = { spans: 0, rejected: 0, why: "" };
  const send: SendSpans = async (message, spans) => {
    const answer = await post.send(message);
    const { partialSuccess } = answer as {
      partialSuccess?: { rejectedSpans?: string | number; errorMessage?: string };
    };
    // The rest was taken: sending again would double it. A server may also warn while it takes all.
    const rejected = Number(partialSuccess?.rejectedSpans ?? 0) || 0;
    taken.spans += spans - rejected;
    taken.rejected += rejected;
    taken.why ||= partialSuccess?.errorMessage ?? "";
  };
  return { send, taken: () => taken };
}

/** `http` only to this machine. An address without a path is a collector's, whose traces have a path of their own. */
export function tracesUrl(endpoint: string, allowHttp = false): URL {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : null;
  const isOpen = url?.protocol === "http:" && (allowHttp || HERE.test(url.hostname));
  if (!url || !(isOpen || url.protocol === "https:") || url.username !== "" || url.password !== "")
    throw new DaybookError(`--endpoint does not take ${endpoint}`, {
      ...{ code: "usage", op: "export", hint: hintFor(url) },
    });
  if (url.pathname === "/") url.pathname = "/v1/traces";
  return url;
}

function hintFor(url: URL | null): string {
  return url?.protocol === "http:" && url.username === "" && url.password === ""
    ? "anybody on the way could read it: use https://, or --allow-http where the network is trusted"
    : "https://HOST, or http://localhost:4318; keys go into OTEL_EXPORTER_OTLP_HEADERS";
}

/** `name=value,name=value`, percent-encoded, as OpenTelemetry's own variable has it. */
export function otlpHeaders(text: string | undefined): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const pair of (text ?? "").split(",")) {
    const at = pair.indexOf("=");
    if (at > 0) headers[pair.slice(0, at).trim()] = decoded(pair.slice(at + 1).trim());
  }
  return headers;
}

/** A per cent sign that begins no escape stands for itself. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Messages to one address, one after the other. */
class Post {
  readonly #url: URL;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #wait: (ms: number) => Promise<unknown>;
  #compress: boolean;
  /** Something was taken, so that the address is right and what fails now may pass. */
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

  /** Null where nothing came back, and trying again may help. */
  async #once(message: string, mayFail: boolean): Promise<Response | null> {
    try {
      return await globalThis.fetch(this.#url, {
        ...{ method: "POST", redirect: "error", signal: AbortSignal.timeout(PATIENCE) },
        body: this.#compress ? new Uint8Array(gzipSync(message, { level: 6 })) : message,
        headers: {
          ...{ ...this.#headers, "content-type": "application/json" },
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

/** How long a server wants to be left alone, in ms: in seconds or by a date. */
function askedFor(answer: Response): number | null {
  const text = answer.headers.get("retry-after")?.trim() ?? "";
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const time = Date.parse(text);
  return Number.isNaN(time) ? null : Math.max(0, time - Date.now());
}

/** What a server says of why, which the protocol puts into JSON. */
async function refusal(answer: Response, ms: number | null): Promise<string> {
  const text = await answer.text();
  const { message } = objectIn(text) as { message?: unknown };
  const said = plain(typeof message === "string" ? message : text)
    .replaceAll(/\s+/g, " ")
    .trim()
    .slice(0, MOST_SAID);
  const asked = ms !== null && ms > LONGEST_WAIT ? ` and wants to be left alone for ${Math.round(ms / 1000)} s` : "";
  return `it answered ${answer.status}${asked}${said === "" || said.startsWith("<") ? "" : ` (${said})`}`;
}

/** Servers answer with nothing, or with a page, as well. */
function objectIn(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    return {};
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
