import type { ContextChange } from "./model.ts";
import type { Slices } from "./slices.ts";

/**
 * The settings in force, as they were stated. Rate limits may come with every response; of statements that say nothing
 * else only the newest of each limit is kept. Otherwise they would make up a third of the data of a long session.
 */
export class ContextLedger {
  readonly changes: Slices<ContextChange>;
  /** The newest statement of each limit, including those that also state other settings. */
  readonly #limits: Map<string, ContextChange>;

  constructor(changes: Slices<ContextChange>, limits: readonly ContextChange[] = []) {
    this.changes = changes;
    this.#limits = new Map(limits.map((change) => [limitOf(change) ?? "", change]));
  }

  take(change: ContextChange): void {
    if (!saysLimitsAlone(change)) this.changes.push(change);
    const id = limitOf(change);
    if (id === null) return;
    const known = this.#limits.get(id);
    if (!known || (known.time ?? 0) <= (change.time ?? 0)) this.#limits.set(id, change);
  }

  limits(): ContextChange[] {
    return [...this.#limits.values()];
  }

  /** In file order. */
  all(): ContextChange[] {
    const limits = this.limits().filter(saysLimitsAlone);
    return [...this.changes.all(), ...limits].toSorted((a, b) => a.line - b.line);
  }
}

/** The id of the rate limit a statement is about; null if it states none. */
function limitOf({ body: { rate_limits: limits } }: ContextChange): string | null {
  return limits ? (limits.limit_id ?? "default") : null;
}

function saysLimitsAlone({ body }: ContextChange): boolean {
  return Boolean(body.rate_limits) && Object.keys(body).every((key) => key === "type" || key === "rate_limits");
}
