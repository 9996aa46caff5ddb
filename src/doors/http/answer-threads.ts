import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import type { AnswerThreadData, ThreadAnswer, ThreadQuestion } from "./answer-thread.ts";

export interface AnswerThreadsOptions {
  /** The script of a thread. */
  program: URL;
  data: AnswerThreadData;
  /** At most this many threads, each started when it is needed. */
  threads: number;
  /** The clock, in ms. */
  clock?: () => number;
}

/** What is known of the files when a question is asked. */
export interface Seen extends Pick<ThreadQuestion, "freshness" | "isSyncing"> {
  /** Another number than before if an answer may differ. */
  state: number;
}

/** A request that waits for a thread, or is being answered. */
interface Waiting {
  question: ThreadQuestion;
  route: string;
  since: number;
  resolve: (response: Response) => void;
  reject: (error: Error) => void;
}

/** More requests than this do not wait: they are told to come back. */
const LONGEST_QUEUE = 256;
/** In ms. A request that waited longer than this is told to come back: whoever asked may be gone. */
const LONGEST_WAIT = 1500;
/** In ms. A route that took this long the last time is slow: one thread is kept free of such. */
const SLOW = 500;
/** Answers are made of short-lived objects. A larger share of memory for these would hardly make them faster. */
const YOUNG_MB = 12;
/** In seconds. */
const RETRY_AFTER = "1";

/** Why a request was not answered. */
export class BusyError extends Error {
  readonly retryAfter: string = RETRY_AFTER;

  constructor() {
    super("too many questions are waiting");
  }
}

/**
 * Answers requests in threads, each with its own connection to the index: a question may take a second, and the thread
 * that accepts requests must not stand still meanwhile. Every thread answers one question at a time, so no read
 * transaction lasts longer than one answer and the log of the index can always be emptied. Slow questions wait for each
 * other rather than take all threads: a search is answered while reports are made.
 */
export class AnswerThreads {
  readonly #options: AnswerThreadsOptions;
  readonly #clock: () => number;
  readonly #idle: Worker[] = [];
  readonly #busy = new Map<Worker, Waiting>();
  readonly #queue: Waiting[] = [];
  /** Answers under way by their question: whoever asks the same meanwhile gets the same. */
  readonly #shared = new Map<string, Promise<Response>>();
  /** Routes that took long the last time. */
  readonly #slow = new Set<string>();
  #isClosed = false;

  constructor(options: AnswerThreadsOptions) {
    this.#options = options;
    this.#clock = options.clock ?? (() => performance.now());
  }

  /** Starts the first thread before anybody asks. */
  prepare(): void {
    if (this.#idle.length + this.#busy.size === 0) this.#idle.push(this.#start());
  }

  /** Throws a `BusyError` if the question cannot be answered soon. */
  async answer(request: Request, { state, freshness, isSyncing }: Seen): Promise<Response> {
    const { method, url } = request;
    const headers = [...request.headers].filter(([name]) => PASSED_ON.has(name));
    const body = method === "POST" ? new Uint8Array(await request.arrayBuffer()) : null;
    const question: ThreadQuestion = { method, url, headers, body, freshness, isSyncing };
    if (body !== null) return this.#enqueue(question);
    const key = JSON.stringify([method, url, headers, state]);
    const known = this.#shared.get(key);
    if (known) return (await known).clone();
    const answering = this.#enqueue(question);
    this.#shared.set(key, answering);
    const done = (): void => {
      if (this.#shared.get(key) === answering) this.#shared.delete(key);
    };
    answering.then(done, done);
    return (await answering).clone();
  }

  /** Something was changed: answers under way are not for questions asked from now on. */
  forget(): void {
    this.#shared.clear();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const one of this.#queue.splice(0)) one.reject(new BusyError());
    await Promise.all([...this.#idle, ...this.#busy.keys()].map(ended));
  }

  #enqueue(question: ThreadQuestion): Promise<Response> {
    return new Promise((resolve, reject) => {
      this.#dropLate();
      if (this.#isClosed || this.#queue.length >= LONGEST_QUEUE) return reject(new BusyError());
      const route = new URL(question.url).pathname.split("/", 3).join("/");
      this.#queue.push({ question, route, since: this.#clock(), resolve, reject });
      this.#next();
    });
  }

  #dropLate(): void {
    const oldest = this.#clock() - LONGEST_WAIT;
    while (this.#queue[0] !== undefined && this.#queue[0].since < oldest) this.#queue.shift()?.reject(new BusyError());
  }

  #next(): void {
    this.#dropLate();
    const at = this.#isClosed ? -1 : this.#queue.findIndex(({ route }) => this.#mayStart(route));
    const [waiting] = at === -1 ? [] : this.#queue.slice(at, at + 1);
    const thread = waiting && (this.#idle.pop() ?? (this.#busy.size < this.#options.threads ? this.#start() : null));
    if (!thread) return;
    this.#queue.splice(at, 1);
    waiting.since = this.#clock();
    this.#busy.set(thread, waiting);
    thread.postMessage(waiting.question);
  }

  #mayStart(route: string): boolean {
    if (!this.#slow.has(route)) return true;
    const slow = [...this.#busy.values()].filter((one) => this.#slow.has(one.route));
    return slow.length < Math.max(1, this.#options.threads - 1);
  }

  /** How long a question took says what to expect of the next one of its route. */
  #noteTime({ route, since }: Waiting): void {
    if (this.#clock() - since > SLOW) this.#slow.add(route);
    else this.#slow.delete(route);
  }

  #start(): Worker {
    const resourceLimits = { maxYoungGenerationSizeMb: YOUNG_MB };
    const thread = new Worker(this.#options.program, { workerData: this.#options.data, resourceLimits });
    thread.unref();
    thread.on("message", (answer: ThreadAnswer) => {
      const waiting = this.#busy.get(thread);
      this.#busy.delete(thread);
      this.#idle.push(thread);
      if (waiting) this.#noteTime(waiting);
      waiting?.resolve(new Response(answer.body, { status: answer.status, headers: answer.headers }));
      this.#next();
    });
    thread.on("error", (error) => this.#lose(thread, error instanceof Error ? error : new Error(String(error))));
    thread.on("exit", () => this.#lose(thread, new Error("the thread that answers ended")));
    return thread;
  }

  /** Only the question that a lost thread was answering fails; the next one starts another thread. */
  #lose(thread: Worker, error: Error): void {
    const at = this.#idle.indexOf(thread);
    if (at >= 0) this.#idle.splice(at, 1);
    this.#busy.get(thread)?.reject(error);
    this.#busy.delete(thread);
    this.#next();
  }
}

/** In ms. A thread that is still answering after this time is stopped. */
const FAREWELL = 1000;

/** Lets a thread close the index. */
async function ended(thread: Worker): Promise<void> {
  const gone = new Promise((resolve) => thread.once("exit", resolve));
  thread.postMessage(null satisfies ThreadQuestion | null);
  await Promise.race([gone, sleep(FAREWELL)]);
  await thread.terminate();
}

/** Headers that an answer depends on. All others, such as those with tokens, stay in the thread that checked them. */
const PASSED_ON: ReadonlySet<string> = new Set(["accept", "content-type", "mcp-protocol-version", "x-daybook-reveal"]);
