import { DaybookError, messageOf, type ErrorCode } from "../base/errors.ts";
import type { Agent, AgentReply } from "./agents/model.ts";
import type { Budget } from "./budget.ts";
import type { Journal, Request } from "./journal.ts";
import type { RunTools } from "./tool-provider.ts";

/**
 * Nothing more is asked: the budget is used up, the signal was aborted, or an agent does not answer. The answers so far
 * are kept.
 */
export class NarrationStopped extends DaybookError {
  /** `code`: `stopped` when the caller aborted the narration. */
  constructor(why: string, code: ErrorCode, cause?: unknown) {
    super(why, {
      code,
      op: "narrate",
      hint: "run the same command to go on: nothing that was answered is asked again",
      ...(cause === undefined ? {} : { cause }),
    });
    this.name = "NarrationStopped";
  }
}

export interface AskerOptions {
  agent: Agent;
  journal: Journal;
  budget: Budget;
  /** Working directory of the agent: inside Daybook's own folder, so that its sessions are recognised as Daybook's. */
  cwd: string;
  concurrency: number;
  signal?: AbortSignal | undefined;
  /** Called when a request is sent, when it is answered, and when its answer was stored already. */
  onRequest?: ((task: string, state: "sent" | "answered" | "kept") => void) | undefined;
}

/** Sends requests to an agent, a limited number in parallel, each at most once. */
export class Asker {
  readonly #options: AskerOptions;
  readonly #waiting: (() => void)[] = [];
  #running = 0;
  #stopped: NarrationStopped | null = null;

  constructor(options: AskerOptions) {
    this.#options = options;
  }

  get agent(): string {
    const { name, model } = this.#options.agent;
    return model === null ? name : `${name} ${model}`;
  }

  get callsTools(): boolean {
    return this.#options.agent.callsTools;
  }

  /** Returns the text of the answer, stored or new. What the agent wrote with `tools` replaces what it said. */
  async ask(task: string, attempt: number, prompt: string, tools?: RunTools | null): Promise<string> {
    const { journal, budget, onRequest } = this.#options;
    const request: Request = { task, attempt, prompt, agent: this.agent };
    const kept = journal.answerTo(request);
    if (kept) {
      budget.count(prompt, kept);
      onRequest?.(task, "kept");
      return kept.text;
    }
    await this.#acquireSlot();
    try {
      this.#assertGoing();
      const reply = await this.#sent(request, tools);
      const answer = journal.answered(request, reply);
      budget.count(prompt, answer);
      onRequest?.(task, "answered");
      return answer.text;
    } finally {
      this.#running--;
      this.#waiting.shift()?.();
    }
  }

  async #sent(request: Request, tools: RunTools | null | undefined): Promise<AgentReply> {
    const { agent, journal, budget, cwd, signal, onRequest } = this.#options;
    const { prompt, task } = request;
    const before = tools?.written(request) ?? null;
    if (before !== null && tools?.isEnough?.(before) === true) return { text: before, tokens: null, cost_usd: null };
    const full = budget.reserve(prompt);
    if (full !== null) throw this.#stop(new NarrationStopped(full, "refused"));
    try {
      journal.sent(request);
      onRequest?.(task, "sent");
      const server = tools?.server(request) ?? null;
      const reply = await agent.ask({ prompt, cwd, server, signal });
      const written = tools?.written(request) ?? null;
      return written === null ? reply : { ...reply, text: written };
    } catch (error) {
      if (signal?.aborted === true) throw this.#stop(new NarrationStopped("stopped", "stopped", error));
      if (!(error instanceof DaybookError)) throw error;
      journal.failed(request, messageOf(error));
      throw this.#stop(new NarrationStopped(messageOf(error), error.code, error));
    } finally {
      budget.release(prompt);
    }
  }

  /** Requests that still wait are not sent any more. */
  #stop(error: NarrationStopped): NarrationStopped {
    this.#stopped ??= error;
    return error;
  }

  #assertGoing(): void {
    if (this.#stopped) throw this.#stopped;
    if (this.#options.signal?.aborted === true) throw this.#stop(new NarrationStopped("stopped", "stopped"));
  }

  async #acquireSlot(): Promise<void> {
    const { agent, concurrency } = this.#options;
    if (this.#running >= Math.min(concurrency, agent.atOnce ?? concurrency))
      await new Promise<void>((go) => void this.#waiting.push(go));
    this.#running++;
  }
}
