import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { DaybookError } from "../errors.ts";
import type { Daybook } from "../daybook.ts";
import { DOCS, PAGE } from "../places.ts";
import { VERSION } from "../version.ts";
import { buildApp } from "./app.ts";
import { ChangeListeners, type Pace } from "./change-listeners.ts";
import { isLoopback, listen, type RunningServer } from "./listen.ts";
import { PageFiles } from "./page-files.ts";

export interface ServeOptions {
  daybook: Daybook;
  port: number;
  /** The address to listen on; by default only this machine. */
  host: string;
  /** Required from every client; mandatory if the server is reachable from other machines. */
  token: string | null;
  page: boolean;
  sample: boolean;
  now: () => number;
  /** Maximum time to receive a request, in ms. */
  slowest?: number;
  /** How often to check for changes; by default as for local files. */
  pace?: Pace | undefined;
  /** Called with errors that happen outside of an answer. */
  failed: (error: unknown) => void;
}

const SLOWEST = 10_000;

/** Serves the API and the page until it is closed. */
export async function serveDaybook(options: ServeOptions): Promise<RunningServer> {
  const { daybook, host, token, sample, now } = options;
  if (!isLoopback(host) && token === null) {
    throw new DaybookError(`${host} can be reached from other machines`, {
      code: "usage",
      op: "serve",
      hint: "set a token with --token, or leave --host out",
    });
  }
  const page = options.page ? new PageFiles(fileURLToPath(PAGE)) : null;
  if (page?.isBuilt === false)
    throw new DaybookError("the page is not built", { code: "internal", op: "serve", hint: "npm run build" });
  const pageToken = randomBytes(24).toString("base64url");
  const hosts = new Set<string>();
  const changes = new ChangeListeners(daybook, options.failed, options.pace);
  const app = buildApp({
    daybook,
    now,
    version: VERSION,
    sample,
    pageToken,
    changes,
    page,
    guard: { hosts, token, pageToken },
    document: () => readFileSync(new URL("openapi.json", DOCS), "utf8"),
  });
  const { slowest = SLOWEST } = options;
  const serving = await listen({ fetch: app.fetch, host, port: options.port, hosts, slowest });
  // With a store, questions do not look for changes by themselves.
  if (daybook.isOfStore) changes.begin();
  if (page) setImmediate(() => page.prepare());
  return {
    url: `${serving.url}${token === null ? "" : `#token=${encodeURIComponent(token)}`}`,
    close: () => {
      changes.close();
      return serving.close();
    },
  };
}
