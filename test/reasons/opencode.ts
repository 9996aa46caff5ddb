import { join } from "node:path";
import { openDatabase } from "../../src/base/io/sqlite.ts";
import { REASONS } from "../../src/agents/opencode/native.ts";
import {
  assistant,
  go,
  insertV2,
  makeDatabase,
  makeGoDatabase,
  T0,
  text,
  tool,
  user,
  type MadeMessage,
} from "../../src/agents/opencode/testing.ts";
import { DEEP, type Listed } from "./listed.ts";

const says = (at: number, ...parts: object[]): MadeMessage => ({ data: assistant(at), parts: parts.map(native) });
const asks = (at: number, ...parts: object[]): MadeMessage => ({ data: user(at), parts: parts.map(native) });
const native = (part: object): Record<string, unknown> => ({ ...part });

/** The beginning of prompts from spec-kit. */
const FENCE = "## User Input\n\n```text\ndo it\n```\n\nYou **MUST** consider the user input before proceeding.";

/** Messages with parts of every type; the last ones have unknown types or cannot be parsed. */
const MESSAGES: readonly MadeMessage[] = [
  asks(0, text("big task"), { type: "file", mime: "image/png", url: "data:" }, { type: "agent", name: "plan" }),
  says(10, { type: "step-start" }, { type: "snapshot", snapshot: "s" }, { type: "patch", hash: "h", files: [] }),
  says(20, { type: "retry", attempt: 1, error: { name: "APIError" } }, { type: "source-url", url: "https://a.b" }),
  asks(200, { type: "compaction", auto: true, overflow: true }),
  asks(300, text("big task")),
  asks(400, { type: "subtask", prompt: "look", description: "d", agent: "a", command: "review" }),
  asks(500, { type: "compaction", auto: false }),
  asks(600, text("The following tool was executed by the user", { synthetic: true })),
  says(610, tool("bash", { status: "completed", input: { command: "ls" }, output: "a", metadata: {}, time: {} })),
  asks(700, text(`${FENCE}${"\nStep by step.".repeat(9)}`)),
  asks(800),
  asks(850, text("Continue", { synthetic: true })),
  says(900, { type: "hologram" }),
  { data: { ...user(1000), role: "oracle" } },
  { data: DEEP },
  { data: "{not json", parts: [tool("bash", { status: "running", input: {} })] },
];

const SHELL = { callID: "s1", command: "pwd", output: "/w", time: { created: T0 + 20, completed: T0 + 30 } };

/** Writes databases with all three kinds of rows, a fork and a child session. */
function make(root: string): void {
  const origin = [asks(0, text("one")), says(10, text("done"))];
  const path = makeDatabase(
    [
      { id: "ses_all", messages: MESSAGES },
      { id: "ses_child", info: { parentID: "ses_all" }, messages: [asks(0, text("count"))] },
      { id: "ses_origin", messages: origin },
      { id: "ses_fork", info: { created: T0 + 900 }, messages: [...origin, asks(1000, text("two"))] },
      { id: "ses_v2", messages: [] },
    ],
    join(root, "opencode.db"),
  );
  const db = openDatabase(path);
  insertV2(db, "ses_v2", [
    ["model-switched", { model: { id: "m2", providerID: "p" }, time: { created: T0 } }],
    ["shell", SHELL],
    ["compaction", { reason: "auto", summary: "short", time: { created: T0 + 40 } }],
  ]);
  db.close();
  makeGoDatabase(
    [
      {
        id: "first",
        row: { summary_message_id: "sum" },
        messages: [
          go.asks("List the files."),
          go.says("", "tool_use", [["toolu_1", "bash", { command: "ls" }]]),
          go.results(["toolu_1", "README.md"]),
          { ...go.says("They asked for a list."), id: "sum" },
        ],
      },
    ],
    join(root, "project", ".opencode", "opencode.db"),
  );
}

export const OPENCODE: Listed = {
  reasons: REASONS,
  folder: "src/agents/opencode",
  prefix: "opencode",
  fixtures: /^opencode-/,
  files: [],
  make,
  unreached: {},
};
