import type { PriceTable } from "../answers/pricing/price-table.ts";
import { within, type TimeRange } from "../time/range.ts";
import { totalTokens } from "../format/tokens.ts";
import type { Outcome } from "../turns/model.ts";
import type { OwnedCall, OwnedUsage, Session, Turn } from "../turns/session.ts";
import { isExpectedExit } from "../turns/tool-ledger.ts";
import { countCalls, descendants } from "../answers/turn-view.ts";
import type { KnownCost } from "../answers/pricing/cost.ts";
import { UsageSum } from "../answers/usage-sum.ts";
import { order } from "./citations.ts";
import type { ProjectReport, ReportTools, ReportTurn, Totals } from "./model.ts";

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
  add(event: OwnedUsage["event"], known?: KnownCost | null): KnownCost | null {
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
  byTurn: Map<Turn, Spending>;
  byProject: Map<string, ProjectSpent>;
  /** By the local day of the trigger, without one of the response. */
  byDay: Map<string, Spending>;
  /** What each response cost, found once for all the sums it is in. */
  costs: Map<OwnedUsage["event"], KnownCost | null>;
}

/**
 * Every response of the span goes to exactly one turn, or to what is left over. The rule of `usage --by trigger`: a
 * response counts on the day of its trigger, without one on its own; and in the project where it was asked for.
 */
export function spending(
  sessions: readonly Session[],
  listed: ReadonlySet<Turn>,
  chosen: ReadonlySet<Session>,
  range: TimeRange,
  prices: PriceTable,
  projectOf: (session: Session) => string,
  dayOf: ((time: number) => string) | null,
): SpentTokens {
  const fresh = (): Spending => new Spending(prices);
  const maps = { byTurn: new Map(), byProject: new Map(), byDay: new Map(), costs: new Map() };
  const spent: SpentTokens = { all: fresh(), ...maps };
  for (const session of sessions) {
    for (const { event, owner } of session.usage) {
      const home = owner?.session ?? session;
      const time = owner?.draft.trigger.time ?? event.time;
      if (!chosen.has(home) || !within(range, time)) continue;
      const project = known(spent.byProject, projectOf(home), () => ({ all: fresh(), other: fresh() }));
      const cost = spent.all.add(event);
      spent.costs.set(event, cost);
      project.all.add(event, cost);
      if (dayOf && time !== null) known(spent.byDay, dayOf(time), fresh).add(event, cost);
      const rest = owner && listed.has(owner) ? known(spent.byTurn, owner, fresh) : project.other;
      rest.add(event, cost);
    }
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
export function countTools(calls: readonly OwnedCall[]): ReportTools {
  const { total, ok, failed, ...rest } = countCalls(calls);
  const expected_exit = calls.filter(({ call }) => call.parent_call_id === null && isExpectedExit(call)).length;
  return { total, ok, failed: failed - expected_exit, expected_exit, ...rest };
}

/** Calls of a turn and of everything it caused. */
export function toolsWithChildren(turn: Turn): ReportTools {
  return addTools([countTools(turn.calls), ...descendants(turn).map((child) => countTools(child.tools))]);
}

/** What the turns of a project, or of all projects, add up to. */
export function totalsOf(
  projects: readonly Pick<ProjectReport, "sessions" | "turns">[],
  tools: ReportTools,
  spent: Spending,
): Totals {
  const turns = projects.flatMap((project) => project.turns);
  const outcomes: Record<Outcome, number> = { completed: 0, aborted: 0, failed: 0, open: 0 };
  for (const turn of turns) outcomes[turn.outcome]++;
  return {
    projects: projects.length,
    sessions: projects.reduce((sum, project) => sum + project.sessions.length, 0),
    turns: turns.length,
    outcomes,
    unproven: turns.filter(isUnproven).length,
    duration_ms: turns.reduce((sum, turn) => sum + (turn.duration_ms ?? 0), 0),
    tools,
    files_changed: projects.reduce((sum, project) => sum + distinctFiles(project.turns), 0),
    commits: turns.reduce((sum, turn) => sum + turn.commits.length, 0),
    children: turns.reduce((sum, turn) => sum + turn.children.filter((c) => c.relation !== "fork").length, 0),
    usage: spent.view(),
    by_model: spent.byModel(),
  };
}

/** The turn ended well, and the last check it ran, or what it says itself, tells otherwise. */
export function isUnproven({ outcome, last_check, fell_short }: ReportTurn): boolean {
  return outcome === "completed" && (fell_short !== null || (last_check !== null && last_check.result !== "ok"));
}

function distinctFiles(turns: readonly ReportTurn[]): number {
  return new Set(turns.flatMap((turn) => turn.files.map((file) => file.path))).size;
}

/** Everything a model read and wrote; reasoning is part of the output. */
export function tokensOf(usage: Omit<Totals["usage"], "models" | "unpriced_models" | "cost_usd">): number {
  return usage.input_tokens + usage.cached_input_tokens + usage.cache_write_tokens + usage.output_tokens;
}
