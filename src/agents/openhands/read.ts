/** One pass over the events of a conversation. */
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ReadMeter } from "../../base/io/bytes.ts";
import type { Cursor, NativeRecord, ReadContext, Reading, SourceRef } from "../contract.ts";
import { placedIn, recordBeside, recordIn, RecordLines, type PlacedRecord } from "../kit/bundle.ts";
import { readChat, type Chat } from "../kit/chat.ts";
import { fieldsByType } from "../kit/drift.ts";
import { cannotOpen } from "../kit/json-lines.ts";
import { millis, str } from "../kit/native.ts";
import { EVENTS, sessionIdOf, STATE } from "./discover.ts";
import { CLASSES, freshState, RULES, stateOf, TOOLS, type ReaderState, type Reason } from "./rules.ts";
import { statedIn } from "./usage.ts";

const FIELDS = {
  SystemPromptEvent: "system_prompt tools dynamic_context",
  MessageEvent: "llm_message llm_response_id activated_skills extended_content sender critic_result",
  ActionEvent:
    "thought reasoning_content thinking_blocks responses_reasoning_item reasoning_details action tool_name tool_call_id tool_call llm_response_id security_risk critic_result summary",
  ObservationEvent: "tool_name tool_call_id observation action_id extended_content",
  UserRejectObservation: "tool_name tool_call_id rejection_reason rejection_source action_id",
  AgentErrorEvent: "tool_name tool_call_id error classification",
  ConversationErrorEvent: "code detail classification",
  Condensation: "forgotten_event_ids summary summary_offset llm_response_id",
  CondensationRequest: "reason",
};

const OPENHANDS: Chat<ReaderState, Reason> = {
  prefix: "openhands",
  freshState,
  open: (ref, from, ctx) => new RecordLines(eventsOf(ref.path, ctx.meter), from),
  sessionId: sessionIdOf,
  native: ({ kind, source }) => (kind === "MessageEvent" ? `${kind}/${str(source)}` : (str(kind) ?? "(no kind)")),
  time: ({ timestamp }) => millis(timestamp),
  identity: ({ id }) => str(id),
  fields: fieldsByType(FIELDS, ["id", "timestamp", "source", "kind"]),
  classes: CLASSES,
  rules: RULES,
  unknown: "openhands.kind.unknown",
  tools: TOOLS,
  usage: (record, state, beside) => {
    const response = str(record["llm_response_id"]);
    if (response === null) return null;
    state.responses.set(response, true);
    return statedIn(beside).get(response) ?? null;
  },
  repeated: "openhands.id.repeated",
  beside: [
    {
      file: () => STATE,
      rule: "openhands.state",
      says: (say, document, { path, state, beside }) => {
        stateOf(say, document, path);
        // Answers that left no event, or that a sub-agent got: they were paid for all the same.
        for (const [response, { tokens, model }] of statedIn(beside))
          if (tokens && !state.responses.has(response))
            say.record({ type: "usage", response_id: response, model, verdict: "counted", ...tokens });
      },
    },
  ],
};

const EVENT = /^event-(\d+)-.*\.json$/;

/** The events by their numbers, which outgrow their five digits. */
function eventsOf(path: string, meter?: ReadMeter): PlacedRecord[] {
  const directory = join(dirname(path), EVENTS);
  let names: string[];
  try {
    names = readdirSync(directory).filter((name) => EVENT.test(name));
  } catch (cause) {
    throw cannotOpen(path, cause);
  }
  names.sort((a, b) => numberOf(a) - numberOf(b) || (a < b ? -1 : 1));
  return names.flatMap((name) => placedIn(join(directory, name), `${EVENTS}/${name}`, meter));
}

function numberOf(name: string): number {
  return Number(EVENT.exec(name)?.[1]);
}

export function readSession(ref: SourceRef, cursor: Cursor | null, ctx: ReadContext): Reading {
  return readChat(OPENHANDS, ref, cursor, ctx);
}

export function recordAt({ path }: SourceRef, line: number, native: string): NativeRecord | null {
  return recordBeside(path, native) ?? recordIn(eventsOf(path), line);
}
