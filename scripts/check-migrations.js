#!/usr/bin/env node
// A migration of the team store must not change once it was released, because stores were created with it. Every entry
// in the last release's SHA256SUMS must still be there with the same checksum, and every file must match its entry
// (`sha256sum --check SHA256SUMS` does the same check for a database administrator). An unreleased migration may change
// together with its entry: (cd migrations && sha256sum *.sql > SHA256SUMS).
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const dir = `${root}migrations/`;
const LIST = "migrations/SHA256SUMS";

const files = readdirSync(dir).filter((name) => name.endsWith(".sql"));
const made = files.toSorted().map(
  (name) =>
    `${createHash("sha256")
      .update(readFileSync(`${dir}${name}`))
      .digest("hex")}  ${name}`,
);
const listed = linesOf(readFileSync(`${root}${LIST}`, "utf8"));
const problems = [
  ...made
    .filter((line) => !listed.includes(line))
    .map((line) => `${line.slice(66)} is not what ${LIST} says: sha256sum writes it`),
  ...listed.filter((line) => !files.includes(line.slice(66))).map((line) => `${line.slice(66)} is gone`),
  ...released().flatMap((line, at) =>
    listed[at] === line ? [] : [`${line.slice(66)} was released with another checksum: write a new step instead`],
  ),
];
for (const problem of problems) process.stderr.write(`check-migrations: ${problem}\n`);
if (problems.length > 0) process.exitCode = 1;

/**
 * The entries of the newest release tag: migrations that stores may have been created with. Empty without a tag or git
 * clone.
 */
function released() {
  const [tag] = linesOf(git("tag", "--list", "v*", "--sort=-v:refname", "--merged").stdout ?? "");
  if (tag === undefined) return [];
  const { status, stdout } = git("show", `${tag}:${LIST}`);
  return status === 0 ? linesOf(stdout) : [];
}

function git(/** @type {string[]} */ ...words) {
  return spawnSync("git", words, { cwd: root, encoding: "utf8" });
}

function linesOf(/** @type {string} */ text) {
  return text.split("\n").filter((line) => line !== "");
}
