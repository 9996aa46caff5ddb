import type { TriggerEntry } from "../../record/record.ts";
import type { Lines } from "../kit/json-lines.ts";
import { dataOf } from "./identity.ts";
import { str, type Native } from "../kit/native.ts";

/** How many records a verdict may look ahead. */
const REACH = 16;

export interface Lookahead<T> {
  value: T;
  /** The file ended before the following records could decide. */
  open: boolean;
}

function scan<T>(lines: Lines, look: (type: string, record: Native) => T | undefined, otherwise: T): Lookahead<T> {
  for (let k = 0; k < REACH; k++) {
    const line = lines.peek(k);
    if (line === null || !line.terminated) return { value: otherwise, open: true };
    const record = line.value;
    // Events of subagents come in between; they decide nothing about the session.
    if (!record || str(record["agentId"]) !== null) continue;
    const value = look(str(record["type"]) ?? "", record);
    if (value !== undefined) return { value, open: false };
  }
  return { value: otherwise, open: false };
}

/** The system prompt says how the process is used; a process writes it once, right after its first prompt. */
export function entryOfPrompt(record: Native): TriggerEntry {
  return /non-interactive mode/i.test((str(dataOf(record)["content"]) ?? "").slice(0, 4096))
    ? "headless"
    : "interactive";
}

export function entryAhead(lines: Lines, known: TriggerEntry): Lookahead<TriggerEntry> {
  return scan<TriggerEntry>(
    lines,
    (type, record) => {
      if (type === "system.message" && dataOf(record)["role"] !== "developer") return entryOfPrompt(record);
      return type.startsWith("assistant.") || type === "user.message" || type === "session.shutdown"
        ? known
        : undefined;
    },
    known,
  );
}

/**
 * Whether the version marks where a request to the model begins and ends: then an answer without an end was cut off.
 */
export function stepsAhead(lines: Lines): Lookahead<boolean> {
  return scan(
    lines,
    (type) => {
      if (type === "assistant.turn_start") return true;
      return type === "assistant.message" || type === "user.message" || type === "session.shutdown" ? false : undefined;
    },
    false,
  );
}

/** Whether the model continued before the next human message: then an error did not end the turn. */
export function agentContinues(lines: Lines): Lookahead<boolean> {
  return scan(
    lines,
    (type) => {
      if (type === "assistant.message" || type === "assistant.turn_start" || type.startsWith("tool.")) return true;
      return type === "user.message" || type === "session.shutdown" || type === "session.resume" ? false : undefined;
    },
    false,
  );
}
