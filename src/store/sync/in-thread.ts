import { Worker } from "node:worker_threads";
import type { Progress } from "../../reading/pool.ts";
import { errorFrom } from "./plain-error.ts";
import type { SyncReport } from "./sync.ts";
import type { SyncMessage, SyncOrder } from "./thread.ts";

export interface ThreadListener {
  signal?: AbortSignal | undefined;
  onProgress?: Progress | undefined;
  onNote?: ((text: string) => void) | undefined;
}

/**
 * A sync in a thread of its own. To put sessions together and to write their words takes a second at a time, in which nothing else
 * happens in a thread: whoever asks meanwhile is answered in this one.
 */
export function syncInThread(
  program: URL,
  order: SyncOrder,
  { signal, onProgress, onNote }: ThreadListener,
): Promise<SyncReport> {
  return new Promise((resolve, reject) => {
    // Most of these read a line or two: a thread that is soon gone need not grow first.
    const worker = new Worker(program, { resourceLimits: { maxYoungGenerationSizeMb: 16 } });
    const stop = (): void => worker.postMessage("stop");
    const end = (settle: () => void): void => {
      signal?.removeEventListener("abort", stop);
      void worker.terminate();
      settle();
    };
    worker.on("message", (message: SyncMessage) => {
      if ("progress" in message) onProgress?.(message.progress);
      else if ("note" in message) onNote?.(message.note);
      else if ("report" in message) end(() => resolve(message.report));
      else end(() => reject(errorFrom(message.error)));
    });
    worker.on("error", (error) => end(() => reject(error)));
    worker.on("exit", (code) => end(() => reject(new Error(`the thread of the sync ended with ${code}`))));
    signal?.addEventListener("abort", stop);
    if (signal?.aborted === true) stop();
    worker.postMessage(order);
  });
}
