import { REASONS } from "../../src/agents/claude-code/rules.ts";
import { DEEP, type Listed, type SmallFile } from "./listed.ts";

type Line = Record<string, unknown>;

let serial = 0;

/** A conversation record with the fields that the rules read. Most of these shapes are in no fixture. */
function conversationRecord(session: string, type: string, more: Line): Line {
  serial += 1;
  const timestamp = new Date(Date.UTC(2026, 4, 12, 8, 0, serial)).toISOString();
  const chain = { uuid: `u${serial}`, parentUuid: `u${serial - 1}`, isSidechain: false };
  return { type, sessionId: session, cwd: "/w", version: "2.1.100", timestamp, ...chain, ...more };
}

/** A file with one session. Each line is created with the session id, which is the name of the file. */
function file(name: string, ...lines: ((id: string) => object | string)[]): SmallFile {
  return { name: `p/${name}.jsonl`, lines: lines.map((line) => line(name)) };
}

type LineOf = (id: string) => Line;

const user =
  (content: unknown, more: Line = {}): LineOf =>
  (id) =>
    conversationRecord(id, "user", { message: { role: "user", content }, ...more });
const assistant =
  (more: Line = {}, model = "claude-x"): LineOf =>
  (id) =>
    conversationRecord(id, "assistant", {
      message: { id: `m${serial}`, role: "assistant", model, content: [], stop_reason: "end_turn" },
      requestId: `r${serial}`,
      ...more,
    });
const system =
  (subtype: string, more: Line = {}): LineOf =>
  (id) =>
    conversationRecord(id, "system", { subtype, ...more });
const attachment =
  (type: string, more: Line = {}): LineOf =>
  (id) =>
    conversationRecord(id, "attachment", { attachment: { type, ...more } });
const progress =
  (type: string | null): LineOf =>
  (id) =>
    conversationRecord(id, "progress", { data: type === null ? {} : { type } });
const bare =
  (type: string, more: Line = {}): LineOf =>
  (id) => ({ type, sessionId: id, ...more });
const queue = (operation: string, content?: string): LineOf => bare("queue-operation", { operation, content });
const result = (words: string): Line => ({ type: "tool_result", tool_use_id: "t", content: words });
const text = (words: string): Line => ({ type: "text", text: words });
const raw =
  (line: string): (() => string) =>
  () =>
    line;

/** The rest of the name of every rule with this prefix, except some. */
function rulesAfter(prefix: string, ...except: string[]): string[] {
  return REASONS.filter((reason) => reason.startsWith(prefix))
    .map((reason) => reason.slice(prefix.length))
    .filter((name) => !except.includes(name));
}

/** Texts that programs write as user messages, by rule. */
const GENERATED: Readonly<Record<string, string>> = {
  agent_message: '<agent-message from="a">x</agent-message>',
  ci_event: "<ci-monitor-event>x</ci-monitor-event>",
  command_output: "<local-command-stdout>x</local-command-stdout>",
  continuation_summary: "This session is being continued from a previous conversation that ran out.",
  diagnostics: "<new-diagnostics>x</new-diagnostics>",
  hook_feedback: "Stop hook feedback:\nx",
  mcp_update: "<mcp-resource-update>x</mcp-resource-update>",
  no_content: "(no content)",
  observer_feed: "PROGRESS SUMMARY CHECKPOINT",
  peer_message: "Another Claude session sent a message: x",
  scheduled_task: "<scheduled-task>x</scheduled-task>",
  shell_output: "<bash-stdout>x</bash-stdout><bash-stderr></bash-stderr>",
  task_notification: "<task-notification>x</task-notification>",
  teammate_message: "<teammate-message>x</teammate-message>",
  tool_loaded: "Tool loaded.",
  unknown_command: "Unknown skill: x",
};
const CAVEAT = "<local-command-caveat>x</local-command-caveat>";
const REFUSED = "The user doesn't want to proceed with this tool use.";
const command = (name: string): string => `<command-name>/${name}</command-name>\n<command-args></command-args>`;
const side = { isSidechain: true };

const FILES: readonly SmallFile[] = [
  file("generated", user("go"), ...Object.values(GENERATED).map((words) => user(words))),
  file(
    "queued",
    user("go"),
    ...[...Object.values(GENERATED), CAVEAT].map((prompt) => attachment("queued_command", { prompt })),
    attachment("queued_command", { prompt: "also this", commandMode: "prompt" }),
    user("also this", { timestamp: new Date(Date.UTC(2026, 4, 12, 8, 0, 40)).toISOString() }),
    attachment("queued_command", { prompt: "x", isMeta: true }),
    attachment("queued_command", { prompt: "x", origin: { kind: "peer" } }),
    attachment("queued_command", { prompt: "" }),
    (id) => ({ ...attachment("queued_command", { prompt: "x" })(id), ...side }),
  ),
  file(
    "attachments",
    attachment("file"),
    user("go"),
    ...rulesAfter("claude.attachment.", "before_prompt", "hook_other").map((type) => attachment(type)),
    attachment("hook_of_tomorrow"),
    attachment("of_tomorrow"),
  ),
  file(
    "progress",
    progress("bash_progress"),
    user("go"),
    progress(null),
    ...rulesAfter("claude.progress.", "untyped", "before_prompt").map((type) => progress(type)),
  ),
  file(
    "system",
    system("informational"),
    user("go"),
    ...rulesAfter("claude.system.", "before_first_prompt", "notice").map((subtype) => system(subtype)),
    (id) => conversationRecord(id, "system", { content: "Running PostToolUse:Edit..." }),
    system("api_error", { error: { status: 500 } }),
    system("turn_duration", { durationMs: 1 }),
    system("local_command", { content: command("cost") }),
    system("informational", {
      content: "UserPromptSubmit operation blocked by hook:\nno\n\nOriginal prompt: let me in",
    }),
  ),
  file("bare", user("go"), ...rulesAfter("claude.session.").map((name) => bare(name.replaceAll("_", "-")))),
  file(
    "queue",
    queue("enqueue", "first"),
    queue("dequeue"),
    user("first"),
    queue("enqueue", "second"),
    queue("remove", "second"),
    assistant(),
    queue("popAll"),
    queue("of tomorrow"),
    user("with attachments"),
    attachment("file"),
    queue("enqueue", "third"),
    queue("remove", "third"),
  ),
  file("queue-only", queue("enqueue", "killed at once"), queue("dequeue")),
  file(
    "requests",
    bare("api-request"),
    user("go"),
    bare("api-request"),
    assistant(),
    bare("api-request-blob"),
    user("next"),
  ),
  file(
    "users",
    user("go", { promptSource: "typed" }),
    user("x", { promptSource: "queued" }),
    user("x", { promptSource: "sdk" }),
    user("x", { promptSource: "system" }),
    user("x", { promptSource: "of tomorrow" }),
    ...["human", "task-notification", "peer", "of tomorrow"].map((kind) => user("y", { origin: { kind } })),
    ...["human", "sdk", "task_notification", "of tomorrow"].map((turnOrigin) => user("z", { turnOrigin })),
    user("plain"),
    user("Implement the following plan:\n1. x"),
    user("<system-reminder>x</system-reminder>"),
    user("<user-memory-input>x</user-memory-input>"),
    user("x", { cwd: "/home/u/.claude-mem/observer-sessions" }),
    user("x", { isMeta: true }),
    user("x", { isMeta: true, sourceToolUseID: "t" }),
    user("x", { toolUseResult: {} }),
    (id) => conversationRecord(id, "user", { message: { role: "assistant", content: "x" } }),
    user("[Request interrupted by user]"),
    user("<bash-input>ls</bash-input>"),
    user([result("fine")]),
    user([result(REFUSED), text("rather this")]),
    user([result("fine"), text("and this")]),
    user(CAVEAT),
    user(command("cost")),
    user(command("nobody-knows")),
    user("Unknown skill: nobody-knows"),
    user(`<command-message>greet</command-message>\n${command("greet")}`, { turnOrigin: "human" }),
    bare("of-tomorrow"),
    assistant({ isApiErrorMessage: true, error: "unknown" }, "<synthetic>"),
    assistant({}, "<synthetic>"),
    user("twice", { uuid: "the same" }),
    user("twice", { uuid: "the same" }),
  ),
  file("probe", user("Warmup")),
  file("automation", user("Reply with exactly: OK", { promptSource: "sdk", entrypoint: "sdk-cli" }), assistant()),
  file(
    "sidechain",
    user("go"),
    user("look there", side),
    user("x", { ...side, isMeta: true }),
    user([result("fine")], side),
    user("[Request interrupted by user]", side),
    assistant(side),
  ),
  file(
    "compaction",
    user("go"),
    assistant(),
    system("compact_boundary", { compactMetadata: { trigger: "manual" } }),
    user("summary", { isCompactSummary: true }),
    user(CAVEAT, { isMeta: true }),
    user(command("compact")),
    system("compact_boundary", { compactMetadata: { trigger: "auto" } }),
    assistant(),
  ),
  file(
    "replayed",
    (id) => ({ ...user("old")(id), parentUuid: null, version: "1.0.64", timestamp: "2026-05-12T09:00:00.000Z" }),
    (id) => ({ ...assistant({ requestId: undefined })(id), version: "1.0.64", timestamp: "2026-05-12T09:00:00.001Z" }),
  ),
  {
    name: "p/requests/subagents/agent-a1.jsonl",
    lines: [bare("fork-context-ref")("requests"), assistant(side)("requests")],
  },
  {
    name: "p/lines.jsonl",
    lines: [user("go")("lines"), "", "{not json", DEEP, "[1]", "\0\0\0", '{"type":"user"'],
    ended: false,
  },
  file(
    "goal",
    user("go"),
    attachment("goal_status", { met: false, sentinel: true, condition: "x" }),
    attachment("goal_status", { met: true, sentinel: true, condition: "x" }),
  ),
  file("skimmed", user("go"), bare("file-history-snapshot", { snapshot: { text: "x".repeat(900) } }), raw("")),
];

export const CLAUDE_CODE: Listed = {
  reasons: REASONS,
  folder: "src/agents/claude-code",
  prefix: "claude",
  fixtures: /^claude/,
  files: FILES,
  unreached: {
    "claude.cost_state.unwritten": "concerns tokens, not records; tested in test/unwritten-usage.test.ts",
    "claude.identity.inherited": "concerns deleted files that only the book has; tested in test/store/survival.test.ts",
    "claude.line.too_large": "needs a line of many megabytes",
  },
};
