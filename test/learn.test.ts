import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));

it("what was learned holds from author to author, and is what `npm run learn` makes", { timeout: 120_000 }, () => {
  const path = `${root}data/said-open.json`;
  const before = readFileSync(path, "utf8");
  const printed = execFileSync(process.execPath, ["scripts/learn.js"], { cwd: root, encoding: "utf8" });
  expect(readFileSync(path, "utf8")).toBe(before);
  const right = [...printed.matchAll(/^\| (\S+) \| [^|]+ \| (\d+) % \|/gm)].map(([, author, share]) => [
    author,
    Number(share),
  ]);
  const names = ["author-1", "author-2", "author-3", "replies-m", "replies-n", "voices"];
  expect(right.map(([author]) => author)).toEqual(names);
  for (const [author, share] of right) expect(share, String(author)).toBeGreaterThanOrEqual(70);
  expect(readFileSync(`${root}docs/report.md`, "utf8")).toContain(printed.slice(0, printed.lastIndexOf("|\n")));
});
