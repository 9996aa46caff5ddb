import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { appendLine } from "../base/io/append-line.ts";
import { jsonText, writeAtomic } from "../answers/workspace/write.ts";
import type { AgentReply } from "./agents/model.ts";

/** One request to an agent. Equal requests have equal ids, and one that was answered is never sent again. */
export interface Request {
  /** `evidence PROJECT/S0001 1`, `project KEY`, `day`. */
  task: string;
  attempt: number;
  prompt: string;
  /** Name and model of the agent. */
  agent: string;
}

export interface StoredAnswer extends AgentReply {
  schema_version: 1;
  request: string;
  task: string;
  attempt: number;
  agent: string;
}

/** The folders in which a narration records requests and answers. */
export function foldersOfJournal(workspace: string): string[] {
  const folder = join(workspace, "narration");
  return [folder, ...["answers", "tasks", "writes"].map((name) => join(folder, name))];
}

/** Called at every step that writes to disk: tests kill the program there. */
export type Step = (name: string) => void;

/**
 * Records requests and answers in the workspace, so that a killed run continues where it was. An answer is stored
 * before it is used: whatever is derived from it can be derived again.
 */
export class Journal {
  readonly folder: string;
  readonly #step: Step;

  constructor(workspace: string, step: Step = () => undefined) {
    this.folder = join(workspace, "narration");
    this.#step = step;
    mkdirSync(join(this.folder, "answers"), { recursive: true, mode: 0o700 });
  }

  static idOf({ task, attempt, prompt, agent }: Request): string {
    return createHash("sha256")
      .update(JSON.stringify([task, attempt, prompt, agent]))
      .digest("hex")
      .slice(0, 24);
  }

  answerTo(request: Request): StoredAnswer | null {
    const path = this.#pathOf(Journal.idOf(request));
    return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as StoredAnswer) : null;
  }

  sent(request: Request): void {
    this.#append({ state: "sent", request: Journal.idOf(request), ...requestFields(request) });
  }

  answered(request: Request, reply: AgentReply): StoredAnswer {
    const id = Journal.idOf(request);
    const { text, tokens, cost_usd } = reply;
    const answer: StoredAnswer = { schema_version: 1, request: id, ...requestFields(request), text, tokens, cost_usd };
    this.#step("answer");
    writeAtomic(this.#pathOf(id), jsonText(answer));
    this.#append({ state: "answered", request: id, ...requestFields(request), tokens, cost_usd });
    return answer;
  }

  failed(request: Request, why: string): void {
    this.#append({ state: "failed", request: Journal.idOf(request), ...requestFields(request), why });
  }

  /** The file for the writes of one run while it is in progress. */
  writesOf(request: Request): string {
    return join(this.folder, "writes", `${Journal.idOf(request)}.jsonl`);
  }

  #pathOf(id: string): string {
    return join(this.folder, "answers", `${id}.json`);
  }

  /** Flushed to disk before it counts. A line that was cut short by a kill does not damage the next one. */
  #append(entry: Record<string, unknown>): void {
    this.#step(`before ${String(entry["state"])}`);
    appendLine(join(this.folder, "journal.jsonl"), entry, { flush: true });
    this.#step(`after ${String(entry["state"])}`);
  }
}

function requestFields({ task, attempt, agent }: Request): Pick<Request, "task" | "attempt" | "agent"> {
  return { task, attempt, agent };
}
