import { describe, expect, it } from "vitest";
import type { EditEvent } from "./model.ts";
import { findFormerPath } from "./resembling.ts";

const place = { source: "s", session_id: "i", session_path: "/p", line: 1, turn_ref: "T0001", time: 1, call_id: "c" };
const wrote = (path: string, content: string): EditEvent => ({ ...place, edit: { kind: "write", path, content } });

describe("a file renamed outside git", () => {
  const lines = ["one", "two", "three", "four", "by hand"];

  it("is recognised by its content", () => {
    const events = [wrote("/gone/a.md", "one\ntwo\nthree\nfour\nfive\n"), wrote("/gone/b.md", "one\nother\nlines\n")];
    expect(findFormerPath({ path: "/gone/c.md", lines, git: null, events })).toBe("/gone/a.md");
  });

  it("is not recognised by few lines, with two candidates, or from a file moved elsewhere", () => {
    const found = (...events: EditEvent[]): string | null =>
      findFormerPath({ path: "/gone/c.md", lines, git: null, events });
    expect(found(wrote("/gone/a.md", "one\ntwo\n"))).toBeNull();
    expect(found(wrote("/gone/d/c.md", "one\ntwo\n"))).toBe("/gone/d/c.md");
    expect(found(wrote("/gone/a.md", "one\ntwo\nthree\n"), wrote("/gone/b.md", "one\ntwo\nfour\n"))).toBeNull();
    const moved = { kind: "move", path: "/gone/a.md", to: "/gone/z.md" } as const;
    expect(found(wrote("/gone/a.md", "one\ntwo\nthree\n"), { ...place, edit: moved })).toBeNull();
  });
});
