import { timingSafeEqual } from "node:crypto";
import type { MiddlewareHandler } from "hono";
import { problem } from "./problem.ts";

export interface Guard {
  /** Host names with port under which this server may be addressed: protects against DNS rebinding. */
  hosts: ReadonlySet<string>;
  /** Required from every client if the server is reachable from other machines; null if it is not. */
  token: string | null;
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
    "trusted-types daybook dompurify svelte-trusted-html",
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
    if (isForeign(req.header("origin"), req.header("sec-fetch-site"), hosts))
      return problem(c, 403, "requested by a page of another origin");
    if (!isReading(req.method) && req.method !== "POST") return problem(c, 405, `${req.method} is not allowed`);
    await next();
    return;
  };
}

function isReading(method: string): boolean {
  return method === "GET" || method === "HEAD";
}

/** Rejects requests that come neither from this page nor from a local program, and have no token. */
export function checkAccess({ token, pageToken }: Omit<Guard, "hosts">): MiddlewareHandler {
  return async (c, next) => {
    const { req } = c;
    const isMcp = req.path === "/mcp";
    if (
      token !== null &&
      (isMcp || req.path.startsWith("/api/")) &&
      !isSame(bearer(req.header("authorization")), token)
    )
      return problem(c, 401, "this server requires a token", "open the address with its #token=…");
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
      // MCP clients use POST to ask, and nothing they ask changes anything.
      if (!isMcp && !isSame(req.header("x-daybook-token") ?? "", pageToken))
        return problem(c, 403, "only Daybook's own page may ask for this");
    }
    await next();
    return;
  };
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
