import { CLASSES } from "../../src/agents/cursor/rules.ts";
import { said, writeSampleHome } from "../../src/agents/cursor/testing.ts";
import { reasonsOf } from "../../src/agents/kit/chat.ts";
import { DEEP, type Listed } from "./listed.ts";

export const CURSOR: Listed = {
  reasons: reasonsOf("cursor", CLASSES),
  folder: "src/agents/cursor",
  prefix: "cursor",
  fixtures: /^cursor-/,
  files: [
    {
      name: "projects/p/agent-transcripts/e/e.jsonl",
      lines: [said("user", "<user_info>\nOS: linux\n</user_info>"), { type: "mode" }, "", "[]", "{no", "a\0b", DEEP],
    },
    {
      name: "projects/p/agent-transcripts/f/f.jsonl",
      lines: [said("user", "<user_query>go</user_query>"), '{"role":'],
      ended: false,
    },
  ],
  make: (root) => void writeSampleHome(root),
  unreached: { "cursor.line.too_large": "needs a line of many megabytes" },
};
