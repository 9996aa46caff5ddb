import { Option, type Command } from "commander";
import {
  BLOCK_SOURCE,
  isPeriod,
  PLACE_FLAGS,
  REFUSED_FLAGS,
  type CcusageReport,
} from "../../../views/ccusage/agents.ts";
import { withoutCost } from "../../../views/usage-sum.ts";
import { USAGE_GROUPS, type UsageGroup, type UsageReport } from "../../../views/usage-view.ts";
import { blocksFor, ccusageAnswer } from "../usage/ccusage.ts";
import type { BlocksAnswer, RateLimit, RateLimitsAnswer } from "../../../answers/json.ts";
import type { Io } from "../io.ts";
import { printJson } from "../json.ts";
import { openDaybook, type OpenedDaybook } from "../open-daybook.ts";
import { commonFlags, storeFlags } from "../options.ts";
import { fieldOption, type Register, ValuesOption } from "../flags.ts";
import { WEEKDAYS } from "../../../base/time/zone.ts";
import { SUMMED } from "../../../views/query/fields.ts";
import { untilStopped } from "../long-work.ts";
import { oneLine } from "../../../base/text/inert.ts";
import {
  aliasesOf,
  applyConfig,
  blockFlags,
  filtered,
  flagError,
  isDisplay,
  lastPeriods,
  MODES,
  oneOf,
  ownFlags,
  parseUsageWords,
  printSorted,
  rejectUnusedFlags,
  sectionsOf,
  USAGE_WORDS,
  type UsageFlags,
  type UsageRequest,
  weekdayOf,
} from "../usage/question.ts";
import { blocksTable, blockStatus, liveBlocks, printUsage } from "../usage/tables.ts";
import { statusline, statuslineFlags } from "./statusline.ts";

export const usage: Register = (program, io, exit) => {
  const command = statuslineFlags(ccusageFlags(storeFlags(commonFlags(program.command("usage")))))
    .description(
      "tokens and cost per day, week, month, session, turn, model or 5-hour block; accepts the flags of ccusage",
    )
    .argument("[words...]", `[agent] and one of ${USAGE_WORDS.join(" | ")}`)
    .addHelpText(
      "after",
      "\nExamples:\n  daybook usage\n  daybook usage monthly --breakdown\n  daybook usage session --since 7d --json\n  daybook usage blocks --active\n  daybook usage daily --format ccusage",
    )
    .action(async (words: string[], flags: UsageFlags) => {
      applyConfig(command, flags, words);
      const asked = parseUsageWords(words, flags);
      rejectUnusedFlags(asked.report, (name) => command.getOptionValueSource(name) === "cli");
      if (asked.report === "statusline") return exit(await statusline(io, flags, true));
      // Commander sets `color` to true by default because of --no-color: only a --color given by the user forces
      // colour.
      const isColoured = command.getOptionValueSource("color") === "cli" && flags.color === true;
      exit(await answer(isColoured ? { ...io, env: { ...io.env, FORCE_COLOR: "1" } } : io, asked, flags));
    });
};

/** The exit code a shell uses for an interrupted program. */
const STOPPED = 130;

/** Our own flags, and those of `ccusage`. */
function ccusageFlags(command: Command): Command {
  const taking = command
    .addOption(fieldOption("breakdown", SUMMED.breakdown))
    .option("--by-agent", "one line per agent below each row")
    .option("-i, --instances", "one row per project; `session -i ID` shows one session")
    .option("--id <id>", "one session, response by response")
    .option("--compact", "fewer columns")
    .addOption(fieldOption("order", SUMMED.order, "asc"))
    .addOption(fieldOption("by", SUMMED.by, "spent"))
    .option("--last <n>", "the last N days, weeks or months, including the current one")
    .addOption(
      new ValuesOption(
        "-w, --start-of-week <day>",
        "first day of the week, sunday … saturday (default: monday)",
        WEEKDAYS,
      ),
    )
    .option("--sections <reports>", "several reports in one answer, such as daily,session")
    .option("--no-cost", "do not show costs")
    .addOption(
      new ValuesOption("--format <format>", "table, json, or ccusage (JSON with ccusage's field names)", USAGE_FORMATS),
    )
    .option("--jq <filter>", "filter the JSON with the program jq")
    .option("-a, --active", "blocks: only the running one")
    .option("-r, --recent", "blocks: only the last three days")
    .option("-t, --token-limit <tokens>", "blocks: warn at this many tokens, or `max`: the largest block so far")
    .option("-n, --session-length <hours>", "blocks: length in hours (default: 5)")
    .option("--live", "blocks: draw the running block until q is pressed")
    .addOption(
      new ValuesOption(
        "-m, --mode <mode>",
        "auto, calculate: use the built-in prices; display: only costs stated in the files (there are none)",
        MODES,
      ),
    )
    .option("-d, --debug", "list models without a price on stderr")
    .option("--config <file>", "read defaults from this ccusage.json")
    .option("--color", "colour, even if the output is not a terminal")
    .option("-O, --offline", "accepted for compatibility: prices always come from the built-in table")
    .option("--no-offline", "accepted for compatibility")
    .option("--all", "accepted for compatibility: all agents are counted unless one is named")
    .option("--single-thread", "accepted for compatibility")
    .option("--debug-samples <n>", "accepted for compatibility")
    .option("--locale <tag>", "accepted for compatibility: days are written as in ISO 8601")
    .option("--speed <tier>", "accepted for compatibility: auto or standard")
    .option("--project-aliases <names>", "with --instances: names for projects in tables, for example shop-api=Shop,…");
  for (const { flag } of PLACE_FLAGS) taking.option(flag, "like --root, for this agent");
  for (const { flag, why } of REFUSED_FLAGS) taking.addOption(new Option(flag, `refused: ${why}`).hideHelp());
  return taking;
}

const USAGE_FORMATS = ["table", "json", "ccusage"] as const;
type Format = (typeof USAGE_FORMATS)[number];

function formatOf(io: Io, flags: UsageFlags): Format {
  if (flags.format !== undefined) return oneOf("--format", flags.format, USAGE_FORMATS);
  if (flags.json !== true && flags.jq === undefined) return "table";
  return io.isCcusage === true ? "ccusage" : "json";
}

async function answer(io: Io, asked: UsageRequest, given: UsageFlags): Promise<number> {
  const flags = ownFlags(given);
  const aliases = aliasesOf(flags);
  const { agent, report } = asked;
  oneOf("--order", flags.order, ["asc", "desc"] as const);
  oneOf("--by", flags.by, ["spent", "trigger"] as const);
  const format = formatOf(io, flags);
  const source = report === "blocks" ? BLOCK_SOURCE : agent?.source;
  const chosen: UsageFlags = source === undefined ? flags : { ...flags, source: [source] };
  if (report === "blocks" && flags.live === true) return live(io, chosen);
  const opened = openDaybook(io, chosen);
  opened.query.since = lastPeriods(flags, report, opened.daybook.zone, io.now);
  if (format === "ccusage") return printCcusage(io, asked, chosen, opened);
  if (report === "limits") return printLimits(io, opened, format, flags.jq);
  if (report === "blocks") return printBlocks(io, chosen, opened, format);
  if (flags.id !== undefined) opened.query.session = flags.id;
  const sections = isPeriod(report) || report === "session" ? sectionsOf(flags, report) : [report];
  if (format === "json" && sections.length > 1)
    throw flagError("--sections works only with tables or --format ccusage");
  if (format === "json" && flags.cost === false)
    throw flagError("--no-cost works only with tables or --format ccusage");
  const reports: UsageReport[] = [];
  for (const group of sections) reports.push(await nativeReport(opened, group, chosen, asked));
  const code = await opened.done();
  const [only] = reports;
  if (format === "json") print(io, only, flags.jq);
  else
    for (const [i, one] of reports.entries()) {
      if (i > 0) io.out("\n");
      printUsage(io, renamed(one, aliases), opened.paint, {
        compact: flags.compact === true,
        withCost: flags.cost !== false,
      });
    }
  if (flags.debug === true) io.err(`daybook: without a price: ${only?.totals.unpriced_models.join(", ") || "none"}\n`);
  return code;
}

function renamed(report: UsageReport, aliases: ReadonlyMap<string, string>): UsageReport {
  if (aliases.size === 0) return report;
  const rows = report.rows.map((row) =>
    row.project === undefined ? row : { ...row, project: aliases.get(row.project) ?? row.project },
  );
  return { ...report, rows };
}

function print(io: Io, value: unknown, filter: string | undefined): void {
  if (filter === undefined) printJson(io, value);
  else io.out(filtered(io, JSON.stringify(value), filter));
}

async function nativeReport(
  opened: OpenedDaybook,
  report: UsageRequest["report"],
  flags: UsageFlags,
  { agent }: UsageRequest,
): Promise<UsageReport> {
  const group = (USAGE_GROUPS as readonly string[]).includes(report) ? (report as UsageGroup) : "daily";
  const startOfWeek = weekdayOf(flags) ?? (agent?.weeksFromSunday === true ? "sunday" : "monday");
  const found = opened.hide(
    await opened.daybook.usage({
      ...opened.query,
      group,
      startOfWeek,
      by: flags.by === "trigger" ? "trigger" : "spent",
      order: flags.order === "desc" ? "desc" : "asc",
      breakdown: flags.breakdown === true,
      instances: flags.instances === true,
      agents: flags.byAgent === true,
    }),
  );
  return isDisplay(flags) ? withoutCost(found) : found;
}

async function printCcusage(
  io: Io,
  { agent, report }: UsageRequest,
  flags: UsageFlags,
  opened: OpenedDaybook,
): Promise<number> {
  if (report === "turn" || report === "model" || report === "limits")
    throw flagError(`ccusage has no report ${report}`);
  const { since, until, project, label, starred, noted } = opened.query;
  const answer = opened.hide(
    await ccusageAnswer(opened.daybook, {
      since,
      until,
      project,
      label,
      starred,
      noted,
      agent,
      reports: sectionsOf(flags, report satisfies CcusageReport),
      order: flags.order === "desc" ? "desc" : "asc",
      byAgent: flags.byAgent,
      instances: flags.instances,
      startOfWeek: weekdayOf(flags),
      id: flags.id,
      display: isDisplay(flags),
      withCost: flags.cost !== false,
      blocks: blockFlags(flags),
    }),
  );
  const code = await opened.done();
  printSorted(io, answer, flags.jq);
  return code;
}

async function printBlocks(io: Io, flags: UsageFlags, opened: OpenedDaybook, format: Format): Promise<number> {
  const { daybook, query, paint } = opened;
  const { project, session, label, starred, noted, since, until } = query;
  const found = opened.hide(
    await blocksFor(daybook, {
      project,
      session,
      label,
      starred,
      noted,
      since,
      until,
      blocks: blockFlags(flags),
      order: flags.order === "desc" ? "desc" : "asc",
    }),
  );
  const blocks = isDisplay(flags) ? withoutCost(found) : found;
  const code = await opened.done();
  const shown = { zone: daybook.zone, now: io.now, columns: io.columns, paint };
  if (format === "json") print(io, { schema_version: 1, blocks } satisfies BlocksAnswer, flags.jq);
  else if (flags.active === true) io.out(blockStatus(blocks[0], shown));
  else io.out(blocksTable(blocks, shown));
  return code;
}

async function live(io: Io, flags: UsageFlags): Promise<number> {
  const { clock } = io;
  if (!io.screen || !clock || io.inIsTerminal === false)
    throw flagError("--live needs a terminal", "without one, use daybook usage blocks --active");
  const how = blockFlags(flags);
  const { paint } = openDaybook(io, { ...flags, quiet: true });
  const screen = io.screen();
  // A signal ends it cleanly: the terminal is restored.
  return untilStopped(async (stop) => {
    await liveBlocks({
      screen,
      clock,
      paint,
      stop,
      async blocks(now) {
        const { daybook, hide } = openDaybook(io, { ...flags, quiet: true }, { now });
        const blocks = hide(await daybook.blocks({ ...how }));
        daybook.close();
        return { blocks, zone: daybook.zone };
      },
    });
    return stop.aborted ? STOPPED : 0;
  });
}

async function printLimits(io: Io, opened: OpenedDaybook, format: Format, filter: string | undefined): Promise<number> {
  const limits = opened.hide(await opened.daybook.limits());
  const code = await opened.done();
  const { zone } = opened.daybook;
  const clock = (time: string): string => zone.clock(Date.parse(time)).slice(0, 16);
  if (format === "json") print(io, { schema_version: 1, limits } satisfies RateLimitsAnswer, filter);
  else if (limits.length === 0) io.out("No rate limits recorded.\n");
  for (const limit of format === "json" ? [] : limits) {
    const recorded = limit.recorded_at === null ? "at an unknown time" : clock(limit.recorded_at);
    io.out(
      `${opened.paint.bold(oneLine(limit.limit_id, 40))}  ${limit.source}${limit.plan ? `, plan ${oneLine(limit.plan, 20)}` : ""}, recorded ${recorded}\n`,
    );
    for (const [name, window] of [
      ["primary", limit.primary],
      ["secondary", limit.secondary],
    ] as const) {
      if (!window) continue;
      const length = window.window_minutes === null ? "" : ` of ${Math.round(window.window_minutes / 60)} h`;
      io.out(
        `  ${name}${length}: ${window.used_percent}% used${window.resets_at ? `, resets ${clock(window.resets_at)}` : ""}\n`,
      );
    }
    if (limit.credits) io.out(`  credits: ${creditsText(limit.credits)}\n`);
  }
  return code;
}

function creditsText({ has_credits, unlimited, balance }: NonNullable<RateLimit["credits"]>): string {
  if (unlimited) return "unlimited";
  if (!has_credits) return "none";
  return balance === null ? "some, balance not stated" : `${oneLine(balance, 40)} left`;
}
