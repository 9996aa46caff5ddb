import { Zone } from "../../time/zone.ts";
import { duration } from "../../text/units.ts";
import type { DayReport, ReportTurn } from "../model.ts";
import { markup, type Markup } from "./markup.ts";
import { excerpt, shortDay, shownAs, wordsOf } from "./phrases.ts";

const HOUR = 3_600_000;
const LANE = 18;
const LABEL = 20;
const TOP = 26;
const MOST_TICKS = 9;

interface Bar {
  turn: ReportTurn;
  start: number;
  end: number;
  anchor: string;
}

/**
 * Turns as bars over the hours that saw work, one group per project and agent, turns that ran side by side below each
 * other. Places are percentages, so the drawing fits any width while its letters keep their size.
 */
export function timeline(report: DayReport, anchorOf: (project: number, turn: ReportTurn) => string): Markup | null {
  const zone = new Zone(report.span.timezone);
  const groups: { name: string; rows: Bar[][] }[] = [];
  for (const [i, project] of report.projects.entries()) {
    for (const source of new Set(project.turns.map((turn) => turn.source))) {
      const turns = project.turns.filter((turn) => turn.source === source);
      groups.push({
        name: `${project.project} · ${source}`,
        rows: rowsOf(turns.map((turn) => barOf(turn, anchorOf(i, turn)))),
      });
    }
  }
  const bars = groups.flatMap((group) => group.rows.flat());
  if (bars.length === 0) return null;
  const axis = axisOf(bars, zone, report.span.kind === "day");
  const at = (time: number): string => percent(((time - axis.start) / (axis.end - axis.start)) * 100);
  let y = TOP;
  const drawn: Markup[] = [];
  for (const { name, rows } of groups) {
    drawn.push(markup`<text class="lane" x="0" y="${y + 14}">${excerpt(name, 1, 60)}</text>`);
    y += LABEL;
    for (const row of rows) {
      drawn.push(markup`<rect class="track" x="0" y="${y + 2}" width="100%" height="${LANE - 6}" rx="3" />`);
      // What did not go well is drawn last: no neighbour may cover it.
      const inOrder = row.toSorted((a, b) => rank(a) - rank(b));
      for (const { turn, start, end, anchor } of inOrder) {
        const width = percent(((end - start) / (axis.end - axis.start)) * 100);
        const tip = `${turn.local_time.slice(11, 16)} ${duration(turn.duration_ms)} ${shownAs(turn)}: ${excerpt(wordsOf(turn), 2, 160)}`;
        const bar = markup`<rect class="bar ${shownAs(turn)}" x="${at(start)}" y="${y + 2}" width="${width}" height="${LANE - 6}" rx="2"><title>${tip}</title></rect>`;
        drawn.push(markup`<a href="#${anchor}">${bar}</a>
`);
      }
      y += LANE;
    }
    y += 6;
  }
  const ticks = axis.ticks.map(({ time, label }, i) => {
    const anchor = i === 0 && time === axis.start ? "start" : time === axis.end ? "end" : "middle";
    const place = at(time);
    const cls = i % 2 === 0 ? "hour" : "hour odd";
    return markup`<line class="tick" x1="${place}" x2="${place}" y1="18" y2="${y}"/><text class="${cls}" x="${place}" y="12" text-anchor="${anchor}">${label}</text>
`;
  });
  return markup`<svg class="timeline" width="100%" height="${y}" role="img" aria-label="Timeline of the turns">
    ${ticks}${drawn}
  </svg>`;
}

function barOf(turn: ReportTurn, anchor: string): Bar {
  const start = Date.parse(turn.time);
  const ended = turn.ended_at === null ? start : Date.parse(turn.ended_at);
  return { turn, start, end: Math.max(start, ended, start + (turn.duration_ms ?? 0)), anchor };
}

function rank({ turn }: Bar): number {
  return shownAs(turn) === "completed" ? 0 : 1;
}

/** Each bar goes to the first row where it does not cover another. */
function rowsOf(bars: readonly Bar[]): Bar[][] {
  const rows: Bar[][] = [];
  for (const bar of bars) {
    const free = rows.find((row) => (row.at(-1)?.end ?? 0) <= bar.start);
    if (free) free.push(bar);
    else rows.push([bar]);
  }
  return rows;
}

interface Axis {
  start: number;
  end: number;
  ticks: { time: number; label: string }[];
}

function axisOf(bars: readonly Bar[], zone: Zone, oneDay: boolean): Axis {
  const first = bars.reduce((min, bar) => Math.min(min, bar.start), Infinity);
  const last = bars.reduce((max, bar) => Math.max(max, bar.end), -Infinity);
  const start = wholeHour(first, zone, -1);
  const end = Math.max(wholeHour(last, zone, 1), start + HOUR);
  const hours = (end - start) / HOUR;
  const long = !oneDay && hours > 36;
  const steps = long ? [24, 48, 72, 168, 336, 720, 2160, 8760] : [0.25, 0.5, 1, 2, 3, 4, 6, 12];
  const step = steps.find((size) => hours / size <= MOST_TICKS) ?? steps.at(-1) ?? 24;
  const ticks: Axis["ticks"] = [];
  let days = 0;
  // By the quarter hour and by the wall clock: a day may have 23 hours, or move its clock by half of one.
  for (let time = start; time <= end && ticks.length < 400; time += HOUR / 4) {
    const clock = zone.clock(time);
    const minutes = Number(clock.slice(11, 13)) * 60 + Number(clock.slice(14, 16));
    if (long) {
      if (minutes !== 0) continue;
      if (days++ % (step / 24) === 0) ticks.push({ time, label: shortDay(clock.slice(0, 10)) });
    } else if (minutes % (step * 60) === 0) {
      ticks.push({ time, label: minutes === 0 && !oneDay ? shortDay(clock.slice(0, 10)) : clock.slice(11, 16) });
    }
  }
  return { start, end, ticks };
}

function wholeHour(time: number, zone: Zone, direction: -1 | 1): number {
  const wall = time + zone.offset(time);
  const hour = direction === -1 ? Math.floor(wall / HOUR) : Math.ceil(wall / HOUR);
  return hour * HOUR - zone.offset(time);
}

function percent(value: number): string {
  return `${Math.round(Math.min(100, Math.max(0, value)) * 1000) / 1000}%`;
}
