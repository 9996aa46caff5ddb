#!/usr/bin/env node
// Builds if there is no build or it is older than its sources. After `npm ci`, which builds, there is nothing to do.
import { execFileSync } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Inputs of a build. */
const INPUTS = [
  "bin",
  "src",
  "web",
  "scripts/build.js",
  "scripts/notices.js",
  "package.json",
  "tsconfig.json",
  "tsconfig.build.json",
];
/** The last file a build writes. */
const BUILT = "dist/worker.cjs";

/** Whether the build at `root` is missing or older than its sources. */
export function isOlder(root) {
  const built = statSync(join(root, BUILT), { throwIfNoEntry: false });
  if (!built) return true;
  return INPUTS.flatMap((name) => filesAt(join(root, name))).some((file) => file.mtimeMs > built.mtimeMs);
}

function filesAt(path) {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat?.isDirectory()) return stat ? [stat] : [];
  return readdirSync(path, { withFileTypes: true }).flatMap(({ name }) =>
    name.endsWith(".test.ts") ? [] : filesAt(join(path, name)),
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = fileURLToPath(new URL("..", import.meta.url));
  if (isOlder(root))
    execFileSync(process.execPath, [join(root, "scripts", "build.js")], { cwd: root, stdio: "inherit" });
}
