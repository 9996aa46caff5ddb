import { DaybookError } from "../../../base/errors.ts";
import type { BlockQuery, UsageBlock } from "../../../views/blocks.ts";
import {
  BLOCK_SOURCE,
  isPeriod,
  type CcusageAgent,
  type Period,
  type CcusageReport,
} from "../../../views/ccusage/agents.ts";
import { blockOf } from "../../../views/ccusage/blocks.ts";
import { agentReport, unifiedRows } from "../../../views/ccusage/periods.ts";
import {
  agentSessions,
  sessionResponses,
  projectDays,
  unifiedSessions,
  type CcusageInput,
} from "../../../views/ccusage/sessions.ts";
import { totalsOf } from "../../../views/ccusage/rows.ts";
import { PriceTable } from "../../../views/pricing/price-table.ts";
import { withoutCost } from "../../../views/usage-sum.ts";
import type { UsageReport } from "../../../views/usage-view.ts";
import type { Weekday } from "../../../base/time/zone.ts";
import { type Daybook, inside } from "../../../answers/daybook.ts";
import type { Query } from "../../../answers/questions.ts";
import { sessionKey, keyOfSession } from "../../../record/session-key.ts";

export interface CcusageQuery extends Query {
  /** Null: all agents together. */
  agent: CcusageAgent | null;
  /** Several reports are combined in one answer. */
  reports: readonly CcusageReport[];
  order: "asc" | "desc";
  byAgent?: boolean | undefined;
  /** Days split by project. */
  instances?: boolean | undefined;
  startOfWeek?: Weekday | undefined;
  /** One session, response by response. */
  id?: string | undefined;
  /** Only costs stated in the files, of which there are none. */
  display?: boolean | undefined;
  withCost: boolean;
  blocks?: (Omit<BlockQuery, "now"> & { active?: boolean | undefined; recent?: boolean | undefined }) | undefined;
}

/** The answer `ccusage` would give, with its field names. Null where ccusage prints `null`. */
export async function ccusageAnswer(daybook: Daybook, query: CcusageQuery): Promise<object | null> {
  const { agent, reports, withCost } = query;
  const [report, ...more] = reports;
  if (report === undefined) throw wrong("no report is named");
  if (report === "blocks") return { blocks: (await blocksFor(daybook, query)).map(blockOf) };
  if (query.id !== undefined) return sessionResponses(query.id, await sessionsInput(daybook, query));
  if (agent === null) {
    const sections: [string, object[]][] = [];
    for (const one of [report, ...more]) sections.push([one, await unified(daybook, one, query)]);
    const { totals } = await periods(daybook, "daily", query);
    return { ...Object.fromEntries(sections), totals: totalsOf(totals, withCost) };
  }
  if (!isPeriod(report)) return agentSessions(agent, await sessionsInput(daybook, query));
  if (query.instances === true)
    return projectDays(await sessionsInput(daybook, query), (time) => daybook.zone.day(time), query.order);
  return agentReport(agent, report, await periods(daybook, report, query), { withCost, byAgent: false });
}

async function unified(daybook: Daybook, report: CcusageReport, query: CcusageQuery): Promise<object[]> {
  if (!isPeriod(report)) return unifiedSessions(await sessionsInput(daybook, query));
  const { withCost, byAgent = false } = query;
  return unifiedRows(await periods(daybook, report, query), { withCost, byAgent });
}

async function periods(daybook: Daybook, group: Period, query: CcusageQuery): Promise<UsageReport> {
  const { order, agent, display } = query;
  const startOfWeek = query.startOfWeek ?? (agent?.weeksFromSunday ? "sunday" : "monday");
  const report = await daybook.usage({
    since: query.since,
    until: query.until,
    project: query.project,
    label: query.label,
    starred: query.starred,
    noted: query.noted,
    group,
    order,
    startOfWeek,
    by: "spent",
    breakdown: true,
    agents: true,
  });
  return display === true ? withoutCost(report) : report;
}

async function sessionsInput(daybook: Daybook, query: CcusageQuery): Promise<CcusageInput> {
  const { since, until, project, label, starred, noted, withCost, display } = query;
  const responses = await inside(daybook).responses({ since, until, project, label, starred, noted });
  const paths = new Map<string, string>();
  for (const view of await daybook.sessions({ own: true })) paths.set(sessionKey(view), view.session_path ?? "");
  return {
    responses: display === true ? responses.map((one) => ({ ...one, cost: null })) : responses,
    pathOf: ({ source, session_id }) => paths.get(keyOfSession(source, session_id)),
    prices: new PriceTable(),
    withCost,
  };
}

const DAY = 86_400_000;
const RECENT_DAYS = 3;

/** Blocks with the filters of the command line. */
export async function blocksFor(
  daybook: Daybook,
  { blocks, order, ...query }: Query & Pick<CcusageQuery, "blocks" | "order">,
): Promise<UsageBlock[]> {
  const { active, recent, ...how } = blocks ?? { hours: 5 };
  const all = await daybook.blocks({ ...query, ...how });
  const since = daybook.now - RECENT_DAYS * DAY;
  const chosen = all.filter(
    (block) =>
      (active !== true || block.is_active) && (recent !== true || block.is_active || Date.parse(block.start) >= since),
  );
  return order === "desc" ? chosen.toReversed() : chosen;
}

function wrong(message: string): DaybookError {
  return new DaybookError(message, { code: "usage", op: "sum usage" });
}

export { BLOCK_SOURCE };
