import { expect, it } from "vitest";
import type { NotebookEdit } from "../../agents/contract.ts";
import { notebookAfter } from "./notebook.ts";

// Handwritten; the line of `source` below is exactly what Claude Code 2.1.325 left of such a call on such a file.
const CELL = { cell_type: "code", id: "c1", metadata: {}, execution_count: 3, outputs: [{}], source: ["print(1)"] };
const book = (...cells: unknown[]): string[] =>
  JSON.stringify({ cells, metadata: {}, nbformat: 4, nbformat_minor: 5 }, null, 1).split("\n");
const edit = (fields: Partial<NotebookEdit>): NotebookEdit => ({
  kind: "notebook",
  path: "/n.ipynb",
  how: "replace",
  cell: "c1",
  type: null,
  source: 'print("plain")',
  ...fields,
});

it("an edited cell is written as the tool writes it, without outputs", () => {
  const after = notebookAfter(book(CELL), edit({}));
  expect(after).toEqual(book({ ...CELL, execution_count: null, outputs: [], source: 'print("plain")' }));
  expect(after).toContain('   "source": "print(\\"plain\\")"');
  expect(notebookAfter(book(CELL), edit({ cell: "cell-0", type: "markdown" }))).toContain(
    '   "cell_type": "markdown",',
  );
});

it("a cell can be inserted after another or first, and deleted", () => {
  const other = { ...CELL, id: "c2" };
  const sources = (lines: string[] | null): unknown[] =>
    (JSON.parse((lines ?? []).join("\n")) as { cells: { source: unknown }[] }).cells.map(({ source }) => source);
  const added = edit({ how: "insert", type: "markdown", source: "# New" });
  expect(sources(notebookAfter(book(CELL, other), added))).toEqual([["print(1)"], "# New", ["print(1)"]]);
  expect(sources(notebookAfter(book(CELL), { ...added, cell: null }))).toEqual(["# New", ["print(1)"]]);
  expect(notebookAfter(book(CELL, other), edit({ how: "delete" }))).toEqual(book(other));
});

it("an edit of an invalid notebook or of a missing cell gives null", () => {
  expect(notebookAfter(["no", "json"], edit({}))).toBeNull();
  expect(notebookAfter(["[1]"], edit({}))).toBeNull();
  expect(notebookAfter(book(CELL), edit({ cell: "gone" }))).toBeNull();
  expect(notebookAfter(book(CELL), edit({ cell: "gone", how: "insert" }))).toBeNull();
});
