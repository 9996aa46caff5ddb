import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { aider } from "../../src/agents/aider/source.ts";
import { writeSampleStore } from "../../src/agents/aider/testing.ts";
import { claudeCode } from "../../src/agents/claude-code/source.ts";
import { cline } from "../../src/agents/cline/source.ts";
import { clineTasks } from "../../src/agents/cline-tasks/source.ts";
import { sampleTasks } from "../../src/agents/cline-tasks/testing.ts";
import { codex } from "../../src/agents/codex/source.ts";
import { copilot } from "../../src/agents/copilot/source.ts";
import { continueCli } from "../../src/agents/continue/source.ts";
import { droid } from "../../src/agents/droid/source.ts";
import { crush } from "../../src/agents/crush/source.ts";
import { cursor } from "../../src/agents/cursor/source.ts";
import { editorStore, transcripts } from "../../src/agents/cursor/testing.ts";
import { gemini } from "../../src/agents/gemini/source.ts";
import { goose } from "../../src/agents/goose/source.ts";
import { grok } from "../../src/agents/grok/source.ts";
import { gptme } from "../../src/agents/gptme/source.ts";
import { kilo } from "../../src/agents/kilo/source.ts";
import { kimi } from "../../src/agents/kimi/source.ts";
import { log } from "../../src/agents/log/source.ts";
import { opencode } from "../../src/agents/opencode/source.ts";
import { openhands } from "../../src/agents/openhands/source.ts";
import { writeGoStore } from "../../src/agents/opencode/testing.ts";
import { pi } from "../../src/agents/pi/source.ts";
import { sampleLogs, sampleStore } from "../../src/agents/vscode-copilot/testing.ts";
import { vibe } from "../../src/agents/vibe/source.ts";
import { vscodeCopilot } from "../../src/agents/vscode-copilot/source.ts";
import { qwen } from "../../src/agents/qwen/source.ts";
import type { Database } from "../../src/base/io/sqlite.ts";
import { describeSource } from "./describe-source.ts";
import { exportedLogs } from "./exported-logs.ts";

function corpus(label: string): string {
  return fileURLToPath(new URL(`../fixtures/corpus/${label}/`, import.meta.url));
}

function shortenOpenCode(db: Database, session: string, keep: number): void {
  const remaining = "SELECT id FROM message WHERE session_id = ? ORDER BY time_created, id LIMIT ?";
  db.prepare(`DELETE FROM part WHERE session_id = ? AND message_id NOT IN (${remaining})`).run(session, session, keep);
  db.prepare(`DELETE FROM message WHERE session_id = ? AND id NOT IN (${remaining})`).run(session, session, keep);
}

// Three variants of the rollout format, two of them with records of the terminal interface.
describeSource({ source: codex, reasonPrefix: "codex", fixture: corpus("codex-0.63.0") });
describeSource({ source: codex, reasonPrefix: "codex", fixture: corpus("codex-0.130.0-tui") });
describeSource({ source: codex, reasonPrefix: "codex", fixture: corpus("codex-0.166.0-tui-nodaemon") });
// Work that goes on without prompts, towards a goal.
describeSource({ source: codex, reasonPrefix: "codex", fixture: corpus("../codex-goals"), label: "goals" });
// A human who writes to sub-agents.
describeSource({ source: codex, reasonPrefix: "codex", fixture: corpus("../codex-subagent-prompts"), label: "typed" });
describeSource({ source: claudeCode, reasonPrefix: "claude", fixture: corpus("claude-2.1.325") });
describeSource({ source: claudeCode, reasonPrefix: "claude", fixture: corpus("claude-2.1.325-tui") });
// This release copies a conversation into a new file on resume.
describeSource({ source: claudeCode, reasonPrefix: "claude", fixture: corpus("claude-1.0.64") });
describeSource({ source: copilot, reasonPrefix: "copilot", fixture: corpus("copilot-1.0.102") });
describeSource({ source: gemini, reasonPrefix: "gemini", fixture: corpus("gemini-0.61.0") });
describeSource({
  source: goose,
  reasonPrefix: "goose",
  fixture: corpus("goose-1.34.0"),
  shorten: (db, session, keep) => {
    const remaining = "SELECT id FROM messages WHERE session_id = ? ORDER BY created_timestamp, id LIMIT ?";
    db.prepare(`DELETE FROM messages WHERE session_id = ? AND id NOT IN (${remaining})`).run(session, session, keep);
  },
});
describeSource({
  source: opencode,
  reasonPrefix: "opencode",
  fixture: corpus("opencode-1.18.33"),
  roots: (store) => [join(store, "opencode.db")],
  shorten: shortenOpenCode,
});
// A member of the family: read by its own name, with the rules of its base.
describeSource({
  source: kilo,
  reasonPrefix: "opencode",
  fixture: corpus("../corpus-3/kilo-7.7.9"),
  label: "kilo-7.7.9",
  roots: (store) => [join(store, "kilo.db")],
  shorten: shortenOpenCode,
});
// The first OpenCode, written in Go. Its files may not be copied here, so tables are created as by its migrations.
describeSource({
  source: opencode,
  reasonPrefix: "opencode",
  fixture: () => writeGoStore(),
  label: "Go release",
  shorten: (db, session, keep) => {
    const remaining = "SELECT id FROM messages WHERE session_id = ? ORDER BY created_at, rowid LIMIT ?";
    db.prepare(`DELETE FROM messages WHERE session_id = ? AND id NOT IN (${remaining})`).run(session, session, keep);
  },
});
describeSource({
  source: crush,
  reasonPrefix: "crush",
  fixture: corpus("../corpus-3/crush-0.86.0"),
  shorten: (db, session, keep) => {
    const remaining = "SELECT id FROM messages WHERE session_id = ? ORDER BY created_at, rowid LIMIT ?";
    db.prepare(`DELETE FROM messages WHERE session_id = ? AND id NOT IN (${remaining})`).run(session, session, keep);
  },
});
describeSource({ source: gptme, reasonPrefix: "gptme", fixture: corpus("../corpus-3/gptme-0.35.1") });
describeSource({ source: openhands, reasonPrefix: "openhands", fixture: corpus("../corpus-3/openhands-1.2.1") });
describeSource({ source: qwen, reasonPrefix: "qwen", fixture: corpus("qwen-0.24.4") });
describeSource({ source: pi, reasonPrefix: "pi", fixture: corpus("pi-0.87.1") });
describeSource({ source: cline, reasonPrefix: "cline", fixture: corpus("../corpus-3/cline-3.0.65"), sample: 6 });
describeSource({ source: cline, reasonPrefix: "cline", fixture: corpus("../corpus-3/cline-3.0.65-tui") });
describeSource({ source: continueCli, reasonPrefix: "continue", fixture: corpus("../corpus-3/continue-1.5.47") });
describeSource({ source: droid, reasonPrefix: "droid", fixture: corpus("../corpus-3/droid-0.215.0"), sample: 6 });
describeSource({ source: grok, reasonPrefix: "grok", fixture: corpus("../corpus-3/grok-1.0.41"), sample: 6 });
describeSource({ source: kimi, reasonPrefix: "kimi", fixture: corpus("../corpus-3/kimi-code-2.1.0"), sample: 6 });
describeSource({ source: kimi, reasonPrefix: "kimi", fixture: corpus("../corpus-3/kimi-code-2.1.0-tui") });
describeSource({ source: vibe, reasonPrefix: "vibe", fixture: corpus("../corpus-3/vibe-3.0.3"), sample: 6 });
// Genuine Aider histories may not be copied here, so these are generated in the same format.
describeSource({ source: aider, reasonPrefix: "aider", fixture: () => writeSampleStore(), sample: 8 });
// Logs exported from other sessions, with turns taken back, sub-agents and a compaction.
describeSource({
  source: log,
  reasonPrefix: "log",
  fixture: () => exportedLogs("codex", corpus("codex-0.166.0")),
  label: "exported codex-0.166.0",
});
describeSource({
  source: log,
  reasonPrefix: "log",
  fixture: () => exportedLogs("codex", corpus("../codex-goals")),
  label: "exported goals of codex",
});
describeSource({
  source: log,
  reasonPrefix: "log",
  fixture: () => exportedLogs("pi", corpus("pi-0.87.1")),
  label: "exported pi-0.87.1",
});
// Genuine stores of Cursor could not be had, so these are written in the published shapes.
describeSource({
  source: cursor,
  reasonPrefix: "cursor",
  label: "editor",
  fixture: () => editorStore(),
  shorten: (db, session, keep) => {
    const head = db.prepare("SELECT value FROM cursorDiskKV WHERE key = ?").get(`composerData:${session}`)?.["value"];
    const { fullConversationHeadersOnly: listed, ...rest } = JSON.parse(String(head)) as {
      fullConversationHeadersOnly: { bubbleId: string }[];
    };
    for (const { bubbleId } of listed.slice(keep))
      db.prepare("DELETE FROM cursorDiskKV WHERE key = ?").run(`bubbleId:${session}:${bubbleId}`);
    const kept = JSON.stringify({ ...rest, fullConversationHeadersOnly: listed.slice(0, keep) });
    db.prepare("INSERT INTO cursorDiskKV VALUES (?, ?)").run(`composerData:${session}`, kept);
  },
});
describeSource({ source: cursor, reasonPrefix: "cursor", label: "transcripts", fixture: () => transcripts() });
// Written as VS Code's own source writes them.
describeSource({ source: vscodeCopilot, reasonPrefix: "vscode", label: "documents", fixture: () => sampleStore() });
describeSource({ source: vscodeCopilot, reasonPrefix: "vscode", label: "logs", fixture: () => sampleLogs() });
// As public tasks are, with invented values.
describeSource({ source: clineTasks, reasonPrefix: "tasks", label: "tasks", fixture: () => sampleTasks() });
