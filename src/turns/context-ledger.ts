import type { ContextChange } from "./model.ts";
import type { Slices } from "./slices.ts";

/**
 * What ruled the work, as it was stated. Rate limits may come with every response: of statements that say nothing
 * else only the newest of each limit is kept, or they would be a third of what is known of a long session.
 */
export class ContextLedger {
  readonly changes: Slices<ContextChange>;
  readonly #limits = new Map<string, ContextChange>();

  constructor(changes: Slices<ContextChange>, limits: readonly ContextChange[] = []) {
    this.changes = changes;
    for (const change of limits) this.take(change);
  }

  take(change: ContextChange): void {
    const id = limitIn(change);
    if (id === null) {
      this.changes.push(change);
      return;
    }
    const known = this.#limits.get(id);
    if (!known || (known.time ?? 0) <= (change.time ?? 0)) this.#limits.set(id, change);
  }

  /** The newest statement of each limit. */
  limits(): ContextChange[] {
    return [...this.#limits.values()];
  }

  /** In the order of the file. */
  all(): ContextChange[] {
    return [...this.changes.all(), ...this.#limits.values()].toSorted((a, b) => a.line - b.line);
  }
}

/** The limit a statement is about; null when it says anything else as well. */
function limitIn({ body }: ContextChange): string | null {
  const { rate_limits: limits } = body;
  const saysMore = Object.keys(body).some((key) => key !== "type" && key !== "rate_limits");
  return limits && !saysMore ? (limits.limit_id ?? "default") : null;
}
