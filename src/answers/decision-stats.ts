import type { Asked } from "../turns/decisions/model.ts";
import { distillRuns, type DistillRuns } from "../teach/distill/status.ts";
import { questionEvents, type QuestionEvent } from "../teach/events.ts";
import { readLogs } from "../teach/log-lines.ts";
import { Preferences } from "../teach/preferences.ts";
import { profileOf, type Profile } from "../teach/profile.ts";
import { readRegistry } from "../teach/registry.ts";
import { sanitizeSlug } from "../teach/slug.ts";
import type { State } from "../teach/state.ts";
import { statsOf, type DecisionStats } from "../teach/stats.ts";
import { parseRange, within } from "../base/time/range.ts";
import type { Zone } from "../base/time/zone.ts";
import type { Query } from "./questions.ts";

/** Where captured questions, preferences and the registry are kept. */
export interface TeachingPlace {
  /** Null: use sessions only. */
  state: State | null;
  /** The project whose preferences apply. */
  slug: string;
  /** Only these agents. */
  sources?: readonly string[] | undefined;
}

export interface DecisionStatsView extends DecisionStats {
  /**
   * Plans shown and permissions refused are decisions too; permissions leave a trace only when refused. What was decided
   * in prose is recognised, not recorded.
   */
  not_counted: { plans: number; refused_permissions: number; in_prose: number };
  /** Working style as observed in the answers, beside what the person declared. */
  profile: Profile;
  /** Runs that looked for lessons in free-text answers, in all projects. */
  distilled: DistillRuns;
}

export interface StatsFound {
  stats: DecisionStatsView;
  events: QuestionEvent[];
  /** Log lines that could not be parsed. */
  problems: string[];
}

/** Questions from sessions and from the log, merged and counted once. */
export async function decisionStats(
  asked: (query: Query) => Promise<Asked[]>,
  query: Query,
  { state, slug, sources }: TeachingPlace,
  zone: Zone,
  now: number,
): Promise<StatsFound> {
  const { lines, problems } = readLogs(state);
  const isNarrow = [query.project, query.session, query.since, query.until].some((value) => value !== undefined);
  // A log line is matched with all questions: its own may lie outside the requested range.
  const all = await asked(isNarrow && lines.length > 0 ? {} : query);
  const chosen = isNarrow && lines.length > 0 ? await asked(query) : all;
  const ids = new Set(chosen.map(({ decision }) => decision.id));
  const projects = new Set(chosen.map(({ decision }) => decision.project));
  const range = parseRange(query, zone, now);
  const isLogged = (event: QuestionEvent): boolean =>
    within(range, event.time === null ? null : Date.parse(event.time)) &&
    (query.session === undefined || event.session_id?.startsWith(query.session) === true) &&
    (query.project === undefined || projects.has(event.project) || event.project === sanitizeSlug(query.project)) &&
    (sources === undefined || (event.agent !== null && sources.includes(event.agent)));
  const events = questionEvents(all, lines).filter((event) =>
    event.decision_id === null ? isLogged(event) : ids.has(event.decision_id),
  );
  const count = (kind: Asked["kind"]): number => chosen.filter((one) => one.kind === kind).length;
  const registry = readRegistry(state);
  const stats = statsOf(events, registry, new Preferences(state, slug), (time) => zone.day(time));
  const not_counted = { plans: count("plan"), refused_permissions: count("permission"), in_prose: count("prose") };
  const profile = profileOf(events, registry, stats.calibration, state);
  const distilled = state ? distillRuns(state) : { runs: 0, last_run: null, cost_usd: null };
  return { stats: { ...stats, not_counted, profile, distilled }, events, problems };
}
