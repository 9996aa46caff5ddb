import { fork, type ChildProcess } from "node:child_process";
import { constants, setPriority } from "node:os";
import type { Progress } from "../../reading/pool.ts";
import { errorFrom } from "./plain-error.ts";
import type { SyncReport } from "./sync.ts";
import type { SyncMessage, SyncOrder } from "./sync-order.ts";

export interface SyncListener {
  /** It will take long: whatever else wants the processor comes before it. What takes a moment is waited for. */
  isLong: boolean;
  signal?: AbortSignal | undefined;
  onProgress?: Progress | undefined;
  onNote?: ((text: string) => void) | undefined;
}

/** So long it waits for the next sync, in ms: what an agent writes comes line by line. */
const LINGERS = 10_000;
/** Bytes: one that has grown so large ends at once, and all its memory with it. */
const LARGE = 160_000_000;

/**
 * Syncs in a process of their own, for programs that live long. To put sessions together and to write their words takes a second at a
 * time, in which a thread answers nobody, and takes memory that a process does not give back while it lives.
 */
export class SyncProcess {
  readonly #program: URL;
  #child: ChildProcess | null = null;
  #ending: NodeJS.Timeout | undefined;

  constructor(program: URL) {
    this.#program = program;
  }

  /** One at a time. */
  run(order: SyncOrder, { isLong, signal, onProgress, onNote }: SyncListener): Promise<SyncReport> {
    clearTimeout(this.#ending);
    const child = (this.#child ??= this.#start());
    hold(child, true);
    if (isLong) yieldTo(child);
    return new Promise((resolve, reject) => {
      const stop = (): void => void child.send("stop" satisfies SyncOrder | "stop");
      const end = (settle: () => void, memory: number): void => {
        signal?.removeEventListener("abort", stop);
        for (const event of ["message", "error", "exit"]) child.removeAllListeners(event);
        // One that made room for others stays behind them: the next is another.
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

  /** Lets one that has nothing to do end. */
  close(): void {
    clearTimeout(this.#ending);
    if (this.#child?.connected === true) this.#child.disconnect();
    this.#child = null;
  }

  #start(): ChildProcess {
    // It has nothing to say but by messages; what it dies of is printed on the error stream.
    return fork(this.#program, [], { serialization: "advanced", stdio: ["ignore", "ignore", "inherit", "ipc"] });
  }

  #rest(child: ChildProcess, memory: number): void {
    if (this.#child !== child) return;
    if (memory > LARGE || !child.connected) return this.close();
    hold(child, false);
    // One that ends by itself meanwhile is not asked again.
    child.once("exit", () => {
      if (this.#child === child) this.#child = null;
    });
    this.#ending = setTimeout(() => this.close(), LINGERS);
    this.#ending.unref();
  }
}

/** Threads it starts from now on take it over. */
function yieldTo({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // It is as urgent as everything else, then.
  }
}

/** Whoever has nothing else to do ends without waiting for one that rests. */
function hold(child: ChildProcess, isNeeded: boolean): void {
  if (isNeeded) child.ref();
  else child.unref();
  if (isNeeded) child.channel?.ref();
  else child.channel?.unref();
}
