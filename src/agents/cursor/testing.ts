/** Stores in the shape that published files have, for tests. Every value is made up. */
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { openDatabase } from "../../base/io/sqlite.ts";

export interface StoredBubble {
  bubbleId: string;
  type: number;
  [field: string]: unknown;
}

export interface StoredConversation {
  id: string;
  bubbles: readonly StoredBubble[];
  /** Rows of messages that the head does not list. */
  unlisted?: readonly StoredBubble[];
  head?: Readonly<Record<string, unknown>>;
}

const DAY = Date.UTC(2026, 5, 1, 18, 33);

/** Fields in the order in which Cursor 3.6 writes them; most of the hundred others are empty lists. */
export function bubble(bubbleId: string, type: 1 | 2, seconds: number, fields: object = {}): StoredBubble {
  const createdAt = new Date(DAY + seconds * 1000).toISOString();
  const base = { _v: 3, type, bubbleId, createdAt, text: "", conversationState: "~", unifiedMode: 2, isAgentic: false };
  return { ...base, requestId: "", tokenCount: { inputTokens: 0, outputTokens: 0 }, images: [], ...fields };
}

export function called(name: string, params: object, result: object | null, fields: object = {}): object {
  const call = { tool: 0, toolIndex: 0, modelCallId: "", toolCallId: `tool_${name}`, status: "completed", name };
  const stated = result === null ? {} : { result: JSON.stringify(result) };
  return { capabilityType: 15, toolFormerData: { ...call, params: JSON.stringify(params), ...stated, ...fields } };
}

export function shell(command: string, result: object | null, fields: object = {}): object {
  return called("run_terminal_command_v2", { command, cwd: "", options: { timeout: 30000 } }, result, fields);
}

/** `globalStorage/state.vscdb` of an editor; returns its path. */
export function writeEditorStore(user: string, conversations: readonly StoredConversation[]): string {
  const path = join(user, "globalStorage", "state.vscdb");
  mkdirSync(dirname(path), { recursive: true });
  const db = openDatabase(path);
  db.exec("CREATE TABLE IF NOT EXISTS ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)");
  db.exec("CREATE TABLE IF NOT EXISTS cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)");
  db.prepare("INSERT INTO ItemTable VALUES (?, ?)").run("cursorAuth/cachedEmail", "nia@example.com");
  const put = (key: string, value: object): void =>
    void db.prepare("INSERT INTO cursorDiskKV VALUES (?, ?)").run(key, JSON.stringify(value));
  for (const { id, bubbles, unlisted = [], head = {} } of conversations) {
    put(`composerData:${id}`, {
      _v: 16,
      composerId: id,
      fullConversationHeadersOnly: bubbles.map(({ bubbleId, type }) => ({ bubbleId, type })),
      conversationMap: {},
      status: "completed",
      name: "Say hello",
      createdAt: DAY,
      lastUpdatedAt: DAY,
      modelConfig: { modelName: "default", maxMode: false },
      workspaceIdentifier: { id: "37d0", uri: { fsPath: "/home/nia/shop", scheme: "file" } },
      ...head,
    });
    for (const one of [...bubbles, ...unlisted]) put(`bubbleId:${id}:${one.bubbleId}`, one);
  }
  db.close();
  return path;
}

export const TRANSCRIPT: readonly object[] = [
  said(
    "user",
    "<timestamp>Tuesday, Jul 21, 2026, 6:57 PM (UTC+8)</timestamp>\n<user_query>\nlist the files\n</user_query>",
  ),
  {
    role: "assistant",
    message: {
      content: [
        { type: "text", text: "I will look.\n\n[REDACTED]" },
        { type: "tool_use", name: "Shell", input: { command: "ls", description: "List the files" } },
      ],
    },
  },
  said("assistant", "There are two."),
  { type: "turn_ended", status: "success" },
  said("user", "<user_query>\nthanks\n</user_query>"),
  said("assistant", "[REDACTED]"),
  { type: "turn_ended", status: "aborted", error: "User aborted/interrupted manually." },
];

export function said(role: string, text: string): object {
  return { role, message: { content: [{ type: "text", text }] } };
}

/** A transcript below `~/.cursor`, with the file that names the project's directory. */
export function writeTranscript(home: string, id: string, lines: readonly object[], parent?: string): string {
  const project = join(home, "projects", "home-nia-shop");
  const own = join(project, "agent-transcripts", parent ?? id);
  const path = parent === undefined ? join(own, `${id}.jsonl`) : join(own, "subagents", `${id}.jsonl`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(join(project, ".workspace-trusted"), JSON.stringify({ workspacePath: "/home/nia/shop" }));
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  return path;
}

const [ROOT, CHILD] = ["aaaaaaaa-0000-4000-8000-000000000001", "dddddddd-0000-4000-8000-000000000001"];
const CLI = "bbbbbbbb-0000-4000-8000-000000000001";

/** A conversation with a sub-agent, a compaction, and each kind of message. */
const CONVERSATIONS: readonly StoredConversation[] = [
  {
    id: ROOT,
    bubbles: [
      bubble("b1", 1, 1, { text: "list the files", images: [{ uuid: "i" }] }),
      bubble("b2", 2, 2, { capabilityType: 30, allThinkingBlocks: [{ text: "look first" }] }),
      bubble("b3", 2, 3, shell("ls", { output: "a\nb\n", rejected: false, notInterrupted: true })),
      bubble("b4", 2, 4, { text: "There are two.", modelInfo: { modelName: "claude-4.6-opus" } }),
      bubble("b5", 2, 5, { capabilityType: 22 }),
      bubble("b6", 1, 6, { text: "" }),
      bubble("b7", 1, 7, { text: "make a third" }),
      bubble("b8", 2, 8, called("task_v2", { description: "make", prompt: "make c" }, { agentId: CHILD })),
      bubble("b9", 2, 9, { text: "Done.", tokenCount: { inputTokens: 1200, outputTokens: 30 } }),
    ],
  },
  {
    id: CHILD,
    head: { subagentInfo: { parentComposerId: ROOT, subagentTypeName: "explore" } },
    bubbles: [bubble("c1", 1, 8, { text: "make c" }), bubble("c2", 2, 9, { text: "Made." })],
  },
];

function scratch(): string {
  return mkdtempSync(join(tmpdir(), "daybook-cursor-sample-"));
}

export function editorStore(): string {
  const root = scratch();
  writeEditorStore(root, CONVERSATIONS);
  return root;
}

export function transcripts(): string {
  const root = scratch();
  writeTranscript(root, CLI, TRANSCRIPT);
  writeTranscript(root, "cccccccc-0000-4000-8000-000000000001", TRANSCRIPT, CLI);
  return root;
}

/** A home of both kinds; one of the transcripts is of a conversation in the database. */
export function writeSampleHome(root: string): string {
  writeEditorStore(join(root, "User"), CONVERSATIONS);
  writeTranscript(root, CLI, TRANSCRIPT);
  writeTranscript(root, ROOT, TRANSCRIPT);
  writeTranscript(root, "cccccccc-0000-4000-8000-000000000001", TRANSCRIPT, CLI);
  return root;
}
