import { DaybookError } from "../errors.ts";
import type { PriceTable } from "./pricing/price-table.ts";
import { weekOf, type Weekday, type Zone } from "../time/zone.ts";
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
  breakdown?: ModelUsage[];
  /** Only where asked for: the same by agent. */
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
  /** `spent`: a token counts when it was spent. `trigger`: when the turn that owns it was asked for. Totals are equal. */
  by: "spent" | "trigger";
  breakdown: boolean;
  /** One row per period and project. */
  instances?: boolean | undefined;
  /** Every row says it once more by agent. */
  agents?: boolean | undefined;
  /** Monday unless another day is named. */
  startOfWeek?: Weekday | undefined;
  order: "asc" | "desc";
  range: TimeRange;
  zone: Zone;
}

/** A counted response, with as much of its place as the question needs. */
export interface UsageItem {
  event: UsageEvent;
  /** Null where sums over everything are asked for and nobody looked. */
  session: SessionRef | null;
  /** Where there is no session. */
  source?: string;
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
  const rows = new Map<string, RowSum>();
  const totals = new UsageSum(prices);
  for (const item of items) {
    const time = timeOf(item, query.by);
    if (!within(query.range, time)) continue;
    // The project stands behind the period: rows sort by time first.
    const period =
      periodOf(item, time, query) + (query.instances === true ? `\t${item.project ?? "unknown-project"}` : "");
    let row = rows.get(period);
    if (!row) rows.set(period, (row = new RowSum(query, prices)));
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

/** One row, and its parts as far as they were asked for. */
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
      sumOf(this.#models, item.event.model ?? "unknown", () => new UsageSum(this.#prices)).add(item.event, cost);
    if (!this.#agents) return;
    const source = item.session?.source ?? item.source ?? "unknown";
    sumOf(this.#agents, source, () => new RowSum({ breakdown: this.#models !== null }, this.#prices)).add(item, cost);
  }

  view(): UsageView & Pick<UsageRow, "breakdown" | "agents"> {
    const parts: Pick<UsageRow, "breakdown" | "agents"> = {};
    if (this.#models) parts.breakdown = inOrder(this.#models).map(([model, sum]) => ({ model, ...sum.view() }));
    if (this.#agents) parts.agents = inOrder(this.#agents).map(([source, row]) => ({ source, ...row.view() }));
    return { ...this.#sum.view(), ...parts };
  }
}

function sumOf<T>(sums: Map<string, T>, name: string, make: () => T): T {
  let sum = sums.get(name);
  if (sum === undefined) sums.set(name, (sum = make()));
  return sum;
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
      return time === null ? "unknown" : weekOf(query.zone.day(time), query.startOfWeek);
    case "monthly":
      return time === null ? "unknown" : query.zone.day(time).slice(0, 7);
  }
}
