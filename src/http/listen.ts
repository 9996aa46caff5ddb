import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import { DaybookError } from "../errors.ts";
import { Memory } from "./memory.ts";

export interface Serving {
  url: string;
  close(): Promise<void>;
}

export interface Listening {
  fetch: Parameters<typeof serve>[0]["fetch"];
  host: string;
  port: number;
  /** Is given the names under which the server may be asked. */
  hosts: Set<string>;
  /** A request is read within this time, in ms, or not at all. */
  slowest: number;
}

const LOOPBACK: ReadonlySet<string> = new Set(["127.0.0.1", "::1", "localhost"]);

/** Whether only this machine can reach what listens there. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.has(host);
}

/** Takes requests until it is closed. */
export async function listen({ fetch, host, port, hosts, slowest }: Listening): Promise<Serving> {
  const memory = new Memory();
  const server = serve({
    ...{ fetch, port, hostname: host },
    serverOptions: {
      ...{ requestTimeout: slowest, headersTimeout: Math.min(slowest, SLOWEST_HEADERS) },
      // Node looks for slow ones every half a minute unless told otherwise.
      connectionsCheckingInterval: Math.min(slowest, 1000),
    },
  }) as Server;
  await begun(server, port);
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

function begun(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("listening", () => resolve());
    server.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EADDRINUSE") return reject(error);
      const hint = "give another with --port, or --port 0 for any";
      reject(new DaybookError(`port ${port} is in use`, { code: "usage", op: "serve", hint, cause: error }));
    });
  });
}
