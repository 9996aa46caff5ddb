import { reasonsOf } from "../../src/agents/kit/chat.ts";
import { CLASSES } from "../../src/agents/grok/rules.ts";
import { DEEP, type Listed, type SmallFile } from "./listed.ts";

let at = 0;

function update(fields: object, method = "session/update"): object {
  const named = { eventId: `1-${++at}`, agentTimestampMs: 1_000_000 + at };
  return { timestamp: 1000, method, params: { sessionId: "1", update: fields, _meta: named } };
}

function text(kind: string, said: string, meta: object = {}, block: object = {}): object {
  return update({ sessionUpdate: kind, content: { type: "text", text: said, ...block }, _meta: meta });
}

const asked = text("user_message_chunk", "go", { promptIndex: 0 });

/** Records that no fixture contains, in the shapes described by FORMAT.md. */
const FILES: readonly SmallFile[] = [
  {
    name: "sessions/%2Fw/1/updates.jsonl",
    lines: [
      asked,
      text("user_message_chunk", "and this", { promptIndex: 0 }),
      asked,
      text(
        "user_message_chunk",
        "The user sent a message while you were working:\n<user_query>\nfaster\n</user_query>\nMake sure.",
      ),
      text("user_message_chunk", "<system-reminder>A task ended.</system-reminder>", { hideFromScrollback: true }),
      text("user_message_chunk", "", {}, { _meta: { bash_command: "ls" } }),
      text("user_message_chunk", "/model", { hostTurn: true }),
      text("user_message_chunk", "/compact", { hostTurn: true }),
      update({ sessionUpdate: "auto_compact_completed", tokens_after: 1 }, "_x.ai/session/update"),
      update({ sessionUpdate: "model_changed", model_id: "m" }, "_x.ai/session/update"),
      update({ sessionUpdate: "rewind_marker", target_prompt_index: 0 }, "_x.ai/session/update"),
      update({ sessionUpdate: "hologram" }),
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

export const GROK: Listed = {
  reasons: reasonsOf("grok", CLASSES),
  folder: "src/agents/grok",
  prefix: "grok",
  fixtures: /^grok-/,
  files: FILES,
  unreached: {
    "grok.id.inherited": "needs a fork, which is read with the identities of its origin",
    "grok.line.too_large": "needs a line of many megabytes",
  },
};
