import type { ContextBody, RecordBody } from "../../format/record.ts";
import { childOfNotification } from "./children.ts";
import { textOf } from "./content.ts";
import { commandEffectAhead, agentContinues } from "./lookahead.ts";
import { num, obj, objects, str, type Native } from "../kit/native.ts";
import { settleByTelemetry } from "./settlement.ts";
import type { ReaderState } from "./state.ts";
import { agentOf, usageOfTelemetry } from "./usage.ts";
import { verdict } from "../kit/verdict.ts";
import type { ClassifyContext, Verdict } from "./verdict.ts";

/** Subtypes of `system` records that are needed only to restore the session. */
const BOOKKEEPING: ReadonlySet<string> = new Set(
  (
    "agent_bootstrap agent_launch_prompt agent_retry agent_session_ready at_command attribution_snapshot branch_checkpoint " +
    "file_history_snapshot goal_runtime goal_state goal_turn_end managed_session_commit_v1 managed_session_event_v1 " +
    "managed_session_header_v1 omni_recall parent_session realtime_message session_artifact_event session_artifact_snapshot " +
    "session_execution_engine session_notes session_source session_sources_snapshot turn_result user_text_elements"
  ).split(" "),
);

export function classifySystem(record: Native, ctx: ClassifyContext): Verdict | null {
  const { state } = ctx;
  const subtype = str(record["subtype"]) ?? "";
  const payload = obj(record["systemPayload"]) ?? {};
  switch (subtype) {
    case "ui_telemetry":
      return classifyTelemetry(obj(payload["uiEvent"]) ?? {}, record, ctx);
    case "slash_command":
      return classifySlash(payload, record, ctx);
    case "chat_compression":
      return verdict("reaction", "qwen.system.compression", () => [compacted(payload, state, ctx.full)]);
    case "custom_title":
      return verdict("session", "qwen.system.title", () => renamed(payload, state));
    case "rewind":
      return verdict("session", "qwen.system.rewind", () => rewound(record, state));
    case "session_model":
      return verdict("session", "qwen.system.model", () => contextChange({ model: str(payload["modelId"]) }, state));
    case "session_approval_mode":
      return verdict("session", "qwen.system.approval", () =>
        contextChange({ approval_policy: str(payload["mode"]) }, state),
      );
    case "background_task_completed":
      return verdict("reaction", "qwen.system.background_task", () => childOfNotification(record, "", state));
    default:
      return BOOKKEEPING.has(subtype) ? verdict("session", "qwen.system.bookkeeping") : null;
  }
}

/** Copies of what was sent to telemetry: usage of every response, duration of every call, errors of the API. */
function classifyTelemetry(event: Native, record: Native, ctx: ClassifyContext): Verdict {
  const { state } = ctx;
  const name = (str(event["event.name"]) ?? "").replace(/^qwen-code\./, "");
  if (name === "api_response") {
    return verdict("reaction", "qwen.telemetry.response", () => {
      if (agentOf(event) === null) state.responded = true;
      return usageOfTelemetry(event, record, ctx.path, state, "counted");
    });
  }
  if (name === "tool_call") return verdict("reaction", "qwen.telemetry.tool", () => settleByTelemetry(event, state));
  if (name !== "api_error") return verdict("session", "qwen.telemetry.other");
  const side = agentOf(event) !== null;
  const ahead = side ? { value: true, open: false } : agentContinues(ctx.lines);
  const code = num(event["status_code"])?.toString() ?? str(event["error_type"]);
  const message = str(event["error_message"]) ?? str(event["error"]) ?? "API error";
  const apply = (): RecordBody[] => [{ type: "failed", message, code, turn_ended: !ahead.value }];
  return verdict("reaction", "qwen.telemetry.error", apply, ahead.open);
}

/**
 * Commands typed in a terminal. One that expands to a prompt is followed by the user record with that prompt, which is
 * then reported with the text that was typed; one that uses the model by itself (`/compress`, `/goal`) is the prompt.
 */
function classifySlash(payload: Native, record: Native, ctx: ClassifyContext): Verdict {
  const { state } = ctx;
  const typed = str(payload["rawCommand"]) ?? "";
  if (payload["phase"] !== "invocation") return verdict("session", "qwen.command.result");
  if (payload["hiddenInvocation"] === true || state.kind !== "root") return verdict("session", "qwen.command.hidden");
  // 0.24 records `/compress` only when it is done.
  if (state.compressed && /^\/(?:compress|compact|summarize)\b/.test(typed)) {
    return verdict("trigger", "qwen.command.compressed", () => {
      state.compressed = false;
      state.triggers += 1;
      state.branches.set(str(record["parentUuid"]) ?? "", [ctx.line, state.follows]);
      const asked: RecordBody = { type: "user", author: "human", text: typed, kind: "command", entry: "interactive" };
      return [asked, { type: "assistant_finished", text: "", turn_ended: true }];
    });
  }
  const sent = payload["sentToModel"];
  const ahead = commandEffectAhead(ctx.lines, typeof sent === "boolean" ? sent : null);
  if (ahead.value === "model") {
    return verdict("trigger", "qwen.command.model", () => {
      state.triggers += 1;
      state.branches.set(str(record["parentUuid"]) ?? "", [ctx.line, state.follows]);
      return [{ type: "user", author: "human", text: typed, kind: "command", entry: "interactive" }];
    });
  }
  const expands = ahead.value === "expanded";
  const apply = (): RecordBody[] => {
    state.command = expands ? typed : null;
    return [];
  };
  if (expands) return verdict("setup", "qwen.command.expanded", apply, ahead.open);
  return verdict("session", "qwen.command.local", apply, ahead.open);
}

function compacted(payload: Native, state: ReaderState, full: boolean): RecordBody {
  const [first] = objects(payload["compressedHistory"]);
  const summary = first ? textOf(objects(first["parts"])) : null;
  state.responded = false;
  const reason = str(obj(payload["info"])?.["triggerReason"]);
  const trigger = reason === "manual" || reason === "auto" ? reason : "unknown";
  state.compressed = trigger === "manual";
  return { type: "compacted", trigger, summary: full ? summary : null };
}

function renamed(payload: Native, state: ReaderState): RecordBody[] {
  const title = str(payload["customTitle"]);
  const by = payload["titleSource"] === "auto" ? "agent" : "human";
  // The title is written repeatedly so that it stays near the end of the file.
  const key = `${by}:${title ?? ""}`;
  if (title === null || key === state.title) return [];
  state.title = key;
  return [{ type: "session_renamed", title, by }];
}

/**
 * The record's parent is the record it returns to: the turn whose prompt followed that record, and all later turns, are
 * taken back.
 */
function rewound(record: Native, state: ReaderState): RecordBody[] {
  const branch = state.branches.get(str(record["parentUuid"]) ?? "");
  return branch === undefined ? [] : [{ type: "cancelled", reason: "rewound", from_line: branch[0] }];
}

function contextChange(fields: Pick<ContextBody, "model" | "approval_policy">, state: ReaderState): RecordBody[] {
  const { ruling } = state;
  const body: ContextBody = { type: "context" };
  if (fields.model && fields.model !== ruling.model) body.model = ruling.model = fields.model;
  if (fields.approval_policy && fields.approval_policy !== ruling.approval)
    body.approval_policy = ruling.approval = fields.approval_policy;
  return Object.keys(body).length > 1 ? [body] : [];
}
