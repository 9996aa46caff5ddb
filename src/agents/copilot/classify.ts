import type { AssistantFinishedBody, ChildLinkedBody, RecordBody, UserBody } from "../../record/record.ts";
import { readUser } from "./content.ts";
import { dataOf, SOURCE_ID } from "./identity.ts";
import { entryOfPrompt, entryAhead, stepsAhead, agentContinues } from "./lookahead.ts";
import { list, num, obj, objects, str, type Native } from "../kit/native.ts";
import type { Reason } from "./reasons.ts";
import { contextChanges, headerRecords } from "./session.ts";
import { settle, startCall } from "./settlement.ts";
import { startRun, usageOfCompaction, usageOfMessage, usageOfRecord, usageOfShutdown } from "./usage.ts";
import { quietClass } from "./types.ts";
import { nonTriggerBody, verdict } from "../kit/verdict.ts";
import type { ClassifyContext, Verdict } from "./verdict.ts";

/** Decides without changing any state: only `apply` does, so that an uncertain verdict can be discarded. */
export function classify(record: Native, ctx: ClassifyContext): Verdict {
  const { state, full } = ctx;
  const type = str(record["type"]) ?? "";
  const data = dataOf(record);
  const side = str(record["agentId"]) !== null;
  // Subagents write into the same file: their reactions get a common reason, and the native type tells what they did.
  const reaction = (reason: Reason, apply: () => RecordBody[]): Verdict =>
    verdict("reaction", side ? "copilot.subagent" : reason, apply);
  switch (type) {
    case "session.start":
      return verdict("session", "copilot.session.start", () => {
        startRun(state);
        return state.meta ? contextChanges(record, state) : headerRecords(record, ctx.path, state);
      });
    case "session.resume":
      return verdict("session", "copilot.session.resume", () => {
        startRun(state);
        return contextChanges(record, state);
      });
    case "session.model_change":
    case "session.context_changed":
      // A subagent's model does not affect the session.
      return side
        ? reaction(`copilot.${type}`, () => [])
        : verdict("session", `copilot.${type}`, () => contextChanges(record, state));
    case "session.title_changed":
      return verdict("session", "copilot.session.title_changed", () => renamed(data, ctx));
    case "session.shutdown":
      return verdict("session", "copilot.session.shutdown", () => usageOfShutdown(record, state));
    case "session.snapshot_rewind":
      return verdict("session", "copilot.session.snapshot_rewind", () => rewound(data, ctx));
    case "session.usage_record":
    case "assistant.usage":
      return reaction(`copilot.${type}`, () => usageOfRecord(record, state));
    case "session.compaction_complete":
      return reaction("copilot.session.compaction_complete", () => [
        ...compacted(data, full),
        ...usageOfCompaction(record, state),
      ]);
    case "session.task_complete":
      return reaction("copilot.session.task_complete", () => [reply(str(data["summary"]) ?? "", null, !side, full)]);
    case "session.error":
      return classifyError(record, ctx);
    case "model.call_failure":
      return reaction("copilot.model.call_failure", () => [{ type: "failed", ...errorOf(data), turn_ended: false }]);
    case "abort":
      return reaction("copilot.abort", () => aborted(side, ctx));
    case "user.message":
      return classifyUser(record, ctx);
    case "system.message":
      return verdict(state.triggers === 0 ? "setup" : "reaction", "copilot.system.message", () => {
        if (!side && data["role"] !== "developer" && state.entry !== "ide") state.entry = entryOfPrompt(record);
        return [];
      });
    case "assistant.turn_start":
      return reaction("copilot.assistant.turn_start", () => {
        state.steps = true;
        return side ? [] : [{ type: "assistant_started" }];
      });
    case "assistant.turn_end":
      return reaction("copilot.assistant.turn_end", () => stepEnded(side, ctx));
    case "assistant.reasoning":
      return reaction("copilot.assistant.reasoning", () => [
        { type: "reasoning_finished", text: full ? (str(data["content"]) ?? "") : "" },
      ]);
    case "assistant.message":
      return reaction("copilot.assistant.message", () => message(record, side, ctx));
    case "tool.user_requested":
      return classifyUserTool(record, ctx);
    case "tool.execution_start":
      return reaction("copilot.tool.execution_start", () =>
        startCall(str(data["toolCallId"]), str(data["toolName"]) ?? "", data["arguments"], record, state, full),
      );
    case "tool.execution_complete":
      return reaction("copilot.tool.execution_complete", () => {
        const settled = settle(record, state, full);
        // The model does not respond to a command the human ran, so the turn ends here.
        return dataOf(record)["isUserRequested"] === true ? [...settled, reply("", null, true, full)] : settled;
      });
    case "subagent.started":
    case "subagent.completed":
    case "subagent.failed":
      return verdict("reaction", `copilot.${type}`, () => [
        child(record, type === "subagent.started" ? "spawned" : "returned", ctx),
      ]);
    default: {
      const quiet = quietClass(type);
      if (quiet !== null) return verdict(quiet, quiet === "session" ? "copilot.session.quiet" : "copilot.turn.quiet");
      const native = type === "" ? "(untyped)" : type;
      return verdict("unknown", "copilot.unknown", () => [{ type: "unknown", native_type: native }]);
    }
  }
}

function classifyUser(record: Native, ctx: ClassifyContext): Verdict {
  const { state, full } = ctx;
  const user = readUser(record);
  const { reason } = user;
  if (user.author !== "human") return verdict("reaction", reason, () => [nonTriggerBody(user.author, user.text, full)]);
  const ahead = state.entry === "ide" ? { value: state.entry, open: false } : entryAhead(ctx.lines, state.entry);
  const steps = state.steps ? { value: true, open: false } : stepsAhead(ctx.lines);
  const apply = (): RecordBody[] => {
    state.triggers += 1;
    state.answered = false;
    const id = str(record["id"]);
    if (id !== null) state.lines.set(id, ctx.line);
    const body: UserBody = { type: "user", author: "human", text: user.text, kind: user.kind, entry: ahead.value };
    const attachments = list(dataOf(record)["attachments"]).length;
    if (attachments > 0) body.attachments = attachments;
    if (steps.value) body.ends_stated = true;
    return [body];
  };
  return verdict("trigger", reason, apply, ahead.open || steps.open);
}

/** A `!` command: the human runs a tool without involving the model. */
function classifyUserTool(record: Native, ctx: ClassifyContext): Verdict {
  const data = dataOf(record);
  const command = str(obj(data["arguments"])?.["command"]) ?? "";
  return verdict("trigger", "copilot.tool.user_requested", () => {
    ctx.state.triggers += 1;
    ctx.state.answered = false;
    const text = `!${command}`;
    const name = str(data["toolName"]) ?? "";
    const body: UserBody = { type: "user", author: "human", text, kind: "shell", entry: "interactive" };
    return [body, ...startCall(str(data["toolCallId"]), name, data["arguments"], record, ctx.state, ctx.full)];
  });
}

function message(record: Native, side: boolean, ctx: ClassifyContext): RecordBody[] {
  const { state, full } = ctx;
  const data = dataOf(record);
  const out: RecordBody[] = [];
  const thought = str(data["reasoningText"]) ?? "";
  if (thought !== "") out.push({ type: "reasoning_finished", text: full ? thought : "" });
  const text = str(data["content"]) ?? "";
  if (text !== "") out.push(reply(text, data, false, full));
  const requests = objects(data["toolRequests"]);
  for (const request of requests) {
    const name = str(request["name"]) ?? "";
    out.push(...startCall(str(request["toolCallId"]), name, request["arguments"], record, state, full));
  }
  // A message without text is also an answer if the model requested nothing more.
  if (!side) state.answered = requests.length === 0;
  return [...out, ...usageOfMessage(record, state)];
}

function reply(text: string, data: Native | null, ends: boolean, full: boolean): AssistantFinishedBody {
  const body: AssistantFinishedBody = { type: "assistant_finished", text: full ? text : "" };
  if (data) {
    body.message_id = str(data["messageId"]);
    body.model = str(data["model"]);
  }
  if (ends) body.turn_ended = true;
  return body;
}

/** A step is one request to the model. It ends the turn if the model requested nothing more. */
function stepEnded(side: boolean, ctx: ClassifyContext): RecordBody[] {
  if (side || !ctx.state.answered) return [];
  ctx.state.answered = false;
  return [reply("", null, true, ctx.full)];
}

function aborted(side: boolean, ctx: ClassifyContext): RecordBody[] {
  if (side) return [];
  ctx.state.answered = false;
  return [{ type: "cancelled", reason: "interrupted" }];
}

function errorOf(data: Native): { message: string; code: string | null } {
  const message = str(data["message"]) ?? str(data["errorMessage"]) ?? "error";
  return { message, code: num(data["statusCode"])?.toString() ?? str(data["errorType"]) };
}

/** An error ends the turn unless the agent continues on its own. */
function classifyError(record: Native, ctx: ClassifyContext): Verdict {
  const side = str(record["agentId"]) !== null;
  const ahead = side ? { value: true, open: false } : agentContinues(ctx.lines);
  const apply = (): RecordBody[] => [{ type: "failed", ...errorOf(dataOf(record)), turn_ended: !ahead.value }];
  return verdict("reaction", "copilot.session.error", apply, ahead.open);
}

function compacted(data: Native, full: boolean): RecordBody[] {
  if (data["success"] === false) return [];
  const trigger = str(data["customInstructions"]) === null ? "unknown" : "manual";
  return [{ type: "compacted", trigger, summary: full ? str(data["summaryContent"]) : null }];
}

function renamed(data: Native, { state }: ClassifyContext): RecordBody[] {
  const title = str(data["title"]);
  if (title === null || title === state.title) return [];
  state.title = title;
  return [{ type: "session_renamed", title, by: "agent" }];
}

function rewound(data: Native, { state }: ClassifyContext): RecordBody[] {
  const line = state.lines.get(str(data["upToEventId"]) ?? "");
  return line === undefined ? [] : [{ type: "cancelled", reason: "rewound", from_line: line }];
}

/** Subagents write into the same file; they are reported as children without a file of their own. */
function child(record: Native, phase: ChildLinkedBody["phase"], { state }: ClassifyContext): ChildLinkedBody {
  const data = dataOf(record);
  const call = str(data["toolCallId"]);
  const id = str(record["agentId"]) ?? call ?? str(record["id"]) ?? "";
  const role = str(data["agentName"]) ?? state.agents.get(id) ?? null;
  if (role !== null) state.agents.set(id, role);
  const ref = { source: SOURCE_ID, session_id: id };
  return { type: "child_linked", child: ref, relation: "subagent", phase, role, call_id: call };
}
