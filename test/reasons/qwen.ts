import { REASONS } from "../../src/agents/qwen/rules.ts";
import { assistant, record, result, SESSION, system, telemetry, user } from "../../src/agents/qwen/testing.ts";
import { DEEP, type Listed, type SmallFile } from "./listed.ts";

const prompt = user("go");
const slash = (rawCommand: string, payload: object = {}): object =>
  system("slash_command", { phase: "invocation", rawCommand, ...payload });
const generated = (subtype: string): object =>
  record("user", { subtype, message: { role: "user", parts: [{ text: "by itself" }] } });

/** Records that no fixture contains, in the shapes described by FORMAT.md. */
const FILES: readonly SmallFile[] = [
  {
    name: `projects/-w/chats/${SESSION}.jsonl`,
    lines: [
      prompt,
      prompt,
      assistant([{ text: "cut" }], { usageMetadata: undefined, stopped: true }),
      user("more", { subtype: "mid_turn_user_message" }),
      record("user", {
        message: { role: "user", parts: [{ functionResponse: { id: "old", name: "x", response: { output: "1" } } }] },
      }),
      generated("notification"),
      generated("cron"),
      generated("goal_runtime"),
      record("user", { provenance: "hook", message: { role: "user", parts: [{ text: "a hook says" }] } }),
      result("c1", { output: "ok" }),
      slash("/init", { sentToModel: true }),
      user("Analyse this directory", {}),
      slash("/goal win", { sentToModel: true }),
      assistant([{ text: "won" }]),
      slash("/help", { sentToModel: false }),
      slash("/secret", { hiddenInvocation: true }),
      system("slash_command", { phase: "result", rawCommand: "/help" }),
      system("chat_compression", { info: { triggerReason: "manual" } }),
      slash("/compress"),
      system("custom_title", { customTitle: "t" }),
      system("rewind", {}),
      system("session_model", { modelId: "m2" }),
      system("session_approval_mode", { mode: "yolo" }),
      system("background_task_completed", {}),
      system("session_notes", {}),
      system("hologram", {}),
      telemetry("api_response", { model: "m", input_token_count: 1, output_token_count: 1 }),
      telemetry("tool_call", { function_name: "x" }),
      telemetry("api_error", { error_message: "no" }),
      telemetry("config", {}),
      "",
      "{not json",
      DEEP,
      "[1]",
      "\0\0\0",
      '{"uuid":"torn"',
    ],
    ended: false,
  },
  {
    name: `projects/-w/subagents/${SESSION}/agent-x-1.jsonl`,
    lines: [
      user("count", { provenance: undefined }),
      user("faster", { provenance: undefined, externalInputKind: "message" }),
      user("Time is up.", { provenance: undefined }),
    ],
  },
];

export const QWEN: Listed = {
  reasons: REASONS,
  folder: "src/agents/qwen",
  prefix: "qwen",
  fixtures: /^qwen-/,
  files: FILES,
  unreached: {
    "qwen.line.too_large": "needs a line of many megabytes",
  },
};
