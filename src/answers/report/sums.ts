import type { PriceTable } from "../../views/pricing/price-table.ts";
import { within, type TimeRange } from "../../base/time/range.ts";
import { sumOfTotals } from "../../record/tokens.ts";
import type { Outcome } from "../../turns/model.ts";
import type { AnswerRows } from "../../views/rows.ts";
import type { ToolCounts } from "../../views/turn-view.ts";
import type { UsageItem } from "../../views/usage-view.ts";
import { usageOf, type CostedResponse } from "../../views/usage-sum.ts";
import type { WorkCounts } from "../../views/facts/record-facts.ts";
import type { ProjectReport, ReportTools, ReportTurn, Totals } from "./model.ts";
import { order } from "../../base/text/order.ts";
import { getOrAdd, groupBy } from "../../base/maps.ts";
import { parseTurnKey, sessionKey } from "../../record/session-key.ts";

/** Usage of a group of responses: the sum, the sum per model, and the bare count for the balance. */
export class Spending {
  readonly #prices: PriceTable;
  readonly #responses: CostedResponse[] = [];
  #isUnstated = false;

  constructor(prices: PriceTable) {
    this.#prices = prices;
  }

  add(response: CostedResponse): void {
    this.#responses.push(response);
  }

  /** Notes that work was done whose usage nobody stated. */
  unstated(): void {
    this.#isUnstated = true;
  }

  get tokens(): number {
    return sumOfTotals(this.#responses.map(({ event }) => event));
  }

  view(): Totals["usage"] {
    return usageOf(this.#responses, this.#prices, this.#isUnstated);
  }

  /** The same for the sum of these turns: where nothing is stated, the cost is not zero but unknown. */
  viewFor(turns: Iterable<Pick<ReportTurn, "usage_with_children">>): Totals["usage"] {
    const view = this.view();
    if (this.tokens > 0) return view;
    for (const { usage_with_children: usage } of turns) if (usage.cost_usd === null) return { ...view, cost_usd: null };
    return view;
  }

  byModel(): Totals["by_model"] {
    const models = groupBy(this.#responses, ({ event }) => event.model ?? "unknown");
    return [...models]
      .toSorted(([a], [b]) => order(a, b))
      .map(([model, own]) => ({ model, ...usageOf(own, this.#prices, false) }));
  }
}

/** Spending of one project: all of it, and the part that no listed turn caused. */
export interface ProjectSpent {
  all: Spending;
  other: Spending;
}

export interface SpentTokens {
  all: Spending;
  /** By turn name, `SESSION/REF`. */
  byTurn: Map<string, Spending>;
  byProject: Map<string, ProjectSpent>;
  /** By the local day of the trigger, or of the response when it has no trigger. */
  byDay: Map<string, Spending>;
}

/** How responses are grouped. */
export interface SpendingGroups {
  /** Names of the turns that are reported. */
  listed: ReadonlySet<string>;
  range: TimeRange;
  projectOf: (session: string) => string;
  /** Null to leave out the sums per day. */
  dayOf: ((time: number) => string) | null;
}

/** Responses that count in a selected session: one that asked for them, or one that made them where no turn asked. */
export function usageOfSelected(rows: AnswerRows, range: TimeRange): UsageItem[] {
  return [...rows.usage(range)].filter((item) => rows.isRequested(sessionOfUsage(item)));
}

/** The session a response counts in: that of the turn that caused it, or else its own. */
export function sessionOfUsage({ session, owner }: UsageItem): string {
  if (owner) return parseTurnKey(owner.name).session;
  return session ? sessionKey(session) : "";
}

/**
 * Assigns every response of the span to exactly one turn, or to the rest. Follows the rule of `usage --by trigger`: a
 * response counts on the day of its trigger (without one, on its own day) and in the project where it was asked for.
 */
export function sumSpending(
  items: readonly UsageItem[],
  { listed, range, projectOf, dayOf }: SpendingGroups,
  prices: PriceTable,
): SpentTokens {
  const fresh = (): Spending => new Spending(prices);
  const spent: SpentTokens = { all: fresh(), byTurn: new Map(), byProject: new Map(), byDay: new Map() };
  for (const item of items) {
    const { event, owner } = item;
    const time = owner?.time ?? event.time;
    if (!within(range, time)) continue;
    const project = getOrAdd(spent.byProject, projectOf(sessionOfUsage(item)), () => ({
      all: fresh(),
      other: fresh(),
    }));
    const response = { event, cost: item.cost === undefined ? prices.costOf(event) : item.cost };
    spent.all.add(response);
    project.all.add(response);
    if (dayOf && time !== null) getOrAdd(spent.byDay, dayOf(time), fresh).add(response);
    const rest = owner && listed.has(owner.name) ? getOrAdd(spent.byTurn, owner.name, fresh) : project.other;
    rest.add(response);
  }
  return spent;
}

export function addTools(all: readonly ReportTools[]): ReportTools {
  const sum: ReportTools = { total: 0, ok: 0, failed: 0, expected_exit: 0, interrupted: 0, denied: 0, pending: 0 };
  for (const counts of all) {
    for (const key of Object.keys(sum) as (keyof ReportTools)[]) sum[key] += counts[key];
  }
  return sum;
}

/** Tool counts in which calls that failed only by an expected exit code are separated from failures. */
export function toolsOf({ total, ok, failed, ...rest }: ToolCounts, expected_exit: number): ReportTools {
  return { total, ok, failed: failed - expected_exit, expected_exit, ...rest };
}

/** The sum, or null when one of the numbers is unknown. */
export function sumOrNull(numbers: Iterable<number | null>): number | null {
  let sum = 0;
  for (const number of numbers) {
    if (number === null) return null;
    sum += number;
  }
  return sum;
}

/** Totals over the turns of one or all projects. `counted`: the counts of each turn. */
export function totalsOf(
  projects: readonly Pick<ProjectReport, "sessions" | "turns">[],
  { tools, counted, spent }: { tools: ReportTools; counted: readonly WorkCounts[]; spent: Spending },
): Totals {
  const turns = projects.flatMap((project) => project.turns);
  const outcomes: Record<Outcome, number> = { completed: 0, aborted: 0, failed: 0, open: 0 };
  for (const turn of turns) outcomes[turn.outcome]++;
  return {
    projects: projects.length,
    sessions: projects.reduce((sum, project) => sum + project.sessions.length, 0),
    turns: turns.length,
    outcomes,
    unproven: sumOrNull(counted.map(({ unproven }) => (unproven === null ? null : Number(unproven)))),
    duration_ms: turns.reduce((sum, turn) => sum + (turn.duration_ms ?? 0), 0),
    tools,
    files_changed: sumOrNull(projects.map((project) => distinctFiles(project.turns))),
    commits: sumOrNull(counted.map(({ commits }) => commits)),
    children: sumOrNull(counted.map(({ children }) => children)),
    usage: spent.viewFor(turns),
    by_model: spent.byModel(),
  };
}

/** Whether a completed turn is contradicted by its last check or by its own words. */
export function isUnproven({
  outcome,
  last_check,
  fell_short,
}: Pick<ReportTurn, "outcome" | "last_check" | "fell_short">): boolean {
  return outcome === "completed" && (fell_short !== null || (last_check !== null && last_check.result !== "ok"));
}

function distinctFiles(turns: readonly ReportTurn[]): number | null {
  const lists = turns.map(({ files }) => files);
  if (lists.includes(null)) return null;
  return new Set(lists.flatMap((files) => (files ?? []).map((file) => file.path))).size;
}
