import type { RateLimits } from "../record/record.ts";
import { iso } from "../base/time/zone.ts";
import type { ContextChange } from "../turns/model.ts";
import type { Session } from "../turns/session.ts";

/** The last known state of one rate limit. */
export interface LimitView {
  source: string;
  limit_id: string;
  plan: string | null;
  recorded_at: string | null;
  session_id: string;
  line: number;
  primary: RateLimits["primary"];
  secondary: RateLimits["secondary"];
  credits: RateLimits["credits"];
}

/** The state of one limit as one session states it. */
export interface StatedLimit {
  time: number;
  view: LimitView;
}

/** The latest statement of each limit in one session. */
export function limitsIn(
  { source, session_id }: Pick<Session, "source" | "session_id">,
  contexts: Iterable<ContextChange>,
): StatedLimit[] {
  const latest = new Map<string, StatedLimit>();
  for (const { body, time, line } of contexts) {
    const limits = body.rate_limits;
    if (!limits) continue;
    const { limit_id, plan = null, primary = null, secondary = null, credits = null } = limits;
    const id = limit_id ?? "default";
    const known = latest.get(id);
    if (known && known.time > (time ?? 0)) continue;
    const place = { recorded_at: iso(time), session_id, line };
    const view = { source, limit_id: id, plan, ...place, primary, secondary, credits };
    latest.set(id, { time: time ?? 0, view });
  }
  return [...latest.values()];
}

/** The newest statement of each limit, the newest first. `stated` must be in the order in which the sessions began. */
export function latestLimits(stated: Iterable<StatedLimit>): LimitView[] {
  const latest = new Map<string, StatedLimit>();
  for (const one of stated) {
    const name = `${one.view.source}/${one.view.limit_id}`;
    const known = latest.get(name);
    if (!known || known.time <= one.time) latest.set(name, one);
  }
  return [...latest.values()].toSorted((a, b) => b.time - a.time).map(({ view }) => view);
}
