import { readlinkSync } from "node:fs";
import { DaybookError } from "../errors.ts";

const DAY = 86_400_000;
/** A quarter of an hour: in every zone, days begin on a multiple of it (UTC). */
export const QUARTER = 900_000;

/** Calendar arithmetic in one IANA zone by wall clock; handles days of 23, 24.5 and 25 hours. */
export class Zone {
  #name: string | null;
  /** Null for UTC and for the system's zone, whose offset `Date` provides without a format. */
  readonly #format: Intl.DateTimeFormat | null;
  // Cached per UTC day. Offsets never change twice within a day, so a day with equal offsets at both ends has only one.
  readonly #steady = new Map<number, number | null>();
  readonly #offsets = new Map<number, number>();
  readonly #days = new Map<number, string>();

  /** Null for the system's zone. */
  constructor(name: string | null) {
    this.#name = name;
    // UTC is special-cased: creating a format takes longer than many answers.
    this.#format = name === null || name === "UTC" ? null : formatOf(name);
  }

  static here(): Zone {
    return new Zone(null);
  }

  get name(): string {
    return (this.#name ??= systemName());
  }

  /** Milliseconds to add to UTC to get the wall clock. */
  offset(time: number): number {
    return this.steadyOffset(Math.floor(time / DAY)) ?? this.#look(Math.floor(time / QUARTER));
  }

  /** The offset of a whole UTC day, given as days since 1970; null when the offset changes during that day. */
  steadyOffset(day: number): number | null {
    if (this.#name === "UTC") return 0;
    let steady = this.#steady.get(day);
    if (steady === undefined) {
      const start = this.#look((day * DAY) / QUARTER);
      steady = start === this.#look(((day + 1) * DAY) / QUARTER) ? start : null;
      this.#steady.set(day, steady);
    }
    return steady;
  }

  #look(quarter: number): number {
    const known = this.#offsets.get(quarter);
    if (known !== undefined) return known;
    const time = quarter * QUARTER;
    const offset = this.#format ? wallOf(this.#format, time) - time : -new Date(time).getTimezoneOffset() * 60_000;
    this.#offsets.set(quarter, offset);
    return offset;
  }

  /** `YYYY-MM-DD` of an instant on this zone's wall clock. */
  day(time: number): string {
    const number = Math.floor((time + this.offset(time)) / DAY);
    const known = this.#days.get(number);
    if (known !== undefined) return known;
    const day = new Date(number * DAY).toISOString().slice(0, 10);
    this.#days.set(number, day);
    return day;
  }

  /** `YYYY-MM-DD HH:MM:SS` on this zone's wall clock. */
  clock(time: number): string {
    return new Date(time + this.offset(time)).toISOString().slice(0, 19).replace("T", " ");
  }

  /** The instant a local day begins. Where midnight does not exist, the offset before the gap decides. */
  startOfDay(day: string): number {
    const wall = Date.parse(`${day}T00:00:00Z`);
    const before = this.offset(wall - 86_400_000);
    const after = this.offset(wall + 86_400_000);
    for (const offset of [before, after]) if (this.offset(wall - offset) === offset) return wall - offset;
    return wall - before;
  }

  /** Half-open `[start, end)` of a local day. */
  dayWindow(day: string): { start: number; end: number } {
    return { start: this.startOfDay(day), end: this.startOfDay(addDays(day, 1)) };
  }
}

/** The wall-clock time of an instant, encoded as if it were UTC. */
function wallOf(format: Intl.DateTimeFormat, time: number): number {
  const parts: Record<string, number> = {};
  for (const part of format.formatToParts(time)) parts[part.type] = Number(part.value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

/**
 * The system's zone. `Intl` is slow to load, so it is asked only when neither `TZ` nor `/etc/localtime` gives a
 * zone name that it supports.
 */
function systemName(): string {
  const name = (process.env["TZ"] ?? linkTarget("/etc/localtime")).replace(/^.*zoneinfo\//, "");
  if (name === "UTC" || name === "Etc/UTC") return "UTC";
  if (Intl.supportedValuesOf("timeZone").includes(name)) return name;
  const resolved = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return resolved === "Etc/Unknown" ? "UTC" : resolved;
}

function linkTarget(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}

function formatOf(name: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat("en-US", {
      timeZone: name,
      hourCycle: "h23",
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
    });
  } catch (cause) {
    throw new DaybookError(`unknown time zone: ${name}`, {
      code: "usage",
      op: "set time zone",
      hint: "give an IANA name such as Europe/Berlin or UTC",
      cause,
    });
  }
}

export function addDays(day: string, n: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + n * 86_400_000).toISOString().slice(0, 10);
}

/** Weekdays, indexed as by `Date.getUTCDay`. */
export const WEEKDAYS = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"] as const;
export type Weekday = (typeof WEEKDAYS)[number];

/** The first day of the week that contains the day. */
export function weekOf(day: string, first: Weekday = "monday"): string {
  const weekday = new Date(`${day}T00:00:00Z`).getUTCDay();
  return addDays(day, -((weekday - WEEKDAYS.indexOf(first) + 7) % 7));
}

/** ISO 8601 UTC with milliseconds; null for null and for times outside the range of `Date`. */
export function iso(time: number | null): string | null {
  if (time === null || !Number.isFinite(time) || Math.abs(time) > 8.64e15) return null;
  return new Date(time).toISOString();
}
