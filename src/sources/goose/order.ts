import type { Row } from "../../io/sqlite.ts";
import { sizeOfRow } from "../kit/database-sessions.ts";
import { hasContent, type GooseMessage } from "./message.ts";
import { num, obj, timestampOf, type Native } from "./native.ts";

/** A row after the session row: a message, or the usage of one request. */
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
 * Inserts the ledger rows, in the order they were written, among the messages. The ledger names no message, only the
 * second it was written in. From schema 16 on an answer repeats the numbers of its request, and the ledger row is
 * placed after the answer with the same numbers.
 */
export function mergeLedger(messages: readonly StoredMessage[], ledger: readonly Row[]): StoredRow[] {
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

/** If nothing in the same second answers a prompt, the usage of that second belongs to the turn before it. */
function beforeUnanswered(messages: readonly StoredMessage[], last: number, time: number | null): number {
  let at = last;
  for (let message = messages[at]; message && isAsked(message, time); message = messages[at]) at--;
  const answer = messages[at];
  return answer && !isAsked(answer, null) ? at : last;
}

/** A message to the model; in the given second, if there is one. */
function isAsked({ message, time: at }: StoredMessage, time: number | null): boolean {
  return message.role === "user" && !hasContent(message, "toolResponse") && (time === null || at === time);
}

function usageRow(row: Row): StoredUsage {
  const time = timestampOf(row["created_timestamp"]);
  return { kind: "usage", key: `u:${String(row["id"])}`, time, row, bytes: sizeOfRow(row) };
}
