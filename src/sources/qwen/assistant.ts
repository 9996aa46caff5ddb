import type { AssistantFinishedBody, RecordBody } from "../../format/record.ts";
import { partsOf, textOf } from "./content.ts";
import { agentContinues } from "./lookahead.ts";
import { obj, str, type Native } from "../kit/native.ts";
import { startCall } from "./settlement.ts";
import type { ReaderState } from "./state.ts";
import { usageOfReply } from "./usage.ts";
import { verdict } from "../kit/verdict.ts";
import type { ClassifyContext, Verdict } from "./verdict.ts";

/** A reply of the model: reasoning, text and calls of one response. */
export function classifyAssistant(record: Native, ctx: ClassifyContext): Verdict {
  const { state } = ctx;
  const parts = partsOf(record);
  const text = textOf(parts);
  const calls = parts.filter((part) => obj(part["functionCall"]) !== null);
  // A complete response states its usage or was preceded by telemetry. Text without either is the rest of an
  // interrupted stream: interrupted by the human, or by the provider, in which case the agent asks again.
  const cut =
    text !== "" &&
    calls.length === 0 &&
    obj(record["usageMetadata"]) === null &&
    !state.responded &&
    str(record["provenance"]) !== null;
  const ahead = cut ? agentContinues(ctx.lines) : { value: false, open: false };
  const stopped = cut && !ahead.value;
  const apply = (): RecordBody[] => {
    const out: RecordBody[] = [];
    for (const part of parts) {
      if (part["thought"] !== true) continue;
      const thought = str(part["text"]) ?? "";
      if (thought !== "") out.push({ type: "reasoning_finished", text: ctx.full ? thought : "" });
    }
    if (text !== "" || isEmptyAnswer(record, calls.length, state))
      out.push(reply(record, text, calls.length === 0 && !cut, ctx.full));
    state.responded = false;
    for (const part of calls) out.push(...startCall(part, state, ctx.full));
    if (stopped) out.push({ type: "cancelled", reason: "interrupted" });
    return [...out, ...usageOfReply(record, state, "counted")];
  };
  return verdict("reaction", stopped ? "qwen.assistant.cut_off" : "qwen.assistant", apply, ahead.open);
}

/**
 * A complete response without text and without calls. Subagents write a response in pieces, one of which may be only
 * reasoning.
 */
function isEmptyAnswer(record: Native, calls: number, state: ReaderState): boolean {
  return state.kind === "root" && calls === 0 && (state.responded || obj(record["usageMetadata"]) !== null);
}

function reply(record: Native, text: string, ends: boolean, full: boolean): AssistantFinishedBody {
  const body: AssistantFinishedBody = {
    type: "assistant_finished",
    message_id: str(record["uuid"]),
    model: str(record["model"]),
    text: full ? text : "",
  };
  // A reply without tool calls is the last of its turn; work caused by a notification reopens the turn.
  if (ends) body.turn_ended = true;
  return body;
}
