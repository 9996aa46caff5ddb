import type { RecordBody } from "../../format/record.ts";
import { contextRecords, modelOf } from "./context.ts";
import { finishedAt, type Message, type MessageContext } from "./draft.ts";
import { nonEmpty } from "./native.ts";
import { num, obj, str, type Native } from "../kit/native.ts";
import { toolRecords } from "./calls.ts";
import { usageOf, type UsageOrigin } from "./usage.ts";

/** Finish reasons that only hand over to the tools: another message follows. */
const GOES_ON = new Set(["tool-calls", "unknown"]);

export function openingRecords(message: Message, ctx: MessageContext): RecordBody[] {
  const context = contextRecords(message.data, ctx);
  return [...context, { type: "assistant_started", message_id: message.id, model: modelOf(message.data) }];
}

/** The records for one part of an answer; null for a type that has not been checked. */
export function partRecords(part: Native, index: number, message: Message, ctx: MessageContext): RecordBody[] | null {
  const model = modelOf(message.data);
  switch (part["type"]) {
    case "text": {
      const text = str(part["text"]) ?? "";
      // The summary of a compaction is not an answer; it is reported with the compaction.
      if (text === "" || message.data["summary"] === true) return [];
      return [{ type: "assistant_finished", message_id: message.id, model, text: ctx.full ? text : "" }];
    }
    case "reasoning":
      return nonEmpty(part["text"]) === null
        ? []
        : [{ type: "reasoning_finished", text: ctx.full ? (str(part["text"]) ?? "") : "" }];
    case "tool":
      return toolRecords(part, ctx.full);
    case "step-finish": {
      const usage = usageOf(obj(part["tokens"]), `${message.identity}/${index}`, statedIn(message, ctx));
      return usage ? [usage] : [];
    }
    case "retry":
      return [{ type: "failed", message: errorText(obj(part["error"])), turn_ended: false }];
    case "step-start":
    case "snapshot":
    case "patch":
    case "file":
    case "agent":
    case "source-url":
    case "compaction":
    case "subtask":
      return [];
    default:
      return null;
  }
}

function statedIn({ data }: Message, ctx: MessageContext): UsageOrigin {
  return { message: data, model: modelOf(data), version: ctx.facts.version };
}

/** What the message as a whole says about its end; reported at its last row. */
export function closingRecords(message: Message, ctx: MessageContext): RecordBody[] {
  const { data } = message;
  const { state } = ctx;
  const out: RecordBody[] = [];
  const model = modelOf(data);
  const finished = finishedAt(data);
  if (finished !== null) state.busyUntil = Math.max(state.busyUntil ?? 0, finished);
  // A message's own tokens are those of its last step; they count only if no step states any.
  if (!message.pieces.some((piece) => piece.data?.["type"] === "step-finish" && obj(piece.data["tokens"]))) {
    const usage = usageOf(obj(data["tokens"]), `${message.identity}/m`, statedIn(message, ctx));
    if (usage) out.push(usage);
  }
  const summary = data["summary"] === true;
  const asked = state.compaction;
  if (summary && finished !== null && !obj(data["error"])) {
    out.push({ type: "compacted", trigger: asked ?? "unknown", summary: ctx.full ? textOf(message) : null });
    state.compaction = null;
  }
  const error = obj(data["error"]);
  if (error) out.push(ending(error, ctx));
  else if (finished !== null && endsTurn(message) && (!summary || asked === "manual")) {
    out.push({
      type: "assistant_finished",
      message_id: message.id,
      model,
      text: "",
      finish_reason: str(data["finish"]),
      turn_ended: true,
    });
  }
  return out;
}

/**
 * Releases that write no `finish` end a message when it is complete; the turn builder reopens a turn that continues.
 */
function endsTurn(message: Message): boolean {
  const finish = str(message.data["finish"]) ?? lastStepReason(message);
  return finish === null || !GOES_ON.has(finish);
}

function lastStepReason(message: Message): string | null {
  const last = message.pieces.findLast((piece) => piece.data?.["type"] === "step-finish");
  return nonEmpty(last?.data?.["reason"]);
}

function ending(error: Native, ctx: MessageContext): RecordBody {
  const name = str(error["name"]) ?? "";
  if (name === "MessageAbortedError") return { type: "cancelled", reason: "interrupted" };
  const status = num(obj(error["data"])?.["statusCode"]);
  return {
    type: "failed",
    message: errorText(error),
    code: status === null ? name : String(status),
    // An overflow is followed by a compaction, after which the work continues.
    turn_ended: !(name === "ContextOverflowError" && leadsToCompaction(ctx.next())),
  };
}

function leadsToCompaction(next: Message | null): boolean {
  return next?.pieces.some((piece) => piece.data?.["type"] === "compaction") ?? false;
}

function errorText(error: Native | null): string {
  return nonEmpty(obj(error?.["data"])?.["message"]) ?? nonEmpty(error?.["message"]) ?? str(error?.["name"]) ?? "error";
}

function textOf(message: Message): string {
  return message.pieces.flatMap(({ data }) => (data?.["type"] === "text" ? [str(data["text"]) ?? ""] : [])).join("\n");
}
