import { closeSync, fstatSync, readSync, realpathSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { parentFromPath, sessionIdFromPath } from "./identity.ts";
import { openFile } from "../../base/io/regular-file.ts";

/** Maximum number of bytes read from a side file. */
const MAX_BYTES = 1 << 20;
const SAVED = /Full output saved to: ([^\n]+)/;

export interface Output {
  text: string;
  truncated: boolean;
}

/**
 * Where this session stores large results: `<session>/tool-results`; subagents use the directory of their root session.
 */
function ownDirectory(path: string): string {
  const parent = parentFromPath(path);
  if (!parent) return join(dirname(path), sessionIdFromPath(path), "tool-results");
  const at = path.lastIndexOf(`${sep}subagents${sep}`);
  return join(path.slice(0, at), "tool-results");
}

/**
 * The output of a call. Claude Code moves large outputs to a side file and leaves a preview in the record. The side
 * file is read only if it is inside this session's own directory, so that no record can name an arbitrary file.
 */
export function outputOf(text: string, persisted: string | null, sessionPath: string): Output {
  const recorded = persisted ?? (text.includes("<persisted-output>") ? (SAVED.exec(text)?.[1]?.trim() ?? null) : null);
  if (recorded === null) return { text, truncated: text.includes("<persisted-output>") };
  return readOwn(recorded, ownDirectory(sessionPath)) ?? { text, truncated: true };
}

/** Compares only the path below the session directory, because stores get moved and copied. */
function readOwn(recorded: string, own: string): Output | null {
  const parts = recorded.split(/[\\/]+/);
  const ownParts = own.split(/[\\/]+/);
  const name = parts.pop() ?? "";
  if (name === "" || name === "." || name === "..") return null;
  if (parts.at(-1) !== "tool-results" || parts.at(-2) !== ownParts.at(-2)) return null;
  try {
    const real = realpathSync(join(own, name));
    return real.startsWith(realpathSync(own) + sep) ? readHead(real) : null;
  } catch {
    return null;
  }
}

function readHead(path: string): Output {
  const file = openFile(path);
  try {
    const size = fstatSync(file).size;
    const buffer = Buffer.alloc(Math.min(size, MAX_BYTES));
    const read = readSync(file, buffer, 0, buffer.length, 0);
    return { text: buffer.toString("utf8", 0, read), truncated: size > read };
  } finally {
    closeSync(file);
  }
}
