#!/usr/bin/env node
// `npm start`: builds if needed, runs the program, and says how to open its page.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const run = (script, words) => spawnSync(process.execPath, [here(script), ...words], { stdio: "inherit" }).status ?? 1;

const words = process.argv.slice(2);
process.exitCode = run("build-if-older.js", []) || run("../bin/daybook.js", words);
if (process.exitCode === 0 && words.length === 0)
  process.stderr.write("\nThe same as a page that follows your agents while they work:  npm start -- serve --open\n");
