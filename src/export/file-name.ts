import { createHash } from "node:crypto";
import type { SessionView } from "../answers/session-view.ts";

/** Most file systems take names of 255 bytes. */
const LONGEST = 120;

/** Ids some systems would take for a device. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/**
 * Ids come from session files: nothing in them may climb out of the directory, and no name may be too long for one. One that was
 * changed says so by a hash, so that no session is written over another.
 */
export function fileName(id: string): string {
  const name = id.replace(/[^A-Za-z0-9._-]/g, "_").replace(/^\.+/, "_");
  if (name === id && name.length <= LONGEST && !DEVICE.test(name)) return name;
  return `${name.slice(0, LONGEST)}-${createHash("sha256").update(id).digest("hex").slice(0, 12)}`;
}

/** Where a session's own file stands in the directory of an export. */
export function sessionFile(
  { source, session_id }: Pick<SessionView, "source" | "session_id">,
  ending: string,
): string {
  return `${source}/${fileName(session_id)}.${ending}`;
}
