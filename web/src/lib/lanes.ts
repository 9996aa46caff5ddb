import type { Report } from "../api/client.ts";
import type { TimelineLane, TimelineSpan } from "../components/Timeline.svelte";
import { displayStatusOf, type ReportTurn } from "./day.ts";
import { addDays, clock, duration, money, NOT_PUSHED, shortDay } from "./format.ts";
import { sessionHref } from "./session-href.ts";
import { stretchOf } from "./timeline.ts";
import { turnKey } from "./session-key.ts";

/** More lanes would push the results of the day off the screen. */
const MOST_LANES = 12;

/** Where lanes and their turns lead to (null: nowhere), and what is said of a turn. */
export interface LaneView {
  project: (name: string) => string | null;
  day: (day: string) => string | null;
  turn: (turn: ReportTurn, project: string) => string;
  words: (turn: ReportTurn) => string;
}

/** On the page: to its lists, days and sessions. */
const PAGE: LaneView = {
  project: (name) => `/sessions?project=${encodeURIComponent(name)}`,
  day: (day) => `/day/${day}`,
  turn: ({ source, session_id, turn_ref }) => sessionHref(source, session_id, turn_ref),
  words: ({ trigger }) => (trigger.text ?? NOT_PUSHED).replaceAll(/\s+/g, " ").trim().slice(0, 200),
};

/** One lane per project, in the order of the report. */
export function dayLanes(report: Report, running: ReadonlySet<string>, view: LaneView = PAGE): TimelineLane[] {
  const lanes = report.projects
    .filter(({ turns }) => turns.length > 0)
    .map(({ project, turns }) => ({
      name: project,
      href: view.project(project),
      isNow: true,
      spans: turns.map((turn) => spanOf(turn, project, running, view)),
    }));
  if (lanes.length <= MOST_LANES) return lanes;
  const rest = lanes.slice(MOST_LANES - 1);
  const spans = rest.flatMap((lane) => lane.spans);
  return [...lanes.slice(0, MOST_LANES - 1), { name: `${rest.length} more`, href: null, isNow: true, spans }];
}

/** One lane per day of the week, up to today. */
export function weekLanes(
  report: Report,
  running: ReadonlySet<string>,
  today: string,
  view: LaneView = PAGE,
): TimelineLane[] {
  const byDay = new Map<string, TimelineSpan[]>();
  for (let day = report.span.since; day <= report.span.until && day <= today; day = addDays(day, 1)) byDay.set(day, []);
  for (const { project, turns } of report.projects)
    for (const turn of turns) byDay.get(turn.local_time.slice(0, 10))?.push(spanOf(turn, project, running, view));
  return [...byDay].map(([day, spans]) => ({
    name: shortDay(day),
    href: view.day(day),
    isNow: day === today,
    spans: spans.toSorted((a, b) => a.start - b.start),
  }));
}

function spanOf(turn: ReportTurn, project: string, running: ReadonlySet<string>, view: LaneView): TimelineSpan {
  const { source, session_id, turn_ref, time, ended_at, duration_ms, usage_with_children } = turn;
  const end = ended_at === null || clock(ended_at) === clock(time) ? "" : `–${clock(ended_at)}`;
  const about = [project, duration(duration_ms), money(usage_with_children)].filter((one) => one !== "");
  return {
    ...stretchOf(turn.local_time, duration_ms),
    key: turnKey({ source, session_id, turn_ref }),
    status: displayStatusOf(turn, running),
    href: view.turn(turn, project),
    times: `${clock(time)}${end}`,
    asked: view.words(turn),
    about: about.join(" · "),
    length: duration(duration_ms),
  };
}
