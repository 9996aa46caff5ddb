import { REASONS } from "../../src/agents/codex/state.ts";
import { A, at, codexLine, E, EA, event, item, ITEM, M, R, RAW, TC, TD, TS, U, type Line } from "../cases/build.ts";
import { DEEP, type Listed, type SmallFile } from "./listed.ts";

/** Texts that Codex writes as user messages, by kind. */
const GENERATED: Readonly<Record<string, string>> = {
  instructions: "# AGENTS.md instructions for /w\n<INSTRUCTIONS>be brief</INSTRUCTIONS>",
  environment: "<environment_context><cwd>/w</cwd></environment_context>",
  skill: "<skill>s</skill>",
  plugins: "<recommended_plugins>p</recommended_plugins>",
  steering: "<goal_context>g</goal_context>",
  external: "<external_note>n</external_note>",
  aborted: "<turn_aborted>a</turn_aborted>",
  notification: '<subagent_notification>{"agent_id":"x"}</subagent_notification>',
  review_exit: "<user_action>r</user_action>",
  hook: '<hook_prompt hook_run_id="1">h</hook_prompt>',
  warning: "Warning: The maximum number of unified exec processes you can keep open is 60.",
  summary: "Another language model started to solve this problem and produced a summary of it.",
};

const message = (text: string): Line => RAW([{ type: "input_text", text }]);
const messageFrom = (text: string, by: string): Line =>
  RAW([{ type: "input_text", text }], {
    internal_chat_message_metadata_passthrough: { content_item_metadata: [{ provenance: { type: by } }] },
  });
const echo = (text: string): Line => E(text, { kind: "environment_context" });

const NOTICES =
  "agent_reasoning_section_break background_event deprecation_notice dynamic_tool_call_request exec_command_begin guardian_assessment guardian_warning hook_completed hook_started image_generation_begin item_started mcp_tool_call_begin model_reroute patch_apply_begin plan_update request_user_input turn_diff undo_completed undo_started view_image_tool_call warning web_search_begin";

const later = (minutes: number, line: Line): Line =>
  at(`2026-05-12T08:${String(minutes).padStart(2, "0")}:00.000Z`, line);
const compacted = codexLine("compacted", { message: "short" });
const shell = "<user_shell_command>\n<command>\nls\n</command>\n</user_shell_command>";

const file = (name: string, ...lines: (object | string)[]): SmallFile => ({ name: `rollout-${name}.jsonl`, lines });

/** Minimal records with the fields that the rules read. The fixtures have no genuine files of these shapes. */
const FILES: readonly SmallFile[] = [
  file("marker", M("marker"), ...Object.values(GENERATED).map(message), A("x")),
  file("echo", M("echo"), ...Object.values(GENERATED).flatMap((text) => [message(text), echo(text)]), A("x")),
  file("provenance", M("provenance"), ...Object.values(GENERATED).map((text) => messageFrom(text, "harness")), A("x")),
  file("machine", M("machine"), messageFrom("anything at all", "harness"), R("go"), A("x")),
  file("notices", M("notices"), R("go"), E("go"), ...NOTICES.split(" ").map((kind) => event(kind))),
  file("probe", M("probe", { source: "exec" }), R("Reply with exactly: OK"), A("OK")),
  file(
    "unattended",
    M("unattended"),
    R(
      "You are a helpful assistant. You will be presented with a user prompt, and your job is to provide a short title for a task",
    ),
  ),
  file(
    "assessment",
    M("assessment"),
    R("The following is the Codex agent history whose request action you are assessing. Go."),
  ),
  file(
    "suggestions",
    M("suggestions"),
    R("# Overview\nGenerate 0 to 3 hyperpersonalized suggestions for what this user can do with Codex."),
  ),
  file("scheduled", M("scheduled"), R("Automation: tidy\nAutomation ID: a1\nLast run: never\n\ntidy up")),
  file("heartbeat", M("heartbeat"), R("<heartbeat><automation_id>a1</automation_id></heartbeat>")),
  file("delegated", M("delegated"), R("<codex_delegation><source_thread_id>t</source_thread_id>do</codex_delegation>")),
  file(
    "words",
    M("words"),
    R("go"),
    E("go"),
    EA(""),
    A(""),
    EA("only here"),
    event("agent_reasoning", { text: "alone" }),
    event("agent_reasoning", { text: "" }),
    item({ type: "reasoning", summary: [] }),
    R("next"),
    E("next"),
    // Further behind its event than any response item in a genuine file.
    EA("late"),
    event("agent_reasoning", { text: "later" }),
    ...Array.from({ length: 14 }, () => U(1, 1)),
    A("late"),
    item({ type: "reasoning", summary: [{ type: "summary_text", text: "later" }] }),
  ),
  file(
    "items",
    M("items"),
    R("go"),
    E("go"),
    ITEM("Plan"),
    ITEM("ImageView"),
    ITEM("HookPrompt"),
    ITEM("McpToolCall", { id: "m", server: "s", tool: "t", result: {} }),
    ITEM("WebSearch", { id: "w", query: "q" }),
    ITEM("WebSearch", { id: "w", query: "q" }),
    event("collab_waiting_end"),
    event("sub_agent_activity"),
    event("thread_goal_updated"),
    event("shutdown_complete"),
    event("thread_name_updated", { thread_name: "n" }),
    event("error", { message: "e" }),
    event("stream_error", { message: "e" }),
    codexLine("security_risk_score", { score: 1 }),
    item({ type: "web_search_call", status: "completed" }),
    item({ type: "function_call_output", output: "x" }),
    item({ type: "compaction", encrypted_content: "x" }),
    item({ type: "message", role: "system", content: [] }),
    item({ type: "message", role: "developer", content: [{ type: "input_text", text: GENERATED["notification"] }] }),
    message("<user_shell_command>cut off</user_shell_command>"),
    message(shell),
    codexLine("no_such_type", {}),
  ),
  file(
    "compactions",
    M("compactions"),
    TS("t"),
    R("go"),
    E("go"),
    A("a"),
    event("context_compacted"),
    compacted,
    A("b"),
    event("context_compacted"),
    A("c"),
    TD("t"),
  ),
  // The prompt comes long after the answer and the compaction, so a human typed it.
  file(
    "typed",
    M("typed"),
    later(1, R("go")),
    later(1, E("go")),
    later(2, A("a")),
    later(3, compacted),
    later(9, R("next")),
    later(9, E("next")),
  ),
  file(
    "working",
    M("working"),
    R("go"),
    E("go"),
    item({ type: "function_call", name: "f", call_id: "c" }),
    compacted,
    A("b"),
  ),
  file("unechoed", M("unechoed"), R("nobody repeats this"), A("a")),
  file("unwrapped", M("unwrapped"), R(`${GENERATED["environment"]}\nand the words themselves`), A("a")),
  file("only", M("only"), E("no item carries this"), A("a")),
  file(
    "bare",
    { id: "bare", timestamp: "2026-05-12T08:00:00.000Z" },
    { record_type: "state" },
    { type: "message", role: "user", content: [{ type: "input_text", text: "as it was" }] },
  ),
  ...delegations(),
  file(
    "headers",
    M("headers"),
    M("headers"),
    M("headers", { cwd: "/elsewhere" }),
    codexLine("session_meta", {}),
    M("foreign"),
    R("go"),
    A("a"),
  ),
  file("lines", M("lines"), "", "not json", DEEP, "[]", '{"a":"\0"}', R("go"), A("a")),
  { ...file("torn", M("torn"), R("go"), '{"timestamp":"2026-05'), ended: false },
  ...copies(),
  file(
    "review",
    M("review"),
    TS("t"),
    event("entered_review_mode"),
    event("item_completed", { thread_id: "other", item: { type: "AgentMessage" } }),
  ),
  // Long enough not to be parsed when only usage is read.
  file("long", M("long"), R("go"), E("go"), A("a".repeat(2000)), U(1, 1)),
];

/** Prompts written by an agent: the same rules in the session of a sub-agent. */
function delegations(): SmallFile[] {
  const child = (name: string, ...lines: (object | string)[]): SmallFile =>
    file(
      `child-${name}`,
      M(`child-${name}`, { source: { subagent: { thread_spawn: { parent_thread_id: "p" } } } }),
      ...lines,
    );
  return [
    child("unechoed", R("do"), A("a")),
    child("unwrapped", R(`${GENERATED["environment"]}\ndo`), A("a")),
    child("only", E("do"), A("a")),
    file(
      "child-bare",
      { id: "child-bare", timestamp: "2026-05-12T08:00:00.000Z", source: { subagent: "review" } },
      { type: "message", role: "user", content: [{ type: "input_text", text: "do" }] },
    ),
  ];
}

/** Copied histories: from a file that exists, from a file that does not, and up to a stated ordinal. */
function copies(): SmallFile[] {
  const shared = [R("shared"), E("shared"), A("done")];
  return [
    file("parent", M("parent"), ...shared),
    file(
      "fork",
      later(5, M("fork", { forked_from_id: "parent" })),
      ...shared.map((line) => later(5, line)),
      later(9, R("own")),
    ),
    file(
      "orphan",
      later(5, M("orphan", { forked_from_id: "gone" })),
      ...shared.map((line) => later(5, line)),
      later(9, R("own")),
    ),
    file(
      "placed",
      { ...M("placed", { subagent_history_start_ordinal: 3 }), ordinal: 0 },
      { ...TC(), ordinal: 1 },
      { ...R("before"), ordinal: 2 },
      { ...R("own"), ordinal: 3 },
    ),
  ];
}

export const CODEX: Listed = {
  reasons: REASONS,
  folder: "src/agents/codex",
  prefix: "codex",
  fixtures: /^codex/,
  files: FILES,
  unreached: {
    "codex.line.too_large": "needs a line that does not fit into memory, even with its long strings cut",
  },
};
