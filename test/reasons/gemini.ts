import { REASONS } from "../../src/agents/gemini/rules.ts";
import { call, CONTEXT, HEADER, reply, user } from "../../src/agents/gemini/testing.ts";
import { DEEP, type Listed, type SmallFile } from "./listed.ts";

const prompt = user("go");
const answer = reply("half", { toolCalls: [call("c1", "success", { output: "x" })] });
const summary = user("<state_snapshot>all of it</state_snapshot>");
const shell = "I ran the following shell command:\n```sh\nls\n```\n\nThis produced the following result:\n```\na\n```";

/** Records that no fixture contains, in the shapes described by FORMAT.md. */
const FILES: readonly SmallFile[] = [
  {
    name: "tmp/p/chats/session-2026-05-12T08-00-11111111.jsonl",
    lines: [
      HEADER,
      HEADER,
      user(CONTEXT),
      prompt,
      prompt,
      answer,
      { ...answer, content: "half, and the rest" },
      user([{ functionResponse: { id: "c1", name: "run_shell_command", response: { output: "x" } } }]),
      { id: "w", timestamp: "2026-05-12T08:10:00.000Z", type: "warning", content: "careful" },
      { id: "e", timestamp: "2026-05-12T08:10:01.000Z", type: "error", content: "[API Error: no]" },
      user("/memory show"),
      user(shell),
      summary,
      { $set: { summary: "a title" } },
      { $set: { messages: [prompt, answer, user(CONTEXT)] } },
      { $set: { messages: [prompt, answer, user("<state_snapshot>once more</state_snapshot>")] } },
      { $set: { messages: [prompt, answer, user(shell)] } },
      { $set: { messages: [prompt, answer] } },
      { $rewindTo: "nobody" },
      { id: "u", timestamp: "2026-05-12T08:11:00.000Z", type: "hologram", content: "?" },
      "",
      "{not json",
      DEEP,
      "[1]",
      "\0\0\0",
      '{"id":"torn"',
    ],
    ended: false,
  },
  {
    name: "tmp/p/chats/session-2026-05-12T09-00-22222222.jsonl",
    lines: [
      { ...HEADER, sessionId: "22222222-2222-4333-8444-555555555555" },
      { $set: { messages: [user("of another session"), reply("so it was")] } },
    ],
  },
  {
    name: "tmp/p/chats/11111111-2222-4333-8444-555555555555/33333333-2222-4333-8444-555555555555.jsonl",
    lines: [
      { ...HEADER, sessionId: "33333333-2222-4333-8444-555555555555", kind: "subagent" },
      user("count the lines"),
      user("Time is up."),
    ],
  },
];

export const GEMINI: Listed = {
  reasons: REASONS,
  folder: "src/agents/gemini",
  prefix: "gemini",
  fixtures: /^gemini-/,
  files: FILES,
  unreached: {
    "gemini.line.too_large": "needs a line of many megabytes",
    "gemini.message.inherited": "needs a copy next to its original; tested in src/agents/gemini/read.test.ts",
  },
};
