import { randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import type { Machine } from "./apply.ts";
import { isUuid } from "./wire.ts";

/**
 * The id of this machine: a random UUID in the home, made once. It says nothing about the machine, and moves along
 * with the home. Two processes that create it at the same time end up with the same one.
 */
export function machineOf(home: string, label: string | undefined): Machine {
  const path = join(home, "machine-id");
  const known = readId(path);
  return { machine_id: known ?? makeId(home, path), label: label ?? hostname() };
}

function makeId(home: string, path: string): string {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  try {
    writeFileSync(path, `${randomUUID()}\n`, { flag: "wx", mode: 0o600 });
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    // The file contains no id: its writing was interrupted by a crash.
    if (readId(path) === null) writeFileSync(path, `${randomUUID()}\n`, { mode: 0o600 });
  }
  const made = readId(path);
  if (made === null) throw new Error(`${path} cannot be read`);
  return made;
}

function readId(path: string): string | null {
  try {
    const text = readFileSync(path, "utf8").trim();
    return isUuid(text) ? text : null;
  } catch {
    return null;
  }
}
