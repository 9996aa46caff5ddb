import { Client, Pool, type ClientConfig } from "pg";
import { codeOf, DaybookError, messageOf } from "../../base/errors.ts";

/** Connection timeout in ms. */
const CONNECT_WAIT_MS = 10_000;

export function isStoreUrl(url: string): boolean {
  return /^postgres(?:ql)?:\/\//.test(url);
}

/** A pool of connections to a store. Only transactions are used, so a pooler in transaction mode may be in between. */
export function openPool(url: string, most = 10): Pool {
  const pool = new Pool({ ...settingsOf(url), max: most, idleTimeoutMillis: 30_000 });
  // An idle connection that breaks is removed; the next question opens another.
  pool.on("error", () => undefined);
  // A connection that breaks between two statements, or while closing, emits an error event that would otherwise end
  // the process.
  pool.on("connect", (client) => void client.on("error", () => undefined));
  return pool;
}

/** A single connection, for administration. */
export async function connect(url: string): Promise<Client> {
  const client = new Client(settingsOf(url));
  client.on("error", () => undefined);
  try {
    await client.connect();
  } catch (error) {
    throw unreachable(url, error);
  }
  return client;
}

export function unreachable(url: string, error: unknown): DaybookError {
  return new DaybookError(
    `the store ${shownUrl(url)} cannot be reached: ${messageOf(error) || (codeOf(error) ?? "no reason was given")}`,
    {
      code: "unreachable",
      op: "open store",
      cause: error,
      hint: "check the address, and that the database is running",
    },
  );
}

/** The address without its password. */
export function shownUrl(url: string): string {
  return url.replace(/^([a-z]+:\/\/[^:@/]*):[^@/]*@/, "$1:…@").replace(/\?.*$/, "");
}

function settingsOf(url: string): ClientConfig {
  if (!isStoreUrl(url))
    throw new DaybookError(`a store has an address like postgres://host/database, not ${shownUrl(url)}`, {
      code: "usage",
      op: "open store",
    });
  return { connectionString: url, connectionTimeoutMillis: CONNECT_WAIT_MS, application_name: "daybook" };
}
