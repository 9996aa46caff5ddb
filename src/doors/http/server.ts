import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Daybook, type Freshness, inside } from "../../answers/daybook.ts";
import { DaybookError } from "../../base/errors.ts";
import { VERSION } from "../../base/version.ts";
import { loadedModules } from "../../agents/source-module.ts";
import { ANSWER_WORKER, DOCS, PAGE } from "../../places.ts";
import type { AnswerThreadData } from "./answer-thread.ts";
import { AnswerThreads } from "./answer-threads.ts";
import { buildApp } from "./app.ts";
import { Tickets, TICKETS } from "./guard.ts";
import type { Terminal } from "./terminal.ts";
import { isLoopback, listen, type RunningServer } from "./listen.ts";
import { PageFiles } from "./page-files.ts";
import { ChangeListeners, type Pace } from "./routes/events.ts";

export interface ServeOptions {
  daybook: Daybook;
  port: number;
  /** The address to listen on; by default only this machine. */
  host: string;
  /**
   * Required from every client; null: made anew for this start. Must be given if the server is reachable from other
   * machines.
   */
  token: string | null;
  /** Further names under which the server may be addressed. */
  allowedHosts?: readonly string[];
  page: boolean;
  sample: boolean;
  /** In which the page may resume a session: a program and its words. Only for this machine. */
  terminal?: Terminal | null;
  now: () => number;
  /** Maximum time to receive a request, in ms. */
  slowest?: number;
  /** How often to check for changes; by default as for local files. */
  pace?: Pace | undefined;
  /** Called with errors that happen outside of an answer. */
  failed: (error: unknown) => void;
}

export interface DaybookServer extends RunningServer {
  /** What every client must send. */
  token: string;
  /** An address that a browser can open once. */
  addressOnce(): string;
}

const SLOWEST_REQUEST_MS = 10_000;
/** In ms. A question waits until a sync has taken this long; the rest is read while questions are answered. */
const SYNC_WAIT_MS = 1000;
/** More threads would take more memory than one machine's user can ask questions for. */
const MOST_THREADS = 4;

/** Serves the API and the page until it is closed. */
export async function serveDaybook(options: ServeOptions): Promise<DaybookServer> {
  const { daybook, host, sample, now } = options;
  if (!isLoopback(host) && options.token === null) {
    throw new DaybookError(`${host} can be reached from other machines`, {
      code: "usage",
      op: "serve",
      hint: "set a token with --token, or leave --host out",
    });
  }
  const page = options.page ? new PageFiles(fileURLToPath(PAGE)) : null;
  if (page?.isBuilt === false)
    throw new DaybookError("the page is not built", { code: "internal", op: "serve", hint: "npm run build" });
  const token = options.token ?? randomBytes(24).toString("base64url");
  const pageToken = randomBytes(24).toString("base64url");
  const hosts = new Set<string>();
  const tickets = new Tickets();
  let address = "";
  const changes = new ChangeListeners(daybook, options.failed, options.pace);
  const terminal = isLoopback(host) ? (options.terminal ?? null) : null;
  const threads = startThreads(daybook, { sample, pageToken, terminal });
  const app = buildApp({
    daybook,
    now,
    version: VERSION,
    sample,
    pageToken,
    terminal,
    changes,
    page,
    threads,
    isSyncing: () => inside(daybook).isSyncing,
    freshen: () => freshen(daybook, threads !== null),
    state: () => inside(daybook).state,
    guard: { hosts, token, tickets, pageToken },
    address: () => tickets.addTo(address),
    document: () => readFileSync(new URL("openapi.json", DOCS), "utf8"),
  });
  const { slowest = SLOWEST_REQUEST_MS } = options;
  const serving = await listen({
    fetch: app.fetch,
    host,
    port: options.port,
    hosts,
    allowed: options.allowedHosts ?? [],
    slowest,
  });
  address = serving.url;
  threads?.prepare();
  // With a store, questions do not look for changes by themselves.
  if (inside(daybook).isOfStore) changes.begin();
  if (page) setImmediate(() => page.prepare());
  return {
    url: address,
    token,
    addressOnce: () => tickets.addTo(address),
    close: async () => {
      changes.close();
      await serving.close();
      await threads?.close();
    },
  };
}

/** Where a book is on disk, questions are answered in threads; rows of a team store are in the memory of this one. */
function startThreads(daybook: Daybook, served: Omit<AnswerThreadData, "daybook" | "modules">): AnswerThreads | null {
  const plain = inside(daybook).plainOptions();
  if (ANSWER_WORKER === null || plain === null) return null;
  const threads = Math.min(availableParallelism(), MOST_THREADS);
  return new AnswerThreads({
    program: ANSWER_WORKER,
    data: { ...served, daybook: plain, modules: loadedModules() },
    threads,
  });
}

async function freshen(daybook: Daybook, isForThreads: boolean): Promise<Freshness> {
  const freshness = await inside(daybook).freshen(SYNC_WAIT_MS);
  // Threads only read: the index must be there before they are asked.
  if (freshness === "none" && isForThreads) await inside(daybook).ready();
  return freshness;
}

interface Note {
  url: string;
  token: string;
}

/**
 * Where a running server tells other programs of the same user its address and token: a file only they can read. Where
 * the home cannot be written to there is none, and the server runs all the same.
 */
export class ServerNote {
  readonly path: string;

  constructor(home: string, port: number) {
    this.path = join(home, `serve-${port}.json`);
  }

  write({ url, token }: Note): void {
    try {
      mkdirSync(dirname(this.path), { recursive: true, mode: 0o700 });
      // A new file, so that nobody who has an older one open can read it.
      rmSync(this.path, { force: true });
      writeFileSync(this.path, `${JSON.stringify({ url, token, pid: process.pid })}\n`, { mode: 0o600, flag: "wx" });
    } catch {
      // A home that is read-only.
    }
  }

  remove(): void {
    rmSync(this.path, { force: true });
  }

  /** A new address of the server that runs, for one browser; null if none does, or if it is not ours. */
  async addressOnce(): Promise<string | null> {
    try {
      const { url, token } = JSON.parse(readFileSync(this.path, "utf8")) as Note;
      return await ticketOf(url, token);
    } catch {
      // No server, or a torn file.
      return null;
    }
  }
}

/** Asks a server on this machine for an address that can be opened once. */
function ticketOf(url: string, token: string): Promise<string | null> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const asked = request(new URL(TICKETS, url), { method: "POST", headers }, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      answer.on("end", () => resolve(answer.statusCode === 200 ? (JSON.parse(text) as Note).url : null));
    });
    asked.on("error", reject);
    asked.end("{}");
  });
}
