import type { Server } from "node:http";
import { hostname, networkInterfaces } from "node:os";
import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import { DaybookError } from "../../base/errors.ts";
import { IdleCollector } from "./idle-collector.ts";

export interface RunningServer {
  url: string;
  close(): Promise<void>;
}

export interface ListenOptions {
  fetch: Parameters<typeof serve>[0]["fetch"];
  host: string;
  port: number;
  /** Receives the host names under which the server may be addressed. */
  hosts: Set<string>;
  /** Further names, with or without a port. */
  allowed?: readonly string[];
  /** Maximum time to receive a request, in ms. */
  slowest: number;
}

const LOOPBACK: ReadonlySet<string> = new Set(["127.0.0.1", "::1", "localhost"]);
/** Addresses that stand for all addresses of this machine. */
const EVERY: ReadonlySet<string> = new Set(["0.0.0.0", "::"]);

/** Whether only this machine can reach that address. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.has(host);
}

/** Accepts requests until closed. */
export async function listen({
  fetch,
  host,
  port,
  hosts,
  allowed = [],
  slowest,
}: ListenOptions): Promise<RunningServer> {
  const collector = new IdleCollector();
  const server = serve({
    fetch,
    port,
    hostname: host,
    serverOptions: {
      requestTimeout: slowest,
      headersTimeout: Math.min(slowest, SLOWEST_HEADERS),
      // By default Node checks for slow requests only every 30 seconds.
      connectionsCheckingInterval: Math.min(slowest, 1000),
    },
  }) as Server;
  collector.begin();
  await untilListening(server, port);
  server.on("request", (_, response) => response.once("close", () => collector.answered()));
  const { port: taken } = server.address() as AddressInfo;
  for (const name of namesOf(host)) hosts.add(`${bracketed(name)}:${taken}`);
  // A proxy in front may listen on another port, or on the usual one, which browsers leave out.
  for (const name of allowed) for (const full of [name, `${name}:${taken}`]) hosts.add(full.toLowerCase());
  return {
    url: `http://${bracketed(EVERY.has(host) ? (ownAddresses()[0] ?? "127.0.0.1") : host)}:${taken}/`,
    close: () =>
      new Promise((resolve) => {
        collector.end();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The names and addresses under which others can ask for a server that listens there. */
function namesOf(host: string): Iterable<string> {
  if (LOOPBACK.has(host)) return LOOPBACK;
  const own = hostname().toLowerCase();
  const names = [own, `${own.replace(/\..*$/, "")}.local`];
  return EVERY.has(host) ? [...LOOPBACK, ...names, ...ownAddresses()] : [host.toLowerCase(), ...names];
}

/** The addresses of this machine that others may reach, IPv4 first. */
function ownAddresses(): string[] {
  const all = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  const reachable = all.filter(({ internal }) => !internal);
  return reachable
    .toSorted((a, b) => Number(a.family === "IPv6") - Number(b.family === "IPv6"))
    .map(({ address }) => address.toLowerCase());
}

function bracketed(name: string): string {
  return name.includes(":") ? `[${name}]` : name;
}

const SLOWEST_HEADERS = 10_000;

function untilListening(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("listening", () => resolve());
    server.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EADDRINUSE") return reject(error);
      const hint = "choose another with --port, or --port 0 for any free one";
      reject(new DaybookError(`port ${port} is in use`, { code: "usage", op: "serve", hint, cause: error }));
    });
  });
}
