import type { Outcome, TurnDraft } from "./model.ts";
import type { Slices } from "./slices.ts";

/** A turn, with the state needed to decide its outcome. */
export interface TrackedTurn {
  draft: TurnDraft;
  /** A record stated its end. */
  ended: boolean;
  /** The agent produced something. */
  worked: boolean;
  /**
   * The last thing the agent did was to write text: the request counts as answered unless something else states how it
   * ended.
   */
  answered: boolean;
  /** The agent writes a record when a turn ends: as long as there is none, its last text is not the final answer. */
  statesEnd: boolean;
  /** The trigger has no time of its own and uses that of the record before it, until a later record supplies one. */
  untimed?: true;
}

export interface TurnEnd {
  detail?: string | null;
  duration?: number | null | undefined;
  named?: string | null | undefined;
}

export interface SavedTurns {
  completed: number;
}

/** The turns of one file: which one is running, what ends them, what takes them back. */
export class TurnLedger {
  readonly turns: Slices<TrackedTurn>;
  #current: TrackedTurn | null = null;
  /** Number of turns with an explicit normal end: if it is 0, the format may not write such ends at all. */
  #completed = 0;

  constructor(turns: Slices<TrackedTurn>, saved?: SavedTurns) {
    this.turns = turns;
    if (!saved) return;
    // Every further entry concerns the running turn, because its outcome depends on being the last one; so it counts as
    // changed.
    this.#current = turns.change(turns.length - 1) ?? null;
    this.#completed = saved.completed;
  }

  save(): SavedTurns {
    return { completed: this.#completed };
  }

  get current(): TrackedTurn | null {
    return this.#current;
  }

  get length(): number {
    return this.turns.length;
  }

  /** For reading only. */
  at(index: number): TurnDraft | undefined {
    return this.turns.at(index)?.draft;
  }

  change(index: number): TrackedTurn | null {
    return this.turns.change(index) ?? null;
  }

  /** The latest turn with this native id; undefined if none began. */
  findByNativeId(id: string): TrackedTurn | undefined {
    if (this.#current?.draft.native_turn_id === id) return this.#current;
    const index = this.turns.find(id);
    return index === undefined ? undefined : this.turns.change(index);
  }

  begin(draft: TurnDraft, statesEnd: boolean): TrackedTurn {
    const turn: TrackedTurn = { draft, ended: false, worked: false, answered: false, statesEnd };
    this.turns.push(turn);
    this.#current = turn;
    return turn;
  }

  recordWork(turn: TrackedTurn, speaks: boolean): void {
    turn.worked = true;
    // New output after a normal end (a notification that woke the agent) still belongs to the same human request.
    if (turn.ended && turn.draft.outcome === "completed" && turn === this.#current) {
      turn.ended = false;
      turn.draft.outcome = "open";
      this.#completed--;
    }
    turn.answered = speaks;
  }

  /** A call returned: the agent's response to its result is still to come. */
  awaitReply(turn: TrackedTurn | null): void {
    if (turn) turn.answered = false;
  }

  /** `named`: the native id of the turn that ended, according to the agent. */
  end(turn: TrackedTurn, outcome: Outcome, { detail = null, duration = null, named = null }: TurnEnd): void {
    const { draft } = turn;
    // The end of another turn, which no prompt began, does not affect this one once it has ended.
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

  /** The human took back the newest turns that were not taken back before. */
  rollBack(count: number): void {
    for (let i = this.length - 1, left = count; i >= 0 && left > 0; i--) {
      if (this.at(i)?.taken_back !== null) continue;
      const turn = this.change(i);
      if (turn) turn.draft.taken_back = "rolled_back";
      left--;
    }
  }

  /** The human returned to `from` and continued from there; `line` is the record that says so. */
  rewind(from: number, line: number): void {
    for (let i = 0; i < this.length; i++) {
      const turn = this.at(i);
      // The trigger that rewound is the current turn already; it stays.
      if (!turn || turn.position < from || turn.start_line >= line) continue;
      const changed = this.change(i);
      if (changed) changed.draft.taken_back = "rewound";
    }
  }

  /**
   * Decides the outcome of turns without an explicit end: old formats have none, killed agents never wrote one, and a
   * turn the human steered shares that of the next one.
   */
  decideAll(hanging: ReadonlySet<number | null>): void {
    for (let i = this.length - 1; i >= 0; i--) this.#decide(i, hanging);
  }

  /**
   * The same for some turns, if all others were decided before and did not change. Returns them together with the turns
   * that share their outcome.
   */
  decideSome(some: Iterable<number>, hanging: ReadonlySet<number | null>): Set<number> {
    const decided = new Set<number>();
    for (const index of some) {
      let [first, last] = [index, index];
      while (this.#sharesNext(first - 1)) first--;
      // Saved turns have no decided outcome: a shared one is found at the end of the chain.
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
    // The next turn is checked first: most are not queued, and this one may not be loaded.
    return this.at(i + 1)?.trigger.kind === "queued" && this.turns.at(i)?.ended === false;
  }
}
