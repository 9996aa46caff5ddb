import {
  agentNamed,
  agentNames,
  PLACE_FLAGS,
  REFUSED_FLAGS,
  REPORTS,
  type Agent,
  type Report,
} from "../../answers/ccusage/agents.ts";
import { USAGE_GROUPS, type UsageGroup } from "../../answers/usage-view.ts";
import { DaybookError } from "../../errors.ts";
import { addDays, weekOf, WEEKDAYS, type Weekday, type Zone } from "../../time/zone.ts";
import { positive, type CommonFlags } from "../options.ts";

/** What the flags of `usage` say, those of `ccusage` among them. */
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

/** The flags as Daybook has them: where sessions are is said by `--root`. Throws for those whose answer would be wrong. */
export function ownFlags(flags: UsageFlags): UsageFlags {
  for (const { name, flag, why } of REFUSED_FLAGS)
    if (flags[name] !== undefined) throw wrong(`${flag.split(" ")[0]}: ${why}`);
  if (flags.speed === "fast")
    throw wrong(
      "--speed fast: prices of the fast tier are not in the table, and no session says which one was paid for",
    );
  if (flags.speed !== undefined) oneOf("--speed", flags.speed, ["auto", "standard"] as const);
  const roots = PLACE_FLAGS.flatMap(({ name, source }) => listed(flags[name]).map((dir) => `${source}=${dir}`));
  return roots.length === 0 ? flags : { ...flags, root: [...(flags.root ?? []), ...roots] };
}

/** `shop-api=Shop,quarry=Log search`: names of projects, and what tables call them instead. */
export function aliasesOf(flags: UsageFlags): ReadonlyMap<string, string> {
  const pairs = listed(flags.projectAliases).map((pair): [string, string] => {
    const at = pair.indexOf("=");
    if (at < 1) throw wrong(`--project-aliases takes NAME=OTHER, not ${pair}`);
    return [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
  });
  return new Map(pairs);
}

function listed(words: string | undefined): string[] {
  return (words ?? "").split(",").filter((word) => word.trim() !== "");
}

/** A report of ours, or one that only `ccusage` has. */
export type Asked = UsageGroup | Report | "limits";

export interface Words {
  agent: Agent | null;
  report: Asked;
}

const ALL: readonly Asked[] = [...new Set([...USAGE_GROUPS, ...REPORTS, "limits" as const])];
export const USAGE_WORDS: readonly string[] = ALL;

/** `[agent] [report]`; the id of a session may follow `session -i`, as `ccusage` has it. */
export function understand(words: readonly string[], flags: UsageFlags): Words {
  const [first = "daily"] = words;
  const agent = agentNamed(first);
  const rest = agent ? words.slice(1) : words;
  const [report = "daily", ...more] = rest;
  if (!isAsked(report)) {
    const hint = agent
      ? `one of ${agent.reports.join(", ")}`
      : `one of ${ALL.join(", ")}, or an agent: ${agentNames().join(", ")}`;
    throw wrong(`unknown report: ${report}`, hint);
  }
  if (
    agent &&
    (REPORTS as readonly string[]).includes(report) &&
    !(agent.reports as readonly string[]).includes(report)
  )
    throw wrong(`${agent.name} has no ${report}`, `one of ${agent.reports.join(", ")}`);
  if (report === "session" && flags.instances === true && flags.id === undefined && more.length === 1) {
    flags.id = more[0] ?? "";
    flags.instances = false;
  } else if (more.length > 0) throw wrong(`too many words: ${more.join(" ")}`, "daybook usage [agent] [report]");
  return { agent, report };
}

/** Flags that only one report heeds. */
const HEEDED_BY: readonly [flag: string, name: keyof UsageFlags, report: Asked][] = [
  ["--active", "active", "blocks"],
  ["--recent", "recent", "blocks"],
  ["--live", "live", "blocks"],
  ["--token-limit", "tokenLimit", "blocks"],
  ["--session-length", "sessionLength", "blocks"],
  ["--id", "id", "session"],
];

/** A flag that would change nothing was meant for something else. `isGiven`: on the command line, not by a file of settings. */
export function refuseIdle(report: Asked, isGiven: (name: string) => boolean): void {
  const idle = HEEDED_BY.find(([, name, heeding]) => heeding !== report && isGiven(name));
  if (idle) throw wrong(`${idle[0]} goes with ${idle[2]}, not with ${report}`);
}

function isAsked(text: string): text is Asked {
  return (ALL as readonly string[]).includes(text);
}

export function wrong(message: string, hint?: string): DaybookError {
  return new DaybookError(message, { code: "usage", op: "parse flags", ...(hint === undefined ? {} : { hint }) });
}

export function oneOf<T extends string>(flag: string, given: string, allowed: readonly T[]): T {
  const found = allowed.find((one) => one === given);
  if (found === undefined) throw wrong(`${flag}: ${given} is not one of ${allowed.join(", ")}`);
  return found;
}

export function weekdayOf(flags: UsageFlags): Weekday | undefined {
  return flags.startOfWeek === undefined ? undefined : oneOf("--start-of-week", flags.startOfWeek, WEEKDAYS);
}

/** Whether only costs are asked for that the files state. */
export function isDisplay({ mode }: UsageFlags): boolean {
  return typeof mode === "string" && oneOf("--mode", mode, ["auto", "calculate", "display"] as const) === "display";
}

/** Flags that choose among blocks. */
export function blockFlags(flags: UsageFlags): {
  hours: number;
  tokenLimit: number | "max" | undefined;
  active: boolean;
  recent: boolean;
} {
  const { tokenLimit, sessionLength } = flags;
  const hours = sessionLength === undefined ? 5 : Number(sessionLength);
  if (!(hours > 0)) throw wrong(`--session-length takes a number of hours above 0, not ${sessionLength}`);
  return {
    hours,
    tokenLimit: tokenLimit === undefined || tokenLimit === "max" ? tokenLimit : positive(tokenLimit, "--token-limit"),
    ...{ active: flags.active === true, recent: flags.recent === true },
  };
}

/** The first day of the last so many periods, this one included. */
export function lastPeriods(flags: UsageFlags, report: Asked, zone: Zone, now: number): string | undefined {
  if (flags.last === undefined) return flags.since;
  const back = positive(flags.last, "--last") - 1;
  const today = zone.day(now);
  if (report === "daily") return addDays(today, -back);
  if (report === "weekly") return addDays(weekOf(today, weekdayOf(flags)), -7 * back);
  if (report !== "monthly") throw wrong("--last goes with daily, weekly and monthly");
  const month = Number(today.slice(0, 4)) * 12 + Number(today.slice(5, 7)) - 1 - back;
  return `${Math.floor(month / 12)}-${String((month % 12) + 1).padStart(2, "0")}-01`;
}

/** The report that is asked for, and `daily,session` of `--sections`. */
export function sectionsOf(flags: UsageFlags, report: Report): Report[] {
  if (flags.sections === undefined) return [report];
  const allowed = ["daily", "weekly", "monthly", "session"] as const;
  const more = flags.sections.split(",").map((one) => oneOf("--sections", one.trim(), allowed));
  return [...new Set([report, ...more])];
}
