// What is made from the sources is committed, and checked against them.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Writes a generated file; with `--check` only compares, and says which script makes it. */
export function written(file, wanted, script) {
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
