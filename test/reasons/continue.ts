import { reasonsOf } from "../../src/agents/kit/chat.ts";
import { CLASSES } from "../../src/agents/continue/read.ts";
import type { Listed, SmallFile } from "./listed.ts";

function document(...messages: readonly unknown[]): string {
  const history = messages.map((message) => ({ message, contextItems: [] }));
  return JSON.stringify({ sessionId: "a", title: "Untitled Session", workspaceDirectory: "/w", history });
}

const typed = { role: "user", content: "go" };
const roles = ["thinking", "tool", "system", "oracle"].map((role) => ({ role, content: "x" }));

/** Documents that no fixture contains, in the shapes described by FORMAT.md. */
const FILES: readonly SmallFile[] = [
  { name: "sessions/a.json", lines: [document(typed, ...roles).replace(/\]\}$/, ",1]}")] },
  { name: "sessions/b.json", lines: [document(typed).slice(0, -2)], ended: false },
  {
    name: "sessions/c.json",
    lines: [document({ ...typed, content: "DEEP" }).replace('"DEEP"', `${"[".repeat(3000)}${"]".repeat(3000)}`)],
  },
];

export const CONTINUE: Listed = {
  reasons: reasonsOf("continue", CLASSES),
  folder: "src/agents/continue",
  prefix: "continue",
  fixtures: /^continue-/,
  files: FILES,
  unreached: {
    "continue.line.blank": "an empty file is not recognised",
    "continue.line.nul_bytes": "a document has no lines",
    "continue.line.too_large": "a document has no lines",
    "continue.line.torn": "a document has no lines",
  },
};
