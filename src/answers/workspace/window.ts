import { readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { DaybookError } from "../../base/errors.ts";
import { parseDay } from "../../base/time/range.ts";
import { addDays, Zone } from "../../base/time/zone.ts";

export type Status = "final" | "partial";

/** One local day, and whether it is over. `start` is inclusive, `end` exclusive. */
export interface Target {
  date: string;
  status: Status;
  start: number;
  end: number;
}

export interface TargetRequest {
  date?: string | undefined;
  today?: boolean | undefined;
}

/** Version of every file of the workspace. Other versions are refused: their lines and refs follow other rules. */
export const WORKSPACE_SCHEMA = 3;

export interface Metadata {
  schema_version: number;
  report_date: string;
  timezone: string;
  status: Status;
  prepared_at: string;
  report_window_local: { start: string; end: string };
  report_window_utc: { start: string; end: string };
}

/** Yesterday by default. Today is partial; a later day has no work yet. */
export function resolveTarget(request: TargetRequest, zone: Zone, now: number): Target {
  if (request.date !== undefined && request.today === true) {
    throw new DaybookError("--date and --today exclude each other", { code: "usage", op: "choose day" });
  }
  const today = zone.day(now);
  const date = request.today === true ? today : parseDay(request.date ?? "yesterday", zone, now);
  if (date > today) {
    throw new DaybookError(`${date} has not begun in ${zone.name}`, {
      code: "usage",
      op: "choose day",
      hint: `today is ${today} there; the newest day with a workspace of its own is ${addDays(today, -1)}`,
    });
  }
  return { date, status: date === today ? "partial" : "final", ...zone.dayWindow(date) };
}

export function metadataOf(target: Target, zone: Zone, now: number): Metadata {
  return {
    schema_version: WORKSPACE_SCHEMA,
    report_date: target.date,
    timezone: zone.name,
    status: target.status,
    prepared_at: formatInstant(now, zone),
    report_window_local: { start: formatInstant(target.start, zone), end: formatInstant(target.end, zone) },
    report_window_utc: { start: formatInstant(target.start), end: formatInstant(target.end) },
  };
}

/** Whole seconds, with the zone's offset; `Z` for none. */
export function formatInstant(time: number, zone?: Zone): string {
  const offset = zone?.offset(time) ?? 0;
  const wall = new Date(time + offset).toISOString().slice(0, 19);
  if (offset === 0) return `${wall}Z`;
  const minutes = Math.round(Math.abs(offset) / 60_000);
  return `${wall}${offset < 0 ? "-" : "+"}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

function two(n: number): string {
  return String(n).padStart(2, "0");
}

type Env = Readonly<Record<string, string | undefined>>;

/**
 * Order of precedence: flag, `DAYBOOK_TIMEZONE`, `TZ`, the system's zone, UTC. Blank and POSIX values (`:…`) are
 * skipped. An unknown name is an error wherever it is given, because a guess would move work to another day.
 */
export function resolveZone(flag: string | undefined, env: Env, system: () => string | null = systemZone): Zone {
  for (const value of [flag, env["DAYBOOK_TIMEZONE"], env["TZ"]]) {
    if (value !== undefined && value.trim() !== "" && !value.startsWith(":")) return new Zone(value.trim());
  }
  return new Zone(system() ?? "UTC");
}

/** The zone configured in `/etc`; on Windows, which has none, the runtime's. */
export function systemZone(etc = "/etc", platform: string = process.platform): string | null {
  if (platform === "win32") return Intl.DateTimeFormat().resolvedOptions().timeZone;
  const written = attempt(() => readFileSync(join(etc, "timezone"), "utf8").split("\n")[0]?.trim());
  if (written !== null && isZone(written)) return written;
  const linked = attempt(() => readlinkSync(join(etc, "localtime")));
  const parts = linked?.split("/") ?? [];
  const at = parts.lastIndexOf("zoneinfo");
  const name = at === -1 ? "" : parts.slice(at + 1).join("/");
  return isZone(name) ? name : null;
}

function isZone(name: string): boolean {
  return name !== "" && attempt(() => new Zone(name)) !== null;
}

function attempt<T>(read: () => T | undefined): T | null {
  try {
    return read() ?? null;
  } catch {
    return null;
  }
}
