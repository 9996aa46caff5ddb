import { auditOf, type AuditReport } from "../views/audit-view.ts";
import type { AnswerContext } from "./answer-context.ts";
import type { Query } from "./questions.ts";

/** Audits every session that is partly within the span, as a whole. */
export async function audit(ctx: AnswerContext, query: Query): Promise<AuditReport> {
  const { queries } = ctx.index;
  const filter = ctx.filter(query);
  const spent = queries.usageOfActiveSessions(filter, { group: "daily", by: "spent" });
  return auditOf(queries.audits(filter), spent, ctx.zone);
}
