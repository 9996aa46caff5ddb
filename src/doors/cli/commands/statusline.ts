import { readFileSync } from "node:fs";
import { basename } from "node:path";
import type { Command } from "commander";
import { Daybook, inside } from "../../../answers/daybook.ts";
import type { StatuslineAnswer } from "../../../answers/json.ts";
import { DaybookError } from "../../../base/errors.ts";
import { parseJson } from "../../../base/io/json.ts";
import { oneLine } from "../../../base/text/inert.ts";
import { cost, groupDigits, money } from "../../../base/text/units.ts";
import { BLOCK_HOURS, type UsageBlock } from "../../../views/blocks.ts";
import { BLOCK_SOURCE } from "../../../views/ccusage/agents.ts";
import type { UsageView } from "../../../views/usage-sum.ts";
import type { Io } from "../io.ts";
import { printJson } from "../json.ts";
import { openDaybook } from "../open-daybook.ts";
import { commonFlags, type CommonFlags } from "../options.ts";
import type { Register } from "../flags.ts";
import { span } from "../usage/tables.ts";
import { oneOf } from "../usage/question.ts";

interface StatuslineFlags extends CommonFlags {
  visualBurnRate?: string;
  costSource?: string;
  contextLowThreshold?: string;
  contextMediumThreshold?: string;
}

export const statuslineCommand: Register = (program, io, exit) => {
  statuslineFlags(commonFlags(program.command("statusline"), ["marks"]))
    .description("one line for a shell prompt or Claude Code's status line: context, session, today, block, pace")
    .addHelpText(
      "after",
      '\nExamples:\n  daybook statusline\n\nIn Claude Code\'s settings.json:\n  "statusLine": { "type": "command", "command": "daybook statusline" }',
    )
    .action(async (flags: StatuslineFlags) => exit(await statusline(io, flags, false)));
};

/** Status line flags that `ccusage` has too. */
export function statuslineFlags(command: Command): Command {
  return command
    .option("-B, --visual-burn-rate <form>", "status line: off, emoji, text or emoji-text beside the pace")
    .option("--cost-source <source>", "status line: auto, ccusage (counted here), cc (stated by the agent) or both")
    .option("--context-low-threshold <percent>", "status line: below it the context is green (default: 50)")
    .option("--context-medium-threshold <percent>", "status line: below it the context is yellow (default: 80)")
    .option("--cache", "accepted for compatibility: the book is the cache")
    .option("--no-cache", "accepted for compatibility")
    .option("--refresh-interval <seconds>", "accepted for compatibility");
}

const SOURCES = ["auto", "ccusage", "cc", "both"] as const;

/** `asCcusage`: print the line in ccusage's form, for people who come from there. */
export async function statusline(io: Io, flags: StatuslineFlags, asCcusage: boolean): Promise<number> {
  const source = oneOf("--cost-source", flags.costSource ?? "auto", SOURCES);
  const hook = readHook(io);
  if (hook === null && io.isCcusage === true)
    throw new DaybookError("no status on stdin", { code: "unreadable", op: "read the status" });
  const opened = openDaybook(io, { ...flags, quiet: true });
  const wanted = { counted: source === "ccusage" || source === "both", oneSource: asCcusage };
  const status = opened.hide(await statusOf(opened.daybook, hook ?? {}, wanted));
  if (opened.json) printJson(io, status);
  else io.out(`${asCcusage ? emojiLine(status, flags, source, io.now) : plainLine(status, io.now)}\n`);
  return 0;
}

function readHook(io: Io): StatusHook | null {
  if (io.inIsTerminal !== false) return null;
  try {
    const value: unknown = parseJson(io.stdin ? io.stdin() : readFileSync(0, "utf8"));
    return typeof value === "object" && value !== null ? value : null;
  } catch {
    return null;
  }
}

/** Leaves out whatever is unknown: a prompt has to be short. */
function plainLine({ model, cwd, context, session, today, block }: StatuslineAnswer, now: number): string {
  const parts: string[] = [];
  if (model !== null) parts.push(model);
  if (cwd !== null) parts.push(basename(cwd));
  if (context)
    parts.push(
      context.percent === null ? `${groupDigits(context.tokens)} in context` : `context ${percent(context.percent)}`,
    );
  if (session) parts.push(`session ${session.stated_usd === null ? costOf(session) : money(session.stated_usd)}`);
  parts.push(today ? `today ${cost(today)}` : "today unknown before the first daybook sync");
  if (block) parts.push(`block ${cost(block)}, ${span(Date.parse(block.end) - now)} left`);
  const rate = block?.burn_rate?.cost_usd_per_hour ?? null;
  if (rate !== null) parts.push(`${money(rate)}/h`);
  return parts.map((part) => oneLine(part, 60)).join(" · ");
}

function costOf(session: NonNullable<StatuslineAnswer["session"]>): string {
  return session.counted ? cost(session.counted) : "–";
}

function percent(share: number): string {
  return `${Math.round(share)}%`;
}

/** `🤖 Sonnet 4.5 | 💰 $0.50 session / $0.09 today / $0.09 block (4h 9m left) | 🔥 $0.18/hr | 🧠 8,000 (4%)` */
function emojiLine(
  { model, context, session, today, block }: StatuslineAnswer,
  flags: StatuslineFlags,
  source: (typeof SOURCES)[number],
  now: number,
): string {
  const stated = session?.stated_usd ?? null;
  const counted = session ? costOf(session) : "N/A";
  const spent =
    source === "both"
      ? `(${stated === null ? "N/A" : money(stated)} cc / ${counted} ccusage)`
      : source === "ccusage" || stated === null
        ? counted
        : money(stated);
  const left = block ? `${cost(block)} block (${span(Date.parse(block.end) - now)} left)` : "No active block";
  const parts = [
    `🤖 ${oneLine(model ?? "unknown", 40)}`,
    `💰 ${spent} session / ${today ? cost(today) : "N/A"} today / ${left}`,
  ];
  if (block?.burn_rate)
    parts.push(
      `🔥 ${money(block.burn_rate.cost_usd_per_hour)}/hr${pace(block.burn_rate.fresh_tokens_per_minute, flags)}`,
    );
  parts.push(
    context
      ? `🧠 ${groupDigits(context.tokens)}${context.percent === null ? "" : ` (${percent(context.percent)})`}`
      : "🧠 N/A",
  );
  return parts.join(" | ");
}

/** Tokens per minute up to which the pace counts as normal, moderate or high. */
const PACES = [
  { below: 2000, emoji: "🟢", text: "Normal" },
  { below: 5000, emoji: "⚠️", text: "Moderate" },
  { below: Infinity, emoji: "🚨", text: "High" },
] as const;

function pace(tokens: number, flags: StatuslineFlags): string {
  const form = oneOf("--visual-burn-rate", flags.visualBurnRate ?? "off", [
    "off",
    "emoji",
    "text",
    "emoji-text",
  ] as const);
  const { emoji, text } = PACES.find(({ below }) => tokens < below) ?? PACES[2];
  if (form === "off") return "";
  if (form === "emoji") return ` ${emoji}`;
  return form === "text" ? ` (${text})` : ` ${emoji} (${text})`;
}

/** What the agent passes to its status line; every field may be missing. */
interface StatusHook {
  model?: { display_name?: string };
  cwd?: string;
  transcript_path?: string;
  cost?: { total_cost_usd?: number };
  context_window?: {
    total_input_tokens?: number;
    context_window_size?: number;
    used_percentage?: number | null;
  };
}

interface StatusWanted {
  /** Count the cost of the session even if the agent states it. */
  counted: boolean;
  /** For today, only what this agent spent. */
  oneSource: boolean;
}

/** A prompt must not wait: before the first sync only what the agent states is shown. */
async function statusOf(daybook: Daybook, hook: StatusHook, wanted: StatusWanted): Promise<StatuslineAnswer> {
  const stated = numberIn(hook.cost?.total_cost_usd);
  const path = textIn(hook.transcript_path);
  const isCounted = path !== null && (wanted.counted || stated === null);
  const counted = isCounted ? await usageOfFile(path) : null;
  const isReady = !inside(daybook).isBookIncomplete;
  return {
    schema_version: 1,
    model: textIn(hook.model?.display_name),
    cwd: textIn(hook.cwd),
    context: contextOf(hook),
    session: stated === null && counted === null ? null : { stated_usd: stated, counted },
    today: isReady ? await today(daybook, wanted.oneSource) : null,
    block: isReady ? await running(daybook) : null,
  };
}

async function today(daybook: Daybook, oneSource: boolean): Promise<UsageView> {
  const how = { group: "daily", by: "spent", breakdown: false, order: "asc", agents: true } as const;
  const { rows, totals } = await daybook.usage({ since: "today", until: "today", ...how });
  if (!oneSource) return totals;
  const own = rows[0]?.agents?.find(({ source }) => source === BLOCK_SOURCE);
  return own ?? NOTHING;
}

const NOTHING: UsageView = {
  input_tokens: 0,
  cached_input_tokens: 0,
  cache_write_tokens: 0,
  output_tokens: 0,
  reasoning_tokens: 0,
  cost_usd: 0,
  unpriced_models: [],
  models: [],
};

async function running(daybook: Daybook): Promise<UsageBlock | null> {
  return (await inside(daybook).runningBlock(BLOCK_SOURCE, BLOCK_HOURS)) ?? null;
}

function contextOf({ context_window: window }: StatusHook): StatuslineAnswer["context"] {
  const tokens = numberIn(window?.total_input_tokens);
  const size = numberIn(window?.context_window_size);
  if (tokens === null) return null;
  const share = numberIn(window?.used_percentage) ?? (size === null || size <= 0 ? null : (tokens / size) * 100);
  return { tokens, size, percent: share };
}

async function usageOfFile(path: string): Promise<UsageView | null> {
  try {
    const daybook = new Daybook({ roots: { [BLOCK_SOURCE]: [path] } });
    return (await daybook.usage({ group: "daily", by: "spent", breakdown: false, order: "asc" })).totals;
  } catch {
    return null;
  }
}

function numberIn(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

function textIn(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}
