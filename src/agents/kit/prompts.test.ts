import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { PromptFiles, expansionOf, expansionText, isProbe, type PromptDirectory } from "./prompts.ts";

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

let dir = "";
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "daybook-prompts-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const write = (name: string, text: string): void => {
  const path = join(dir, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
};
const recognisedIn = (text: string, more: Partial<PromptDirectory> = {}): string | null => {
  const found = new PromptFiles([{ dir, formats: ["md"], nested: null, ...more }]).match(text);
  return found && expansionText(found);
};

describe("prompt files", () => {
  it("are recognised by their expanded text", () => {
    write("greet.md", "---\ndescription: a greeting\n---\nGreet $@ politely. [lab:skill]\n");
    expect(recognisedIn("Greet the whole team politely. [lab:skill]")).toBe("/greet the whole team");
    expect(recognisedIn("Greet  politely. [lab:skill]")).toBe("/greet");
    expect(recognisedIn("Greet the whole team politely. [lab:skill] And me.")).toBeNull();
    expect(recognisedIn("Please greet the whole team politely. [lab:skill]")).toBeNull();
  });

  it("without placeholders must match the whole text", () => {
    write("draft.md", "Write the release notes\r\nof this week.\r\n");
    expect(recognisedIn("Write the release notes\nof this week.")).toBe("/draft");
    expect(recognisedIn("Write the release notes\nof this week, briefly.")).toBeNull();
  });

  it("may have numbered and named arguments, each with one value", () => {
    write("move.md", "Move the module $1 to $2, then tell $1 about $TICKET.\n");
    expect(recognisedIn("Move the module a.ts to lib, then tell a.ts about X-1.")).toBe("/move a.ts lib TICKET=X-1");
    expect(recognisedIn("Move the module a.ts to lib, then tell b.ts about X-1.")).toBeNull();
  });

  it("with $ARGUMENTS at the end keep the typed text whole", () => {
    write("fix.md", "Find the cause and mend it:\n\n$ARGUMENTS\n");
    const typed = "two\n\nparagraphs of $PATH";
    expect(recognisedIn(`Find the cause and mend it:\n\n${typed}`)).toBe(`/fix ${typed}`);
    expect(recognisedIn("Find the cause and mend it:")).toBe("/fix");
  });

  it("with more fixed text take precedence", () => {
    write("a.md", "Review this change: $ARGUMENTS");
    write("b.md", "Review this change: $ARGUMENTS and its tests");
    expect(recognisedIn("Review this change: HEAD and its tests")).toBe("/b HEAD");
  });

  it("with little fixed text are ignored", () => {
    write("x.md", "Fix $ARGUMENTS");
    write("y.md", "$ARGUMENTS");
    expect(recognisedIn("Fix the login page, it is broken since yesterday")).toBeNull();
  });

  it("are read from TOML files and subfolders if the agent supports them", () => {
    write("git/commit.toml", 'description = "x"\nprompt = """\nCommit with a message about: {{args}}\n"""\n');
    write("one.toml", 'prompt = "Say \\"hello\\" to everyone here"');
    const toml = { formats: ["toml"], nested: ":" } as const;
    expect(recognisedIn("Commit with a message about: keys", toml)).toBe("/git:commit keys");
    expect(recognisedIn('Say "hello" to everyone here', toml)).toBe("/one");
    expect(recognisedIn("Commit with a message about: keys", { formats: ["toml"] })).toBeNull();
  });

  it("are not found through symbolic links, and are listed again when a file is added", () => {
    const elsewhere = mkdtempSync(join(tmpdir(), "daybook-elsewhere-"));
    writeFileSync(join(elsewhere, "far.md"), "A text that stands in another place");
    symlinkSync(elsewhere, join(dir, "link"));
    symlinkSync(join(elsewhere, "far.md"), join(dir, "far.md"));
    expect(recognisedIn("A text that stands in another place", { nested: "/" })).toBeNull();
    write("far2.md", "A text that stands in another place");
    expect(recognisedIn("A text that stands in another place")).toBe("/far2");
    rmSync(elsewhere, { recursive: true });
  });

  it("are not found in a missing directory", () => {
    expect(recognisedIn("any text that is long enough", { dir: join(dir, "none") })).toBeNull();
  });
});

describe("isProbe", () => {
  it.each([
    "Reply with exactly: OK",
    "Reply with the single word pong.",
    "respond only with OK",
    "say only hi",
    "ping",
    "Output exactly READY and nothing else.",
  ])("accepts a liveness probe: %s", (text) => expect(isProbe(text)).toBe(true));

  it.each([
    "Reply to the review on #12",
    "Say hello to the whole team in the README",
    "Print the config of the server",
    "answer the question in docs/faq.md",
    "ping the server and show the latency",
    "Return early in parse() when the text is empty",
    "Just say hello please. [lab:hello]",
    "test",
    "print README",
    "say hi",
    "reply OK",
  ])("rejects a real request or an ambiguous text: %s", (text) => expect(isProbe(text)).toBe(false));
});
