import { describe, expect, it } from "vitest";
import { resumeCommand } from "./source-ids.ts";

describe("the command that takes a session up again", () => {
  it("goes to where the work was done, in words that a shell leaves alone", () => {
    expect(resumeCommand("codex", "01-a", "/home/a/it's here")).toBe("cd '/home/a/it'\\''s here' && codex resume 01-a");
    expect(resumeCommand("claude-code", "$(rm -rf ~)", null)).toBe("claude --resume '$(rm -rf ~)'");
    expect(resumeCommand("goose", "1", "/home/a")).toBeNull();
    expect(resumeCommand("nobody", "1", "/home/a")).toBeNull();
  });
});
