import type { PriceTable } from "../answers/pricing/price-table.ts";
import { within, type TimeRange } from "../time/range.ts";
import { totalTokens } from "../format/tokens.ts";
import type { Outcome, UsageEvent } from "../turns/model.ts";
import { sessionKey } from "../turns/session.ts";
import type { AnswerRows } from "../answers/rows.ts";
import type { ToolCounts } from "../answers/turn-view.ts";
import type { UsageItem } from "../answers/usage-view.ts";
import type { KnownCost } from "../answers/pricing/cost.ts";
import { UsageSum } from "../answers/usage-sum.ts";
import type { CountedTurn, ProjectReport, ReportTools, ReportTurn, Totals } from "./model.ts";
import { order } from "../text/order.ts";

/** Usage of a group of responses: the sum, the sum per model, and the bare count for the balance. */
export class Spending {
  readonly #prices: PriceTable;
  readonly #sum: UsageSum;
  readonly #models = new Map<string, UsageSum>();
  tokens = 0;

  constructor(prices: PriceTable) {
    this.#prices = prices;
    this.#sum = new UsageSum(prices);
  }

  /** Returns the cost, as `UsageSum` does. */
  add(event: UsageEvent, known?: KnownCost | null): KnownCost | null {
    const cost = this.#sum.add(event, known);
    this.tokens += totalTokens(event);
    const name = event.model ?? "unknown";
    let model = this.#models.get(name);
    if (!model) this.#models.set(name, (model = new UsageSum(this.#prices)));
    model.add(event, cost);
    return cost;
  }

  /** Work was done and nobody stated what it spent. */
  unstated(): void {
    this.#sum.unstated();
  }

  view(): Totals["usage"] {
    return this.#sum.view();
  }

  byModel(): Totals["by_model"] {
    return [...this.#models].toSorted(([a], [b]) => order(a, b)).map(([model, sum]) => ({ model, ...sum.view() }));
  }
}

/** Of one project: everything, and the part that no listed turn asked for. */
export interface ProjectSpent {
  all: Spending;
  other: Spending;
}

export interface SpentTokens {
  all: Spending;
  /** By the name of the turn. */
  byTurn: Map<string, Spending>;
  byProject: Map<string, ProjectSpent>;
  /** By the local day of the trigger, without one of the response. */
  byDay: Map<string, Spending>;
}

/** What responses are added up by. */
export interface SpendingOf {
  /** Names of the turns that are reported. */
  listed: ReadonlySet<string>;
  range: TimeRange;
  projectOf: (session: string) => string;
  /** Null: not by days. */
  dayOf: ((time: number) => string) | null;
}

/** Responses asked for in a session that is meant, or spent there where no turn asked for them. */
export function meantUsage(rows: AnswerRows, range: TimeRange): UsageItem[] {
  return [...rows.usage(range)].filter((item) => rows.isMeant(homeOf(item)));
}

/** The session a response counts in: that of the turn that answers for it, else its own. */
export function homeOf({ session, owner }: UsageItem): string {
  if (owner) return owner.name.slice(0, owner.name.lastIndexOf("/"));
  return session ? sessionKey(session) : "";
}

/**
 * Every response of the span goes to exactly one turn, or to what is left over. The rule of `usage --by trigger`: a
 * response counts on the day of its trigger, without one on its own; and in the project where it was asked for.
 */
export function spending(
  items: readonly UsageItem[],
  { listed, range, projectOf, dayOf }: SpendingOf,
  prices: PriceTable,
): SpentTokens {
  const fresh = (): Spending => new Spending(prices);
  const spent: SpentTokens = { all: fresh(), byTurn: new Map(), byProject: new Map(), byDay: new Map() };
  for (const item of items) {
    const { event, owner } = item;
    const time = owner?.time ?? event.time;
    if (!within(range, time)) continue;
    const project = known(spent.byProject, projectOf(homeOf(item)), () => ({ all: fresh(), other: fresh() }));
    const cost = spent.all.add(event, item.cost);
    project.all.add(event, cost);
    if (dayOf && time !== null) known(spent.byDay, dayOf(time), fresh).add(event, cost);
    const rest = owner && listed.has(owner.name) ? known(spent.byTurn, owner.name, fresh) : project.other;
    rest.add(event, cost);
  }
  return spent;
}

function known<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let found = map.get(key);
  if (found === undefined) map.set(key, (found = make()));
  return found;
}

export function addTools(all: readonly ReportTools[]): ReportTools {
  const sum: ReportTools = { total: 0, ok: 0, failed: 0, expected_exit: 0, interrupted: 0, denied: 0, pending: 0 };
  for (const counts of all) {
    for (const key of Object.keys(sum) as (keyof ReportTools)[]) sum[key] += counts[key];
  }
  return sum;
}

/** How some calls ended. What failed by its exit code only, which was an answer, is told apart from failures. */
export function toolsOf({ total, ok, failed, ...rest }: ToolCounts, expected_exit: number): ReportTools {
  return { total, ok, failed: failed - expected_exit, expected_exit, ...rest };
}

/** A sum of which nothing is known where one of its numbers is not. */
export function addKnown(numbers: Iterable<number | null>): number | null {
  let sum = 0;
  for (const number of numbers) {
    if (number === null) return null;
    sum += number;
  }
  return sum;
}

/** What the turns of a project, or of all projects, add up to. `counted`: of each of them. */
export function totalsOf(
  projects: readonly Pick<ProjectReport, "sessions" | "turns">[],
  { tools, counted, spent }: { tools: ReportTools; counted: readonly CountedTurn[]; spent: Spending },
): Totals {
  const turns = projects.flatMap((project) => project.turns);
  const outcomes: Record<Outcome, number> = { completed: 0, aborted: 0, failed: 0, open: 0 };
  for (const turn of turns) outcomes[turn.outcome]++;
  return {
    projects: projects.length,
    sessions: projects.reduce((sum, project) => sum + project.sessions.length, 0),
    turns: turns.length,
    outcomes,
    unproven: addKnown(counted.map(({ unproven }) => (unproven === null ? null : Number(unproven)))),
    duration_ms: turns.reduce((sum, turn) => sum + (turn.duration_ms ?? 0), 0),
    tools,
    files_changed: addKnown(projects.map((project) => distinctFiles(project.turns))),
    commits: addKnown(counted.map(({ commits }) => commits)),
    children: addKnown(counted.map(({ children }) => children)),
    usage: spent.view(),
    by_model: spent.byModel(),
  };
}

/** The turn ended well, and the last check it ran, or what it says itself, tells otherwise. */
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
