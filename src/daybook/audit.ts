import { auditOf, auditReport, type AuditReport } from "../answers/audit-view.ts";
import { inRange } from "../answers/filter.ts";
import type { Asking } from "./asking.ts";
import { LEAN, type Query } from "./questions.ts";

/** Of the sessions of which some part is in the span, whole. */
export async function audit(asking: Asking, query: Query): Promise<AuditReport> {
  const { index } = asking.at;
  if (!index) {
    const { chosen, range } = await asking.select(query, LEAN);
    const alive = chosen.filter((session) => inRange(session, range));
    return auditReport(alive, asking.zone);
  }
  const filter = asking.filter(query);
  const spent = index.queries.usageOfAlive(filter, { group: "daily", by: "spent" });
  return auditOf(index.queries.audits(filter), spent, asking.zone);
}
