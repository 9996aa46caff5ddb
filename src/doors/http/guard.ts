import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { Context, MiddlewareHandler } from "hono";
import { problem } from "./problem.ts";

export interface Guard {
  /** Host names with port under which this server may be addressed: protects against DNS rebinding. */
  hosts: ReadonlySet<string>;
  /**
   * Required from every client, also on this machine: its other users can reach the address, and may not read the
   * sessions. Programs send it as a bearer token; a browser exchanges it for a cookie.
   */
  token: string;
  tickets: Tickets;
  /** Known only to the served page: required to change anything or to show secrets. */
  pageToken: string;
}

/** Maximum size of a request body. */
const MOST_BYTES = 16 * 1024;

/**
 * Nothing from elsewhere is loaded, run or shown, whatever a session contains. `styles`: hashes of the inline styles
 * of the page.
 */
export function policyOf(styles: readonly string[]): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    ["style-src 'self'", ...styles].join(" "),
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types daybook svelte-trusted-html",
  ].join("; ");
}
const POLICY = policyOf([]);

/** Rejects requests that are not addressed to this server by its own name, or that come from another origin. */
export function checkAddress(hosts: ReadonlySet<string>): MiddlewareHandler {
  return async (c, next) => {
    const { req } = c;
    c.header("content-security-policy", POLICY);
    c.header("x-content-type-options", "nosniff");
    c.header("referrer-policy", "no-referrer");
    c.header("cross-origin-opener-policy", "same-origin");
    c.header("cross-origin-resource-policy", "same-origin");
    // A request may name its host twice: also in its first line.
    const named = [req.header("host") ?? "", new URL(req.url).host];
    if (!named.every((host) => hosts.has(host.toLowerCase())))
      return problem(c, 421, "this host name is not Daybook's", "open the address that `daybook serve` printed");
    // An address with a key may be opened from anywhere: whoever wrote it there knows the key.
    const isEntrance =
      req.query(KEY) !== undefined && !req.path.startsWith("/api/") && req.header("sec-fetch-mode") === "navigate";
    if (!isEntrance && isForeign(req.header("origin"), req.header("sec-fetch-site"), hosts))
      return problem(c, 403, "requested by a page of another origin");
    if (!isReading(req.method) && req.method !== "POST") return problem(c, 405, `${req.method} is not allowed`);
    await next();
    return;
  };
}

function isReading(method: string): boolean {
  return method === "GET" || method === "HEAD";
}

/**
 * Rejects requests without the token. A browser opens an address with `?key=` and gets a cookie for it: the key is a
 * ticket that is valid once, because the address stands in the list of processes while the browser starts.
 */
export function checkAccess({ token, tickets, pageToken }: Omit<Guard, "hosts">): MiddlewareHandler {
  const pass = createHmac("sha256", token).update("cookie of the page").digest("base64url");
  return async (c, next) => {
    const { req } = c;
    const isMcp = req.path === "/mcp";
    const hasToken = isSame(bearer(req.header("authorization")), token);
    const isKnown = hasToken || isSame(cookieOf(c), pass);
    const key = req.query(KEY);
    if (key !== undefined && isReading(req.method) && !isMcp && !req.path.startsWith("/api/")) {
      if (!isKnown && !isSame(key, token) && !tickets.take(key)) return refuse(c);
      c.header("set-cookie", `${cookieName(c)}=${pass}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${COOKIE_SECONDS}`);
      return c.html(goOn(withoutKey(req.url)));
    }
    if (!isKnown) return refuse(c);
    const isLong =
      req.header("transfer-encoding") !== undefined || !(lengthOf(req.header("content-length")) <= MOST_BYTES);
    if (isLong) {
      // The body is not read, so the client may stop sending.
      c.header("connection", "close");
      return problem(c, 413, "the request is too large");
    }
    if (!isReading(req.method)) {
      // A form of another page can send text, but not with this content type or this header.
      if (!(req.header("content-type") ?? "").startsWith("application/json"))
        return problem(c, 415, "send application/json");
      // MCP clients use POST to ask, and nothing they ask changes anything. Tickets are for programs with the token.
      const isFree = isMcp || (hasToken && req.path === TICKETS);
      if (!isFree && !isSame(req.header("x-daybook-token") ?? "", pageToken))
        return problem(c, 403, "only Daybook's own page may ask for this");
    }
    await next();
    return;
  };
}

/** The parameter of an address that carries a ticket, or the token. */
const KEY = "key";
/** Where a program with the token gets a new ticket. */
export const TICKETS = "/ticket";
/** A month: a server may run for weeks. */
const COOKIE_SECONDS = 30 * 24 * 3600;
/** Unused tickets beyond this many lose their validity, the oldest first. */
const MOST_TICKETS = 16;

/** Keys that let one browser in, once each. */
export class Tickets {
  readonly #unused: string[] = [];

  /** The address with a new ticket. */
  addTo(url: string): string {
    const ticket = randomBytes(24).toString("base64url");
    this.#unused.push(ticket);
    if (this.#unused.length > MOST_TICKETS) this.#unused.shift();
    return `${url}?${KEY}=${ticket}`;
  }

  take(key: string): boolean {
    const at = this.#unused.findIndex((ticket) => isSame(key, ticket));
    if (at >= 0) this.#unused.splice(at, 1);
    return at >= 0;
  }
}

/** With the port: browsers send a cookie to all ports of a host, and several servers may run. */
function cookieName(c: Context): string {
  const { port } = new URL(c.req.url);
  return `daybook_${port === "" ? "0" : port}`;
}

function cookieOf(c: Context): string {
  const name = `${cookieName(c)}=`;
  const pairs = (c.req.header("cookie") ?? "").split(/; */);
  return pairs.find((pair) => pair.startsWith(name))?.slice(name.length) ?? "";
}

/**
 * A page that opens that path. A redirect would not do: browsers send a strict cookie only with requests that this
 * site itself caused.
 */
function goOn(path: string): string {
  return `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=${escaped(path)}"><title>Daybook</title>`;
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}

/** Path and parameters, so that it stays on this server whatever host it was asked under. */
function withoutKey(address: string): string {
  const url = new URL(address);
  url.searchParams.delete(KEY);
  // A path that begins with two slashes would name another host.
  return url.pathname.replace(/^\/+/, "/") + url.search;
}

function refuse(c: Context): Response {
  c.header("cache-control", "no-store");
  c.header("www-authenticate", "Bearer");
  const why = "This Daybook answers only who started it";
  const hint = "run `daybook serve` once more: it prints an address that can be opened once";
  if (!(c.req.header("accept") ?? "").includes("text/html")) return problem(c, 401, why, hint);
  return c.html(
    `<!doctype html><meta charset="utf-8"><title>Daybook</title><h1>${why}</h1><p>To open it here, ${hint}.`,
    401,
  );
}

/** Whether secrets may be shown: only if the page says that its reader asked for them. */
export function mayReveal(given: string | undefined, pageToken: string): boolean {
  return isSame(given ?? "", pageToken);
}

function isForeign(origin: string | undefined, site: string | undefined, hosts: ReadonlySet<string>): boolean {
  if (site !== undefined && site !== "same-origin" && site !== "none") return true;
  if (origin === undefined) return false;
  return !/^https?:\/\//.test(origin) || !hosts.has(origin.replace(/^https?:\/\//, "").toLowerCase());
}

/** NaN if it is not a number. */
function lengthOf(header: string | undefined): number {
  return header === undefined ? 0 : Number(header);
}

function bearer(header: string | undefined): string {
  return header?.replace(/^Bearer /, "") ?? "";
}

function isSame(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)];
  return a.length === b.length && timingSafeEqual(a, b);
}
