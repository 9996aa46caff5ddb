import { existsSync } from "node:fs";
import { join } from "node:path";
import { appendLine } from "../io/append-line.ts";
import { parseJson } from "../io/json.ts";
import { textAt } from "../io/named-path.ts";
import { isInside, real, type OwnPlace } from "./own.ts";
import { workRoot } from "./places.ts";

/** The file that names them. It only grows. */
export function notedPlaces(home: string): string {
  return join(home, "private", "workplaces.jsonl");
}

/** Notes a directory outside of Daybook's own folder, before an agent works there. */
export function noteOwnPlace(home: string, dir: string, now: number): void {
  const place = real(dir);
  if (isInside(place, workRoot(home)) || noted(home).some((one) => one.dir === place)) return;
  appendLine(notedPlaces(home), { dir: place, since: new Date(now).toISOString() });
}

/** Daybook's own folder under all its names, and what was noted beside it. */
export function ownPlaces(home: string): OwnPlace[] {
  const work = [...new Set([workRoot(home), real(workRoot(home))])];
  return [...work.map((dir) => ({ dir, since: null })), ...noted(home)];
}

/** A line that cannot be understood names nothing. */
function noted(home: string): OwnPlace[] {
  const path = notedPlaces(home);
  if (!existsSync(path)) return [];
  return (textAt(path) ?? "").split("\n").flatMap((line): OwnPlace[] => {
    try {
      const { dir, since } = parseJson(line) as Record<string, unknown>;
      const time = typeof since === "string" ? Date.parse(since) : Number.NaN;
      return typeof dir === "string" && !Number.isNaN(time) ? [{ dir, since: time }] : [];
    } catch {
      return [];
    }
  });
}
