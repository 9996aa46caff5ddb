import { reasonsOf } from "../../src/agents/kit/chat.ts";
import { CLASSES } from "../../src/agents/kimi/rules.ts";
import { DEEP, type Listed, type SmallFile } from "./listed.ts";

const human = { kind: "user" };

function texts(text: string): object[] {
  return [{ type: "text", text }];
}

/** Records that no fixture contains, in the shapes described by FORMAT.md. */
const FILES: readonly SmallFile[] = [
  {
    name: "sessions/wd_w_0/session_1/agents/main/wire.jsonl",
    lines: [
      { type: "metadata", protocol_version: "1.5", created_at: 1 },
      { type: "turn.prompt", input: texts("go"), origin: human, time: 2 },
      { type: "turn.steer", input: texts("faster"), origin: human, time: 3 },
      { type: "context.append_message", message: { role: "user", content: texts("faster"), origin: human }, time: 4 },
      { type: "context.append_message", message: { role: "user", content: texts("blocked"), origin: human }, time: 5 },
      { type: "turn.step.retrying", errorName: "E", time: 6 },
      { type: "context.undo", count: 1, time: 6 },
      { type: "hologram", time: 6 },
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

export const KIMI: Listed = {
  reasons: reasonsOf("kimi", CLASSES),
  folder: "src/agents/kimi",
  prefix: "kimi",
  fixtures: /^kimi-/,
  files: FILES,
  unreached: {
    "kimi.id.inherited": "needs a fork, which is read with the identities of its origin",
    "kimi.line.too_large": "needs a line of many megabytes",
  },
};
