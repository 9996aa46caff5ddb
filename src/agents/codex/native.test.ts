import { describe, expect, it } from "vitest";
import { fragmentOf, withoutEnvelopes } from "./native.ts";

describe("text that Codex writes in user messages", () => {
  const pair = (kind: string, name: string): [string, string, string] => [kind, `<${name}>`, `</${name}>`];

  it.each([
    ["instructions", "# AGENTS.md instructions for /w\n<INSTRUCTIONS>", "</INSTRUCTIONS>"],
    pair("instructions", "instructions"),
    pair("instructions", "user_instructions"),
    pair("environment", "environment_context"),
    pair("environment", "cwd"),
    pair("skill", "skill"),
    pair("plugins", "recommended_plugins"),
    pair("shell", "user_shell_command"),
    pair("aborted", "turn_aborted"),
    pair("notification", "subagent_notification"),
    pair("steering", "goal_context"),
    pair("steering", "app-context"),
    pair("review_exit", "user_action"),
    pair("steering", "node_repl_review_evidence"),
    pair("external", "external_note-1"),
    ["steering", '<codex_internal_context source="goal_2">', "</codex_internal_context>"],
    ["hook", '<hook_prompt a="b" hook_run_id="1" c="d">', "</hook_prompt>"],
    ["warning", "Warning: apply_patch was requested via x", "Use the apply_patch tool instead of exec_command."],
  ])("is recognised by its start and end, in any letter case: %s %s", (kind, begin, end) => {
    expect(fragmentOf(`${begin}\nwords\n${end}`)).toBe(kind);
    expect(fragmentOf(`\n ${begin.toUpperCase()} words ${end.toUpperCase()} \n`)).toBe(kind);
    expect(fragmentOf(`${begin}${"long ".repeat(100)}${end}`)).toBe(kind);
    // Humans begin a prompt with such a tag, quote one, or continue after it.
    expect(fragmentOf(`${begin} words`)).toBeNull();
    expect(fragmentOf(`words ${end}`)).toBeNull();
    expect(fragmentOf(`what is ${begin} words ${end}`)).toBeNull();
    expect(fragmentOf(`<b>what</b> ${begin} words ${end}`)).toBeNull();
    expect(fragmentOf(`${begin} words ${end} do it`)).toBeNull();
  });

  it.each([
    ["warning", "Warning: The maximum number of unified exec processes you can keep open is 60."],
    ["warning", "Warning: Your account was flagged for potentially high-risk cyber activity. See"],
    ["summary", "Another language model started to solve this problem and produced a summary of it."],
    ["summary", "You were originally given instructions from a user over one or more turns. Here"],
    ["summary", "You are performing a CONTEXT CHECKPOINT COMPACTION. Create"],
    ["summary", "You have exceeded the maximum number of tokens, please stop coding and"],
  ])("is recognised by its first sentence: %s %s", (kind, text) => {
    expect(fragmentOf(text)).toBe(kind);
    expect(fragmentOf(`Say: ${text}`)).toBeNull();
  });

  it("is not recognised in similar text", () => {
    expect(fragmentOf("<external_a>x</external_b>")).toBeNull();
    expect(fragmentOf("<hook_prompt>x</hook_prompt>")).toBeNull();
    expect(fragmentOf('<codex_internal_context source="">x</codex_internal_context>')).toBeNull();
    expect(fragmentOf("")).toBeNull();
    expect(fragmentOf("# A title")).toBeNull();
    expect(fragmentOf("write a skill")).toBeNull();
  });
});

describe("a prompt without the envelopes before it", () => {
  it.each([
    ["<environment_context>\n<cwd>/w</cwd>\n</environment_context>\n\ngo", "go"],
    ["\n <user_instructions>be brief</user_instructions> <skill>s</skill>\ngo", "go"],
    ["# AGENTS.md instructions for /w\n\n<INSTRUCTIONS>\nbe\nbrief\n</INSTRUCTIONS>\n\ngo", "go"],
    ["\n# AGENTS.md instructions <INSTRUCTIONS>a</INSTRUCTIONS><INSTRUCTIONS>b</INSTRUCTIONS>go", "go"],
    ["# AGENTS.md instructions\n<instructions></instructions>go </INSTRUCTIONS>", "go </INSTRUCTIONS>"],
    ["<skill></skill>go</skill>", "go</skill>"],
    ["go <skill>s</skill>", "go <skill>s</skill>"],
    [
      "see # AGENTS.md instructions <INSTRUCTIONS>a</INSTRUCTIONS>",
      "see # AGENTS.md instructions <INSTRUCTIONS>a</INSTRUCTIONS>",
    ],
    ["<skill>never ended", "<skill>never ended"],
  ])("of %j is %j", (text, rest) => {
    expect(withoutEnvelopes(text)).toBe(rest);
  });
});
