import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { openSources } from "../src/book/reading/library.ts";
import { scratch } from "./store/fixture.ts";

/** What Git LFS leaves in place of a file that was not fetched. */
const POINTER = `version https://git-lfs.github.com/spec/v1
oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393
size 12345
`;

const ID = "0197a1b2-1111-7222-8333-444455556666";

/** The path of a session file, by source. */
const PATHS: Readonly<Record<string, string>> = {
  aider: ".aider.chat.history.md",
  "claude-code": `projects/-w/${ID}.jsonl`,
  codex: `sessions/2026/01/02/rollout-2026-01-02T03-04-05-${ID}.jsonl`,
  copilot: `session-state/${ID}/events.jsonl`,
  gemini: "tmp/w/chats/session-2026-01-02T03-04-0197a1b2.jsonl",
  goose: "sessions/sessions.db",
  opencode: "opencode.db",
  pi: `sessions/--w--/2026-01-02T03-04-05-000Z_${ID}.jsonl`,
  qwen: `projects/-w/chats/${ID}.jsonl`,
};

it.each(Object.entries(PATHS))(
  "%s: a Git LFS pointer is reported as such, and is not read as a session",
  (id, relativePath) => {
    const root = scratch("lfs");
    const path = join(root, relativePath);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, POINTER);
    for (const namedRoot of [root, path]) {
      const { refs, diagnostics } = openSources({ env: {}, home: "/nowhere", roots: { [id]: [namedRoot] } });
      expect(refs).toEqual([]);
      expect(diagnostics.map(({ code, path: at }) => [code, at])).toEqual([["file_pointer", path]]);
    }
  },
);
