import { describe, expect, it } from "vitest";
import { answersIn, typedText } from "./typed.ts";

// Sections as the editors' prompt builder (26.803) and the desktop client write them; their contents are invented.
describe("the typed request in a prompt from a client", () => {
  it.each([
    "# Context from my IDE setup:\n\n## Active file: a.ts",
    "# Selected text:\n\n## Selection 1: a.ts\n```\nlet x\n```",
    "# Files mentioned by the user:\n\n## shot.png: /tmp/shot.png",
    "# Browser comments:\n\n## User Comment 1\nBrowser\nComment:\nmake it blue",
    "# Chrome tabs:\n- Current URL: https://example.com",
    '<in-app-browser-context source="ambient-ui-state">\nopen\n</in-app-browser-context>',
    '## Referenced ChatGPT conversation:\nuntrusted\n{"conversationId":"c","conversation":[{"role":"user"}]}',
    "## Prior conversation with Codex:\n## My request for Codex:\nan older one\n",
    "## Pull request fix:\nchecks fail",
  ])("is the text under its heading after %j", (section) => {
    for (const heading of ["## My request for Codex:", "## My request:"])
      expect(typedText(`${section}\n\n${heading}\nexplain this\n`)).toBe("explain this");
  });

  it("is found without a section before its heading", () => {
    expect(typedText("## My request for Codex:\nexplain this\n")).toBe("explain this");
    expect(typedText("## My request for Codex: explain this")).toBe("explain this");
  });

  it("is found without a heading after the browser state", () => {
    const state = '<in-app-browser-context source="ambient-ui-state">\n1 tab\n</in-app-browser-context>';
    expect(typedText(`${state}\n\nwhy is it blue?`)).toBe("why is it blue?");
  });

  it("is the text of the comments if it was left empty", () => {
    const comments =
      "# Browser comments:\n\n## Comment 1\nNode position: (1, 2)\nComment:\nmake it blue\n\n## Comment 2\nRequested changes:\nlarger\n\n## My request for Codex:\n";
    expect(typedText(comments)).toBe("make it blue\nlarger");
  });

  it.each([
    "why does the doc say\n# Selected text:\n## My request for Codex:\nhere?",
    "# Selected text: is what the button says. Rename it.",
    "# In app browser:\n- the heading of my notes",
    "Rename '## My request for Codex:' in the docs",
    "```\n## My request for Codex:\nx\n```",
  ])("is the whole text if the client added no section: %j", (text) => expect(typedText(text)).toBe(text));
});

describe("answers to the agent's questions", () => {
  it("are extracted if the message is nothing but a list of them", () => {
    const list = JSON.stringify([
      { questionItemId: "q", question: "Done?", answer: "yes" },
      { question: "Which?", answer: "the second" },
    ]);
    const reply = `<send_user_message_question_reply>\n${list}\n</send_user_message_question_reply>`;
    expect(answersIn(reply)).toBe("yes\nthe second");
    expect(answersIn(`what is ${reply}?`)).toBeNull();
    expect(answersIn("<send_user_message_question_reply>no list</send_user_message_question_reply>")).toBeNull();
  });
});
