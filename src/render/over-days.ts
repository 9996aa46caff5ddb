import { cost, duration, money, plural, shortNumber } from "../base/text/units.ts";
import { addDays, weekOf } from "../base/time/zone.ts";
import type { DayReport, DaySums, ProjectReport, SumsBefore } from "../answers/report/model.ts";
import { sumOrNull } from "../answers/report/sums.ts";
import { countParts, shortDay, shortSpan, weekday } from "./phrases.ts";
import { totalTokens } from "../record/tokens.ts";

/**
 * Wording that all formats share for a span of several days: its days, its projects, the comparison with the days
 * before.
 */

/** One row of the overview, drawn with a bar. */
export interface DaysRow extends Pick<DaySums, "turns" | "duration_ms" | "commits"> {
  name: string;
  /** Length relative to the longest bar, 0 to 1. */
  share: number;
  tokens: number;
  cost: string;
}

/** Maximum number of rows that can be read at a glance: longer spans are grouped by weeks, or by months. */
const MOST_ROWS = 14;

export function dayRows({ days }: DayReport): DaysRow[] {
  const groups = groupDays(days.map(({ day }) => day));
  const rows = [...groups].map(([name, list]) => sumOf(name, days.slice(list.from, list.to)));
  // Not every agent says how long it worked.
  const isTimed = rows.some(({ duration_ms }) => duration_ms > 0);
  const size = (row: DaysRow): number => (isTimed ? row.duration_ms : row.turns);
  const most = Math.max(1, ...rows.map(size));
  return rows.map((row) => ({ ...row, share: size(row) / most }));
}

interface DayGroup {
  from: number;
  to: number;
}

function groupDays(days: readonly string[]): Map<string, DayGroup> {
  const ways = [
    (day: string): string => `${weekday(day).slice(0, 3)} ${shortDay(day)}`,
    (day: string): string => shortSpan(weekOf(day), addDays(weekOf(day), 6)),
    (day: string): string => `${shortDay(day).replace(/^\d+ /, "")} ${day.slice(0, 4)}`,
  ];
  let groups = new Map<string, DayGroup>();
  for (const way of ways) {
    groups = new Map();
    for (const [i, day] of days.entries()) {
      const known = groups.get(way(day));
      if (known) known.to = i + 1;
      else groups.set(way(day), { from: i, to: i + 1 });
    }
    if (groups.size <= MOST_ROWS) break;
  }
  return groups;
}

function sumOf(name: string, days: readonly DaySums[]): DaysRow {
  const add = (value: (day: DaySums) => number): number => days.reduce((sum, day) => sum + value(day), 0);
  const [only] = days;
  const priced = days.flatMap(({ usage }) => usage.cost_usd ?? []);
  const all = priced.length === days.length;
  const cost_usd = priced.length === 0 ? null : priced.reduce((a, b) => a + b, 0);
  const unpriced_models = days.flatMap(({ usage }) => usage.unpriced_models);
  return {
    name,
    turns: add((day) => day.turns),
    duration_ms: add((day) => day.duration_ms),
    commits: sumOrNull(days.map((day) => day.commits)),
    share: 0,
    tokens: add(({ usage }) => totalTokens(usage)),
    cost:
      days.length === 1 && only
        ? cost(only.usage)
        : all || cost_usd === null
          ? cost({ cost_usd, unpriced_models })
          : `over ${money(cost_usd)}`,
  };
}

/** Turns, time, commits and cost, as far as there are any. */
export function rowParts(row: DaysRow): string[] {
  if (row.turns === 0 && row.tokens === 0) return [];
  return [
    plural(row.turns, "request"),
    row.duration_ms > 0 ? duration(row.duration_ms) : "",
    countParts(row.commits, "commit").join(""),
    row.tokens > 0 ? row.cost : "",
  ];
}

/** Projects by their share of what the span cost, or of its tokens where some of it has no price. */
export interface ProjectShare {
  project: ProjectReport;
  /** Share of the whole, 0 to 1. */
  share: number;
}

export function projectShares({ projects, totals }: DayReport): { by: "cost" | "tokens"; rows: ProjectShare[] } {
  const by = totals.usage.cost_usd === null ? "tokens" : "cost";
  const size = ({ usage }: { usage: DaySums["usage"] }): number =>
    by === "cost" ? (usage.cost_usd ?? 0) : totalTokens(usage);
  const whole = size(totals);
  const rows = projects.map((project) => ({ project, share: whole === 0 ? 0 : size(project.totals) / whole }));
  return { by, rows: rows.toSorted((a, b) => b.share - a.share) };
}

export function shareParts({ project: { totals } }: ProjectShare): string[] {
  return [plural(totals.turns, "request"), ...countParts(totals.commits, "commit"), cost(totals.usage)];
}

export function percent(share: number): string {
  const whole = Math.round(share * 100);
  return share > 0 && whole === 0 ? "<1 %" : `${whole} %`;
}

/** `33 requests (+12)`, each measure with how it differs from the days before; null for one day. */
export function trend({ before, totals, span }: DayReport): { against: string; parts: string[] } | null {
  if (before === null) return null;
  const against = againstText(before, span);
  if (before.turns === 0 && totalTokens(before.usage) === 0) return { against, parts: ["no work then"] };
  const usd = [totals.usage.cost_usd, before.usage.cost_usd] as const;
  const parts = [
    `${plural(totals.turns, "request")} (${signed(totals.turns - before.turns)})`,
    `${duration(totals.duration_ms)} at work (${relative(totals.duration_ms, before.duration_ms)})`,
    commitTrend(totals.commits, before.commits),
    usd[0] !== null && usd[1] !== null
      ? `${money(usd[0])} (${relative(usd[0], usd[1])})`
      : `${shortNumber(totalTokens(totals.usage))} tokens (${relative(totalTokens(totals.usage), totalTokens(before.usage))})`,
  ];
  return { against, parts };
}

function commitTrend(now: number | null, before: number | null): string {
  if (now === null) return "– commits";
  return plural(now, "commit") + (before === null ? "" : ` (${signed(now - before)})`);
}

function againstText({ since, until }: SumsBefore, span: DayReport["span"]): string {
  const days = shortSpan(since, until);
  if (span.kind !== "week") return `Against the days before, ${days}`;
  return span.status === "partial"
    ? `Against the same days of the week before, ${days}`
    : `Against the week before, ${days}`;
}

function signed(n: number): string {
  return n === 0 ? "as many" : n > 0 ? `+${n}` : `−${-n}`;
}

/** In percent; where it is more than double, as a multiple. */
function relative(now: number, before: number): string {
  if (before === 0) return now === 0 ? "as before" : "none before";
  const change = Math.round((now / before - 1) * 100);
  if (change >= 100) return `${(now / before).toFixed(1)} times`;
  return change === 0 ? "as before" : `${change > 0 ? "+" : "−"}${Math.abs(change)} %`;
}
