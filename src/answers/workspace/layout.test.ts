import { assert, property, string } from "fast-check";
import { describe, expect, it } from "vitest";
import { safeName } from "./layout.ts";

describe("safeName", () => {
  it("keeps ordinary names", () => {
    for (const name of ["rollout-2026-05-11T23-54-41-019e.jsonl", "agent-a1.jsonl", "übung 2.jsonl", "日本語.jsonl"])
      expect(safeName(name)).toBe(name);
  });

  it("replaces unsafe characters and reserved names", () => {
    expect(safeName("../../etc/passwd")).toBe("__.._etc_passwd");
    expect(safeName("..")).toBe("_");
    expect(safeName("")).toBe("_");
    expect(safeName(".hidden")).toBe("_hidden");
    expect(safeName("C:\\x")).toBe("C__x");
    expect(safeName("NUL.jsonl")).toBe("_NUL.jsonl");
    expect(safeName("a\u202eb\n\u0000")).toBe("a_b__");
    expect(safeName("dots...")).toBe("dots_");
  });

  it("makes any name one safe path component, and keeps long names distinct", () => {
    assert(
      property(string({ unit: "binary", maxLength: 400 }), (name) => {
        const safe = safeName(name);
        expect(safe).not.toMatch(/[/\\\p{C}]|^\.|^$/u);
        expect(Buffer.byteLength(safe)).toBeLessThanOrEqual(255);
      }),
    );
    expect(safeName(`${"a".repeat(300)}1`)).not.toBe(safeName(`${"a".repeat(300)}2`));
  });
});
