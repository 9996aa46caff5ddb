import { DaybookError } from "../../base/errors.ts";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** The first signal stops the work cleanly; a second one kills the program. */
export async function untilStopped<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stop = new AbortController();
  const onSignal = (): void => stop.abort();
  for (const name of SIGNALS) process.once(name, onSignal);
  try {
    return await work(stop.signal);
  } finally {
    for (const name of SIGNALS) process.off(name, onSignal);
  }
}

/** The same for work a question waits for: if it is stopped, this throws. */
export async function orThrowIfStopped<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  return untilStopped(async (signal) => {
    const result = await work(signal);
    if (!signal.aborted) return result;
    throw new DaybookError("stopped; what was read is kept, and the next command continues from there", {
      code: "stopped",
      op: "read sessions",
    });
  });
}
