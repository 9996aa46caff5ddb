/** Claude Code as a source: how it is run without a terminal, asked by hooks and connected to servers, and what its tools do. */
import { join } from "node:path";
import type {
  FileEdit,
  GivenAnswer,
  Headless,
  HeadlessAnswer,
  McpClient,
  QuestionHooks,
  Source,
  TodoItem,
  TodoTool,
  Tools,
} from "../contract.ts";
import { countOf, parseOrNull } from "../kit/printed-events.ts";
import { fileTimes } from "../kit/sniff.ts";
import {
  answersAfterKeys,
  fieldsOf,
  nonBlankString,
  replaceTool,
  statusOf,
  textOf,
  wholeListTool,
  writeTool,
} from "../kit/tools.ts";
import {
  discoverClaude,
  isClaudeFile,
  mainCheckout,
  parentFromPath,
  readFacts,
  sessionIdFromPath,
  SOURCE_ID,
} from "./discover.ts";
import { readSession } from "./read.ts";
import { ClaudeOutputMeter, quickUsage } from "./usage.ts";

/**
 * A server's environment holds the id of the session that started it. `/clear` begins another session and keeps the
 * server. A call's metadata holds only the id of the call, which is in no file yet (both seen in 2.1.325).
 */
const mcp: McpClient = {
  name: "claude-code",
  variables: ["CLAUDE_CONFIG_DIR"],
  servers: {
    files: (env, home) => [join(env["CLAUDE_CONFIG_DIR"]?.trim() || home, ".claude.json")],
    form: "json",
    key: "mcpServers",
    entry: ([command, ...args], env) => ({ type: "stdio", command, args, env }),
  },
  startedBy: (env) => env["CLAUDE_CODE_SESSION_ID"]?.trim() || null,
};

/**
 * Hooks around a tool call, configured in the user's settings (checked in 2.1.325). They get the call as JSON on stdin.
 */
const questionHooks: QuestionHooks = {
  settings: (env, home) =>
    join(env["CLAUDE_CONFIG_DIR"]?.split(",")[0]?.trim() || join(home, ".claude"), "settings.json"),
  before: "PreToolUse",
  after: "PostToolUse",
  matcher: "(AskUserQuestion|mcp__.*__AskUserQuestion)",
  // If the hook takes longer, Claude Code continues without it.
  timeoutSeconds: 10,
  asks: (tool) => /^(?:mcp__.+__)?AskUserQuestion$/.test(tool),
  // The hook never answers "allow" or "ask": without a decision the agent asks as usual.
  denied: (reason) => answer("PreToolUse", { permissionDecision: "deny", permissionDecisionReason: reason }),
  context: (text, when) => answer(when === "before" ? "PreToolUse" : "PostToolUse", { additionalContext: text }),
  isAttended: (env) => env["CLAUDE_CODE_ENTRYPOINT"] === "cli",
};

function answer(hookEventName: string, more: Record<string, string>): string {
  return JSON.stringify({ hookSpecificOutput: { hookEventName, ...more } });
}

/** `claude -p` without built-in tools, so that nothing in its input can make it act (tried with 2.1.325). */
const headless: Headless = {
  run: ({ model, server }) => ({
    words: [
      "claude",
      "-p",
      "--output-format",
      "json",
      "--tools",
      "",
      "--strict-mcp-config",
      ...(server === null
        ? []
        : [
            "--mcp-config",
            JSON.stringify({ mcpServers: { [server.name]: entry(server.command) } }),
            "--allowedTools",
            server.tools.map((tool) => `mcp__${server.name}__${tool}`).join(","),
          ]),
      ...(model === null ? [] : ["--model", model]),
    ],
  }),
  answer: (printed) => answerIn(printed),
};

function entry([command, ...args]: readonly string[]): Record<string, unknown> {
  return { type: "stdio", command, args };
}

interface Result {
  result?: unknown;
  is_error?: unknown;
  total_cost_usd?: unknown;
  usage?: Record<string, unknown>;
}

/** The output is one object or, with other settings, a list of messages that ends with that object. */
function answerIn(printed: string): HeadlessAnswer {
  const value = parseOrNull(printed.trim());
  const said = (Array.isArray(value) ? (value.at(-1) as unknown) : value) as Result | null;
  if (typeof said !== "object" || said === null)
    return { text: null, error: printed.trim().slice(0, 500) || "it printed nothing", tokens: null, cost_usd: null };
  const text = typeof said.result === "string" ? said.result : null;
  const failed = said.is_error === true || text === null;
  const { usage, total_cost_usd: cost } = said;
  return {
    text: failed ? null : text,
    error: failed ? (text ?? "it gave no result") : null,
    tokens: usage ? { input: inputOf(usage), output: countOf(usage["output_tokens"]) } : null,
    cost_usd: typeof cost === "number" && Number.isFinite(cost) ? cost : null,
  };
}

function inputOf(usage: Record<string, unknown>): number {
  return ["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"].reduce(
    (sum, key) => sum + countOf(usage[key]),
    0,
  );
}

const EDIT = { path: "file_path", before: "old_string", after: "new_string", all: "replace_all" };

const tools: Tools = {
  ask: ["AskUserQuestion"],
  plan: ["ExitPlanMode"],
  // Newer versions have tools for single, numbered tasks.
  todos: { TodoWrite: wholeListTool, TaskCreate: createTask, TaskUpdate: updateTask },
  edits: {
    Write: writeTool("file_path", "content"),
    Edit: replaceTool(EDIT),
    MultiEdit: replaceTool({ ...EDIT, list: "edits" }),
    NotebookEdit: notebookEdit,
  },
  answers: {
    /**
     * `"question"="answer", "question"="answer". You can now …`, or `. Read the answers …` with a free-text answer
     * (2.1.325).
     */
    read: (output, questions) => {
      const keys = questions.map(({ text }) => `"${text}"="`);
      return answersAfterKeys(output, keys, pairEnd);
    },
  },
};

function notebookEdit(input: unknown): FileEdit[] | null {
  const [path, source] = [textOf(input, "notebook_path"), textOf(input, "new_source")];
  const how = fieldsOf(input)["edit_mode"] ?? "replace";
  if (path === null || (how !== "replace" && how !== "insert" && how !== "delete")) return null;
  const [cell, type] = [textOf(input, "cell_id"), textOf(input, "cell_type")];
  return [{ kind: "notebook", path, how, cell, type, source: source ?? "" }];
}

function createTask(...[fields, output, tasks]: Parameters<TodoTool>): TodoItem[] | null {
  const text = nonBlankString(fields["subject"]) ?? nonBlankString(fields["description"]);
  if (text === null) return null;
  const id = /#(\d{1,9})/.exec(output)?.[1] ?? String(tasks.size + 1);
  tasks.set(id, { text, status: "pending" });
  return listed(tasks);
}

function updateTask(...[fields, , tasks]: Parameters<TodoTool>): TodoItem[] | null {
  const id = nonBlankString(fields["taskId"]) ?? "";
  const known = tasks.get(id);
  if (!known) return null;
  if (fields["status"] === "deleted") tasks.delete(id);
  else tasks.set(id, { text: nonBlankString(fields["subject"]) ?? known.text, status: statusOf(fields, known.status) });
  return listed(tasks);
}

function listed(tasks: ReadonlyMap<string, TodoItem>): TodoItem[] {
  return [...tasks.values()].map((item) => ({ ...item }));
}

const ENDS = [". You can now continue", ". Read the answers carefully"];

function pairEnd(segment: string, last: boolean): GivenAnswer {
  const end = last ? Math.max(...ENDS.map((text) => segment.lastIndexOf(text))) : segment.lastIndexOf(", ");
  const body = end === -1 ? segment : segment.slice(0, end);
  const notes = body.lastIndexOf(" user notes: ");
  const said = notes === -1 ? body : body.slice(0, notes);
  const preview = said.indexOf('" selected preview:');
  const answer = (preview === -1 ? said : said.slice(0, preview)).replace(/"\.?$/, "");
  return { values: [answer], note: notes === -1 ? null : body.slice(notes + " user notes: ".length) };
}

/** Claude Code: JSONL transcripts under `projects/`, one file per session and per subagent. See FORMAT.md. */
export const claudeCode: Source = {
  id: SOURCE_ID,
  name: "Claude Code",
  capabilities: { retentionDays: 30, globalIdentities: true, shellVariables: ["CLAUDECODE"] },
  checked: { oldest: "0.2.120", newest: "2.1.327", releases: 18 },
  unknowable: [
    "What requests made aside (compaction, titles) cost before there was a total (seen in 2.1.325), and in a process that was killed: they leave no line. Where a total includes them, they belong to the session, not to a turn.",
    "The output of a stream that was cut: Escape keeps what was stated at its start (all input, output 1), a kill leaves nothing.",
    "Output tokens of some releases (seen in 2.1.53): every line is written before the response ends and states 1.",
    "What an old resume (up to 1.0.109) copied from a session whose file is gone: copies count for nothing.",
    "In versions without `interruptedMessageId`: whether a call was refused or interrupted. Both write the same sentence; it is read as a refusal.",
    "Up to 2.1.61: whether a run was killed between a text and the call after it. No reason is stated; as the last thing in its file the text is taken as the answer.",
    "How a `!` command ended before 2.1.88: no exit code is stored.",
    "Sessions older than 30 days, which the agent deletes unless told otherwise: Daybook's book keeps those it has read.",
  ],
  sessionId: (ref) => sessionIdFromPath(ref.path),
  recognises: (ref) => isClaudeFile(ref.path) === "yes",
  discover: discoverClaude,
  read: (ref, cursor, ctx) => readSession(ref, cursor, ctx),
  quickUsage: (ref, ctx, count, note) => quickUsage(ref, ctx, count, note),
  times: (ref) => fileTimes(ref),
  partOf: (ref) => parentFromPath(ref.path)?.session_id ?? null,
  mainCheckout,
  start: ["claude", "-p"],
  resume: (_ref, id) => ({ words: ["claude", "--resume", id] }),
  facts: (ctx) => readFacts(ctx),
  mcp: () => mcp,
  questionHooks: () => questionHooks,
  headless: () => headless,
  tools,
  outputMeter: () => new ClaudeOutputMeter(),
};
