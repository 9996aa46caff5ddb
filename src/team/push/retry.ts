import { setTimeout as sleep } from "node:timers/promises";

export interface RetryOptions {
  /** A random number between 0 and 1: clients that collided once must not collide again. */
  jitter: () => number;
  wait?: (ms: number) => Promise<unknown>;
  attempts?: number;
}

/** About six seconds in total: a busy server asks for two. */
const ATTEMPTS = 8;
const FIRST_WAIT = 50;

/** Runs a whole transaction again if it failed for a temporary reason. */
export async function retrying<T>(work: () => Promise<T>, how: RetryOptions): Promise<T> {
  const { jitter, wait = sleep, attempts = ATTEMPTS } = how;
  for (let n = 1; ; n++) {
    try {
      return await work();
    } catch (error) {
      if (n >= attempts || !isTransient(error)) throw error;
      await wait(FIRST_WAIT * 2 ** (n - 1) * (0.5 + jitter()));
    }
  }
}

/** Serialization failures, deadlocks, a restarting server, a broken connection. */
export function isTransient(error: unknown): boolean {
  const code = codeOf(error);
  if (/^(?:40001|40P01|57P0[123]|53300|08\w{3})$/.test(code)) return true;
  return isBroken(error);
}

/**
 * A value that the database does not take: not of its type, out of its bounds, too large for an index. The checks of
 * `rows/valid-rows.ts` come first and say more.
 */
export function isRefusedValue(code: string): boolean {
  return /^(?:2[123]\w{3}|54\w{3})$/.test(code);
}

const BROKEN = new Set(["ECONNRESET", "EPIPE", "ETIMEDOUT", "UND_ERR_SOCKET"]);

/** The connection was established, but broke. */
function isBroken(error: unknown): boolean {
  if (BROKEN.has(codeOf(error))) return true;
  return (
    error instanceof Error && /^Connection terminated|^Client has encountered a connection error/.test(error.message)
  );
}

const ABSENT = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH", "ENOENT", "EACCES"]);

/** Unreachable: offline, or the wrong address. */
export function isOffline(error: unknown): boolean {
  const code = codeOf(error);
  if (ABSENT.has(code) || isTransient(error)) return true;
  return error instanceof Error && (error.message.startsWith("timeout expired") || error.name === "TimeoutError");
}

function codeOf(error: unknown): string {
  if (typeof error !== "object" || error === null) return "";
  if ("code" in error && typeof error.code === "string") return error.code;
  return "cause" in error ? codeOf(error.cause) : "";
}
