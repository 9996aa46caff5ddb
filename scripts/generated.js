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

/**
 * JSON of a generated schema, with fields and words in the order in which the committed file has them, new ones last.
 * TypeScript lists them in an order that depends on what else it checked before: a file would change with code that has
 * nothing to do with it.
 */
export function publishedJson(file, schema) {
  const before = read(join(root, file));
  return `${JSON.stringify(before === null ? schema : inOrderOf(JSON.parse(before), schema), null, 2)}\n`;
}

function inOrderOf(before, now) {
  if (typeof before !== "object" || typeof now !== "object" || before === null || now === null) return now;
  if (Array.isArray(now)) {
    if (!Array.isArray(before)) return now;
    if (now.some((one) => typeof one === "object" && one !== null))
      return now.map((one, i) => inOrderOf(before[i], one));
    return [...before.filter((one) => now.includes(one)), ...now.filter((one) => !before.includes(one))];
  }
  const known = Object.keys(before).filter((name) => Object.hasOwn(now, name));
  const added = Object.keys(now).filter((name) => !Object.hasOwn(before, name));
  return Object.fromEntries([...known, ...added].map((name) => [name, inOrderOf(before[name], now[name])]));
}

function read(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}
