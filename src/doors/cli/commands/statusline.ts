import { readFileSync } from "node:fs";
import { basename } from "node:path";
import type { Command } from "commander";
import type { StatuslineAnswer } from "../../../answers/json.ts";
import { statusOf, type StatusHook } from "../usage/status.ts";
import { DaybookError } from "../../../base/errors.ts";
import { parseJson } from "../../../base/io/json.ts";
import type { Io } from "../io.ts";
import { printJson } from "../json.ts";
import { commonFlags, openDaybook, type CommonFlags } from "../options.ts";
import type { Register } from "../register.ts";
import { span } from "../usage/blocks.ts";
import { oneOf } from "../usage/question.ts";
import { cost, groupDigits, money, oneLine } from "../text.ts";

export interface StatuslineFlags extends CommonFlags {
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
