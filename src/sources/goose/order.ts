import type { Row } from "../../io/sqlite.ts";
import { sizeOfRow } from "../kit/listing.ts";
import { has, type GooseMessage } from "./message.ts";
import { num, obj, stamp, type Native } from "./native.ts";

/** A row after the session's own: a message, or what one request cost. */
export type StoredRow = StoredMessage | StoredUsage;

export interface StoredMessage {
  kind: "message";
  id: number;
  key: string;
  time: number | null;
  message: GooseMessage;
}

interface StoredUsage {
  kind: "usage";
  key: string;
  time: number | null;
  row: Native;
  bytes: number;
}

/**
 * Puts what requests cost, in the order of its writing, among the messages. The ledger names no message, only the second of its
 * writing; but an answer repeats the numbers of its request (schema 16), and a cost stands behind the answer that has them.
 */
export function inOrder(messages: readonly StoredMessage[], ledger: readonly Row[]): StoredRow[] {
  const answers = answersByNumbers(messages);
  const behind = new Map<number, StoredUsage[]>();
  let past = 0;
  for (const row of ledger) {
    const cost = usageRow(row);
    while (past < messages.length && (cost.time === null || (messages[past]?.time ?? 0) <= cost.time)) past++;
    const place = answers.get(numbersOf(row))?.shift() ?? beforeUnanswered(messages, past - 1, cost.time);
    const others = behind.get(place);
    if (others) others.push(cost);
    else behind.set(place, [cost]);
  }
  return [...(behind.get(-1) ?? []), ...messages.flatMap((message, i) => [message, ...(behind.get(i) ?? [])])];
}

function answersByNumbers(messages: readonly StoredMessage[]): Map<string, number[]> {
  const found = new Map<string, number[]>();
  for (const [i, { message }] of messages.entries()) {
    const usage = message.role === "assistant" ? obj(message.metadata?.["usage"]) : null;
    if (!usage) continue;
    const key = [usage["inputTokens"], usage["outputTokens"], usage["cacheReadTokens"]].map(num).join(":");
    const others = found.get(key);
    if (others) others.push(i);
    else found.set(key, [i]);
  }
  return found;
}

function numbersOf(row: Row): string {
  return [row["input_tokens"], row["output_tokens"], row["cache_read_tokens"]].map(num).join(":");
}

/** A prompt that nothing of its second answers did not cost what was spent in that second: the turn before it did. */
function beforeUnanswered(messages: readonly StoredMessage[], last: number, time: number | null): number {
  let at = last;
  for (let message = messages[at]; message && isAsked(message, time); message = messages[at]) at--;
  const answer = messages[at];
  return answer && !isAsked(answer, null) ? at : last;
}

/** Something said to the model, in that second where one is named. */
function isAsked({ message, time: at }: StoredMessage, time: number | null): boolean {
  return message.role === "user" && !has(message, "toolResponse") && (time === null || at === time);
}

function usageRow(row: Row): StoredUsage {
  const time = stamp(row["created_timestamp"]);
  return { kind: "usage", key: `u:${String(row["id"])}`, time, row, bytes: sizeOfRow(row) };
}
