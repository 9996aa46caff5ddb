import { DaybookError } from "../errors.ts";
import { resumeOf } from "../reading/resume.ts";
import { agentName, sourceIds, startCommand } from "../reading/source-ids.ts";
import { handoffOf, LEAST_BUDGET, USUAL_BUDGET } from "../report/handoff/fit.ts";
import type { Handoff } from "../report/handoff/model.ts";
import { reportedSession } from "../report/handoff/reported-session.ts";
import { suggestion } from "../text/near.ts";
import { sessionKey } from "../turns/session.ts";
import type { Asking } from "./asking.ts";
import { namedTurn, noSession } from "./find.ts";
import type { HandoffQuery } from "./questions.ts";
import { sessions } from "./sessions.ts";

/** A brief another agent can go on from, up to a turn where the target names one. */
export async function handoff(
  asking: Asking,
  target: string,
  query: HandoffQuery,
  to: ReturnType<typeof checkedAgent>,
): Promise<Handoff> {
  const { budget = USUAL_BUDGET } = query;
  const { wanted, ref: last } = namedTurn(target);
  const [session] = await sessions(asking, { session: wanted });
  if (!session) throw noSession(wanted);
  const found = asking.recordFacts();
  const rows = await asking.rows({ session: sessionKey(session) });
  const hide = asking.hiding(query.redact);
  const reported = reportedSession({
    ...{ session, last, rows, hide, zone: asking.zone, prices: asking.prices },
    facts: (key) => found.of(key, rows),
    agent: agentName(session.source),
    resume: resumeOf(session, asking.at.opened().refs).command,
  });
  const agent = to && { ...to, start: startCommand(to.id, session.cwd) };
  return handoffOf(reported, { to: agent, budget, hide });
}

/** Refuses what no brief can be made for, before anything is read. */
export function checkedAgent({ to, budget = USUAL_BUDGET }: HandoffQuery): { id: string; name: string } | null {
  if (budget < LEAST_BUDGET)
    throw new DaybookError(`a budget of ${budget} tokens holds no session`, {
      ...{ code: "usage", op: "hand over", hint: `give at least ${LEAST_BUDGET}` },
    });
  if (to === undefined) return null;
  const ids = sourceIds();
  if (!ids.includes(to))
    throw new DaybookError(`unknown agent: ${to}`, {
      ...{ code: "usage", op: "hand over", hint: suggestion(to, ids) || `one of ${ids.join(", ")}` },
    });
  return { id: to, name: agentName(to) };
}
