import type { UsageReport } from "../../../views/usage-view.ts";
import type { UsageView } from "../../../views/usage-sum.ts";
import type { Io } from "../io.ts";
import type { Paint } from "../paint.ts";
import { table, type Column } from "../table.ts";
import { cost, groupDigits, oneLine, shortNumber } from "../text.ts";

export interface TableOptions {
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

export function printUnpriced(io: Io, models: readonly string[], paint: Paint): void {
  if (models.length === 0) return;
  io.out(`\n${paint.yellow(`No price known for: ${models.map((model) => oneLine(model, 60)).join(", ")}`)}\n`);
}
