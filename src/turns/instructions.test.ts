import { describe, expect, it } from "vitest";
import type { ContextSource } from "../format/record.ts";
import { enforce } from "./instructions.ts";

function text(hash: string | null, path: string | null = "/w/AGENTS.md", kind = "file"): ContextSource {
  return { kind, path, hash, truncated: false };
}

describe("texts that tell the model how to work", () => {
  it("stand in their place until another one takes it", () => {
    const files = new Map<string, ContextSource>();
    const [first, second, other] = [text("1"), text("2"), text("3", "/home/AGENTS.md")];
    expect(enforce(files, first)).toBeNull();
    expect(enforce(files, other)).toBeNull();
    expect(enforce(files, second)).toBe(first);
    expect([...files.values()]).toEqual([second, other]);
    // Of one kind each has its own place.
    expect(enforce(files, text("4", null, "base"))).toBeNull();
    expect(enforce(files, text("5", null, "base"))).toMatchObject({ hash: "4" });
  });

  it("are stated again, in other forms: the one that names its file is kept", () => {
    const files = new Map<string, ContextSource>();
    const [unnamed, named] = [text("1", null), text("1", "/w/AGENTS.md")];
    enforce(files, unnamed);
    expect(enforce(files, unnamed)).toBe("known");
    expect(enforce(files, named)).toBe("known");
    expect([...files.values()]).toEqual([named]);
    expect(enforce(files, text("1", "/elsewhere"))).toBe("known");
    expect(enforce(files, unnamed)).toBe("known");
    expect([...files.values()]).toEqual([named]);
    // It stands in its own place now.
    expect(enforce(files, text("2", "/w/AGENTS.md"))).toBe(named);
  });

  it("are messages side by side, and never the same where nothing tells what they say", () => {
    const files = new Map<string, ContextSource>();
    const [one, two] = [text("1", null, "message"), text("2", null, "message")];
    expect([enforce(files, one), enforce(files, two)]).toEqual([null, null]);
    const [unread, again] = [text(null), text(null, "/home/AGENTS.md")];
    expect([enforce(files, unread), enforce(files, again)]).toEqual([null, null]);
    expect([...files.values()]).toEqual([one, two, unread, again]);
    expect(enforce(files, text("3"))).toBe(unread);
  });
});
