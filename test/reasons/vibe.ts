import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { reasonsOf } from "../../src/agents/kit/chat.ts";
import { CLASSES } from "../../src/agents/vibe/rules.ts";
import { DEEP, type Listed } from "./listed.ts";

const CURRENT = {
  generation: "0000000000000001",
  snapshot_sequence: 1,
  store_format: "mistral.vibe.unified-session-store/v1",
};

function append(id: string, entry: object): object {
  const delta = [{ op: "append_entry", entry: { id, createdAt: 1, ...entry } }];
  return { sequence: 2, type: "projection_delta", payload: { delta } };
}

function typed(id: string, source: string, more: object = {}): object {
  return append(id, { type: "message", role: "user", source, content: [{ type: "text", text: id }], ...more });
}

/** Records that no fixture contains, in the shapes described by FORMAT.md. */
const JOURNAL: readonly (object | string)[] = [
  typed("go", "turn_start"),
  typed("faster", "turn_steer"),
  typed("hourly", "turn_start", { userDisplayContent: { content: [{ type: "vibe.scheduled_loop" }] } }),
  append("c", {
    type: "checkpoint",
    kind: "compaction",
    generationStatus: "completed",
    details: { trigger: "manual" },
  }),
  append("m", { type: "checkpoint", kind: "model_change", details: { model: "m" } }),
  append("r", { type: "checkpoint", kind: "rewind" }),
  append("n", { type: "notice", message: "a hook" }),
  append("x", { type: "hologram" }),
  "{not json",
  DEEP,
  "[1]",
];

const CHILD = { identity: { kind: "subagent", parent_session_id: "s" } };

function write(root: string, session: string, files: Readonly<Record<string, string>>): void {
  const all = { CURRENT: JSON.stringify(CURRENT), "meta.json": "{}", ...files };
  for (const [name, text] of Object.entries(all)) {
    const path = join(root, "logs/session/unified", session, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}

function lines(records: readonly (object | string)[]): string {
  return records.map((one) => (typeof one === "string" ? `${one}\n` : `${JSON.stringify(one)}\n`)).join("");
}

export const VIBE: Listed = {
  reasons: reasonsOf("vibe", CLASSES),
  folder: "src/agents/vibe",
  prefix: "vibe",
  fixtures: /^vibe-/,
  files: [],
  make(root) {
    write(root, "s", { "journal/0000000000000002.jsonl": lines(JOURNAL) });
    write(root, "child", {
      "generations/0000000000000001/runtime-state.json": JSON.stringify(CHILD),
      "journal/0000000000000002.jsonl": lines([typed("count", "turn_start")]),
    });
  },
  unreached: {
    "vibe.tokens.unwritten": "concerns tokens, not records",
    "vibe.id.inherited": "needs a fork, which is read with the identities of its origin",
    ...Object.fromEntries(
      ["blank", "nul_bytes", "too_large", "torn"].map((name) => [
        `vibe.line.${name}`,
        "a part of the journal that cannot be read is not JSON, no object, or too deep",
      ]),
    ),
  },
};
