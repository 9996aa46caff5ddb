import { afterAll } from "vitest";
import { Daybook } from "../../src/daybook.ts";
import { buildApp } from "../../src/http/app.ts";
import { ChangeListeners } from "../../src/http/change-listeners.ts";
import { copyCorpus, scratch, type Roots } from "../store/fixture.ts";

export const HOST = "127.0.0.1:4242";
export const PAGE_TOKEN = "token-of-the-page";
export const NOW: number = Date.UTC(2026, 11, 31);

export type Asking = (path: string, init?: RequestInit & { headers?: Record<string, string> }) => Promise<Response>;

/** The whole API over a book of the corpus, called without a socket. */
export async function served(
  options: { token?: string; roots?: Roots } = {},
): Promise<{ ask: Asking; daybook: Daybook; roots: Roots }> {
  const { roots } = options.roots ? { roots: options.roots } : copyCorpus();
  const daybook = new Daybook({ book: scratch("home"), roots, timezone: "UTC", now: NOW, env: { HOME: "/nowhere" } });
  await daybook.sync();
  afterAll(() => daybook.close());
  return { ask: askingOf(daybook, options), daybook, roots };
}

/** The API over any Daybook. */
export function askingOf(daybook: Daybook, options: { token?: string } = {}): Asking {
  const changes = new ChangeListeners(daybook, (error) => {
    throw error;
  });
  const app = buildApp({
    daybook,
    now: () => NOW,
    version: "0.0.0",
    sample: false,
    pageToken: PAGE_TOKEN,
    changes,
    page: null,
    guard: { hosts: new Set([HOST]), token: options.token ?? null, pageToken: PAGE_TOKEN },
    document: () => "{}",
  });
  return async (path, init = {}) =>
    app.request(`http://${HOST}${path}`, { ...init, headers: { host: HOST, ...init.headers } });
}
