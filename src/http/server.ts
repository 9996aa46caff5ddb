import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { serve } from "@hono/node-server";
import { DaybookError } from "../errors.ts";
import type { Daybook } from "../daybook.ts";
import { DOCS, PAGE } from "../places.ts";
import { VERSION } from "../version.ts";
import { buildApp } from "./app.ts";
import { ChangeListeners } from "./change-listeners.ts";
import { Memory } from "./memory.ts";
import { PageFiles } from "./page-files.ts";

export interface ServeOptions {
  daybook: Daybook;
  port: number;
  /** Where it listens; this machine alone unless told otherwise. */
  host: string;
  /** Asked of everybody; needed where others can reach the server. */
  token: string | null;
  page: boolean;
  sample: boolean;
  now: () => number;
  /** A request is told within this time, in ms, or not at all. */
  slowest?: number;
  /** Hears what went wrong behind an answer. */
  failed: (error: unknown) => void;
}

export interface Serving {
  url: string;
  close(): Promise<void>;
}

const LOOPBACK: ReadonlySet<string> = new Set(["127.0.0.1", "::1", "localhost"]);
const SLOWEST = 10_000;

/** Serves the API and the page until it is closed. */
export async function serveDaybook(options: ServeOptions): Promise<Serving> {
  const { daybook, host, token, sample, now } = options;
  if (!LOOPBACK.has(host) && token === null) {
    throw new DaybookError(`${host} can be reached from other machines`, {
      code: "usage",
      op: "serve",
      hint: "give a token of your own with --token, or leave --host out",
    });
  }
  const page = options.page ? new PageFiles(fileURLToPath(PAGE)) : null;
  if (page?.isBuilt === false)
    throw new DaybookError("the page is not built", { code: "internal", op: "serve", hint: "npm run build" });
  const pageToken = randomBytes(24).toString("base64url");
  const hosts = new Set<string>();
  const changes = new ChangeListeners(daybook, options.failed);
  const app = buildApp({
    ...{ daybook, now, version: VERSION, sample, pageToken, changes, page },
    guard: { hosts, token, pageToken },
    document: () => readFileSync(new URL("openapi.json", DOCS), "utf8"),
  });
  const { slowest = SLOWEST } = options;
  const memory = new Memory();
  const server = serve({
    ...{ fetch: app.fetch, port: options.port, hostname: host },
    serverOptions: {
      ...{ requestTimeout: slowest, headersTimeout: slowest },
      // Node looks for slow ones every half a minute unless told otherwise.
      connectionsCheckingInterval: Math.min(slowest, 1000),
    },
  }) as Server;
  await listening(server, options.port);
  memory.begin();
  if (page) setImmediate(() => page.prepare());
  server.on("request", (_, response) => response.once("close", () => memory.answered()));
  const { port } = server.address() as AddressInfo;
  for (const name of LOOPBACK.has(host) ? LOOPBACK : [host])
    hosts.add(`${name.includes(":") ? `[${name}]` : name}:${port}`);
  const shown = host.includes(":") ? `[${host}]` : host;
  return {
    url: `http://${shown}:${port}/${token === null ? "" : `#token=${encodeURIComponent(token)}`}`,
    close: () =>
      new Promise((resolve) => {
        changes.close();
        memory.end();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function listening(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("listening", () => resolve());
    server.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EADDRINUSE") return reject(error);
      const hint = "give another with --port, or --port 0 for any";
      reject(new DaybookError(`port ${port} is in use`, { code: "usage", op: "serve", hint, cause: error }));
    });
  });
}
