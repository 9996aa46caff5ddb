#!/usr/bin/env node
// A step of the team store's schema is never changed once it is on main: stores were made by it. What is listed there stays listed, with
// the same checksum, and every file is what its line says (`sha256sum --check SHA256SUMS` says the same to whoever runs a database).
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
  ...made.filter((line) => !listed.includes(line)).map((line) => `${line.slice(66)} is not what ${LIST} says`),
  ...listed.filter((line) => !files.includes(line.slice(66))).map((line) => `${line.slice(66)} is gone`),
  ...onMain().flatMap((line, at) =>
    listed[at] === line ? [] : [`${line.slice(66)} is on main with another checksum: write a new step instead`],
  ),
];
for (const problem of problems) process.stderr.write(`check-migrations: ${problem}\n`);
if (problems.length > 0) process.exitCode = 1;

/** What stores may have been made by; nothing where this is no clone. */
function onMain() {
  for (const branch of ["origin/main", "main"]) {
    const { status, stdout } = spawnSync("git", ["show", `${branch}:${LIST}`], { cwd: root, encoding: "utf8" });
    if (status === 0) return linesOf(stdout);
  }
  return [];
}

function linesOf(/** @type {string} */ text) {
  return text.split("\n").filter((line) => line !== "");
}
