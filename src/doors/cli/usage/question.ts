import { readFileSync } from "node:fs";
import type { Command } from "commander";
import { DaybookError } from "../../../base/errors.ts";
import { parseDayWords } from "../../../base/time/day-words.ts";
import { parseJson } from "../../../base/io/json.ts";
import { addDays, type Weekday, WEEKDAYS, weekOf, type Zone } from "../../../base/time/zone.ts";
import {
  agentNames,
  type CcusageAgent,
  type CcusageReport,
  findAgent,
  PLACE_FLAGS,
  REFUSED_FLAGS,
  REPORTS,
} from "../../../views/ccusage/agents.ts";
import { USAGE_GROUPS, type UsageGroup } from "../../../views/usage-view.ts";
import type { Io } from "../io.ts";
import { printJsonText } from "../json.ts";
import type { CommonFlags } from "../options.ts";
import { positive } from "../flags.ts";

/** The flags of `usage`, including those of `ccusage`. */
export interface UsageFlags extends CommonFlags {
  breakdown?: boolean;
  offline?: boolean;
  order: string;
  by: string;
  instances?: boolean;
  compact?: boolean;
  format?: string;
  byAgent?: boolean;
  sections?: string;
  cost?: boolean;
  mode?: string | boolean;
  jq?: string;
  config?: string;
  debug?: boolean;
  id?: string;
  last?: string;
  startOfWeek?: string;
  active?: boolean;
  recent?: boolean;
  live?: boolean;
  tokenLimit?: string;
  sessionLength?: string;
  speed?: string;
  projectAliases?: string;
  piPath?: string;
  openClawPath?: string;
}

/** Translates ccusage's place flags to `--root`. Throws for flags whose answer would be wrong. */
export function ownFlags(flags: UsageFlags): UsageFlags {
  for (const { name, flag, why } of REFUSED_FLAGS)
    if (flags[name] !== undefined) throw flagError(`${flag.split(" ")[0]}: ${why}`);
  if (flags.speed === "fast")
    throw flagError(
      "--speed fast: the prices of the fast tier are not in the table, and sessions do not record the tier",
    );
  if (flags.speed !== undefined) oneOf("--speed", flags.speed, ["auto", "standard"] as const);
  const roots = PLACE_FLAGS.flatMap(({ name, source }) => splitList(flags[name]).map((dir) => `${source}=${dir}`));
  return roots.length === 0 ? flags : { ...flags, root: [...(flags.root ?? []), ...roots] };
}

/** For example `shop-api=Shop,quarry=Log search`: project names and their names in tables. */
export function aliasesOf(flags: UsageFlags): ReadonlyMap<string, string> {
  const pairs = splitList(flags.projectAliases).map((pair): [string, string] => {
    const at = pair.indexOf("=");
    if (at < 1) throw flagError(`--project-aliases takes NAME=OTHER, not ${pair}`);
    return [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
  });
  return new Map(pairs);
}

function splitList(words: string | undefined): string[] {
  return (words ?? "").split(",").filter((word) => word.trim() !== "");
}

/** One of our reports, or one that only `ccusage` has. */
type UsageKind = UsageGroup | CcusageReport | "limits";

export interface UsageRequest {
  agent: CcusageAgent | null;
  report: UsageKind;
}

const ALL: readonly UsageKind[] = [...new Set([...USAGE_GROUPS, ...REPORTS, "limits" as const])];
export const USAGE_WORDS: readonly string[] = ALL;

/** Days among the words are flags: `usage today`, `usage last week`; so is the word for rows of projects. */
function withoutDays(words: readonly string[], flags: UsageFlags): readonly string[] {
  const [first, ...rest] = words;
  if (first !== undefined && /^projects?$/.test(first)) {
    flags.instances = true;
    return rest;
  }
  const at = words.findIndex((_, i) => parseDayWords(words.slice(i).join(" "), ANY_DAY) !== null);
  if (at === -1 || flags.since !== undefined || flags.until !== undefined) return words;
  flags.since = words.slice(at).join(" ");
  if (!/^\d+ ?[a-z]+$/.test(flags.since)) flags.until = flags.since;
  return words.slice(0, at);
}

/** Any day: only the form of the words is asked. */
const ANY_DAY = "2026-05-12";

const OTHER_NAMES: Readonly<Record<string, string>> = {
  day: "daily",
  days: "daily",
  week: "weekly",
  weeks: "weekly",
  month: "monthly",
  months: "monthly",
  sessions: "session",
  turns: "turn",
  models: "model",
  block: "blocks",
};

/** `[agent] [report]`; a session id may follow `session -i`, as in `ccusage`. */
export function parseUsageWords(words: readonly string[], flags: UsageFlags): UsageRequest {
  const [first = "daily"] = words;
  const agent = findAgent(first);
  const rest = agent ? words.slice(1) : words;
  const [said = "daily", ...more] = withoutDays(rest, flags);
  const report = OTHER_NAMES[said] ?? said;
  if (!isUsageKind(report)) {
    const hint = agent
      ? `one of ${agent.reports.join(", ")}`
      : `one of ${ALL.join(", ")}, or an agent: ${agentNames().join(", ")}`;
    throw flagError(`unknown report: ${report}`, hint);
  }
  if (
    agent &&
    (REPORTS as readonly string[]).includes(report) &&
    !(agent.reports as readonly string[]).includes(report)
  )
    throw flagError(`${agent.name} has no report ${report}`, `one of ${agent.reports.join(", ")}`);
  if (report === "session" && flags.instances === true && flags.id === undefined && more.length === 1) {
    flags.id = more[0] ?? "";
    flags.instances = false;
  } else if (more.length > 0)
    throw flagError(`too many arguments: ${more.join(" ")}`, "daybook usage [agent] [report]");
  return { agent, report };
}

/** Flags that only one report uses. */
const USED_BY: readonly [flag: string, name: keyof UsageFlags, report: UsageKind][] = [
  ["--active", "active", "blocks"],
  ["--recent", "recent", "blocks"],
  ["--live", "live", "blocks"],
  ["--token-limit", "tokenLimit", "blocks"],
  ["--session-length", "sessionLength", "blocks"],
  ["--id", "id", "session"],
];

/** Flags that choose or count usage. Limits are what the agents stated last, whatever was used when and where. */
const NOT_FOR_LIMITS: readonly [flag: string, name: keyof UsageFlags][] = [
  ["--since", "since"],
  ["--until", "until"],
  ["--last", "last"],
  ["--project", "project"],
  ["--session", "session"],
  ["--label", "label"],
  ["--starred", "starred"],
  ["--noted", "noted"],
  ["--limit", "limit"],
  ["--breakdown", "breakdown"],
  ["--by-agent", "byAgent"],
  ["--instances", "instances"],
  ["--compact", "compact"],
  ["--order", "order"],
  ["--by", "by"],
  ["--start-of-week", "startOfWeek"],
  ["--sections", "sections"],
  ["--no-cost", "cost"],
  ["--mode", "mode"],
  ["--debug", "debug"],
  ["--project-aliases", "projectAliases"],
];

/**
 * Rejects a flag that would have no effect. `isGiven`: whether it was given on the command line, not by a settings
 * file.
 */
export function rejectUnusedFlags(report: UsageKind, isGiven: (name: string) => boolean): void {
  const idle = USED_BY.find(([, name, heeding]) => heeding !== report && isGiven(name));
  if (idle) throw flagError(`${idle[0]} works only with ${idle[2]}, not with ${report}`);
  const unused = report === "limits" ? NOT_FOR_LIMITS.find(([, name]) => isGiven(name)) : undefined;
  if (unused) throw flagError(`${unused[0]} has no effect on limits`, "leave it out");
}

function isUsageKind(text: string): text is UsageKind {
  return (ALL as readonly string[]).includes(text);
}

export function flagError(message: string, hint?: string): DaybookError {
  return new DaybookError(message, { code: "usage", op: "parse flags", ...(hint === undefined ? {} : { hint }) });
}

export function oneOf<T extends string>(flag: string, given: string, allowed: readonly T[]): T {
  const found = allowed.find((one) => one === given);
  if (found === undefined) throw flagError(`${flag}: ${given} is not one of ${allowed.join(", ")}`);
  return found;
}

export function weekdayOf(flags: UsageFlags): Weekday | undefined {
  return flags.startOfWeek === undefined ? undefined : oneOf("--start-of-week", flags.startOfWeek, WEEKDAYS);
}

/** Where costs come from. */
export const MODES = ["auto", "calculate", "display"] as const;

/** Whether only costs stated in the files are wanted. */
export function isDisplay({ mode }: UsageFlags): boolean {
  return typeof mode === "string" && oneOf("--mode", mode, MODES) === "display";
}

/** Flags that select blocks. */
export function blockFlags(flags: UsageFlags): {
  hours: number;
  tokenLimit: number | "max" | undefined;
  active: boolean;
  recent: boolean;
} {
  const { tokenLimit, sessionLength } = flags;
  const hours = sessionLength === undefined ? 5 : Number(sessionLength);
  if (!(hours > 0)) throw flagError(`--session-length takes a number of hours above 0, not ${sessionLength}`);
  return {
    hours,
    tokenLimit: tokenLimit === undefined || tokenLimit === "max" ? tokenLimit : positive(tokenLimit, "--token-limit"),
    active: flags.active === true,
    recent: flags.recent === true,
  };
}

/** The first day of the last n periods, including the current one. */
export function lastPeriods(flags: UsageFlags, report: UsageKind, zone: Zone, now: number): string | undefined {
  if (flags.last === undefined) return flags.since;
  const back = positive(flags.last, "--last") - 1;
  const today = zone.day(now);
  if (report === "daily") return addDays(today, -back);
  if (report === "weekly") return addDays(weekOf(today, weekdayOf(flags)), -7 * back);
  if (report !== "monthly") throw flagError("--last works only with daily, weekly and monthly");
  const month = Number(today.slice(0, 4)) * 12 + Number(today.slice(5, 7)) - 1 - back;
  return `${Math.floor(month / 12)}-${String((month % 12) + 1).padStart(2, "0")}-01`;
}

/** The requested report, followed by those of `--sections`. */
export function sectionsOf(flags: UsageFlags, report: CcusageReport): CcusageReport[] {
  if (flags.sections === undefined) return [report];
  const allowed = ["daily", "weekly", "monthly", "session"] as const;
  const more = flags.sections.split(",").map((one) => oneOf("--sections", one.trim(), allowed));
  return [...new Set([report, ...more])];
}

type Settings = Record<string, unknown>;

/** Applies the values of `ccusage.json` that the command line does not set: defaults, per report, per agent. */
export function applyConfig(command: Command, flags: UsageFlags, words: readonly string[]): void {
  if (flags.config === undefined) return;
  const file = read(flags.config);
  const agent = settings(file[words[0] ?? ""]);
  const report = words.find((word) => word in settings(file["commands"]) || word in settings(agent["commands"]));
  const all: Settings = {
    ...settings(file["defaults"]),
    ...settings(settings(file["commands"])[report ?? words[0] ?? "daily"]),
    ...settings(agent["defaults"]),
    ...settings(settings(agent["commands"])[report ?? "daily"]),
  };
  for (const option of command.options) {
    const name = option.attributeName();
    const given = option.negate ? opposite(all[`no${name[0]?.toUpperCase() ?? ""}${name.slice(1)}`]) : all[name];
    if (given === undefined || command.getOptionValueSource(name) === "cli") continue;
    Object.assign(flags, { [name]: typeof given === "number" ? String(given) : given });
  }
}

function opposite(value: unknown): boolean | undefined {
  return typeof value === "boolean" ? !value : undefined;
}

function read(path: string): Settings {
  try {
    return settings(parseJson(readFileSync(path, "utf8")));
  } catch (error) {
    throw flagError(`--config: ${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function settings(value: unknown): Settings {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Settings) : {};
}

/** Prints JSON as `ccusage` does: indented, with sorted keys, and through `jq` if a filter is given. */
export function printSorted(io: Io, value: unknown, filter: string | undefined): void {
  const text = `${JSON.stringify(sorted(value), null, 2)}\n`;
  printJsonText(io, filter === undefined ? text : filtered(io, text, filter));
}

/** Filters any JSON through `jq`. */
export function filtered(io: Io, text: string, filter: string): string {
  if (!io.jq) throw new DaybookError("--jq needs the program jq", { code: "usage", op: "filter JSON" });
  return io.jq(filter, text);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(fields.map(([name, field]) => [name, sorted(field)]));
}
