import { expect, it } from "vitest";
import { diffLines, editDiffs } from "./edit-diffs.ts";

const signs = (edit: Parameters<typeof diffLines>[0]): string[] =>
  diffLines(edit).map(({ sign, text }) => `${sign}${text}`);

it("diffLines returns added and removed lines with two unchanged lines around them", () => {
  const lines = Array.from({ length: 20 }, (_, i) => `l${i}`);
  const before = lines.join("\n");
  const after = before.replace("l10", "new");
  expect(signs({ kind: "replace", path: "a", before, after, all: false })).toEqual([
    " l8",
    " l9",
    "-l10",
    "+new",
    " l11",
    " l12",
  ]);
  expect(signs({ kind: "write", path: "a", content: "x\ny\n" })).toEqual(["+x", "+y"]);
  expect(signs({ kind: "insert", path: "a", line: 3, text: "x" })).toEqual(["+x"]);
  expect(signs({ kind: "delete", path: "a" })).toEqual([]);
  const hunks = [{ before: ["a", "b"], after: ["a", "c"], behind: null }];
  expect(signs({ kind: "patch", path: "a", hunks, to: null })).toEqual([" a", "-b", "+c"]);
});

it("editDiffs groups edits by file, shortens long lines, and counts the lines that do not fit", () => {
  const limits = { lines: 3, wide: 4 };
  const edits = [
    { kind: "write", path: "/w/a", content: "123456\n2" },
    { kind: "write", path: "/w/b", content: "3" },
    { kind: "delete", path: "/w/c" },
    { kind: "write", path: "/w/a", content: "4" },
  ] as const;
  const lines = ["1234 …", "2", "4"].map((text) => ({ sign: "+", text }));
  expect(editDiffs(edits, "/w", limits)).toEqual({
    files: 3,
    added: 4,
    removed: 0,
    drawn: [{ name: "a (written)", lines }],
    rest: 1,
  });
  expect(editDiffs([{ kind: "move", path: "/w/a", to: "/w/b" }], "/w", limits)?.drawn).toEqual([
    { name: "a (now /w/b)", lines: [] },
  ]);
  expect(editDiffs([], null, limits)).toBeNull();
});
