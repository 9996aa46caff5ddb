import { Zone } from "../../time/zone.ts";
import { duration } from "../../text/units.ts";
import type { DayReport, ReportTurn } from "../model.ts";
import { OUTCOME_NAME } from "./filters.ts";
import { markup, type Markup } from "./markup.ts";
import { excerpt, shownOutcome, requestText, type ShownOutcome } from "./phrases.ts";
import { timeAxis, type TimeAxis } from "./time-axis.ts";

const ROW = 14;
/** Minimum width of a bar in percent: a shorter one could be neither seen nor clicked. */
const LEAST = 0.7;
/** Maximum number of rows per project: further parallel turns are drawn over one another. */
const MOST_ROWS = 5;
/** Longer spans have no timeline; their days are shown as sums. */
const MOST_DAYS = 8;

interface Bar {
  turn: ReportTurn;
  start: number;
  end: number;
  anchor: string;
}

/**
 * Turns as bars over the busy hours: one lane per project with its name beside it, parallel turns below each other.
 * Positions are percentages, so the drawing fits any width while its text keeps its size.
 */
export function timeline(report: DayReport, anchorOf: (project: number, turn: ReportTurn) => string): Markup | null {
  if (report.days.length > MOST_DAYS) return null;
  const zone = new Zone(report.span.timezone);
  const end = Date.parse(report.span.end);
  const lanes = report.projects
    .map(({ project, turns }, i) => ({ project, bars: turns.map((turn) => barOf(turn, anchorOf(i, turn), end)) }))
    .filter(({ bars }) => bars.length > 0);
  const all = lanes.flatMap(({ bars }) => bars);
  if (all.length === 0) return null;
  const axis = timeAxis(all, zone, report.span.kind === "day");
  const drawn = lanes.map(({ project, bars }) => lane(project, bars, axis));
  const labels = axis.ticks.map(({ at, label }, i) => {
    const anchor = at < 3 ? "start" : at > 96 ? "end" : "middle";
    return markup`<text class="hour${i % 2 === 1 ? " odd" : ""}" x="${percent(at)}" y="12" text-anchor="${anchor}">${label}</text>`;
  });
  const shown = (Object.keys(OUTCOME_NAME) as ShownOutcome[]).filter((one) =>
    all.some(({ turn }) => shownOutcome(turn) === one),
  );
  const legend = shown.map((one) => markup`<span><i class="mark ${one}"></i>${OUTCOME_NAME[one]}</span>`);
  const folded = axis.folds.length > 0 ? markup`<span><i class="fold"></i>time without work is folded</span>` : null;
  return markup`<section class="timeline" aria-label="Timeline">
    ${drawn}<div class="lane"><span></span><svg height="16" aria-hidden="true">${labels}</svg></div>
    <p class="legend">${legend}${folded}</p>
  </section> `;
}

function lane(project: string, bars: readonly Bar[], axis: TimeAxis): Markup {
  const rows = rowsOf(bars, axis);
  const height = rows.length * ROW + 4;
  const lines = [
    ...axis.ticks.map(
      ({ at }) => markup`<line class="tick" x1="${percent(at)}" x2="${percent(at)}" y1="0" y2="${height}"/>`,
    ),
    ...axis.folds.map(
      (at) => markup`<line class="fold" x1="${percent(at)}" x2="${percent(at)}" y1="0" y2="${height}"/>`,
    ),
  ];
  const drawn = rows.flatMap((row, i) => {
    // Turns without success are drawn last, so that no neighbour covers them.
    const inOrder = row.toSorted((a, b) => rank(a) - rank(b));
    return inOrder.map(({ turn, anchor, ...bar }) => {
      const [x, end] = ends(bar, axis);
      const tip = `${turn.local_time.slice(11, 16)} · ${[duration(turn.duration_ms), OUTCOME_NAME[shownOutcome(turn)]].filter(Boolean).join(" · ")}\n${excerpt(turn.result?.text ?? requestText(turn), 1, 90)}`;
      return markup`<a href="#${anchor}"><rect class="${shownOutcome(turn)}" x="${percent(x)}" y="${i * ROW + 2}" width="${percent(end - x)}" height="${ROW - 4}"><title>${tip}</title></rect></a>`;
    });
  });
  return markup`<div class="lane"><span>${excerpt(project, 1, 40)}</span><svg height="${height}" role="img" aria-label="${excerpt(project, 1, 40)}">${lines}${drawn}</svg></div> `;
}

/** A turn that outlasts the span is drawn up to the end of the span. */
function barOf(turn: ReportTurn, anchor: string, last: number): Bar {
  const start = Date.parse(turn.time);
  const ended = turn.ended_at === null ? start : Date.parse(turn.ended_at);
  const end = Math.max(ended, start + (turn.duration_ms ?? 0));
  return { turn, start, end: Math.max(start, Math.min(end, last)), anchor };
}

function ends({ start, end }: Pick<Bar, "start" | "end">, axis: TimeAxis): [number, number] {
  const x = Math.min(axis.at(start), 100 - LEAST);
  return [x, Math.max(axis.at(end), x + LEAST)];
}

function rank({ turn }: Bar): number {
  return shownOutcome(turn) === "completed" ? 0 : 1;
}

/** Each bar goes to the first row where it does not cover another. */
function rowsOf(bars: readonly Bar[], axis: TimeAxis): Bar[][] {
  const rows: { bars: Bar[]; end: number }[] = [];
  for (const bar of bars) {
    const [x, end] = ends(bar, axis);
    const free = rows.find((row) => row.end <= x + 0.01) ?? (rows.length >= MOST_ROWS ? rows.at(-1) : undefined);
    if (free) {
      free.bars.push(bar);
      free.end = Math.max(free.end, end + 0.15);
    } else rows.push({ bars: [bar], end: end + 0.15 });
  }
  return rows.map((row) => row.bars);
}

function percent(value: number): string {
  return `${Math.round(Math.min(100, Math.max(0, value)) * 100) / 100}%`;
}
