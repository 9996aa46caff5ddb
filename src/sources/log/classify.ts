import type { LogRecord } from "../../format/record.ts";
import type { EntryClass } from "../contract.ts";
import type { Reason } from "./reasons.ts";
import type { ReaderState } from "./state.ts";

export interface Verdict {
  class: EntryClass;
  reason: Reason;
}

/** What may stand before the request that caused it. */
const MAY_COME_FIRST: ReadonlySet<string> = new Set(["context", "compacted", "usage", "usage_total", "user"]);

const OF_THE_SESSION: Verdict = { class: "session", reason: "log.of_the_session" };

/** A log says itself which turn owns a record; only what begins a turn has to be found. */
export function classify(record: LogRecord, state: ReaderState): Verdict {
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
      return record.turn_id === undefined ? ofNoTurn(record, state) : ofTurn(record, record.turn_id, state);
  }
}

function ofNoTurn(record: LogRecord, state: ReaderState): Verdict {
  // Work that an agent asked for has no request of a person, and need not be called a turn.
  if (state.kind !== "root" && record.type !== "usage_total") return { class: "reaction", reason: "log.delegated" };
  if (record.type === "context" || record.type === "user") return { class: "setup", reason: "log.preparation" };
  return OF_THE_SESSION;
}

function ofTurn(record: LogRecord, turn: string, state: ReaderState): Verdict {
  const known = state.turns.get(turn);
  if (record.type === "user" && record.author === "human") {
    if (!known) return { class: "trigger", reason: "log.request" };
    if (record.kind !== undefined) return { class: "echo", reason: "log.request.restated" };
  }
  if (known) return { class: "reaction", reason: "log.of_the_turn" };
  if (record.type === "user" && record.author === "agent") return { class: "reaction", reason: "log.delegated" };
  if (MAY_COME_FIRST.has(record.type)) return { class: "early", reason: "log.before_the_request" };
  return { class: "session", reason: "log.turn.unasked" };
}
