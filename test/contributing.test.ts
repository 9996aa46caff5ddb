import { existsSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

const root = new URL("../", import.meta.url);
const text = readFileSync(new URL("CONTRIBUTING.md", root), "utf8");
const rows = text
  .slice(text.indexOf("| to add | open | then |"))
  .split("\n")
  .slice(2)
  .filter((line) => line.startsWith("|"))
  .map((line) => line.split(" | "));

it.each(rows)("the map names files that exist: %s", (task, open = "", then = "") => {
  const named = [...`${open} ${then}`.matchAll(/`((?:src|test|docs|web)\/[\w./-]*)`/g)].map(([, path = ""]) => path);
  expect(task).not.toBe("");
  expect(named.filter((path) => !existsSync(new URL(path, root)))).toEqual([]);
});
