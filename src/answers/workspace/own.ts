import { realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { zonedTime } from "../../base/io/instant.ts";
import { isNetworkPath, textAt } from "../../base/io/named-path.ts";
import { scriptStart } from "../../book/reading/source-ids.ts";
import type { Session } from "../../turns/session.ts";
import { parseJson } from "../../base/io/json.ts";

/** Written by the older tool prompt-diary into the instruction file of every workspace its agents worked in. */
const OLD_MARKER = "<!-- prompt-diary-generated-language-norm-v1 -->";

/** A directory in which agents work for Daybook: sessions there are not part of a day's work. */
export interface OwnPlace {
  dir: string;
  /** Sessions that began earlier are ordinary ones; null for Daybook's own folder. */
  since: number | null;
}

/**
 * Why a session made a report instead of doing reported work; null when it is work. In doubt the session counts as
 * work.
 */
export function ownSessionReason(session: Session, workplaces: readonly OwnPlace[]): string | null {
  const { cwd } = session.meta;
  if (cwd === null || !isAbsolute(cwd) || isNetworkPath(cwd)) return null;
  const began = session.started_at ?? 0;
  const place = workplaces.find(({ dir, since }) => (since === null || began >= since) && isInside(cwd, dir));
  if (place?.since === null) return "worked inside Daybook's own folder";
  if (place) return "worked in a workspace of Daybook";
  if (wroteOldReport(cwd, scriptStartOf(session))) return "wrote a prompt-diary report";
  return null;
}

/** When a script began the session, as its header proves; null when it was no script, or there is no proof. */
function scriptStartOf({ parts: [first], meta }: Session): number | null {
  return first === undefined || first.gone !== null ? null : scriptStart(first.ref, meta.originator);
}

/** True for the directory itself and everything below it; a sibling whose name has the same beginning is outside. */
export function isInside(path: string, dir: string): boolean {
  const way = relative(realPath(dir), realPath(path));
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/** The real path of the part that exists, with the rest as written. */
export function realPath(path: string): string {
  const full = resolve(path);
  try {
    return realpathSync(full);
  } catch {
    const parent = dirname(full);
    return parent === full ? full : join(realPath(parent), basename(full));
  }
}

/** Needs full proof: the folder is a workspace of that tool, made before the session began. */
function wroteOldReport(cwd: string, began: number | null): boolean {
  if (began === null) return false;
  try {
    if (textAt(join(cwd, "AGENTS.md"))?.includes(OLD_MARKER) !== true) return false;
    const found = parseJson(textAt(join(cwd, "metadata.json")) ?? "null") as Record<string, unknown> | null;
    if (found === null || typeof found !== "object") return false;
    const { schema_version, report_date, prepared_at } = found;
    if (schema_version !== 1 && schema_version !== 2 && schema_version !== 3) return false;
    if (typeof report_date !== "string" || report_date !== basename(cwd) || !isDate(report_date)) return false;
    const prepared = zonedTime(prepared_at);
    return prepared !== null && prepared <= began;
  } catch {
    return false;
  }
}

function isDate(text: string): boolean {
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}
