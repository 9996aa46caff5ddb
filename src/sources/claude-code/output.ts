import { closeSync, fstatSync, readSync, realpathSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { parentFromPath, sessionIdFromPath } from "./identity.ts";
import { openFile } from "../../io/regular-file.ts";

/** More than this of a side file is not taken into the log. */
const MOST = 1 << 20;
const SAVED = /Full output saved to: ([^\n]+)/;

export interface Output {
  text: string;
  truncated: boolean;
}

/** Where this session keeps large results: `<session>/tool-results`, for subagents the one of their root session. */
function ownDirectory(path: string): string {
  const parent = parentFromPath(path);
  if (!parent) return join(dirname(path), sessionIdFromPath(path), "tool-results");
  const at = path.lastIndexOf(`${sep}subagents${sep}`);
  return join(path.slice(0, at), "tool-results");
}

/**
 * The output of a call. Large ones were moved to a side file and only a preview stands in the record; the side file is
 * read only when the record points into this session's own directory, so that no record can name an arbitrary file.
 */
export function outputOf(text: string, persisted: string | null, sessionPath: string): Output {
  const recorded = persisted ?? (text.includes("<persisted-output>") ? (SAVED.exec(text)?.[1]?.trim() ?? null) : null);
  if (recorded === null) return { text, truncated: text.includes("<persisted-output>") };
  return readOwn(recorded, ownDirectory(sessionPath)) ?? { text, truncated: true };
}

/** Stores get moved and copied: the place is compared from the session directory down, not from the root. */
function readOwn(recorded: string, own: string): Output | null {
  const parts = recorded.split(/[\\/]+/);
  const ownParts = own.split(/[\\/]+/);
  const name = parts.pop() ?? "";
  if (name === "" || name === "." || name === "..") return null;
  if (parts.at(-1) !== "tool-results" || parts.at(-2) !== ownParts.at(-2)) return null;
  try {
    const real = realpathSync(join(own, name));
    return real.startsWith(realpathSync(own) + sep) ? head(real) : null;
  } catch {
    return null;
  }
}

function head(path: string): Output {
  const file = openFile(path);
  try {
    const size = fstatSync(file).size;
    const buffer = Buffer.alloc(Math.min(size, MOST));
    const read = readSync(file, buffer, 0, buffer.length, 0);
    return { text: buffer.toString("utf8", 0, read), truncated: size > read };
  } finally {
    closeSync(file);
  }
}
