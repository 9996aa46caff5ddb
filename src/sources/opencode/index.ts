import { basename } from "node:path";
import type { Source } from "../contract.ts";
import { discoverOpenCode } from "./discover.ts";
import { headless } from "./headless.ts";
import { mcp } from "./mcp.ts";
import { SOURCE_ID } from "./native.ts";
import { resume } from "./places.ts";
import { readSession } from "./read.ts";
import { recordAt } from "./record-at.ts";
import { recognises } from "./sniff.ts";
import { tools } from "./tools.ts";

/** OpenCode: sessions in a SQLite database; in older releases a tree of JSON files. See FORMAT.md. */
export const opencode: Source = {
  id: SOURCE_ID,
  name: "OpenCode",
  capabilities: {
    shellVariables: ["OPENCODE"],
    retentionDays: null,
    globalIdentities: true,
    commandsAsText: true,
  },
  checked: { oldest: "1.0.61", newest: "1.18.33", releases: 10 },
  unknowable: [
    "Which prompts were slash commands whose file is not at hand: they are stored expanded.",
    "Tokens of a step that was killed: all are 0 and taken for unknown.",
    "Which client asked, except `opencode run`; whether quotes around a whole prompt were typed by a human.",
    "What a revert took back once the next prompt is sent: the rows are deleted, with their tokens.",
    "What the first OpenCode (in Go) spent: a session holds the tokens of its last request alone, with the cache among them.",
  ],
  sessionId: (ref) => ref.key ?? basename(ref.path, ".json"),
  recognises: (ref) => recognises(ref),
  discover: discoverOpenCode,
  read: (ref, cursor, ctx) => readSession(ref, cursor, ctx),
  recordAt: (ref, line) => recordAt(ref, line),
  start: ["opencode", "run"],
  resume,
  mcp: () => mcp,
  headless: () => headless,
  tools,
};
