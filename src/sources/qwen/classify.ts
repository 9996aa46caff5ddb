import type { RecordBody } from "../../format/record.ts";
import { classifyAssistant } from "./assistant.ts";
import { obj, str, type Native } from "../kit/native.ts";
import { agentContinues } from "./lookahead.ts";
import { isCancelled, settle } from "./settlement.ts";
import { classifySystem } from "./system.ts";
import { classifyUser } from "./user.ts";
import { verdict } from "../kit/verdict.ts";
import type { ClassifyContext, Verdict } from "./verdict.ts";

const USER_SUBTYPES: ReadonlySet<string> = new Set([
  "agent_launch_prompt",
  "cron",
  "goal_runtime",
  "mid_turn_user_message",
  "notification",
  "realtime_message",
]);

export function nativeType(record: Native): string {
  const type = str(record["type"]) ?? "(untyped)";
  const subtype = str(record["subtype"]);
  if (subtype === null) return type;
  const event = str(obj(obj(record["systemPayload"])?.["uiEvent"])?.["event.name"]);
  return event === null ? `${type}/${subtype}` : `${type}/${subtype}/${event.replace(/^qwen-code\./, "")}`;
}

/** Decides without changing any state: only `apply` does, so that an uncertain verdict can be discarded. */
export function classify(record: Native, ctx: ClassifyContext): Verdict {
  const subtype = str(record["subtype"]);
  switch (record["type"]) {
    case "user": {
      const human = str(record["provenance"]) === "real_user";
      if (subtype !== null && !USER_SUBTYPES.has(subtype) && !human) break;
      return classifyUser(record, ctx);
    }
    case "assistant":
      return classifyAssistant(record, ctx);
    case "tool_result":
      return classifyResult(record, ctx);
    case "system": {
      const system = classifySystem(record, ctx);
      if (system) return system;
      break;
    }
    default:
  }
  return verdict("unknown", "qwen.unknown", () => [{ type: "unknown", native_type: nativeType(record) }]);
}

/** Escape cancels running calls; Qwen Code then does not ask the model again. */
function classifyResult(record: Native, ctx: ClassifyContext): Verdict {
  const { state } = ctx;
  const ahead = state.kind === "root" && isCancelled(record) ? agentContinues(ctx.lines) : { value: true, open: false };
  const apply = (): RecordBody[] => {
    state.responded = false;
    const settled = settle(record, state, ctx.full);
    return ahead.value ? settled : [...settled, { type: "cancelled", reason: "interrupted" }];
  };
  return verdict("reaction", "qwen.tool_result", apply, ahead.open);
}
