/**
 * User-role messages that Codex writes itself. A marker must match at the start AND the end (trimmed, ignoring case),
 * like Codex's own matcher, because people do write prompts that begin like one. Markers without an end never varied in
 * real files.
 */
export type FragmentKind =
  | "instructions"
  | "environment"
  | "skill"
  | "plugins"
  | "steering"
  | "external"
  | "shell"
  | "aborted"
  | "notification"
  | "review_exit"
  | "hook"
  | "warning"
  | "summary";

interface Marker {
  kind: FragmentKind;
  start: string;
  end: string;
}

const MARKERS: readonly Marker[] = [
  { kind: "instructions", start: "# agents.md instructions", end: "</instructions>" },
  { kind: "instructions", start: "<instructions>", end: "</instructions>" },
  { kind: "instructions", start: "<user_instructions>", end: "</user_instructions>" },
  { kind: "environment", start: "<environment_context>", end: "</environment_context>" },
  { kind: "environment", start: "<cwd>", end: "</cwd>" },
  { kind: "skill", start: "<skill>", end: "</skill>" },
  { kind: "plugins", start: "<recommended_plugins>", end: "</recommended_plugins>" },
  { kind: "shell", start: "<user_shell_command>", end: "</user_shell_command>" },
  { kind: "aborted", start: "<turn_aborted>", end: "</turn_aborted>" },
  { kind: "notification", start: "<subagent_notification>", end: "</subagent_notification>" },
  { kind: "steering", start: "<goal_context>", end: "</goal_context>" },
  { kind: "steering", start: "<app-context>", end: "</app-context>" },
  { kind: "review_exit", start: "<user_action>", end: "</user_action>" },
  { kind: "steering", start: "<node_repl_review_evidence>", end: "</node_repl_review_evidence>" },
  {
    kind: "warning",
    start: "warning: apply_patch was requested via ",
    end: "use the apply_patch tool instead of exec_command.",
  },
  {
    kind: "warning",
    start: "warning: the maximum number of unified exec processes you can keep open is",
    end: "",
  },
  {
    kind: "warning",
    start: "warning: your account was flagged for potentially high-risk cyber activity",
    end: "",
  },
  {
    kind: "summary",
    start: "another language model started to solve this problem and produced a summary",
    end: "",
  },
  {
    kind: "summary",
    start: "you were originally given instructions from a user over one or more turns.",
    end: "",
  },
  { kind: "summary", start: "you are performing a context checkpoint compaction", end: "" },
  {
    kind: "summary",
    start: "you have exceeded the maximum number of tokens, please stop coding",
    end: "",
  },
];

const INTERNAL = /^<codex_internal_context source="[a-z][a-z0-9_]*">[\s\S]*<\/codex_internal_context>$/i;
const EXTERNAL = /^<external_([\w-]+)>[\s\S]*<\/external_\1>$/i;
const HOOK = /^<hook_prompt\s[^>]*\bhook_run_id="[^"]+"[^>]*>[\s\S]*<\/hook_prompt>$/i;
const LONGEST_MARKER = 96;

/** The kind of a text that Codex generated as a whole; null for anything a human may have typed. */
export function fragmentOf(text: string): FragmentKind | null {
  const trimmed = text.trim();
  const head = trimmed.slice(0, LONGEST_MARKER).toLowerCase();
  const first = head.charCodeAt(0);
  // Every marker begins with `<`, `#` or a fixed sentence, so the first letter rules out most prompts.
  if (first !== 0x3c && first !== 0x23 && !/^[wya]/.test(head)) return null;
  const tail = trimmed.slice(-LONGEST_MARKER).toLowerCase();
  for (const { kind, start, end } of MARKERS) if (head.startsWith(start) && tail.endsWith(end)) return kind;
  if (first !== 0x3c) return null;
  if (INTERNAL.test(trimmed)) return "steering";
  if (EXTERNAL.test(trimmed)) return "external";
  return HOOK.test(trimmed) ? "hook" : null;
}

const ENVELOPE =
  /^\s*<(environment_context|user_instructions|instructions|recommended_plugins|skill|turn_aborted)>[\s\S]*?<\/\1>\s*/i;
const AGENTS_ENVELOPE = /^\s*# AGENTS\.md instructions(?: for [^\n]*)?\s*<INSTRUCTIONS>[\s\S]*?<\/INSTRUCTIONS>\s*/i;

/** Old clients put their envelopes before the prompt in the same text: returns the prompt without them. */
export function withoutEnvelopes(text: string): string {
  let rest = text;
  for (;;) {
    const match = ENVELOPE.exec(rest) ?? AGENTS_ENVELOPE.exec(rest);
    if (!match) return rest;
    rest = rest.slice(match[0].length);
  }
}
