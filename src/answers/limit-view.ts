import type { RateLimits } from "../format/record.ts";
import { iso } from "../time/zone.ts";
import type { Session } from "../turns/session.ts";

/** The state of one rate limit when it was last heard of. */
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

export function limitViews(sessions: readonly Session[]): LimitView[] {
  const latest = new Map<string, { time: number; view: LimitView }>();
  for (const session of sessions) {
    for (const part of session.parts) {
      for (const { body, time, line } of part.contexts) {
        const limits = body.rate_limits;
        if (!limits) continue;
        const id = limits.limit_id ?? "default";
        const known = latest.get(`${session.source}/${id}`);
        if (known && known.time > (time ?? 0)) continue;
        const view: LimitView = {
          source: session.source,
          limit_id: id,
          plan: limits.plan ?? null,
          recorded_at: iso(time),
          session_id: session.session_id,
          line,
          primary: limits.primary ?? null,
          secondary: limits.secondary ?? null,
          credits: limits.credits ?? null,
        };
        latest.set(`${session.source}/${id}`, { time: time ?? 0, view });
      }
    }
  }
  return [...latest.values()].toSorted((a, b) => b.time - a.time).map(({ view }) => view);
}
