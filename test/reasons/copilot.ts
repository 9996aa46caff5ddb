import { REASONS } from "../../src/agents/copilot/rules.ts";
import { SESSION, complete, event, message, start, user } from "../../src/agents/copilot/testing.ts";
import { DEEP, type Listed, type SmallFile } from "./listed.ts";

const prompt = user("go");

/** Records that no fixture contains, in the shapes described by FORMAT.md. */
const FILES: readonly SmallFile[] = [
  {
    name: `session-state/${SESSION}/events.jsonl`,
    lines: [
      start(),
      event("session.resume"),
      event("system.message", { role: "system", content: "You are Copilot" }),
      prompt,
      prompt,
      event("assistant.turn_start"),
      event("assistant.reasoning", { content: "hm" }),
      message("yes"),
      event("assistant.usage", { inputTokens: 1, outputTokens: 1 }),
      event("session.usage_record", { usage: { model: "m", inputTokens: 1, outputTokens: 1 } }),
      event("model.call_failure", { errorMessage: "no" }),
      event("tool.execution_start", { toolCallId: "c", toolName: "bash", arguments: {} }),
      complete("c", {}),
      event("assistant.turn_end"),
      event("tool.user_requested", { toolCallId: "u", toolName: "bash", arguments: { command: "ls" } }),
      event("subagent.started", { toolCallId: "s" }, { agentId: "s" }),
      message("inside", {}, { agentId: "s" }),
      event("subagent.completed", { toolCallId: "s" }, { agentId: "s" }),
      event("subagent.failed", { toolCallId: "s" }, { agentId: "s" }),
      user("later", { delivery: "queued" }),
      user("now", { delivery: "steering" }),
      user("task", { source: "agent-1" }),
      user("on", { isAutopilotContinuation: true }),
      user("learn", { source: "skill-x" }),
      user("found", { source: "instruction-discovery" }),
      user("<system_notification>done</system_notification>"),
      user("hi", { transformedContent: "<cross_session_message>hi</cross_session_message>" }),
      event("session.model_change", { newModel: "m2" }),
      event("session.context_changed", { cwd: "/x" }),
      event("session.title_changed", { title: "t" }),
      event("session.compaction_complete", { success: true }),
      event("session.task_complete", { summary: "done" }),
      event("session.snapshot_rewind", { upToEventId: "nobody" }),
      event("session.error", { message: "no" }),
      event("session.info", {}),
      event("hook.start", {}),
      event("abort", {}),
      event("session.shutdown", {}),
      event("hologram", {}),
      "",
      "{not json",
      DEEP,
      "[1]",
      "\0\0\0",
      '{"type":"torn"',
    ],
    ended: false,
  },
];

export const COPILOT: Listed = {
  reasons: REASONS,
  folder: "src/agents/copilot",
  prefix: "copilot",
  fixtures: /^copilot-/,
  files: FILES,
  unreached: {
    "copilot.line.too_large": "needs a line of many megabytes",
    "copilot.id.inherited": "needs a copy next to its original; tested in src/agents/copilot/read.test.ts",
  },
};
