#!/usr/bin/env node
// Makes a release: `npm run release [-- major|minor|patch|X.Y.Z] [--dry-run]`. Without a word it releases the version that
// package.json names, if that has no tag yet. It checks the tree, the fields that a published package needs, and the
// changelog; runs all tests; tries the packed package on every supported Node; then moves the section "Unreleased", commits
// and tags. Nothing is pushed or published: .github/workflows/release.yml publishes what a pushed tag names.
//
//   node scripts/release.js --check-tag vX.Y.Z   fails unless the tag, package.json and the changelog agree
//   node scripts/release.js --notes vX.Y.Z       prints that version's section of the changelog
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

/** What stands in package.json until the project has a public address. */
const PLACEHOLDER = "OWNER";
const ADDRESSES = ["repository", "bugs", "homepage"];
/** A release is read by people who want to know what changes for them. */
const LONGEST_SECTION = 60;
const root = fileURLToPath(new URL("..", import.meta.url));
const at = (name) => `${root}${name}`;

const { values: flags, positionals } = parseArgs({
  options: { "dry-run": { type: "boolean" }, "check-tag": { type: "string" }, notes: { type: "string" } },
  allowPositionals: true,
});
const manifest = JSON.parse(readFileSync(at("package.json"), "utf8"));
const changelog = readFileSync(at("CHANGELOG.md"), "utf8");

if (flags.notes !== undefined) console.log(sectionOf(flags.notes.replace(/^v/, "")) ?? "");
else if (flags["check-tag"] !== undefined) checkTag(flags["check-tag"]);
else release(positionals[0]);

function release(word) {
  const version = nextVersion(word);
  const isDry = flags["dry-run"] === true;
  /** @type {[name: string, step: () => string | null][]} */
  const steps = [
    ["the tree is clean, on main", () => checkTree(isDry)],
    ["the addresses in package.json are real", checkAddresses],
    [`the changelog tells what ${version} brings`, () => checkUnreleased()],
    ["all checks and tests pass", () => run("npm", ["test"])],
    ["the package runs on every supported Node", () => run("npm", ["run", "check:nodes"])],
  ];
  const refused = [];
  for (const [name, step] of steps) {
    const problem = step();
    console.log(problem === null ? `ok      ${name}` : `refused ${name}: ${problem}`);
    if (problem === null) continue;
    refused.push(name);
    // A dry run shows everything that stands in the way at once.
    if (!isDry) break;
  }
  if (refused.length > 0) {
    process.exitCode = 1;
    console.log(`${version} was not released: ${refused.join("; ")}`);
  } else if (isDry) console.log(`${version} can be released`);
  else write(version);
}

/** The version that package.json names if it was never released, else raised as the word says. */
function nextVersion(word) {
  if (word && /^\d+\.\d+\.\d+$/.test(word)) return word;
  const [major = 0, minor = 0, patch = 0] = manifest.version.split(".").map(Number);
  if (word === undefined) {
    if (git("tag", "--list", `v${manifest.version}`) === "") return manifest.version;
    throw new Error(`v${manifest.version} is released already: say major, minor, patch or a version`);
  }
  if (word === "major") return `${major + 1}.0.0`;
  if (word === "minor") return `${major}.${minor + 1}.0`;
  if (word === "patch") return `${major}.${minor}.${patch + 1}`;
  throw new Error(`${word} is neither major, minor, patch nor a version such as 1.2.3`);
}

function checkTree(isDry) {
  if (git("status", "--porcelain") !== "")
    return isDry ? "there are uncommitted changes" : "commit or stash your changes";
  const branch = git("rev-parse", "--abbrev-ref", "HEAD");
  return branch === "main" ? null : `on ${branch}`;
}

function checkAddresses() {
  const missing = ADDRESSES.filter((name) => {
    const text = JSON.stringify(manifest[name] ?? PLACEHOLDER);
    return text.includes(PLACEHOLDER);
  });
  return missing.length === 0 ? null : `${missing.join(", ")} still name ${PLACEHOLDER}`;
}

function checkUnreleased() {
  const lines = (sectionOf("Unreleased") ?? "").split("\n").filter((line) => line.trim() !== "").length;
  if (lines === 0) return 'nothing stands under "Unreleased"';
  return lines > LONGEST_SECTION ? `${lines} lines, more than one screen (${LONGEST_SECTION})` : null;
}

function checkTag(tag) {
  const version = tag.replace(/^v/, "");
  const wrong = [
    manifest.version === version ? null : `package.json says ${manifest.version}`,
    sectionOf(version) === null ? `CHANGELOG.md has no section ${version}` : null,
    checkAddresses(),
  ].filter((problem) => problem !== null);
  for (const problem of wrong) console.error(`${tag}: ${problem}`);
  if (wrong.length > 0) process.exitCode = 1;
}

/** What stands below the heading of a version, up to the next one. */
function sectionOf(version) {
  const sections = changelog.split(/^## /m).slice(1);
  const section = sections.find((text) => text.startsWith(`[${version}]`));
  return section === undefined ? null : section.slice(section.indexOf("\n") + 1).trim();
}

function write(version) {
  const today = new Date().toISOString().slice(0, 10);
  execFileSync("npm", ["version", "--no-git-tag-version", "--allow-same-version", version], { cwd: root });
  writeFileSync(
    at("CHANGELOG.md"),
    changelog.replace("## [Unreleased]", `## [Unreleased]\n\n## [${version}] - ${today}`),
  );
  git("commit", "--all", "--message", `Release ${version}`);
  git("tag", "--annotate", `v${version}`, "--message", `Release ${version}`);
  console.log(`v${version} is committed and tagged: git push --follow-tags`);
}

function run(program, words) {
  const { status } = spawnSync(program, words, { cwd: root, stdio: "inherit", shell: process.platform === "win32" });
  return status === 0 ? null : `${program} ${words.join(" ")} failed`;
}

function git(...words) {
  return execFileSync("git", words, { cwd: root, encoding: "utf8" }).trim();
}
