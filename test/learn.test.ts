import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));

const EXCHANGES = ["lead", "n", "plain", "terse", "w1", "work", "world"];

it("what was learned holds from author to author, and is what `npm run learn` makes", { timeout: 240_000 }, () => {
  const files = ["said-open", "decides"].map((name) => `${root}data/${name}.json`);
  const before = files.map((path) => readFileSync(path, "utf8"));
  const printed = execFileSync(process.execPath, ["scripts/learn.js"], { cwd: root, encoding: "utf8" });
  expect(files.map((path) => readFileSync(path, "utf8"))).toEqual(before);
  const [sentences = "", exchanges = ""] = printed.split("\n\n");
  const right = [...sentences.matchAll(/^\| (\S+) \| [^|]+ \| (\d+) % \|/gm)].map(([, author, share]) => [
    author,
    Number(share),
  ]);
  const names = ["author-1", "author-2", "author-3", "replies-m", "replies-n", "replies-w1", "voices"];
  expect(right.map(([author]) => author)).toEqual(names);
  for (const [author, share] of right) expect(share, String(author)).toBeGreaterThanOrEqual(70);
  const found = [...exchanges.matchAll(/^\| ([\w ]+) \| [^|]+ \| \d+ % \| \d+ % \| (\d+) % \|$/gm)];
  expect(found.map(([, author]) => author)).toEqual([...EXCHANGES, "thirteen languages"]);
  // Of what is called a decision, with an author that was not learned from, three in five are.
  for (const [, author, share] of found) expect(Number(share), author).toBeGreaterThanOrEqual(60);
  expect(readFileSync(`${root}docs/report.md`, "utf8")).toContain(sentences);
  expect(readFileSync(`${root}docs/decisions.md`, "utf8")).toContain(exchanges.trim());
});
