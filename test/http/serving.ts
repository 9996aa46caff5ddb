import { afterAll } from "vitest";
import { Daybook, inside } from "../../src/answers/daybook.ts";
import { buildApp } from "../../src/doors/http/app.ts";
import { ChangeListeners } from "../../src/doors/http/routes/events.ts";
import { Tickets } from "../../src/doors/http/guard.ts";
import { copyCorpus, scratch, type Roots } from "../store/fixture.ts";

export const HOST = "127.0.0.1:4242";
export const PAGE_TOKEN = "token-of-the-page";
export const NOW: number = Date.UTC(2026, 11, 31);

export type Asking = (path: string, init?: RequestInit & { headers?: Record<string, string> }) => Promise<Response>;

/** What every client of these servers must send. */
export const TOKEN = "token-of-the-user";

interface AskingOptions {
  /** Requests carry no token unless they name it themselves. */
  isStranger?: boolean;
}

/** The whole API over a book of the corpus, called without a socket. */
export async function served(
  options: AskingOptions & { roots?: Roots } = {},
): Promise<{ ask: Asking; daybook: Daybook; roots: Roots }> {
  const { roots } = options.roots ? { roots: options.roots } : copyCorpus();
  const daybook = new Daybook({ book: scratch("home"), roots, timezone: "UTC", now: NOW, env: { HOME: "/nowhere" } });
  await daybook.sync();
  afterAll(() => daybook.close());
  return { ask: askingOf(daybook, options), daybook, roots };
}

/** The API over any Daybook. */
export function askingOf(daybook: Daybook, { isStranger = false }: AskingOptions = {}): Asking {
  const own = isStranger ? {} : { authorization: `Bearer ${TOKEN}` };
  const app = appOf(daybook);
  return async (path, init = {}) =>
    app.request(`http://${HOST}${path}`, { ...init, headers: { host: HOST, ...own, ...init.headers } });
}

/** Every route of the server, from its own table: `GET /api/overview`. */
export function routesOf(daybook: Daybook): string[] {
  const routes = appOf(daybook).routes.map(({ method, path }) => `${method} ${path}`);
  // Middleware is listed for all methods, under a pattern.
  return [...new Set(routes)].filter((route) => !/^ALL .*\*$/.test(route)).toSorted();
}

function appOf(daybook: Daybook): ReturnType<typeof buildApp> {
  const tickets = new Tickets();
  const changes = new ChangeListeners(daybook, (error) => {
    throw error;
  });
  return buildApp({
    daybook,
    now: () => daybook.now,
    version: "0.0.0",
    sample: false,
    pageToken: PAGE_TOKEN,
    terminal: null,
    changes,
    page: null,
    threads: null,
    state: () => 0,
    isSyncing: () => inside(daybook).isSyncing,
    freshen: () => inside(daybook).freshen(1000),
    guard: { hosts: new Set([HOST]), token: TOKEN, tickets, pageToken: PAGE_TOKEN },
    address: () => tickets.addTo(`http://${HOST}/`),
    document: () => "{}",
  });
}
