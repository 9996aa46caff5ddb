import type { UsageReport, UsageRow } from "../usage-view.ts";
import { agentOf, type Agent, type Period } from "./agents.ts";
import { namedRowOf, namedTotalsOf } from "./by-model-name.ts";
import { rowOf, totalsOf } from "./tokens.ts";

/** Days, weeks or months as `ccusage` prints them; `report` was asked with models and agents. */
export interface PeriodOptions {
  withCost: boolean;
  /** Rows say it once more for each agent. */
  byAgent: boolean;
}

/** Of all agents together. */
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

/** By the name it has there. */
function agentsIn(row: UsageRow): NonNullable<UsageRow["agents"]> {
  return (row.agents ?? []).toSorted((a, b) => (agentOf(a.source).name < agentOf(b.source).name ? -1 : 1));
}

const KEY: Record<Period, string> = { daily: "date", weekly: "week", monthly: "month" };

/** Of one agent. */
export function agentReport(agent: Agent, period: Period, report: UsageReport, options: PeriodOptions): object {
  return {
    [period]: report.rows.map((row) => ({ [KEY[period]]: row.period, ...agentRow(agent, row, options.withCost) })),
    totals: agent.byModelName
      ? namedTotalsOf(report.totals, options.withCost)
      : totalsOf(report.totals, options.withCost),
  };
}

function agentRow(agent: Agent, row: UsageRow, withCost: boolean): object {
  return agent.byModelName ? namedRowOf(row, row.breakdown ?? [], withCost) : rowOf(row, row.breakdown ?? [], withCost);
}
