import { oneLine } from "../../../base/text/inert.ts";
import { cost, groupDigits, money, shortNumber } from "../../../base/text/units.ts";
import type { Zone } from "../../../base/time/zone.ts";
import type { UsageBlock } from "../../../views/blocks.ts";
import type { UsageView } from "../../../views/usage-sum.ts";
import type { UsageReport } from "../../../views/usage-view.ts";
import type { Io } from "../io.ts";
import type { Paint } from "../output.ts";
import type { Screen } from "../screen.ts";
import { type Column, table } from "../table.ts";

interface TableOptions {
  compact: boolean;
  withCost: boolean;
}

/** Prints the rows with their breakdowns below them, and the total. */
export function printUsage(io: Io, report: UsageReport, paint: Paint, { compact, withCost }: TableOptions): void {
  if (report.rows.length === 0) {
    io.out("No usage found. `daybook doctor` shows where Daybook looked.\n");
    return;
  }
  const lines: { name: string; models: string; usage: UsageView }[] = [];
  for (const row of report.rows) {
    const name = row.project === undefined ? row.period : `${row.period}  ${row.project}`;
    const models = report.group === "model" ? "" : row.models.join(", ");
    lines.push({ name: oneLine(name, 60), models: oneLine(models, 200), usage: row });
    if (row.agents) {
      for (const agent of row.agents) {
        lines.push({ name: `  ${agent.source}`, models: oneLine(agent.models.join(", "), 200), usage: agent });
        for (const part of agent.breakdown ?? []) lines.push({ ...modelLine(part.model, "    "), usage: part });
      }
    } else for (const part of row.breakdown ?? []) lines.push({ ...modelLine(part.model, "  "), usage: part });
  }
  lines.push({ name: "total", models: "", usage: report.totals });
  const last = lines.length - 1;
  const bold = (cell: string, row: number): string => (row === last ? paint.bold(cell) : cell);
  const count = (head: string, dropOrder: number | undefined, of: (usage: UsageView) => number): UsageColumn => ({
    column: {
      head,
      align: "right",
      paint: bold,
      ...(dropOrder === undefined ? {} : { dropOrder }),
      brief: lines.map(({ usage }) => shortNumber(of(usage))),
    },
    cells: lines.map(({ usage }) => groupDigits(of(usage))),
    isCompact: dropOrder === undefined,
  });
  const shown: UsageColumn[] = [
    {
      column: { head: report.group === "daily" ? "day" : report.group, ...nameWidth(report), paint: bold },
      cells: lines.map(({ name }) => name),
      isCompact: true,
    },
    {
      column: { head: "models", grow: true, minWidth: 12, dropOrder: 4, paint: (cell) => paint.dim(cell) },
      cells: lines.map(({ models }) => models),
      isCompact: false,
    },
    count("input", undefined, (usage) => usage.input_tokens),
    count("cache read", 3, (usage) => usage.cached_input_tokens),
    count("cache write", 2, (usage) => usage.cache_write_tokens),
    count("output", undefined, (usage) => usage.output_tokens),
    count("reasoning", 1, (usage) => usage.reasoning_tokens),
  ];
  if (withCost) {
    const cells = lines.map(({ usage }) => cost(usage));
    shown.push({ column: { head: "cost", align: "right", paint: bold }, cells, isCompact: true });
  }
  const chosen = shown.filter(({ isCompact }) => isCompact || !compact);
  const rows = lines.map((_, i) => chosen.map(({ cells }) => cells[i] ?? ""));
  io.out(
    `${table(
      chosen.map(({ column }) => column),
      rows,
      io.columns,
      paint.bold,
    )}\n`,
  );
  if (withCost) printUnpriced(io, report.totals.unpriced_models, paint);
}

/** Ids may be cut, days and models may not. */
function nameWidth({ group }: UsageReport): { minWidth?: number } {
  return group === "session" || group === "turn" ? { minWidth: 24 } : {};
}

interface UsageColumn {
  column: Column;
  cells: string[];
  isCompact: boolean;
}

function modelLine(model: string, indent: string): { name: string; models: string } {
  return { name: `${indent}└ ${oneLine(model, 40)}`, models: "" };
}

function printUnpriced(io: Io, models: readonly string[], paint: Paint): void {
  if (models.length === 0) return;
  io.out(`\n${paint.yellow(`No price known for: ${models.map((model) => oneLine(model, 60)).join(", ")}`)}\n`);
}

interface BlocksShown {
  zone: Zone;
  now: number;
  columns: number;
  paint: Paint;
}

/** One line for each block and each gap between them. */
export function blocksTable(blocks: readonly UsageBlock[], { zone, now, columns, paint }: BlocksShown): string {
  if (blocks.length === 0) return "No blocks found.\n";
  const bold = (cell: string, row: number): string => (blocks[row]?.is_active === true ? paint.bold(cell) : cell);
  const dim = (cell: string): string => paint.dim(cell);
  const shown: Column[] = [
    { head: "block", paint: bold },
    { head: "", paint: dim, minWidth: 6 },
    { head: "models", grow: true, minWidth: 12, dropOrder: 2, paint: dim },
    { head: "responses", align: "right", dropOrder: 1, paint: bold },
    {
      head: "tokens",
      align: "right",
      brief: blocks.map((block) => dash(block, shortNumber(block.total_tokens))),
      paint: bold,
    },
    { head: "cost", align: "right", paint: bold },
  ];
  const rows = blocks.map((block) => [
    zone.clock(Date.parse(block.start)).slice(0, 16),
    stateOf(block, now),
    oneLine(block.models.join(", "), 200),
    dash(block, groupDigits(block.responses)),
    dash(block, groupDigits(block.total_tokens)),
    dash(block, cost(block)),
  ]);
  return `${table(shown, rows, columns, paint.bold)}\n`;
}

function dash(block: UsageBlock, text: string): string {
  return block.is_gap ? "–" : text;
}

function stateOf(block: UsageBlock, now: number): string {
  const [start, end] = [Date.parse(block.start), Date.parse(block.end)];
  if (block.is_gap) return `nothing for ${span(end - start)}`;
  if (block.is_active) return `running, ${span(end - now)} left`;
  return span(Date.parse(block.last_response ?? block.start) - start);
}

/** `3h 12m`, in whole minutes. */
export function span(ms: number): string {
  const minutes = Math.max(0, Math.floor(ms / 60_000));
  return minutes < 60 ? `${minutes}m` : `${Math.floor(minutes / 60)}h ${minutes % 60}m`;
}

const BAR = 30;

/** The running block: elapsed time, what was spent, at which rate, and the projected total. */
export function blockStatus(block: UsageBlock | undefined, { zone, now, columns, paint }: BlocksShown): string {
  if (!block) return "No block is running.\n";
  const [start, end] = [Date.parse(block.start), Date.parse(block.end)];
  const { burn_rate: rate, projection, limit } = block;
  const total = block.total_tokens;
  const lines: [string, string][] = [
    ["time", `${bar((now - start) / (end - start), columns)} ${span(now - start)} gone, ${span(end - now)} left`],
    ["spent", `${cost(block)} · ${groupDigits(total)} tokens, ${groupDigits(block.output_tokens)} of them output`],
  ];
  if (rate) {
    const price = rate.cost_usd_per_hour === null ? "" : `${money(rate.cost_usd_per_hour)} an hour · `;
    lines.push(["pace", `${price}${groupDigits(Math.round(rate.tokens_per_minute))} tokens a minute`]);
  }
  if (projection) {
    const price = projection.cost_usd === null ? "" : `${money(projection.cost_usd)} · `;
    lines.push(["at this pace", `${price}${groupDigits(projection.total_tokens)} tokens at the end of the block`]);
  }
  if (limit) {
    const used = total / limit.tokens;
    const colour = limit.status === "exceeds" ? paint.red : limit.status === "warning" ? paint.yellow : paint.green;
    const verdict = limit.status === "exceeds" ? ", over the limit" : "";
    lines.push(["limit", `${bar(used, columns)} ${percent(used)} of ${groupDigits(limit.tokens)} tokens`]);
    lines.push(["", colour(`${percent(limit.projected_percent / 100)} at the end of the block${verdict}`)]);
  }
  lines.push(["models", oneLine(block.models.join(", "), Math.max(10, columns - 16))]);
  const head = paint.bold(`Block of ${zone.clock(start).slice(0, 16)}`);
  return `${[head, ...lines.map(([name, text]) => `  ${paint.dim(name.padEnd(13))} ${text}`)].join("\n")}\n`;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

function bar(share: number, columns: number): string {
  const width = Math.min(BAR, Math.max(8, columns - 50));
  const full = Math.round(Math.min(1, Math.max(0, share)) * width);
  return "█".repeat(full) + "░".repeat(width - full);
}

/** How often the files are checked, in ms. */
const REDRAW_MS = 2000;

interface LiveBlocks {
  screen: Screen;
  clock: () => number;
  /** The blocks at that time. */
  blocks: (now: number) => Promise<{ blocks: readonly UsageBlock[]; zone: Zone }>;
  paint: Paint;
  /** Aborted by a signal or when the terminal closes. */
  stop: AbortSignal;
}

/** Redraws the running block until `q`, Escape, Ctrl-C or a signal; the screen is always restored. */
export async function liveBlocks({ screen, clock, blocks, paint, stop }: LiveBlocks): Promise<void> {
  screen.open();
  try {
    for (let key: string | null = null; !isEnd(key) && !stop.aborted; key = await screen.key(REDRAW_MS, stop)) {
      const now = clock();
      const { blocks: list, zone } = await blocks(now);
      const shown = { zone, now, columns: screen.columns(), paint };
      const running = list.find((block) => block.is_active);
      screen.draw(`${blockStatus(running, shown)}\n${paint.dim(`${zone.clock(now)} · q quits`)}\n`);
    }
  } finally {
    screen.close();
  }
}

/** A single Escape; in raw mode Ctrl-C and Ctrl-D arrive as characters. */
function isEnd(key: string | null): boolean {
  return key === "q" || key === "Q" || key === "\u001b" || key === "\u0003" || key === "\u0004";
}
