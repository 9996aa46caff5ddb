import { displayWidth, oneLine, pad } from "../base/text/inert.ts";
import type { DayReport } from "../answers/report/model.ts";
import { dayRows, percent, projectShares, rowParts, shareParts, trend } from "./over-days.ts";
import type { TerminalLines } from "./terminal-lines.ts";

/** Eighths of a column, so that small days remain visible beside large ones. */
const EIGHTHS = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
const LONGEST_BAR = 32;
const MOST_PROJECTS = 6;

/**
 * Overview of a span of several days: the comparison with the days before, and bars for days and projects. Nothing for
 * a single day.
 */
export function daysBlock(out: TerminalLines, report: DayReport, isFull: boolean): void {
  const change = trend(report);
  if (change === null || report.totals.turns === 0) return;
  const { dim, blue, cyan } = out.paint;
  out.push(dim(oneLine(`${change.against}:`, out.width)));
  out.flow(change.parts, 2, (line) => line);
  const days = dayRows(report);
  out.head("Days");
  table(
    out,
    days.map((row) => ({ name: row.name, share: row.share, cells: rowParts(row) })),
    blue,
  );
  const { by, rows } = projectShares(report);
  const shown = isFull ? rows : rows.slice(0, MOST_PROJECTS);
  out.head("Projects", `by ${by}`);
  table(
    out,
    shown.map((row) => ({
      name: row.project.project,
      share: row.share,
      cells: [percent(row.share), ...shareParts(row)],
    })),
    cyan,
  );
  if (shown.length < rows.length) out.push(dim(`  and ${rows.length - shown.length} more (--full)`));
}

interface Line {
  name: string;
  share: number;
  cells: string[];
}

/**
 * Names, bars and facts in columns. In a narrow window first the bars get shorter, then the last columns are dropped.
 */
function table(out: TerminalLines, lines: readonly Line[], colour: (text: string) => string): void {
  const most = Math.floor(out.width / 4);
  const name = Math.min(most, Math.max(...lines.map((line) => displayWidth(line.name))));
  const columns = Math.max(0, ...lines.map(({ cells }) => cells.length));
  const widths = Array.from({ length: columns }, (_, i) =>
    Math.max(0, ...lines.map(({ cells }) => displayWidth(cells[i] ?? ""))),
  );
  let used = widths.length;
  const room = (): number => out.width - 2 - name - 2 - widths.slice(0, used).reduce((sum, wide) => sum + wide + 2, 0);
  while (used > 1 && room() < 6) used--;
  const longest = Math.min(LONGEST_BAR, Math.max(1, room()));
  for (const line of lines) {
    const cells = line.cells.slice(0, used).map((cell, i) => `  ${pad(cell, widths[i] ?? 0, "right")}`);
    const drawn = bar(line.share, longest);
    const text = `  ${pad(oneLine(line.name, name), name)}  ${colour(drawn)}${" ".repeat(longest - displayWidth(drawn))}${out.paint.dim(cells.join(""))}`;
    out.push(text.trimEnd());
  }
}

function bar(share: number, longest: number): string {
  const eighths = Math.round(share * longest * 8);
  if (share > 0 && eighths === 0) return EIGHTHS[1] ?? "";
  return "█".repeat(Math.floor(eighths / 8)) + (EIGHTHS[eighths % 8] ?? "");
}
