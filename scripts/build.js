#!/usr/bin/env node
// Compiles src to dist. A fresh dist every time: a file that was renamed must not live on.
import { execFileSync } from "node:child_process";
import { cpSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const tsc = createRequire(import.meta.url).resolve("typescript/bin/tsc");
const fresh = `${root}.dist-new`;
rmSync(fresh, { recursive: true, force: true });
execFileSync(process.execPath, [tsc, "-p", `${root}tsconfig.build.json`, "--outDir", fresh], {
  cwd: root,
  stdio: "inherit",
});
rmSync(`${root}dist`, { recursive: true, force: true });
cpSync(fresh, `${root}dist`, { recursive: true });
rmSync(fresh, { recursive: true, force: true });
