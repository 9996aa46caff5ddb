import {
  generatedText,
  humanWords,
  insideTag,
  isCaveat,
  isInterruptMarker,
  rawText,
  wholeEnvelope,
  wordsBesideResult,
} from "./markers.ts";
import type { Block } from "./native.ts";
import { describe, expect, it } from "vitest";

const text = (words: string): Block => ({ type: "text", text: words });

describe("texts written in the user's name", () => {
  const name = (words: string): string | null => {
    const found = generatedText(words);
    return found && `${found.name} ${found.author}`;
  };

  it.each<[tag: string, name: string]>([
    ["local-command-caveat", "caveat source"],
    ["local-command-stdout", "command_output source"],
    ["local-command-stderr", "command_output source"],
    ["bash-stdout", "shell_output source"],
    ["bash-stderr", "shell_output source"],
    ["task-notification", "task_notification source"],
    ["bash-notification", "task_notification source"],
    ["agent-notification", "task_notification source"],
    ["user-prompt-submit-hook", "hook_feedback source"],
    ["session-start-hook", "hook_feedback source"],
    ["post-tool-use-hook", "hook_feedback source"],
    ["teammate-message", "teammate_message agent"],
    ["cross-session-message", "peer_message agent"],
    ["scheduled-task", "scheduled_task source"],
    ["ci-monitor-event", "ci_event source"],
    ["github-webhook-activity", "ci_event source"],
    ["mcp-resource-update", "mcp_update source"],
    ["mcp-polling-update", "mcp_update source"],
    ["new-diagnostics", "diagnostics source"],
    ["observed_from_primary_session", "observer_feed agent"],
  ])("are recognised by a complete envelope at the start: %s", (tag, expected) => {
    expect(name(`<${tag}>words</${tag}>`)).toBe(expected);
    expect(name(`\n \uFEFF<${tag}>words</${tag}> and more`)).toBe(expected);
    expect(name(`<${tag}>words`)).toBeNull();
    expect(name(`what is <${tag}>words</${tag}>?`)).toBeNull();
  });

  it.each<[begin: string, name: string]>([
    ["This session is being continued from a previous conversation that ran out", "continuation_summary source"],
    ["Caveat: The messages below were generated", "caveat source"],
    ["[SYSTEM NOTIFICATION - x]", "task_notification source"],
    ["Stop hook feedback:\n- x", "hook_feedback source"],
    ["Another Claude session sent a message: x", "peer_message agent"],
    ["Tool loaded.", "tool_loaded source"],
    ["You are a Claude-Mem, a specialized observer tool for", "observer_feed agent"],
    ["Hello memory agent, you are continuing to observe", "observer_feed agent"],
    ["--- MODE SWITCH: PROGRESS SUMMARY ---", "observer_feed agent"],
    ["PROGRESS SUMMARY CHECKPOINT", "observer_feed agent"],
    ["(no content)", "no_content source"],
    ["(no content)\n", "no_content source"],
    ["Unknown skill: xyz", "unknown_command source"],
    ["Unknown slash command: x", "unknown_command source"],
    ["Unknown command: x\n", "unknown_command source"],
    ["Operation stopped by hook", "hook_feedback source"],
    ["Operation stopped by hook: not now\n", "hook_feedback source"],
  ])("are recognised by their beginning: %j", (words, expected) => {
    expect(name(words)).toBe(expected);
    expect(name(`It says: ${words}`)).toBeNull();
  });

  it("are not recognised in incomplete markers or if other text follows", () => {
    expect(name('<agent-message from="x">y</agent-message>')).toBe("agent_message agent");
    expect(name('<agent-message from="x">y')).toBeNull();
    expect(name("y</agent-message>")).toBeNull();
    expect(name("(no content) here")).toBeNull();
    expect(name("Unknown command: x\nwhy?")).toBeNull();
    expect(name("Operation stopped by hook: x\nwhy?")).toBeNull();
    expect(name("Operation stopped by hooks")).toBeNull();
    expect(name("")).toBeNull();
  });

  it("are caveats only if they begin as one", () => {
    expect(isCaveat("Caveat: The messages below were")).toBe(true);
    expect(isCaveat("Tool loaded.")).toBe(false);
    expect(isCaveat("hello")).toBe(false);
  });

  it("are interrupt markers only if no other text follows", () => {
    expect(isInterruptMarker(" [Request interrupted by user]\n")).toBe(true);
    expect(isInterruptMarker("[Request interrupted by user for tool use]")).toBe(true);
    expect(isInterruptMarker("[Request interrupted by user] why")).toBe(false);
  });
});

describe("the human text of a user record", () => {
  const REMINDER = "<system-reminder>be brief</system-reminder>";

  it("excludes client tags at the start, but not later or unclosed ones", () => {
    expect(humanWords([text("go"), text("on")], false)).toEqual({ text: "go\non", attachments: 0, onlyWrapped: false });
    expect(humanWords([text(REMINDER), text("go")], false)).toMatchObject({ text: "go", onlyWrapped: false });
    for (const tag of ["ide_opened_file", "ide_selection", "ide_diagnostics"])
      expect(humanWords([text(`<${tag} a="b">x</${tag}>\n ${REMINDER} go`)], false).text).toBe("go");
    expect(humanWords([text("<system-reminder>never ended")], false).text).toBe("<system-reminder>never ended");
    expect(humanWords([text(` ${REMINDER} `)], false)).toEqual({ text: "", attachments: 0, onlyWrapped: true });
    expect(humanWords([text(`go ${REMINDER}`)], false).text).toBe(`go ${REMINDER}`);
    // The client adds tags only before the first text.
    expect(humanWords([text("go"), text(`${REMINDER} on`)], false).text).toBe(`go\n${REMINDER} on`);
    expect(humanWords([text(" go")], false).text).toBe(" go");
  });

  it("includes client tags if the record proves that the text was typed", () => {
    expect(humanWords([text(REMINDER)], true)).toEqual({ text: REMINDER, attachments: 0, onlyWrapped: false });
    expect(humanWords([text(`${REMINDER} go`)], true).text).toBe(`${REMINDER} go`);
    expect(humanWords([text(REMINDER), text("go")], true).text).toBe("go");
  });

  it("counts images and documents as attachments", () => {
    const picture = { type: "image" };
    expect(humanWords([picture, { type: "document" }, { type: "other" }, text("see")], false)).toEqual({
      text: "see",
      attachments: 2,
      onlyWrapped: false,
    });
    expect(humanWords([picture, text(REMINDER)], false)).toEqual({ text: "", attachments: 1, onlyWrapped: false });
    expect(humanWords([], false)).toEqual({ text: "", attachments: 0, onlyWrapped: false });
    expect(humanWords([{ type: "text" }], false).text).toBe("");
  });

  it("beside a tool result excludes markers and client text", () => {
    for (const added of [
      "Base directory for this skill: /x",
      "[Image: source]",
      "PDF file read: x",
      "Result of calling the Read tool",
      "  Called the Read tool",
      "[Request interrupted by user]",
      "Tool loaded.",
    ])
      expect(wordsBesideResult([text(added), text("and this")]).text).toBe("and this");
    expect(wordsBesideResult([text(`${REMINDER} go`)]).text).toBe("go");
    expect(wordsBesideResult([text("I Called the Read tool")]).text).toBe("I Called the Read tool");
    expect(wordsBesideResult([{ type: "tool_result" }, { type: "image" }])).toMatchObject({ text: "", attachments: 1 });
  });
});

describe("envelopes", () => {
  it("yield the text between their tags, or null if incomplete", () => {
    expect(insideTag("a <t>b</t> c <t>d</t>", "t")).toBe("b");
    expect(insideTag("</t><t>b</t>", "t")).toBe("b");
    expect(insideTag("<t>b", "t")).toBeNull();
    expect(insideTag("b</t>", "t")).toBeNull();
    expect(insideTag("abc</t>", "t")).toBeNull();
    expect(insideTag("</t><t>bcd", "t")).toBeNull();
    expect(insideTag("<t></t>", "t")).toBe("");
    expect(wholeEnvelope(" <t>b</t>\n", "t")).toBe("b");
    expect(wholeEnvelope("<t>bcd</t>", "t")).toBe("bcd");
    expect(wholeEnvelope("<t>b</t> c", "t")).toBeNull();
    expect(wholeEnvelope("<t>b</t><t>c</t>", "t")).toBeNull();
    expect(wholeEnvelope("a <t>b</t>", "t")).toBeNull();
    expect(rawText([text("a"), { type: "image" }, text("b"), { type: "text" }])).toBe("a\nb\n");
  });
});
