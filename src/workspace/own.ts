import { realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { openPlain } from "../io/bytes.ts";
import { readLines } from "../io/lines.ts";
import { isElsewhere, textAt } from "../io/named-path.ts";
import type { Session } from "../turns/session.ts";
import { parseJson } from "../io/json.ts";

/** Written by the older tool into the instruction file of every workspace its agents worked in. */
const OLD_MARKER = "<!-- prompt-diary-generated-language-norm-v1 -->";
const OLD_ORIGINATOR = "codex_python_sdk";

/** Why a session is report-making and not reported work; null when it is work. Any doubt keeps it. */
export function ownSession(session: Session, workplaces: readonly string[]): string | null {
  const { cwd, originator } = session.meta;
  if (cwd === null || !isAbsolute(cwd) || isElsewhere(cwd)) return null;
  const place = workplaces.find((dir) => isInside(cwd, dir));
  if (place !== undefined) return "worked inside Daybook's own folder";
  if (originator === OLD_ORIGINATOR && wroteOldReport(cwd, headerTime(session))) return "wrote a prompt-diary report";
  return null;
}

/** True for the directory itself and everything below it; a sibling whose name begins alike is outside. */
export function isInside(path: string, dir: string): boolean {
  const way = relative(real(dir), real(path));
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/** The real path of what exists, with the rest as written. */
export function real(path: string): string {
  const full = resolve(path);
  try {
    return realpathSync(full);
  } catch {
    const parent = dirname(full);
    return parent === full ? full : join(real(parent), basename(full));
  }
}

/** Full proof or nothing: the folder is a workspace of that tool, made before the session began. */
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

/** ISO 8601 with `Z` or an offset; a time without a zone is no point in time. */
export function zonedTime(value: unknown): number | null {
  if (typeof value !== "string" || !/^\d{4}-\d{2}-\d{2}[T ].*(?:Z|[+-]\d{2}:?\d{2})$/i.test(value.trim())) return null;
  const time = Date.parse(value.trim());
  return Number.isNaN(time) ? null : time;
}

/** The session's own statement of its beginning. The reader falls back to any time in the file; a proof may not. */
function headerTime(session: Session): number | null {
  const [first] = session.parts;
  if (first === undefined || first.gone !== null || !first.path.endsWith(".jsonl")) return null;
  const stream = openPlain(first.path, 0);
  try {
    const [line] = readLines(stream, { line: 0, offset: 0 });
    const header = parseJson(line?.text ?? "null") as {
      timestamp?: unknown;
      payload?: { timestamp?: unknown };
    } | null;
    return zonedTime(header?.timestamp) ?? zonedTime(header?.payload?.timestamp);
  } catch {
    return null;
  } finally {
    stream.close();
  }
}
