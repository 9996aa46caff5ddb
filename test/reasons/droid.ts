import { reasonsOf } from "../../src/agents/kit/chat.ts";
import { CLASSES } from "../../src/agents/droid/read.ts";
import { DEEP, type Listed, type SmallFile } from "./listed.ts";

const typed = {
  type: "message",
  id: "a",
  timestamp: "2026-11-18T07:00:00.000Z",
  message: { role: "user", content: "go" },
};

/** Records that no fixture contains, in the shapes described by FORMAT.md. */
const FILES: readonly SmallFile[] = [
  {
    name: "sessions/-w/1.jsonl",
    lines: [
      { type: "session_start", id: "1", title: "New Session", owner: "x", version: 2, cwd: "/w", hostId: "h" },
      typed,
      typed,
      { type: "hologram" },
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

export const DROID: Listed = {
  reasons: reasonsOf("droid", CLASSES),
  folder: "src/agents/droid",
  prefix: "droid",
  fixtures: /^droid-/,
  files: FILES,
  unreached: {
    "droid.id.inherited": "needs a fork, which is read with the identities of its origin",
    "droid.line.too_large": "needs a line of many megabytes",
  },
};
