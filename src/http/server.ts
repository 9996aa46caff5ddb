import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { DaybookError } from "../errors.ts";
import type { Daybook } from "../daybook.ts";
import { DOCS, PAGE } from "../places.ts";
import { VERSION } from "../version.ts";
import { buildApp } from "./app.ts";
import { ChangeListeners, type Pace } from "./change-listeners.ts";
import { isLoopback, listen, type Serving } from "./listen.ts";
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
  /** A request is read within this time, in ms, or not at all. */
  slowest?: number;
  /** How often it looks for what is new, where that is not its own to know. */
  pace?: Pace | undefined;
  /** Hears what went wrong behind an answer. */
  failed: (error: unknown) => void;
}

const SLOWEST = 10_000;

/** Serves the API and the page until it is closed. */
export async function serveDaybook(options: ServeOptions): Promise<Serving> {
  const { daybook, host, token, sample, now } = options;
  if (!isLoopback(host) && token === null) {
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
  const changes = new ChangeListeners(daybook, options.failed, options.pace);
  const app = buildApp({
    ...{ daybook, now, version: VERSION, sample, pageToken, changes, page },
    guard: { hosts, token, pageToken },
    document: () => readFileSync(new URL("openapi.json", DOCS), "utf8"),
  });
  const { slowest = SLOWEST } = options;
  const serving = await listen({ fetch: app.fetch, host, port: options.port, hosts, slowest });
  // No question looks at a store by itself.
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
