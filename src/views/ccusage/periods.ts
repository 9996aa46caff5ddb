import type { UsageReport, UsageRow } from "../usage-view.ts";
import { agentOf, type CcusageAgent, type Period } from "./agents.ts";
import { namedRowOf, namedTotalsOf, rowOf, totalsOf } from "./rows.ts";

/** Options for days, weeks or months as `ccusage` prints them; the report must include models and agents. */
export interface PeriodOptions {
  withCost: boolean;
  /** Adds the usage by agent to every row. */
  byAgent: boolean;
}

/** Rows of all agents together. */
export function unifiedRows({ rows }: UsageReport, { withCost, byAgent }: PeriodOptions): object[] {
  return rows.map((row) => ({
    agent: "all",
    ...(byAgent
      ? {
          agents: agentsIn(row).map((one) => ({
            agent: agentOf(one.source).name,
            ...rowOf(one, one.breakdown ?? [], withCost),
          })),
        }
      : {}),
    ...rowOf(row, row.breakdown ?? [], withCost),
    metadata: { agents: agentsIn(row).map(({ source }) => agentOf(source).name) },
    period: row.period,
  }));
}

/** The agents of a row, sorted by their `ccusage` names. */
function agentsIn(row: UsageRow): NonNullable<UsageRow["agents"]> {
  return (row.agents ?? []).toSorted((a, b) => (agentOf(a.source).name < agentOf(b.source).name ? -1 : 1));
}

const KEY: Record<Period, string> = { daily: "date", weekly: "week", monthly: "month" };

/** The report of one agent. */
export function agentReport(agent: CcusageAgent, period: Period, report: UsageReport, options: PeriodOptions): object {
  return {
    [period]: report.rows.map((row) => ({ [KEY[period]]: row.period, ...agentRow(agent, row, options.withCost) })),
    totals: agent.byModelName
      ? namedTotalsOf(report.totals, options.withCost)
      : totalsOf(report.totals, options.withCost),
  };
}

function agentRow(agent: CcusageAgent, row: UsageRow, withCost: boolean): object {
  return agent.byModelName ? namedRowOf(row, row.breakdown ?? [], withCost) : rowOf(row, row.breakdown ?? [], withCost);
}
