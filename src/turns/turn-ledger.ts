import type { Outcome, TurnDraft } from "./model.ts";
import type { Slices } from "./slices.ts";

/** A turn, and what only decides its outcome. */
export interface TurnAtWork {
  draft: TurnDraft;
  /** An explicit end was met. */
  ended: boolean;
  /** The agent produced something. */
  worked: boolean;
  /** The last thing the agent did was to speak: what was asked is answered, as far as nothing else says how it ended. */
  answered: boolean;
  /** The agent writes a record when it ends: as long as there is none, the last word is not the answer. */
  statesEnd: boolean;
  /** Its trigger has no time of its own and took that of what stands before it, until something that follows has one. */
  untimed?: true;
}

export interface EndOfTurn {
  detail?: string | null;
  duration?: number | null | undefined;
  named?: string | null | undefined;
}

export interface SavedTurns {
  completed: number;
}

/** The turns of one file: which of them runs, what ends them, what takes them back. */
export class TurnLedger {
  readonly turns: Slices<TurnAtWork>;
  #current: TurnAtWork | null = null;
  /** Turns with an explicit normal end: a format that has none of them says less. */
  #completed = 0;

  constructor(turns: Slices<TurnAtWork>, saved?: SavedTurns) {
    this.turns = turns;
    if (!saved) return;
    // Whatever comes next, it concerns the turn that runs: its outcome depends on there being none after it.
    this.#current = turns.change(turns.length - 1) ?? null;
    this.#completed = saved.completed;
  }

  save(): SavedTurns {
    return { completed: this.#completed };
  }

  get current(): TurnAtWork | null {
    return this.#current;
  }

  get length(): number {
    return this.turns.length;
  }

  /** To look at only. */
  at(index: number): TurnDraft | undefined {
    return this.turns.at(index)?.draft;
  }

  change(index: number): TurnAtWork | null {
    return this.turns.change(index) ?? null;
  }

  /** The latest turn the agent calls so; undefined when it never began. */
  named(id: string): TurnAtWork | undefined {
    if (this.#current?.draft.native_turn_id === id) return this.#current;
    const index = this.turns.find(id);
    return index === undefined ? undefined : this.turns.change(index);
  }

  begin(draft: TurnDraft, statesEnd: boolean): TurnAtWork {
    const turn: TurnAtWork = { draft, ended: false, worked: false, answered: false, statesEnd };
    this.turns.push(turn);
    this.#current = turn;
    return turn;
  }

  works(turn: TurnAtWork, speaks: boolean): void {
    turn.worked = true;
    // New output after a normal end (a notification that woke the agent) is still the same human request.
    if (turn.ended && turn.draft.outcome === "completed" && turn === this.#current) {
      turn.ended = false;
      turn.draft.outcome = "open";
      this.#completed--;
    }
    turn.answered = speaks;
  }

  /** A call came back: what the agent makes of it is still to come. */
  goesOn(turn: TurnAtWork | null): void {
    if (turn) turn.answered = false;
  }

  /** `named`: the turn that the agent says has ended. */
  end(turn: TurnAtWork, outcome: Outcome, { detail = null, duration = null, named = null }: EndOfTurn): void {
    const { draft } = turn;
    // Another one, which no prompt began, changes nothing about one that has ended.
    if (turn.ended && named !== null && draft.native_turn_id !== null && named !== draft.native_turn_id) return;
    if (duration !== null) draft.duration_ms = duration;
    const before = turn.ended && draft.outcome === "completed";
    // An abort or a failure is not undone by the bookkeeping record that follows it.
    if (turn.ended && !before && outcome === "completed") return;
    turn.ended = true;
    draft.outcome = outcome;
    draft.outcome_detail = detail;
    this.#completed += Number(outcome === "completed") - Number(before);
  }

  /** The human took back the newest of the turns that stand. */
  rollBack(count: number): void {
    for (let i = this.length - 1, left = count; i >= 0 && left > 0; i--) {
      if (this.at(i)?.taken_back !== null) continue;
      const turn = this.change(i);
      if (turn) turn.draft.taken_back = "rolled_back";
      left--;
    }
  }

  /** The human went back to a position and went on from there, in the record on the given line. */
  rewind(from: number, line: number): void {
    for (let i = 0; i < this.length; i++) {
      const turn = this.at(i);
      // The trigger that rewound is the current turn already; it stays.
      if (!turn || turn.position < from || turn.start_line >= line) continue;
      const changed = this.change(i);
      if (changed) changed.draft.taken_back = "rewound";
    }
  }

  /** Turns without an explicit end: old formats have none, killed agents never wrote it, steered turns share the next one's. */
  decideAll(hanging: ReadonlySet<number | null>): void {
    for (let i = this.length - 1; i >= 0; i--) this.#decide(i, hanging);
  }

  /**
   * The same for some turns, when all others were decided before and did not change. Returns them with those whose outcome
   * they share.
   */
  decideSome(some: Iterable<number>, hanging: ReadonlySet<number | null>): Set<number> {
    const decided = new Set<number>();
    for (const index of some) {
      let [first, last] = [index, index];
      while (this.#sharesNext(first - 1)) first--;
      // At rest outcomes are not decided: one that is shared is found where the chain ends.
      while (this.#sharesNext(last)) last++;
      for (let i = last; i >= first; i--) this.#decide(i, hanging);
      for (let i = first; i <= index; i++) decided.add(i);
    }
    return decided;
  }

  #decide(i: number, hanging: ReadonlySet<number | null>): void {
    const turn = this.turns.at(i);
    if (!turn || turn.ended) return;
    const { draft } = turn;
    if (this.#sharesNext(i)) {
      draft.outcome = this.at(i + 1)?.outcome ?? "open";
      return;
    }
    const isLast = i === this.length - 1;
    const answered = turn.answered && !turn.statesEnd && !hanging.has(i);
    if (answered && (!isLast || this.#completed === 0)) draft.outcome = "completed";
    else draft.outcome = isLast ? "open" : "aborted";
  }

  #sharesNext(i: number): boolean {
    // The next one first: most are not queued, and this one may sleep.
    return this.at(i + 1)?.trigger.kind === "queued" && this.turns.at(i)?.ended === false;
  }
}
