import { describe, expect, it } from "vitest";
import type { ContextSource } from "../record/record.ts";
import { putInForce } from "./instructions.ts";

function text(hash: string | null, path: string | null = "/w/AGENTS.md", kind = "file"): ContextSource {
  return { kind, path, hash, truncated: false };
}

describe("instruction texts", () => {
  it("stay in force until another text of the same kind and path replaces them", () => {
    const files = new Map<string, ContextSource>();
    const [first, second, other] = [text("1"), text("2"), text("3", "/home/AGENTS.md")];
    expect(putInForce(files, first)).toBeNull();
    expect(putInForce(files, other)).toBeNull();
    expect(putInForce(files, second)).toBe(first);
    expect([...files.values()]).toEqual([second, other]);
    // Each kind has its own slot.
    expect(putInForce(files, text("4", null, "base"))).toBeNull();
    expect(putInForce(files, text("5", null, "base"))).toMatchObject({ hash: "4" });
  });

  it("that repeat are known by their hash; the one that names its file stays in force", () => {
    const files = new Map<string, ContextSource>();
    const [unnamed, named] = [text("1", null), text("1", "/w/AGENTS.md")];
    putInForce(files, unnamed);
    expect(putInForce(files, unnamed)).toBe("known");
    expect(putInForce(files, named)).toBe("known");
    expect([...files.values()]).toEqual([named]);
    expect(putInForce(files, text("1", "/elsewhere"))).toBe("known");
    expect(putInForce(files, unnamed)).toBe("known");
    expect([...files.values()]).toEqual([named]);
    // The text now has the slot of its file.
    expect(putInForce(files, text("2", "/w/AGENTS.md"))).toBe(named);
  });

  it("do not replace each other if they are messages, and never match without a hash", () => {
    const files = new Map<string, ContextSource>();
    const [one, two] = [text("1", null, "message"), text("2", null, "message")];
    expect([putInForce(files, one), putInForce(files, two)]).toEqual([null, null]);
    const [unread, again] = [text(null), text(null, "/home/AGENTS.md")];
    expect([putInForce(files, unread), putInForce(files, again)]).toEqual([null, null]);
    expect([...files.values()]).toEqual([one, two, unread, again]);
    expect(putInForce(files, text("3"))).toBe(unread);
  });
});
