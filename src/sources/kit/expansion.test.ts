import { describe, expect, it } from "vitest";
import { expansionOf, expansionText } from "./expansion.ts";

// In the format of such templates; the text is invented.
const steps = "\n\n## Outline\n\n1. Run `.specify/scripts/bash/setup-plan.sh --json` from the root.\n".padEnd(400, "x");
const fence = (typed: string): string =>
  `## User Input\n\n\`\`\`text\n${typed}\n\`\`\`\n\nYou **MUST** consider the user input before proceeding (if not empty).${steps}`;

const recognised = (text: string): string | null => {
  const found = expansionOf(text);
  return found && expansionText(found);
};

describe("expanded prompt templates", () => {
  it("are named after what the template says of itself, followed by the arguments", () => {
    expect(recognised(fence("use Postgres"))).toBe("/plan use Postgres");
    expect(recognised(fence(""))).toBe("/plan");
    expect(recognised(fence("$ARGUMENTS"))).toBe("/plan");
    expect(recognised(`${fence("keys")}\nNext: /speckit.tasks`)).toBe("/speckit.plan keys");
    expect(
      recognised(fence("a").replace("1. Run", "The text the user typed after `/speckit.specify` is it. Run")),
    ).toBe("/speckit.specify a");
    expect(recognised(`---\ndescription: x\n---\n\n${fence("a")}`)).toBe("/plan a");
  });

  it("keep arguments with several paragraphs and code fences", () => {
    const typed = "first\n\n```sh\nls\n```\n\nlast";
    expect(recognised(fence(typed))).toBe(`/plan ${typed}`);
  });

  it("are named by their title or goal if they name no command", () => {
    const body = fence("now").replace("setup-plan.sh", "other.sh");
    expect(recognised(`# Commit and push\n\n${body}`)).toBe("Commit and push\nnow");
    expect(recognised(body.replace("## Outline\n\n1. Run", "## Goal\n\nMake the release notes. Run"))).toBe(
      "Make the release notes.\nnow",
    );
  });

  it("are recognised in their older format", () => {
    const old = (typed: string): string =>
      `The user input to you can be provided directly by the agent or as a command argument - you **MUST** consider it before proceeding with the prompt (if not empty).\n\nUser input:\n\n${typed}\n\nGiven that feature description, do this:\n\n1. Run \`.specify/scripts/create-new-feature.sh\`.`;
    expect(recognised(old("login with keys"))).toBe("/specify login with keys");
    expect(recognised(old("one\n\ntwo"))).toBe("/specify one\n\ntwo");
    expect(recognised(old(""))).toBe("/specify");
  });

  it("of OpenSpec and of agent personas are recognised", () => {
    const spec = (before: string, after = ""): string =>
      `${before}<!-- OPENSPEC:START -->\n**Guardrails**\n- Keep it small.\n\n**Steps**\nTrack these steps as TODOs.\n1. ${"Read it. ".repeat(20)}\n<!-- OPENSPEC:END -->${after}`;
    expect(recognised(spec("add-keys\n"))).toBe("/openspec-apply add-keys");
    expect(recognised(spec("$ARGUMENTS\n"))).toBe("/openspec-apply");
    expect(recognised(spec("Do this.\n<UserRequest>\n  add-keys\n</UserRequest>\n"))).toBe("/openspec-apply add-keys");
    expect(recognised(spec("", "\nand push"))).toBe("/openspec-apply and push");
    expect(recognised(spec("").replace("Track these steps as TODOs", "Read"))).toBeNull();
    const persona = `# /dev Command\n\nWhen this command is used, adopt the following agent persona:\n\n# dev\n${"x ".repeat(100)}`;
    expect(recognised(persona)).toBe("/dev");
    expect(recognised(`See:\n${persona}`)).toBeNull();
  });

  it("are not recognised in human text that quotes them", () => {
    for (const text of [
      `Why does this prompt fail?\n\n${fence("a")}`,
      `# My notes\n\n${"x".repeat(2100)}\n${fence("a")}`,
      "## User Input\n\n```text\nhello\n```\n\nthe form has this heading, please remove it ".padEnd(300, "x"),
      "## User Input\n\n```text\na\n```\n\nYou **MUST** consider the user input before proceeding",
      `> ${fence("a")}`,
    ])
      expect(expansionOf(text), text.slice(0, 40)).toBeNull();
  });
});
