#!/usr/bin/env node
// `npm test`: builds if the build is older than its sources, then runs the checks beside the tests. Given files, it runs
// only their tests, without checks, and builds only if one of them uses the build. `--nightly` looks closer: see
// test/nightly.ts. Everything else is passed on to vitest.
import { spawn } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const args = process.argv.slice(2).filter((arg) => arg !== "--nightly");
const env = { ...process.env, ...(process.argv.includes("--nightly") ? { DAYBOOK_TEST_NIGHTLY: "1" } : {}) };
const named = args.filter((arg, i) => !arg.startsWith("-") && args[i - 1] !== "-t");

/** Its exit code. */
function run(path, words) {
  return new Promise((done, failed) => {
    const child = spawn(process.execPath, [join(root, path), ...words], { cwd: root, env, stdio: "inherit" });
    child.on("error", failed);
    child.on("close", (code) => done(code ?? 1));
  });
}

/** How a test reaches the program as it is published, and the page. */
const BUILT = /bin\/daybook|\bdist\b|page: true|serveDaybook|team-server/;
const IMPORTED = /from "(\.{1,2}\/[^"]+\.(?:ts|js))"/g;

/** Whether a test file, or a helper that it imports, uses the build. A folder or part of a name may be any of them. */
function usesBuild(path, seen = new Set()) {
  if (!existsSync(path) || statSync(path).isDirectory()) return true;
  seen.add(path);
  const text = readFileSync(path, "utf8");
  if (BUILT.test(text)) return true;
  return [...text.matchAll(IMPORTED)]
    .map(([, name]) => resolve(dirname(path), name))
    .some((one) => relative(root, one).startsWith("test") && !seen.has(one) && usesBuild(one, seen));
}

const isBuilt = named.length === 0 || named.some((name) => usesBuild(resolve(name.replace(/:\d+$/, ""))));
if (isBuilt && (await run("scripts/build-if-older.js", [])) !== 0) process.exit(1);
const codes = await Promise.all([
  run("node_modules/vitest/vitest.mjs", ["run", ...args]),
  ...(args.length === 0 ? [run("scripts/check.js", ["--beside"])] : []),
]);
process.exitCode = Math.max(...codes);
