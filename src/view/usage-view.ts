import { DaybookError } from "../errors.ts";
import type { PriceTable } from "../pricing/price-table.ts";
import { weekOf, type Zone } from "../time/zone.ts";
import { within, type TimeRange } from "../time/range.ts";
import type { OwnedUsage, Session } from "../turns/session.ts";
import { UsageSum, type UsageView } from "./usage-sum.ts";

export const USAGE_GROUPS = ["daily", "weekly", "monthly", "session", "turn", "model"] as const;
export type UsageGroup = (typeof USAGE_GROUPS)[number];

export interface UsageRow extends UsageView {
  period: string;
  breakdown?: (UsageView & { model: string })[];
}

export interface UsageReport {
  schema_version: 1;
  group: UsageGroup;
  rows: UsageRow[];
  totals: UsageView;
}

export interface UsageQuery {
  group: UsageGroup;
  /** `spent`: a token counts when it was spent. `trigger`: when the turn that owns it was asked for. Totals are equal. */
  by: "spent" | "trigger";
  breakdown: boolean;
  order: "asc" | "desc";
  range: TimeRange;
  zone: Zone;
}

export function usageReport(sessions: readonly Session[], query: UsageQuery, prices: PriceTable): UsageReport {
  const rows = new Map<string, { sum: UsageSum; models: Map<string, UsageSum> }>();
  const totals = new UsageSum(prices);
  for (const session of sessions) {
    for (const usage of session.usage) {
      const time = timeOf(usage, query.by);
      if (!within(query.range, time)) continue;
      const period = periodOf(session, usage, time, query);
      let row = rows.get(period);
      if (!row) rows.set(period, (row = { sum: new UsageSum(prices), models: new Map() }));
      row.sum.add(usage.event);
      totals.add(usage.event);
      if (query.breakdown) addModel(row.models, usage, prices);
    }
  }
  const keys = [...rows.keys()].toSorted();
  if (query.order === "desc") keys.reverse();
  return {
    schema_version: 1,
    group: query.group,
    rows: keys.map((period) => toRow(period, rows.get(period), query.breakdown)),
    totals: totals.view(),
  };
}

function toRow(
  period: string,
  row: { sum: UsageSum; models: Map<string, UsageSum> } | undefined,
  breakdown: boolean,
): UsageRow {
  if (!row) throw new DaybookError(`no row for ${period}`, { code: "internal", op: "sum usage" });
  const view: UsageRow = { period, ...row.sum.view() };
  if (breakdown) {
    const models = [...row.models.entries()].toSorted(([a], [b]) => (a < b ? -1 : 1));
    view.breakdown = models.map(([model, sum]) => ({ model, ...sum.view() }));
  }
  return view;
}

function addModel(models: Map<string, UsageSum>, usage: OwnedUsage, prices: PriceTable): void {
  const model = usage.event.model ?? "unknown";
  let sum = models.get(model);
  if (!sum) models.set(model, (sum = new UsageSum(prices)));
  sum.add(usage.event);
}

function timeOf(usage: OwnedUsage, by: UsageQuery["by"]): number | null {
  return by === "trigger" ? (usage.owner?.draft.trigger.time ?? usage.event.time) : usage.event.time;
}

function periodOf(session: Session, usage: OwnedUsage, time: number | null, query: UsageQuery): string {
  switch (query.group) {
    case "session":
      return `${session.source}/${session.session_id}`;
    case "turn": {
      const turn = usage.owner;
      return turn
        ? `${turn.session.source}/${turn.session.session_id}/${turn.ref}`
        : `${session.source}/${session.session_id}/unowned`;
    }
    case "model":
      return usage.event.model ?? "unknown";
    case "daily":
      return time === null ? "unknown" : query.zone.day(time);
    case "weekly":
      return time === null ? "unknown" : weekOf(query.zone.day(time));
    case "monthly":
      return time === null ? "unknown" : query.zone.day(time).slice(0, 7);
  }
}
