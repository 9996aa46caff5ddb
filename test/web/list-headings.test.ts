import { expect, test } from "vitest";
import { withHeadings } from "../../web/src/lib/list-headings.ts";

test("each run of rows of one group gets a heading, and ungrouped rows get none", () => {
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
