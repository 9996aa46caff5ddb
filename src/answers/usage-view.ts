import { DaybookError } from "../errors.ts";
import type { PriceTable } from "./pricing/price-table.ts";
import { weekOf, type Zone } from "../time/zone.ts";
import { within, type TimeRange } from "../time/range.ts";
import type { SessionRef } from "../format/record.ts";
import type { UsageEvent } from "../turns/model.ts";
import { turnName, type Session } from "../turns/session.ts";
import type { KnownCost } from "./pricing/cost.ts";
import { UsageSum, type UsageView } from "./usage-sum.ts";

export const USAGE_GROUPS = ["daily", "weekly", "monthly", "session", "turn", "model"] as const;
export type UsageGroup = (typeof USAGE_GROUPS)[number];

export interface UsageRow extends UsageView {
  period: string;
  /** Only where rows were asked for per project. */
  project?: string;
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
  /** One row per period and project. */
  instances?: boolean | undefined;
  order: "asc" | "desc";
  range: TimeRange;
  zone: Zone;
}

/** A counted response, with as much of its place as the question needs. */
export interface UsageItem {
  event: UsageEvent;
  /** Null where sums over everything are asked for and nobody looked. */
  session: SessionRef | null;
  /** The human turn that answers for it: `source/session/T0001`, and when it was asked for. */
  owner: { name: string; time: number | null } | null;
  project?: string;
  /** Known already, for sums of several responses: a price is found per response, never on sums. Null = none has a price. */
  cost?: KnownCost | null;
}

export function* itemsOf(
  sessions: readonly Session[],
  projectOf?: (session: Session) => string,
): Generator<UsageItem, void, undefined> {
  for (const session of sessions)
    for (const { event, owner } of session.usage) {
      yield {
        event,
        session,
        owner: owner && { name: turnName(owner), time: owner.draft.trigger.time },
        ...(projectOf ? { project: projectOf(session) } : {}),
      };
    }
}

export function usageReport(items: Iterable<UsageItem>, query: UsageQuery, prices: PriceTable): UsageReport {
  const rows = new Map<string, { sum: UsageSum; models: Map<string, UsageSum> }>();
  const totals = new UsageSum(prices);
  for (const item of items) {
    const time = timeOf(item, query.by);
    if (!within(query.range, time)) continue;
    // The project stands behind the period: rows sort by time first.
    const period =
      periodOf(item, time, query) + (query.instances === true ? `\t${item.project ?? "unknown-project"}` : "");
    let row = rows.get(period);
    if (!row) rows.set(period, (row = { sum: new UsageSum(prices), models: new Map() }));
    const cost = totals.add(item.event, item.cost);
    row.sum.add(item.event, cost);
    if (query.breakdown) addModel(row.models, { ...item, cost }, prices);
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
  const [name = "", project] = period.split("\t");
  const view: UsageRow = { period: name, ...(project === undefined ? {} : { project }), ...row.sum.view() };
  if (breakdown) {
    const models = [...row.models.entries()].toSorted(([a], [b]) => (a < b ? -1 : 1));
    view.breakdown = models.map(([model, sum]) => ({ model, ...sum.view() }));
  }
  return view;
}

function addModel(models: Map<string, UsageSum>, usage: UsageItem, prices: PriceTable): void {
  const model = usage.event.model ?? "unknown";
  let sum = models.get(model);
  if (!sum) models.set(model, (sum = new UsageSum(prices)));
  sum.add(usage.event, usage.cost);
}

function timeOf(usage: UsageItem, by: UsageQuery["by"]): number | null {
  return by === "trigger" ? (usage.owner?.time ?? usage.event.time) : usage.event.time;
}

function periodOf({ event, session, owner }: UsageItem, time: number | null, query: UsageQuery): string {
  const name = session ? `${session.source}/${session.session_id}` : "unknown";
  switch (query.group) {
    case "session":
      return name;
    case "turn":
      return owner?.name ?? `${name}/unowned`;
    case "model":
      return event.model ?? "unknown";
    case "daily":
      return time === null ? "unknown" : query.zone.day(time);
    case "weekly":
      return time === null ? "unknown" : weekOf(query.zone.day(time));
    case "monthly":
      return time === null ? "unknown" : query.zone.day(time).slice(0, 7);
  }
}
