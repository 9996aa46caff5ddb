#!/usr/bin/env node
// Checks the package as users would get it: files and entry points (publint), and types for every way of importing it
// (attw).
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const dir = mkdtempSync(join(tmpdir(), "daybook-package-"));
try {
  execFileSync("npm", ["pack", "--ignore-scripts", "--silent", "--pack-destination", dir], { cwd: root });
  const [tarball = ""] = readdirSync(dir);
  // An ESM-only package: CommonJS code has to load it with `import()`.
  for (const [tool, ...flags] of [["publint"], ["attw", "--profile", "esm-only", "--no-color"]]) {
    const { status, stdout, stderr } = spawnSync(
      join(root, "node_modules", ".bin", tool),
      [...flags, join(dir, tarball)],
      { cwd: root, encoding: "utf8" },
    );
    if (status === 0) continue;
    process.stderr.write(`${stdout}${stderr}`);
    process.exitCode = 1;
  }
} finally {
  rmSync(dir, { recursive: true, force: true });
}
