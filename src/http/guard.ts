import { timingSafeEqual } from "node:crypto";
import type { MiddlewareHandler } from "hono";
import { problem } from "./problem.ts";

export interface Guard {
  /** Names under which this server may be asked, with port: a page that made its own name lead here has another. */
  hosts: ReadonlySet<string>;
  /** Asked of everybody where the server can be reached from other machines; null where it cannot. */
  token: string | null;
  /** Only who was given this page knows it: asked of whoever wants something changed or secrets shown. */
  pageToken: string;
}

/** No question is longer; nothing that is sent here is kept. */
const MOST_BYTES = 16 * 1024;

/** Nothing from elsewhere is loaded, run or shown, whatever stands in a session. `styles`: hashes of rules that stand in the page itself. */
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

/** Refuses what is not asked of this server under its own name and from its own pages, before anything is looked at. */
export function addressed(hosts: ReadonlySet<string>): MiddlewareHandler {
  return async (c, next) => {
    const { req } = c;
    c.header("content-security-policy", POLICY);
    c.header("x-content-type-options", "nosniff");
    c.header("referrer-policy", "no-referrer");
    c.header("cross-origin-opener-policy", "same-origin");
    c.header("cross-origin-resource-policy", "same-origin");
    // A request may name the host it means twice: in its first line as well.
    const named = [req.header("host") ?? "", new URL(req.url).host];
    if (!named.every((host) => hosts.has(host.toLowerCase())))
      return problem(c, 421, "this address is not one of Daybook's", "open the address that `daybook serve` printed");
    if (isForeign(req.header("origin"), req.header("sec-fetch-site"), hosts))
      return problem(c, 403, "asked by a page of another origin");
    if (!isReading(req.method) && req.method !== "POST") return problem(c, 405, `${req.method} is not taken`);
    await next();
    return;
  };
}

function isReading(method: string): boolean {
  return method === "GET" || method === "HEAD";
}

/** Refuses whoever is not this page, a program of this machine, or somebody with the token. */
export function guarded({ token, pageToken }: Omit<Guard, "hosts">): MiddlewareHandler {
  return async (c, next) => {
    const { req } = c;
    const isMcp = req.path === "/mcp";
    if (
      token !== null &&
      (isMcp || req.path.startsWith("/api/")) &&
      !isSame(bearer(req.header("authorization")), token)
    )
      return problem(c, 401, "this server is reachable from other machines", "open the address with its #token=…");
    const isLong =
      req.header("transfer-encoding") !== undefined || !(lengthOf(req.header("content-length")) <= MOST_BYTES);
    if (isLong) {
      // Whoever sends it may stop: nothing of it is read.
      c.header("connection", "close");
      return problem(c, 413, "no question is that long");
    }
    if (!isReading(req.method)) {
      // A form of another page can send text, but neither this type nor this header.
      if (!(req.header("content-type") ?? "").startsWith("application/json"))
        return problem(c, 415, "send application/json");
      // Agents ask by sending, and nothing they ask changes anything.
      if (!isMcp && !isSame(req.header("x-daybook-token") ?? "", pageToken))
        return problem(c, 403, "only Daybook's own page may ask for this");
    }
    await next();
    return;
  };
}

/** Whether secrets may be shown: only where the page itself says that its reader asked for them. */
export function mayReveal(given: string | undefined, pageToken: string): boolean {
  return isSame(given ?? "", pageToken);
}

function isForeign(origin: string | undefined, site: string | undefined, hosts: ReadonlySet<string>): boolean {
  if (site !== undefined && site !== "same-origin" && site !== "none") return true;
  if (origin === undefined) return false;
  return !/^https?:\/\//.test(origin) || !hosts.has(origin.replace(/^https?:\/\//, "").toLowerCase());
}

/** NaN where it is no number. */
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
