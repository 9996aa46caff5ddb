import { realpathSync } from "node:fs";
import { isAbsolute } from "node:path";
import { fileURLToPath } from "node:url";
import { isNetworkPath } from "../../base/io/named-path.ts";

/** Normalises a recorded directory of any system for comparison: forward slashes, none at the end. */
export function tidyPath(recorded: string, home = ""): string {
  const path = recorded.startsWith("file://") ? fromUrl(recorded) : recorded;
  const expanded = home !== "" && /^~(?=[/\\]|$)/.test(path) ? home + path.slice(1) : path;
  const slashed = expanded.replaceAll("\\", "/");
  // Two leading slashes precede a host name.
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

/** The path from which the project key is made: the real path if it exists, else the normalised text. */
export function canonicalRoot(recorded: string, home = ""): string {
  const text = tidyPath(recorded, home);
  // On this disk a backslash may be part of a name, so the recorded spelling is tried first.
  for (const path of recorded === text ? [text] : [recorded, text]) {
    try {
      if (isAbsolute(path) && !isNetworkPath(path)) return windowsText(realpathSync(path));
    } catch {
      // The path does not exist on this disk.
    }
  }
  return text;
}

/** Normalises Windows paths, so that the result is the same before and after the directory is deleted. */
function windowsText(path: string): string {
  return /^(?:[A-Za-z]:\\|\\\\)/.test(path) ? tidyPath(path) : path;
}

/** A unique root for a session without a directory: such sessions share no project. */
export function unknownRoot(source: string, sessionId: string): string {
  return `unknown-project/${source}/${sessionId}`;
}

/** True for the directory itself and everything below it. */
export function isWithin(path: string, dir: string): boolean {
  return path === dir || path.startsWith(dir.endsWith("/") ? dir : `${dir}/`);
}
