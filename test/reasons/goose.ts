import { REASONS } from "../../src/agents/goose/rules.ts";
import { DEEP, type Listed, type SmallFile } from "./listed.ts";

const HEAD = { working_dir: "/w", description: "old", message_count: 2, accumulated_total_tokens: 9 };
const message = (role: string, content: unknown, created: number): object => ({ role, created, content });
const text = (words: string): object => ({ type: "text", text: words });

/** Files of releases that had no database. Rules about database rows are tested next to the reader. */
const FILES: readonly SmallFile[] = [
  {
    name: "20250601_080000.jsonl",
    lines: [
      HEAD,
      message("user", [text("go")], 1_750_000_000),
      message("assistant", [text("done")], 1_750_000_001),
      message("oracle", [text("x")], 1_750_000_002),
      message("assistant", [{ type: "hologram" }], 1_750_000_003),
      message("user", [], 1_750_000_004),
      { hello: "world" },
      "",
      "{not json",
      DEEP,
      "[1]",
      "\0\0\0",
      '{"role":"user"',
    ],
    ended: false,
  },
];

const ROWS = "needs database rows that no fixture has; tested in src/agents/goose/rules.test.ts";

export const GOOSE: Listed = {
  reasons: REASONS,
  folder: "src/agents/goose",
  prefix: "goose",
  fixtures: /^goose-/,
  files: FILES,
  unreached: {
    "goose.copy.inherited": "needs a copied session next to its original; tested in src/agents/goose/read.test.ts",
    "goose.ledger.carried_forward": ROWS,
    "goose.line.too_large": "needs a line of many megabytes",
    "goose.row.not_json": ROWS,
    "goose.row.too_deep": "needs database rows; tested in test/deep.test.ts",
    "goose.user.archived": ROWS,
    "goose.user.delegated": ROWS,
    "goose.user.elicited": ROWS,
    "goose.user.hidden": ROWS,
    "goose.user.local_command": ROWS,
    "goose.user.recipe": ROWS,
    "goose.user.rewritten": ROWS,
    "goose.user.scheduled": ROWS,
    "goose.user.summary": ROWS,
    "goose.user.utility": ROWS,
  },
};
