import { parentPort, workerData } from "node:worker_threads";
import { loadSourceModule } from "../../agents/source-module.ts";
import { fromPlain, type Freshness, type PlainDaybookOptions } from "../../answers/daybook.ts";
import { VERSION } from "../../base/version.ts";
import { buildAnswers } from "./app.ts";
import type { Terminal } from "./terminal.ts";
import { IdleCollector } from "./idle-collector.ts";

/** What a thread is started with. */
export interface AnswerThreadData {
  daybook: PlainDaybookOptions;
  sample: boolean;
  pageToken: string;
  terminal: Terminal | null;
  /** Modules with readers for further agents. */
  modules: readonly string[];
}

/** A request, after access was checked, as plain data. */
export interface ThreadQuestion {
  method: string;
  url: string;
  headers: [string, string][];
  body: Uint8Array<ArrayBuffer> | null;
  /** What the thread that watches the files knows of them. */
  freshness: Freshness;
  isSyncing: boolean;
}

export interface ThreadAnswer {
  status: number;
  headers: [string, string][];
  body: ArrayBuffer;
}

/** Entry point of a thread that answers questions from the index, one at a time. It never looks at the agents' files. */
export async function runAnswerThread(): Promise<void> {
  const { daybook: options, sample, pageToken, terminal, modules } = workerData as AnswerThreadData;
  for (const path of modules) await loadSourceModule(path);
  const daybook = fromPlain(options);
  let current: Pick<ThreadQuestion, "freshness" | "isSyncing"> = { freshness: "fresh", isSyncing: false };
  const app = buildAnswers({
    daybook,
    now: () => daybook.now,
    version: VERSION,
    sample,
    pageToken,
    terminal,
    isSyncing: () => current.isSyncing,
    freshen: async () => current.freshness,
  });
  const collector = new IdleCollector();
  parentPort?.on("message", (question: ThreadQuestion | null) => {
    if (question === null) {
      daybook.close();
      return parentPort?.close();
    }
    current = question;
    void answerOf(app.fetch, question).then((answer) => {
      parentPort?.postMessage(answer, [answer.body]);
      collector.answered();
    });
  });
}

async function answerOf(
  answer: (request: Request) => Response | Promise<Response>,
  { method, url, headers, body }: ThreadQuestion,
): Promise<ThreadAnswer> {
  const response = await answer(new Request(url, { method, headers, body }));
  return { status: response.status, headers: [...response.headers], body: await response.arrayBuffer() };
}
