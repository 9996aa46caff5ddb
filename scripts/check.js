#!/usr/bin/env node
// Runs every check that is not a test, two at a time, the slowest first: formatting, lint, types, the direction of
// imports, generated files, unused code, and the package as others would install it. Prints what failed. With `--beside`
// it runs one at a time, because something else keeps the cores busy.
import { spawn } from "node:child_process";
import { availableParallelism } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

const CHECKS = [
  "npm run --silent types",
  "knip",
  "node scripts/check-package.js",
  "npm run --silent lint",
  "node scripts/gen-openapi.js --check",
  "node scripts/check-public-types.js",
  "node scripts/gen-answers.js --check",
  "oxfmt --check src test bench scripts bin examples web",
  "node scripts/gen-schema.js --check",
  "node scripts/gen-docs.js --check",
  "node scripts/gen-man.js --check",
  "node scripts/gen-api.js --check",
  "node scripts/fidelity.js",
  "node scripts/check-imports.js --check",
  "node scripts/check-migrations.js",
];

const root = fileURLToPath(new URL("..", import.meta.url));
const env = { ...process.env, PATH: `${join(root, "node_modules/.bin")}${delimiter}${process.env.PATH ?? ""}` };

/** The exit code and everything the command printed. */
function run(command) {
  return new Promise((resolve) => {
    const child = spawn(command, { cwd: root, env, shell: true, stdio: ["ignore", "pipe", "pipe"] });
    const chunks = [];
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => chunks.push(chunk));
    child.on("error", (error) => resolve({ code: 1, output: String(error) }));
    child.on("close", (code) => resolve({ code: code ?? 1, output: Buffer.concat(chunks).toString() }));
  });
}

const waiting = [...CHECKS];
const failed = [];
async function work() {
  for (let command = waiting.shift(); command !== undefined; command = waiting.shift()) {
    const { code, output } = await run(command);
    if (code === 0) continue;
    failed.push(command);
    process.stderr.write(`\n${command} (exit code ${code})\n${output}\n`);
  }
}
const lanes = process.argv.includes("--beside") ? 1 : Math.max(2, availableParallelism());
await Promise.all(Array.from({ length: lanes }, work));
console.log(`checks: ${CHECKS.length - failed.length} passed, ${failed.length} failed`);
if (failed.length > 0) process.exitCode = 1;
