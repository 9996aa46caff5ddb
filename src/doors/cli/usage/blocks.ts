import type { UsageBlock } from "../../../views/blocks.ts";
import type { Zone } from "../../../base/time/zone.ts";
import type { Paint } from "../paint.ts";
import { table, type Column } from "../table.ts";
import { cost, groupDigits, money, oneLine, shortNumber } from "../text.ts";

export interface BlocksShown {
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
