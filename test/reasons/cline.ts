import { reasonsOf } from "../../src/agents/kit/chat.ts";
import { CLASSES } from "../../src/agents/cline/rules.ts";
import type { Listed, SmallFile } from "./listed.ts";

function document(...messages: readonly unknown[]): string {
  return JSON.stringify({ version: 1, updated_at: "2026-11-18T07:00:00.000Z", agent: "lead", messages });
}

const said = { id: "a", role: "assistant", content: [{ type: "text", text: "done" }], ts: 2 };
const injected = { id: "b", role: "user", content: "go on", ts: 3, metadata: { kind: "completion_reminder" } };
const typed = { id: "c", role: "user", content: '<user_input mode="act">go</user_input>', ts: 1 };

/** Documents that no fixture contains, in the shapes described by FORMAT.md. */
const FILES: readonly SmallFile[] = [
  {
    name: "sessions/1_a/1_a.messages.json",
    lines: [document(typed, said, injected, said, { id: "d", role: "oracle" }, [1])],
  },
  { name: "sessions/1_b/1_b.messages.json", lines: [document(typed).slice(0, -2)], ended: false },
  {
    name: "sessions/1_c/1_c.messages.json",
    lines: [document({ ...typed, content: "DEEP" }).replace('"DEEP"', `${"[".repeat(3000)}${"]".repeat(3000)}`)],
  },
  { name: "sessions/1_c/1_c.json", lines: [""] },
];

export const CLINE: Listed = {
  reasons: reasonsOf("cline", CLASSES),
  folder: "src/agents/cline",
  prefix: "cline",
  fixtures: /^cline-/,
  files: FILES,
  unreached: {
    "cline.id.inherited": "needs a restored session, which is read with the identities of its origin",
    "cline.manifest.unwritten": "concerns tokens, not records",
    "cline.line.nul_bytes": "a document has no lines",
    "cline.line.too_large": "a document has no lines",
    "cline.line.torn": "a document has no lines",
  },
};
