import { existsSync } from "node:fs";
import { join } from "node:path";
import { appendLine } from "../../base/io/append-line.ts";
import { parseJson } from "../../base/io/json.ts";
import { textAt } from "../../base/io/named-path.ts";
import { isInside, realPath, type OwnPlace } from "./own.ts";
import { workRoot } from "./places.ts";

/** The file that lists directories noted by `noteOwnPlace`. It only grows. */
export function notedPlacesFile(home: string): string {
  return join(home, "private", "workplaces.jsonl");
}

/** Notes a directory outside of Daybook's own folder before an agent works there. */
export function noteOwnPlace(home: string, dir: string, now: number): void {
  const place = realPath(dir);
  if (isInside(place, workRoot(home)) || readNotedPlaces(home).some((one) => one.dir === place)) return;
  appendLine(notedPlacesFile(home), { dir: place, since: new Date(now).toISOString() });
}

/** Daybook's own work folder under all its names, and the noted directories. */
export function ownPlaces(home: string): OwnPlace[] {
  const work = [...new Set([workRoot(home), realPath(workRoot(home))])];
  return [...work.map((dir) => ({ dir, since: null })), ...readNotedPlaces(home)];
}

/** Lines that cannot be parsed are ignored. */
function readNotedPlaces(home: string): OwnPlace[] {
  const path = notedPlacesFile(home);
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
