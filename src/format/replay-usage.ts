import type { RecordEnvelope, Tokens, UsageBody, UsageTotalBody } from "./record.ts";
import type { TurnState, UsageState } from "./state.ts";
import { addTokens, noTokens, takeTokens } from "./tokens.ts";

interface Counted {
  turnId: string | null;
  statement: UsageBody;
}

/** Every response counts once: its latest `counted` statement holds, in the turn that stated it first. */
export class UsageTrack {
  readonly #responses = new Map<string, Counted>();
  readonly #statements = new Map<string, number>();
  readonly #said = new Map<string, UsageTotalBody>();

  add(record: RecordEnvelope & UsageBody): void {
    this.#statements.set(record.verdict, (this.#statements.get(record.verdict) ?? 0) + 1);
    if (record.verdict !== "counted") return;
    const known = this.#responses.get(record.response_id);
    const turnId = known?.turnId ?? record.turn_id ?? null;
    this.#responses.set(record.response_id, { turnId, statement: record });
  }

  says(record: RecordEnvelope & UsageTotalBody): void {
    // Each file of a session has counters of its own.
    this.#said.set(`${record.origin.path ?? ""}\n${record.counter}`, record);
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
      stated: this.#stated(),
    };
  }

  #stated(): Tokens | null {
    if (this.#said.size === 0) return null;
    const sum = noTokens();
    for (const { models, inherited } of this.#said.values()) {
      for (const model of models) addTokens(sum, model);
      if (inherited) takeTokens(sum, inherited);
    }
    return sum;
  }
}
