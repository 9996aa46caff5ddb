import { reasonsOf } from "../../src/agents/kit/chat.ts";
import { CLASSES } from "../../src/agents/gptme/read.ts";
import { DEEP, type Listed } from "./listed.ts";

function said(role: string, content: string, fields: object = {}): object {
  return { role, content, timestamp: "2026-11-18T07:00:00.000001", ...fields };
}

export const GPTME: Listed = {
  reasons: reasonsOf("gptme", CLASSES),
  folder: "src/agents/gptme",
  prefix: "gptme",
  fixtures: /^gptme-/,
  files: [
    {
      // Messages in the format `tool`, which no fixture contains, as the agent's source defines them.
      name: "logs/one/conversation.jsonl",
      lines: [
        said("user", "run it", { metadata: { skill_invocation_id: "s" } }),
        said("assistant", '@shell(call-1): {"command": "make"}'),
        said("system", "Ran command: `make`\n\nReturn code: 2", { call_id: "call-1" }),
        said("system", "error: generic\nno answer"),
        said("oracle", "?"),
        "",
        "{not json",
        DEEP,
        "[1]",
        "\0\0\0",
        '{"role":"torn"',
      ],
      ended: false,
    },
  ],
  unreached: { "gptme.line.too_large": "needs a line of many megabytes" },
};
