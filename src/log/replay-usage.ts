import type { RecordEnvelope, UsageBody } from "./record.ts";
import type { TurnState, UsageState } from "./state.ts";
import { addTokens, noTokens } from "./tokens.ts";

interface Counted {
  turnId: string | null;
  statement: UsageBody;
}

/** Every response counts once: its latest `counted` statement holds, in the turn that stated it first. */
export class UsageTrack {
  readonly #responses = new Map<string, Counted>();
  readonly #statements = new Map<string, number>();

  add(record: RecordEnvelope & UsageBody): void {
    this.#statements.set(record.verdict, (this.#statements.get(record.verdict) ?? 0) + 1);
    if (record.verdict !== "counted") return;
    const known = this.#responses.get(record.response_id);
    const turnId = known?.turnId ?? record.turn_id ?? null;
    this.#responses.set(record.response_id, { turnId, statement: record });
  }

  /** The sums; tells each turn its own. */
  state(turns: readonly TurnState[]): UsageState {
    const byId = new Map(turns.map((turn) => [turn.turn_id, turn]));
    const totals = noTokens();
    const models = new Map<string, ReturnType<typeof noTokens>>();
    for (const { turnId, statement } of this.#responses.values()) {
      addTokens(totals, statement);
      const model = statement.model ?? "";
      const sum = models.get(model) ?? noTokens();
      addTokens(sum, statement);
      models.set(model, sum);
      const turn = turnId === null ? undefined : byId.get(turnId);
      if (turn) addTokens(turn.usage, statement);
    }
    return {
      totals,
      responses: this.#responses.size,
      models: Object.fromEntries(models),
      statements: Object.fromEntries(this.#statements),
    };
  }
}
