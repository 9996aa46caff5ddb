import { DaybookError } from "../base/errors.ts";
import { resumeOf } from "../book/reading/resume.ts";
import { agentName, sourceIds, startCommand } from "../book/reading/source-ids.ts";
import { handoffOf, LEAST_BUDGET, USUAL_BUDGET } from "./report/handoff/fit.ts";
import type { Handoff } from "./report/handoff/model.ts";
import { reportedSession } from "./report/handoff/reported-session.ts";
import { suggestion } from "../base/text/near.ts";
import type { AnswerContext } from "./answer-context.ts";
import { parseTarget, noSessionError } from "./find.ts";
import type { HandoffQuery } from "./questions.ts";
import { sessions } from "./lists.ts";
import { sessionKey } from "../record/session-key.ts";

/** A brief from which another agent can continue; up to a turn if the target names one. */
export async function handoff(
  ctx: AnswerContext,
  target: string,
  query: HandoffQuery,
  to: ReturnType<typeof checkedAgent>,
): Promise<Handoff> {
  const { budget = USUAL_BUDGET } = query;
  const { wanted, ref: last } = parseTarget(target);
  const [session] = await sessions(ctx, { session: wanted });
  if (!session) throw noSessionError(wanted);
  const found = ctx.recordFacts();
  const rows = ctx.rows({ session: sessionKey(session) });
  const hide = ctx.hiderFor(query.redact);
  const reported = reportedSession({
    session,
    last,
    rows,
    hide,
    zone: ctx.zone,
    prices: ctx.prices,
    facts: (key) => found.of(key, rows),
    agent: agentName(session.source),
    resume: resumeOf(session, ctx.snapshot.opened().refs).command,
  });
  const agent = to && { ...to, start: startCommand(to.id, session.cwd) };
  const brief = handoffOf(reported, { to: agent, budget, hide });
  // Also what is not quoted, such as the directory in a command.
  return query.redact === false ? brief : ctx.redactor.all(brief);
}

/** Rejects an unknown agent or too small a budget before anything is read. */
export function checkedAgent({ to, budget = USUAL_BUDGET }: HandoffQuery): { id: string; name: string } | null {
  if (budget < LEAST_BUDGET)
    throw new DaybookError(`a budget of ${budget} tokens is too small for a session`, {
      code: "usage",
      op: "hand over",
      hint: `give at least ${LEAST_BUDGET}`,
    });
  if (to === undefined) return null;
  const ids = sourceIds();
  if (!ids.includes(to))
    throw new DaybookError(`unknown agent: ${to}`, {
      code: "usage",
      op: "hand over",
      hint: suggestion(to, ids) || `one of ${ids.join(", ")}`,
    });
  return { id: to, name: agentName(to) };
}
