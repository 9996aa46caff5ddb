import { createHash } from "node:crypto";
import type { SessionView } from "../views/session-view.ts";

/** Most file systems allow names of 255 bytes. */
const LONGEST = 120;

/** Ids that Windows would take for a device. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/**
 * Ids come from session files: they must not escape the directory or be too long for a file name. A name that was
 * changed gets a hash, so that no session overwrites another.
 */
export function fileName(id: string): string {
  const name = id.replace(/[^A-Za-z0-9._-]/g, "_").replace(/^\.+/, "_");
  if (name === id && name.length <= LONGEST && !DEVICE.test(name)) return name;
  return `${name.slice(0, LONGEST)}-${createHash("sha256").update(id).digest("hex").slice(0, 12)}`;
}

/** The path of a session's file within the export directory. */
export function sessionFile(
  { source, session_id }: Pick<SessionView, "source" | "session_id">,
  ending: string,
): string {
  return `${source}/${fileName(session_id)}.${ending}`;
}
