import type { LogRecord, ToolFinishedBody } from "../../record/record.ts";
import { lineOf } from "./model.ts";

type Result = LogRecord & ToolFinishedBody;

/**
 * What the human typed while refusing a call, where the agent writes it beside the refusal, in one native record. Such a
 * message is a record of its own here, which may be read before the results or after them.
 */
export class WordsBesideRefusals {
  #message: { record: LogRecord; text: string } | null = null;
  #refused: Result[] = [];

  /** Returns the refusals that were read before their words. */
  take(record: LogRecord, text: string): readonly Result[] {
    this.#message = { record, text };
    return this.#refused.filter((result) => isSameRecord(result, record));
  }

  /** The words beside a refusal. */
  with(result: Result): string | null {
    if (result.status !== "denied") return null;
    this.#refused = this.#refused.filter((other) => other !== result && isSameRecord(other, result));
    this.#refused.push(result);
    return this.#message && isSameRecord(this.#message.record, result) ? this.#message.text : null;
  }
}

function isSameRecord(a: LogRecord, b: LogRecord): boolean {
  return lineOf(a) !== null && lineOf(a) === lineOf(b) && a.origin.path === b.origin.path;
}
