import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { expansionText } from "./expansion.ts";
import { PromptFiles, type PromptDirectory } from "./prompt-files.ts";

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
const recognised = (text: string, more: Partial<PromptDirectory> = {}): string | null => {
  const found = new PromptFiles([{ dir, formats: ["md"], nested: null, ...more }]).match(text);
  return found && expansionText(found);
};

describe("prompt files", () => {
  it("are recognised by their expanded text", () => {
    write("greet.md", "---\ndescription: a greeting\n---\nGreet $@ politely. [lab:skill]\n");
    expect(recognised("Greet the whole team politely. [lab:skill]")).toBe("/greet the whole team");
    expect(recognised("Greet  politely. [lab:skill]")).toBe("/greet");
    expect(recognised("Greet the whole team politely. [lab:skill] And me.")).toBeNull();
    expect(recognised("Please greet the whole team politely. [lab:skill]")).toBeNull();
  });

  it("without placeholders must match the whole text", () => {
    write("draft.md", "Write the release notes\r\nof this week.\r\n");
    expect(recognised("Write the release notes\nof this week.")).toBe("/draft");
    expect(recognised("Write the release notes\nof this week, briefly.")).toBeNull();
  });

  it("may have numbered and named arguments, each with one value", () => {
    write("move.md", "Move the module $1 to $2, then tell $1 about $TICKET.\n");
    expect(recognised("Move the module a.ts to lib, then tell a.ts about X-1.")).toBe("/move a.ts lib TICKET=X-1");
    expect(recognised("Move the module a.ts to lib, then tell b.ts about X-1.")).toBeNull();
  });

  it("with $ARGUMENTS at the end keep the typed text whole", () => {
    write("fix.md", "Find the cause and mend it:\n\n$ARGUMENTS\n");
    const typed = "two\n\nparagraphs of $PATH";
    expect(recognised(`Find the cause and mend it:\n\n${typed}`)).toBe(`/fix ${typed}`);
    expect(recognised("Find the cause and mend it:")).toBe("/fix");
  });

  it("with more fixed text take precedence", () => {
    write("a.md", "Review this change: $ARGUMENTS");
    write("b.md", "Review this change: $ARGUMENTS and its tests");
    expect(recognised("Review this change: HEAD and its tests")).toBe("/b HEAD");
  });

  it("with little fixed text are ignored", () => {
    write("x.md", "Fix $ARGUMENTS");
    write("y.md", "$ARGUMENTS");
    expect(recognised("Fix the login page, it is broken since yesterday")).toBeNull();
  });

  it("are read from TOML files and subfolders if the agent supports them", () => {
    write("git/commit.toml", 'description = "x"\nprompt = """\nCommit with a message about: {{args}}\n"""\n');
    write("one.toml", 'prompt = "Say \\"hello\\" to everyone here"');
    const toml = { formats: ["toml"], nested: ":" } as const;
    expect(recognised("Commit with a message about: keys", toml)).toBe("/git:commit keys");
    expect(recognised('Say "hello" to everyone here', toml)).toBe("/one");
    expect(recognised("Commit with a message about: keys", { formats: ["toml"] })).toBeNull();
  });

  it("are not found through symbolic links, and are listed again when a file is added", () => {
    const elsewhere = mkdtempSync(join(tmpdir(), "daybook-elsewhere-"));
    writeFileSync(join(elsewhere, "far.md"), "A text that stands in another place");
    symlinkSync(elsewhere, join(dir, "link"));
    symlinkSync(join(elsewhere, "far.md"), join(dir, "far.md"));
    expect(recognised("A text that stands in another place", { nested: "/" })).toBeNull();
    write("far2.md", "A text that stands in another place");
    expect(recognised("A text that stands in another place")).toBe("/far2");
    rmSync(elsewhere, { recursive: true });
  });

  it("are not found in a missing directory", () => {
    expect(recognised("any text that is long enough", { dir: join(dir, "none") })).toBeNull();
  });
});
