import type { Command } from "commander";
import { DaybookError } from "../../base/errors.ts";
import { daybookHome, homeDirectory } from "../../base/home.ts";
import { Redactor } from "../../base/redact/redact.ts";
import type { Zone } from "../../base/time/zone.ts";
import { examineFolder } from "../../answers/workspace/reuse.ts";
import { workspacePlaces, type WorkspacePlaces } from "../../answers/workspace/places.ts";
import { resolveTarget, resolveZone, type TargetRequest } from "../../answers/workspace/window.ts";
import type { Io } from "./io.ts";
import { bookOf, SAMPLE_DAY, sampleHome } from "./open-daybook.ts";
import { usageError } from "./flags.ts";

/** Flags that name one day's workspace. */
export interface TargetFlags {
  date?: string;
  today?: boolean;
  timezone?: string;
  workspace?: string;
  home?: string;
  json?: boolean;
  quiet?: boolean;
  color?: boolean;
  sample?: boolean;
}

export function targetFlags(command: Command): Command {
  return command
    .option("--date <day>", "the day (YYYY-MM-DD; default: yesterday)")
    .option("--today", "today so far")
    .option("-z, --timezone <zone>", "IANA time zone of the day (default: $DAYBOOK_TIMEZONE, $TZ, the system's)");
}

/** Hides secrets in what is shown or packed, by the user's rules too. */
export function redactorOf(io: Io): Redactor {
  return new Redactor(io.config?.redaction);
}

export function outputFlags(command: Command): Command {
  return command
    .option("--home <dir>", "Daybook's own folder (default: $DAYBOOK_HOME or the platform's data directory)")
    .option("-j, --json", "print JSON")
    .option("--sample", "use the bundled sample sessions, in a temporary folder; your own is not touched")
    .option("-q, --quiet", "no progress, no notes on stderr")
    .option("--no-color", "no colour");
}

function gather(value: string, list: string[] = []): string[] {
  return [...list, value];
}

/** The places sessions are read from. */
export function rootFlags(command: Command): Command {
  return command
    .option(
      "--root <source=path>",
      "read this directory or file instead of the agent's default places (repeatable)",
      gather,
    )
    .option("--source <id>", "only this agent (repeatable)", gather);
}

export function homeOf(io: Io, flags: Pick<TargetFlags, "home" | "sample">): string {
  if (flags.sample === true && flags.home !== undefined)
    throw usageError("--sample cannot be combined with --home: it uses a temporary folder", "leave one of them out");
  if (flags.sample === true) return sampleHome();
  return userHome(io, flags);
}

/** The home of the user's own book, even when the samples are queried. */
export function userHome(io: Io, { home }: Pick<TargetFlags, "home">): string {
  const book = bookOf(io, home === undefined ? {} : { home });
  return book ?? daybookHome(io.env, process.platform, homeDirectory(io.env));
}

export function zoneOf(io: Io, flags: Pick<TargetFlags, "timezone">): Zone {
  return resolveZone(flags.timezone, io.env);
}

/** For the samples "yesterday" has no work, so their newest day is the default. */
export function requestedDay({ date, today, sample }: TargetFlags): TargetRequest {
  return sample === true && date === undefined && today !== true ? { date: SAMPLE_DAY } : { date, today };
}

/** The requested workspace: by its day or by its folder, never both. */
export function placesOf(io: Io, flags: TargetFlags): WorkspacePlaces & { named: boolean } {
  const home = homeOf(io, flags);
  if (flags.workspace === undefined) {
    const { date } = resolveTarget(requestedDay(flags), zoneOf(io, flags), io.now);
    return { ...workspacePlaces(home, date), named: false };
  }
  const other = (["date", "today", "timezone"] as const).find((flag) => flags[flag] !== undefined);
  if (other !== undefined) {
    throw new DaybookError(`--workspace cannot be combined with --${other}: it names the folder`, {
      code: "usage",
      op: "parse flags",
    });
  }
  return { ...workspacePlaces(home, dayOf(flags.workspace), flags.workspace), named: true };
}

/** The day in the workspace's metadata; its manifest is stored under that name. */
function dayOf(workspace: string): string {
  const found = examineFolder(workspace);
  return found.kind === "workspace" ? found.metadata.report_date : "unknown";
}
