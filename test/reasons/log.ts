import { REASONS } from "../../src/agents/log/read.ts";
import { DEEP, type Listed, type SmallFile } from "./listed.ts";

/** Lines of one log, numbered in order. */
function lines(session: string, ...bodies: object[]): object[] {
  return bodies.map((body, seq) => ({ schema_version: 1, seq, time: null, session_id: session, ...body }));
}

const HEADER = { type: "session_meta" };

const FILES: readonly SmallFile[] = [
  {
    name: "turns.jsonl",
    ended: false,
    lines: [
      ...lines(
        "a",
        HEADER,
        { type: "context", model: "m" },
        { type: "compacted", turn_id: "t1", trigger: "auto" },
        { type: "user", turn_id: "t1", text: "go" },
        { type: "user", turn_id: "t1", text: "go", author: "human", kind: "prompt" },
        { type: "assistant_finished", turn_id: "t1", text: "gone" },
        { type: "assistant_finished", turn_id: "t9", text: "who asked?" },
        { type: "unknown", native_type: "x" },
        { type: "unreadable", reason: "torn", bytes: 1, hint: "" },
        { type: "user", turn_id: "t2" },
      ),
      { schema_version: 1, seq: 3, time: null, session_id: "a", type: "user", text: "again" },
      { schema_version: 1, seq: 20, time: null, session_id: "b", type: "user", text: "elsewhere" },
      { schema_version: 2, seq: 21, time: null, session_id: "a", type: "user", text: "later" },
      "",
      "no json",
      DEEP,
      "[]",
      "\0\0",
      `{"schema_version":1,"se`,
    ],
  },
  {
    name: "delegated.jsonl",
    lines: lines(
      "c",
      { ...HEADER, kind: "subagent" },
      { type: "user", author: "agent", text: "look" },
      { type: "assistant_finished", text: "seen" },
    ),
  },
];

export const LOG: Listed = {
  reasons: REASONS,
  folder: "src/agents/log",
  prefix: "log",
  fixtures: /^no fixture is a log$/,
  files: FILES,
  unreached: {
    "log.copied": "needs a copy next to its original; tested in test/log-copies.test.ts",
    "log.line.too_large": "needs a line of hundreds of megabytes",
  },
};
