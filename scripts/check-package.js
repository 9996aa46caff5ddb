#!/usr/bin/env node
// What would be published, looked at as its users get it: files and entries (publint), types by every way to import them (attw).
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
  // It is a package of modules: who asks for it by `require` gets it by `import()`.
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
