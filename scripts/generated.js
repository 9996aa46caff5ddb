// Generated files are committed; CI checks that they are up to date.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Writes a generated file; with `--check` only compares it, and names the script to run if it is out of date. */
export function writeGenerated(file, wanted, script) {
  const target = join(root, file);
  if (!process.argv.includes("--check")) return writeFileSync(target, wanted);
  if (read(target) === wanted) return undefined;
  console.error(`${file} is out of date: run node scripts/${script}`);
  process.exitCode = 1;
  return undefined;
}

function read(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}
