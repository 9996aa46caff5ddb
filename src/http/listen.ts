import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import { DaybookError } from "../errors.ts";
import { Memory } from "./memory.ts";

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
  /** Maximum time to receive a request, in ms. */
  slowest: number;
}

const LOOPBACK: ReadonlySet<string> = new Set(["127.0.0.1", "::1", "localhost"]);

/** Whether only this machine can reach that address. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.has(host);
}

/** Accepts requests until closed. */
export async function listen({ fetch, host, port, hosts, slowest }: ListenOptions): Promise<RunningServer> {
  const memory = new Memory();
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
  await untilListening(server, port);
  memory.begin();
  server.on("request", (_, response) => response.once("close", () => memory.answered()));
  const { port: taken } = server.address() as AddressInfo;
  for (const name of LOOPBACK.has(host) ? LOOPBACK : [host])
    hosts.add(`${name.includes(":") ? `[${name}]` : name}:${taken}`);
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${taken}/`,
    close: () =>
      new Promise((resolve) => {
        memory.end();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
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
