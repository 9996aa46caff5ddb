import type { ModelTokens, UsageTotalBody } from "../record/record.ts";
import { totalTokens } from "../record/tokens.ts";
import { ModelSums } from "./model-sums.ts";
import type { StatedTotal, Statement, UsageEvent } from "./model.ts";
import type { UsageChange } from "./usage-ledger.ts";

interface Counter extends StatedTotal {
  counter: string;
}

export interface SavedStated {
  counters: Counter[];
  /** The value of each counter when the file's own history began, as far as copied statements tell. */
  bases: [counter: string, tokens: number][];
  statements: Statement[];
  /** Since the last statement. */
  written: ModelTokens[];
  cut: ModelTokens[];
  first: number | null;
  last: number | null;
}

/** The totals the agent of one file states: the latest statement of each of its counters. */
export class StatedLedger {
  readonly #counters: Counter[];
  readonly #bases: Map<string, number>;
  readonly #statements: Statement[];
  readonly #written: ModelSums;
  readonly #cut: ModelSums;
  #first: number | null;
  #last: number | null;

  constructor(saved?: SavedStated) {
    this.#counters = [...(saved?.counters ?? [])];
    this.#bases = new Map(saved?.bases);
    this.#statements = [...(saved?.statements ?? [])];
    this.#written = new ModelSums(saved?.written);
    this.#cut = new ModelSums(saved?.cut);
    this.#first = saved?.first ?? null;
    this.#last = saved?.last ?? null;
  }

  save(): SavedStated {
    return {
      counters: this.#counters,
      bases: [...this.#bases],
      statements: this.#statements,
      written: this.#written.list(),
      cut: this.#cut.list(),
      first: this.#first,
      last: this.#last,
    };
  }

  get statements(): Statement[] {
    return this.#statements;
  }

  /** A statement copied with another session's history: the counter continues from its value. */
  inherit(body: UsageTotalBody): void {
    this.#bases.set(body.counter, totalIn(body));
  }

  /** A response was stated. `time`: when the record stating it was written. */
  addResponse({ event, before }: UsageChange, time: number | null): void {
    if (event.copied) return;
    if (before && !before.copied) (before.cut ? this.#cut : this.#written).subtract(before.model, before);
    (event.cut ? this.#cut : this.#written).add(event.model, event);
    if (event.time !== null && (this.#first === null || event.time < this.#first)) this.#first = event.time;
    this.recordActivity(time);
  }

  /** Something was spent at this time, whether or not a record states how much. */
  recordActivity(time: number | null): void {
    if (time === null) return;
    const latest = this.#statements.at(-1);
    if (latest) latest.next ??= time;
    this.#last = time;
  }

  /** `counted`: what was counted in the file so far; `responses`: all responses of the file. */
  take(body: UsageTotalBody, line: number, counted: number, responses: () => Iterable<UsageEvent>): void {
    if (body.unwritten !== undefined) {
      this.#statements.push(this.#statement(body, line, body.unwritten, responses));
      return;
    }
    const { counter, includes_children, exact } = body;
    const elsewhere = Math.max(body.inherited ? totalTokens(body.inherited) : 0, this.#bases.get(counter) ?? 0);
    const stated: Counter = { counter, tokens: totalIn(body) - elsewhere, line, counted, includes_children, exact };
    const at = this.#counters.findIndex((known) => known.counter === counter);
    if (at !== -1) this.#counters.splice(at, 1);
    // The latest counter comes last.
    this.#counters.push(stated);
  }

  #statement(body: UsageTotalBody, line: number, reason: string, responses: () => Iterable<UsageEvent>): Statement {
    const { counter, includes_children, models } = body;
    const before = this.#statements.findLast((known) => known.counter === counter);
    const since = body.since === undefined ? null : Date.parse(body.since);
    const elapsed = body.elapsed_ms ?? null;
    const began = processStart(since, this.#last, elapsed, before?.elapsed ?? null);
    // What a killed process spent before it could state a total is not part of any total.
    const earlier = this.#first !== null && this.#first < began ? this.#dropBefore(began, responses()) : [];
    const statement: Statement = {
      counter,
      includes_children,
      reason,
      since,
      elapsed,
      line,
      time: this.#last ?? since,
      next: null,
      total: models,
      written: this.#written.list(),
      cut: this.#cut.list(),
      ...(earlier.length > 0 ? { earlier } : {}),
    };
    this.#written.clear();
    this.#cut.clear();
    this.#first = null;
    return statement;
  }

  /** Returns what was dropped, without responses that were cut off. */
  #dropBefore(began: number, responses: Iterable<UsageEvent>): ModelTokens[] {
    const after = this.#statements.at(-1)?.line ?? 0;
    const earlier = new ModelSums();
    this.#written.clear();
    this.#cut.clear();
    for (const event of responses) {
      if (event.copied || event.line <= after) continue;
      const isEarlier = event.time !== null && event.time < began;
      if (!isEarlier) (event.cut ? this.#cut : this.#written).add(event.model, event);
      else if (!event.cut) earlier.add(event.model, event);
    }
    return earlier.list();
  }

  /** The sum over all counters; null if nothing was stated. */
  total(): StatedTotal | null {
    const last = this.#counters.at(-1);
    if (!last) return null;
    return {
      tokens: this.#counters.reduce((sum, counter) => sum + counter.tokens, 0),
      line: last.line,
      counted: last.counted,
      includes_children: this.#counters.some((counter) => counter.includes_children),
      exact: this.#counters.every((counter) => counter.exact),
    };
  }
}

function totalIn({ models }: UsageTotalBody): number {
  return models.reduce((sum, model) => sum + totalTokens(model), 0);
}

/**
 * The latest possible start of the process that states a total: it ran for as long as its counter's elapsed time grew,
 * and spent something no later than `last`. 0 if unknown.
 */
function processStart(
  since: number | null,
  last: number | null,
  elapsed: number | null,
  before: number | null,
): number {
  const ran = last === null || elapsed === null || before === null ? 0 : last - (elapsed - before);
  return Math.max(since ?? 0, ran);
}
