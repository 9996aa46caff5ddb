import type { LogRecord } from "../record.ts";
import type { LogMemory } from "./memory.ts";

/** The class of a record for the turn builder, and the name of the rule that assigned it. */
export type Verdict =
  | { class: "trigger"; reason: "log.request" }
  | { class: "echo"; reason: "log.request.restated" }
  | { class: "reaction"; reason: "log.of_the_turn" | "log.delegated" }
  | { class: "early"; reason: "log.before_the_request" }
  | { class: "setup"; reason: "log.preparation" }
  | { class: "session"; reason: "log.of_the_session" | "log.turn.unasked" }
  | { class: "unknown"; reason: "log.type.unknown" }
  | { class: "corrupt"; reason: "log.record.unreadable" };

/** Record types that may precede the request that caused them. */
const MAY_COME_FIRST: ReadonlySet<string> = new Set(["context", "compacted", "usage", "usage_total", "user"]);

const OF_THE_SESSION: Verdict = { class: "session", reason: "log.of_the_session" };

/** A log states which turn owns each record; only the record that begins a turn has to be determined. */
export function classify(record: LogRecord, memory: LogMemory): Verdict {
  switch (record.type) {
    case "session_meta":
    case "session_renamed":
    case "session_archived":
      return OF_THE_SESSION;
    case "unknown":
      return { class: "unknown", reason: "log.type.unknown" };
    case "unreadable":
      return { class: "corrupt", reason: "log.record.unreadable" };
    default:
      return record.turn_id === undefined ? ofNoTurn(record, memory) : ofTurn(record, record.turn_id, memory);
  }
}

function ofNoTurn(record: LogRecord, memory: LogMemory): Verdict {
  // Work requested by another agent has no human request and may have no turn id.
  if (memory.kind !== "root" && record.type !== "usage_total") return { class: "reaction", reason: "log.delegated" };
  if (record.type === "context" || record.type === "user") return { class: "setup", reason: "log.preparation" };
  return OF_THE_SESSION;
}

function ofTurn(record: LogRecord, turn: string, memory: LogMemory): Verdict {
  const known = memory.turns.get(turn);
  if (record.type === "user" && record.author === "human") {
    if (!known) return { class: "trigger", reason: "log.request" };
    if (record.kind !== undefined) return { class: "echo", reason: "log.request.restated" };
  }
  if (known) return { class: "reaction", reason: "log.of_the_turn" };
  // In a session with a human, a user message written by an agent is not a request.
  if (record.type === "user" && record.author === "agent" && memory.kind !== "root")
    return { class: "reaction", reason: "log.delegated" };
  if (MAY_COME_FIRST.has(record.type)) return { class: "early", reason: "log.before_the_request" };
  return { class: "session", reason: "log.turn.unasked" };
}
