import { auditOf, auditReport, type AuditReport } from "../answers/audit-view.ts";
import { inRange } from "../answers/filter.ts";
import type { AnswerContext } from "./answer-context.ts";
import { LEAN, type Query } from "./questions.ts";

/** Audits every session that is partly within the span, as a whole. */
export async function audit(ctx: AnswerContext, query: Query): Promise<AuditReport> {
  const { index } = ctx.snapshot;
  if (!index) {
    const { chosen, range } = await ctx.select(query, LEAN);
    const alive = chosen.filter((session) => inRange(session, range));
    return auditReport(alive, ctx.zone);
  }
  const filter = ctx.filter(query);
  const spent = index.queries.usageOfActiveSessions(filter, { group: "daily", by: "spent" });
  return auditOf(index.queries.audits(filter), spent, ctx.zone);
}
