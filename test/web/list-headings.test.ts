import { expect, test } from "vitest";
import { withHeadings } from "../../web/src/lib/list-headings.ts";

test("a heading stands before each run of one group, and none where nothing is grouped", () => {
  const rows = ["a1", "a2", "b1"];
  expect(
    withHeadings(
      rows,
      (row) => row,
      (row) => row.charAt(0),
    ),
  ).toEqual([
    { heading: "a", key: "#a" },
    { row: "a1", key: "a1" },
    { row: "a2", key: "a2" },
    { heading: "b", key: "#b" },
    { row: "b1", key: "b1" },
  ]);
  expect(withHeadings(rows, (row) => row, null)).toEqual(rows.map((row) => ({ row, key: row })));
});
