import { DaybookError } from "../../errors.ts";
import { USAGE_GROUPS, type UsageGroup, type UsageReport } from "../../answers/usage-view.ts";
import type { UsageView } from "../../answers/usage-sum.ts";
import type { Io } from "../io.ts";
import type { RateLimitsAnswer } from "../../daybook/json.ts";
import { printJson } from "../json.ts";
import { commonFlags, openDaybook, type CommonFlags } from "../options.ts";
import type { Register } from "../register.ts";
import { table, type Column } from "../table.ts";
import { cost, grouped, oneLine } from "../text.ts";

interface Flags extends CommonFlags {
  breakdown?: boolean;
  offline?: boolean;
  order: string;
  by: string;
  instances?: boolean;
  compact?: boolean;
}

export const usage: Register = (program, io, exit) => {
  commonFlags(program.command("usage"))
    .description("tokens and cost per day, week, month, session, turn or model")
    .argument("[group]", `${USAGE_GROUPS.join(" | ")} | limits`, "daily")
    .option("-b, --breakdown", "one line per model below each row")
    .option("-O, --offline", "accepted for compatibility: prices always come from the built-in table")
    .option("-i, --instances", "one row per project")
    .option("--compact", "fewer columns")
    .option("--order <order>", "asc or desc", "asc")
    .option(
      "--by <time>",
      "spent: count a token when it was spent; trigger: on the day of the turn that owns it",
      "spent",
    )
    .addHelpText(
      "after",
      "\nExamples:\n  daybook usage\n  daybook usage monthly --breakdown\n  daybook usage session --since 7d --json",
    )
    .action(async (group: string, flags: Flags) => {
      if (group === "limits") return exit(await printLimits(io, flags));
      if (!isGroup(group)) throw wrong("group", group, USAGE_GROUPS);
      if (flags.order !== "asc" && flags.order !== "desc") throw wrong("--order", flags.order, ["asc", "desc"]);
      if (flags.by !== "spent" && flags.by !== "trigger") throw wrong("--by", flags.by, ["spent", "trigger"]);
      const opened = openDaybook(io, flags);
      const report = opened.hide(
        await opened.daybook.usage({
          ...opened.query,
          group,
          by: flags.by,
          breakdown: flags.breakdown === true,
          order: flags.order,
          instances: flags.instances === true,
        }),
      );
      const code = await opened.done();
      if (opened.json) printJson(io, report);
      else print(io, report, opened.paint, flags.compact === true);
      exit(code);
    });
};

function isGroup(text: string): text is UsageGroup {
  return (USAGE_GROUPS as readonly string[]).includes(text);
}

function wrong(what: string, given: string, allowed: readonly string[]): DaybookError {
  return new DaybookError(`${what}: ${given} is not one of ${allowed.join(", ")}`, {
    code: "usage",
    op: "parse flags",
  });
}

async function printLimits(io: Io, flags: Flags): Promise<number> {
  const opened = openDaybook(io, flags);
  const limits = opened.hide(await opened.daybook.limits());
  const code = await opened.done();
  if (opened.json) printJson(io, { schema_version: 1, limits } satisfies RateLimitsAnswer);
  else if (limits.length === 0) io.out("No rate limits recorded.\n");
  for (const limit of opened.json ? [] : limits) {
    io.out(
      `${opened.paint.bold(oneLine(limit.limit_id, 40))}  ${limit.source}${limit.plan ? `, ${oneLine(limit.plan, 20)}` : ""}, recorded ${limit.recorded_at ?? "at an unknown time"}\n`,
    );
    for (const [name, window] of [
      ["primary", limit.primary],
      ["secondary", limit.secondary],
    ] as const) {
      if (!window) continue;
      const length = window.window_minutes === null ? "" : ` of ${Math.round(window.window_minutes / 60)} h`;
      io.out(
        `  ${name}${length}: ${window.used_percent}% used${window.resets_at ? `, resets ${window.resets_at}` : ""}\n`,
      );
    }
  }
  return code;
}

function print(io: Io, report: UsageReport, paint: ReturnType<typeof openDaybook>["paint"], compact: boolean): void {
  if (report.rows.length === 0) {
    io.out("No usage found. `daybook doctor` shows where Daybook looked.\n");
    return;
  }
  const rows: string[][] = [];
  for (const row of report.rows) {
    const name = row.project === undefined ? row.period : `${row.period}  ${row.project}`;
    rows.push(cells(oneLine(name, 60), report.group === "model" ? "" : oneLine(row.models.join(", "), 200), row));
    for (const part of row.breakdown ?? []) rows.push(cells(`  └ ${oneLine(part.model, 40)}`, "", part));
  }
  rows.push(cells("total", "", report.totals));
  const last = rows.length - 1;
  const bold = (cell: string, row: number): string => (row === last ? paint.bold(cell) : cell);
  const columns: Column[] = [
    { head: report.group === "daily" ? "day" : report.group, paint: bold },
    { head: "models", grow: true, paint: (cell) => paint.dim(cell) },
    { head: "input", align: "right", paint: bold },
    { head: "cache read", align: "right", paint: bold },
    { head: "cache write", align: "right", paint: bold },
    { head: "output", align: "right", paint: bold },
    { head: "reasoning", align: "right", paint: bold },
    { head: "cost", align: "right", paint: bold },
  ];
  const shown = compact ? new Set([0, 2, 5, 7]) : null;
  const visible = <T>(list: readonly T[]): T[] => list.filter((_, i) => shown === null || shown.has(i));
  io.out(`${table(visible(columns), rows.map(visible), io.columns, paint.bold)}\n`);
  if (report.totals.unpriced_models.length > 0) {
    io.out(
      `\n${paint.yellow(`No price known for: ${report.totals.unpriced_models.map((m) => oneLine(m, 60)).join(", ")}`)}\n`,
    );
  }
}

function cells(name: string, models: string, u: UsageView): string[] {
  return [
    name,
    models,
    grouped(u.input_tokens),
    grouped(u.cached_input_tokens),
    grouped(u.cache_write_tokens),
    grouped(u.output_tokens),
    grouped(u.reasoning_tokens),
    cost(u),
  ];
}
