import { fork, type ChildProcess } from "node:child_process";
import { constants, setPriority } from "node:os";
import type { Progress } from "../../book/reading/pool.ts";
import { errorFrom } from "./plain-error.ts";
import type { SyncReport } from "./sync.ts";
import type { SyncMessage, SyncOrder } from "./sync-order.ts";

export interface SyncListener {
  /** The sync will take long and runs at low priority. A short one is waited for. */
  isLong: boolean;
  signal?: AbortSignal | undefined;
  onProgress?: Progress | undefined;
  onNote?: ((text: string) => void) | undefined;
}

/** How long the process waits for the next sync, in ms: agents write line by line. */
const IDLE_MS = 10_000;
/** Bytes: a process that has grown larger ends at once and frees its memory. */
const MAX_IDLE_BYTES = 160_000_000;

/**
 * Runs syncs in a process of their own, for long-lived programs. Assembling and indexing sessions blocks a thread for
 * up to a second at a time, and takes memory that a process does not return while it lives.
 */
export class SyncProcess {
  readonly #program: URL;
  #child: ChildProcess | null = null;
  #ending: NodeJS.Timeout | undefined;

  constructor(program: URL) {
    this.#program = program;
  }

  /** One sync at a time. */
  run(order: SyncOrder, { isLong, signal, onProgress, onNote }: SyncListener): Promise<SyncReport> {
    clearTimeout(this.#ending);
    const child = (this.#child ??= this.#start());
    setReferenced(child, true);
    if (isLong) lowerPriority(child);
    return new Promise((resolve, reject) => {
      const stop = (): void => void child.send("stop" satisfies SyncOrder | "stop");
      const end = (settle: () => void, memory: number): void => {
        signal?.removeEventListener("abort", stop);
        for (const event of ["message", "error", "exit"]) child.removeAllListeners(event);
        // A process with lowered priority cannot raise it again: the next sync gets a new one.
        this.#rest(child, isLong ? Infinity : memory);
        settle();
      };
      const lost = (error: Error): void => end(() => reject(error), Infinity);
      child.on("message", (message) => {
        const said = message as SyncMessage;
        if ("progress" in said) onProgress?.(said.progress);
        else if ("note" in said) onNote?.(said.note);
        else if ("report" in said) end(() => resolve(said.report), said.memory);
        else end(() => reject(errorFrom(said.error)), said.memory);
      });
      child.on("error", lost);
      child.on("exit", (code, by) => lost(new Error(`the process of the sync ended with ${code ?? by}`)));
      signal?.addEventListener("abort", stop);
      child.send(order, (error) => error && lost(error));
      if (signal?.aborted === true) stop();
    });
  }

  /** Lets an idle process end. */
  close(): void {
    clearTimeout(this.#ending);
    if (this.#child?.connected === true) this.#child.disconnect();
    this.#child = null;
  }

  #start(): ChildProcess {
    // It communicates by messages only; a fatal error is printed to stderr.
    return fork(this.#program, [], { serialization: "advanced", stdio: ["ignore", "ignore", "inherit", "ipc"] });
  }

  #rest(child: ChildProcess, memory: number): void {
    if (this.#child !== child) return;
    if (memory > MAX_IDLE_BYTES || !child.connected) return this.close();
    setReferenced(child, false);
    // Forget it if it ends by itself meanwhile.
    child.once("exit", () => {
      if (this.#child === child) this.#child = null;
    });
    this.#ending = setTimeout(() => this.close(), IDLE_MS);
    this.#ending.unref();
  }
}

/** Lowers the priority; threads started from now on inherit it. */
function lowerPriority({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // Then it runs at normal priority.
  }
}

/** An idle sync process must not keep its parent alive. */
function setReferenced(child: ChildProcess, isNeeded: boolean): void {
  if (isNeeded) child.ref();
  else child.unref();
  if (isNeeded) child.channel?.ref();
  else child.channel?.unref();
}
