import { DaybookError } from "../base/errors.ts";
import type { PriceTable } from "./pricing/price-table.ts";
import { weekOf, type Weekday, type Zone } from "../base/time/zone.ts";
import { within, type TimeRange } from "../base/time/range.ts";
import { getOrAdd } from "../base/maps.ts";
import type { SessionRef, TimedTokens } from "../record/record.ts";
import type { KnownCost } from "./pricing/cost.ts";
import { UsageSum, type UsageView } from "./usage-sum.ts";
import { sessionKey } from "../record/session-key.ts";

export const USAGE_GROUPS = ["daily", "weekly", "monthly", "session", "turn", "model"] as const;
export type UsageGroup = (typeof USAGE_GROUPS)[number];

export interface UsageRow extends UsageView {
  period: string;
  /** Only with one row per project (`instances`). */
  project?: string;
  breakdown?: ModelUsage[];
  /** Only when requested: the usage of the row by agent. */
  agents?: AgentUsage[];
}

export type ModelUsage = UsageView & { model: string };

export interface AgentUsage extends UsageView {
  source: string;
  breakdown?: ModelUsage[];
}

export interface UsageReport {
  schema_version: 1;
  group: UsageGroup;
  rows: UsageRow[];
  totals: UsageView;
}

export interface UsageQuery {
  group: UsageGroup;
  /** The time that counts: when a token was `spent`, or the `trigger` of the turn that owns it. Totals are equal. */
  by: "spent" | "trigger";
  breakdown: boolean;
  /** One row per period and project. */
  instances?: boolean | undefined;
  /** Adds the usage by agent to every row. */
  agents?: boolean | undefined;
  /** Default: Monday. */
  startOfWeek?: Weekday | undefined;
  order: "asc" | "desc";
  range: TimeRange;
  zone: Zone;
}

/** What one or several counted responses spent, with as much of their position as the query needs. */
export interface UsageItem {
  event: TimedTokens;
  /** Null for sums over everything, which do not look it up. */
  session: SessionRef | null;
  /** The source, when `session` is null. */
  source?: string;
  /** The human turn that owns the response: `source/session/T0001`, and the time of its trigger. */
  owner: { name: string; time: number | null } | null;
  project?: string;
  /** The known cost of an item that sums several responses: costs are computed per response. Null: none has a price. */
  cost?: KnownCost | null;
}

export function usageReport(items: Iterable<UsageItem>, query: UsageQuery, prices: PriceTable): UsageReport {
  const rows = new Map<string, RowSum>();
  const totals = new UsageSum(prices);
  for (const item of items) {
    const time = timeOf(item, query.by);
    if (!within(query.range, time)) continue;
    // The project is appended to the period, so that rows sort by period first.
    const period =
      periodOf(item, time, query) + (query.instances === true ? `\t${item.project ?? "unknown-project"}` : "");
    const row = getOrAdd(rows, period, () => new RowSum(query, prices));
    row.add(item, totals.add(item.event, item.cost));
  }
  const keys = [...rows.keys()].toSorted();
  if (query.order === "desc") keys.reverse();
  return {
    schema_version: 1,
    group: query.group,
    rows: keys.map((period) => toRow(period, rows.get(period))),
    totals: totals.view(),
  };
}

/** The sum of one row, with the requested parts by model and agent. */
class RowSum {
  readonly #prices: PriceTable;
  readonly #sum: UsageSum;
  readonly #models: Map<string, UsageSum> | null;
  readonly #agents: Map<string, RowSum> | null;

  constructor(query: Pick<UsageQuery, "breakdown" | "agents">, prices: PriceTable) {
    this.#prices = prices;
    this.#sum = new UsageSum(prices);
    this.#models = query.breakdown ? new Map() : null;
    this.#agents = query.agents === true ? new Map() : null;
  }

  add(item: UsageItem, cost: KnownCost | null): void {
    this.#sum.add(item.event, cost);
    if (this.#models)
      getOrAdd(this.#models, item.event.model ?? "unknown", () => new UsageSum(this.#prices)).add(item.event, cost);
    if (!this.#agents) return;
    const source = item.session?.source ?? item.source ?? "unknown";
    getOrAdd(this.#agents, source, () => new RowSum({ breakdown: this.#models !== null }, this.#prices)).add(
      item,
      cost,
    );
  }

  view(): UsageView & Pick<UsageRow, "breakdown" | "agents"> {
    const parts: Pick<UsageRow, "breakdown" | "agents"> = {};
    if (this.#models) parts.breakdown = inOrder(this.#models).map(([model, sum]) => ({ model, ...sum.view() }));
    if (this.#agents) parts.agents = inOrder(this.#agents).map(([source, row]) => ({ source, ...row.view() }));
    return { ...this.#sum.view(), ...parts };
  }
}

function inOrder<T>(sums: ReadonlyMap<string, T>): [string, T][] {
  return [...sums].toSorted(([a], [b]) => (a < b ? -1 : 1));
}

function toRow(period: string, row: RowSum | undefined): UsageRow {
  if (!row) throw new DaybookError(`no row for ${period}`, { code: "internal", op: "sum usage" });
  const [name = "", project] = period.split("\t");
  return { period: name, ...(project === undefined ? {} : { project }), ...row.view() };
}

function timeOf(usage: UsageItem, by: UsageQuery["by"]): number | null {
  return by === "trigger" ? (usage.owner?.time ?? usage.event.time) : usage.event.time;
}

function periodOf({ event, session, owner }: UsageItem, time: number | null, query: UsageQuery): string {
  const name = session ? sessionKey(session) : "unknown";
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
      return time === null ? "unknown" : weekOf(query.zone.day(time), query.startOfWeek);
    case "monthly":
      return time === null ? "unknown" : query.zone.day(time).slice(0, 7);
  }
}
