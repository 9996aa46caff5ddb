import { realpathSync } from "node:fs";
import { isAbsolute } from "node:path";
import { fileURLToPath } from "node:url";
import { isElsewhere } from "../../io/named-path.ts";

/** A recorded directory as text to compare: of whatever system, with one kind of separator and none at its end. */
export function tidyPath(recorded: string, home = ""): string {
  const path = recorded.startsWith("file://") ? fromUrl(recorded) : recorded;
  const expanded = home !== "" && /^~(?=[/\\]|$)/.test(path) ? home + path.slice(1) : path;
  const slashed = expanded.replaceAll("\\", "/");
  // Two slashes begin the name of a machine.
  const lead = /^\/\/(?=[^/])/.test(slashed) ? "/" : "";
  const single = lead + slashed.slice(lead.length).replace(/\/+/g, "/");
  const isTop = single === "/" || /^[A-Za-z]:\/$/.test(single);
  return isTop ? single : single.replace(/\/$/, "");
}

function fromUrl(url: string): string {
  try {
    return fileURLToPath(url);
  } catch {
    return url;
  }
}

/** What the key is made of: the real path where there is one, else the recorded text. */
export function canonicalRoot(recorded: string, home = ""): string {
  const text = tidyPath(recorded, home);
  // In a name that is still on this disk a backslash may be a letter.
  for (const path of recorded === text ? [text] : [recorded, text]) {
    try {
      if (isAbsolute(path) && !isElsewhere(path)) return windowsText(realpathSync(path));
    } catch {
      // Not on this disk any more, or never was.
    }
  }
  return text;
}

/** The same before and after a directory is deleted. */
function windowsText(path: string): string {
  return /^(?:[A-Za-z]:\\|\\\\)/.test(path) ? tidyPath(path) : path;
}

/** Stands for the root of a session that names no directory: such sessions share no project. */
export function unknownRoot(source: string, sessionId: string): string {
  return `unknown-project/${source}/${sessionId}`;
}

/** True for the directory itself and all that is in it. */
export function isWithin(path: string, dir: string): boolean {
  return path === dir || path.startsWith(dir.endsWith("/") ? dir : `${dir}/`);
}
