import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { SmallFile } from "./listed.ts";

/** Writes small session files below a root. */
export function writeSmall(root: string, files: readonly SmallFile[]): void {
  for (const { name, lines, ended } of files) {
    const text = lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n");
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), ended === false ? text : `${text}\n`);
  }
}
