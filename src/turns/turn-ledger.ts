import type { Outcome, TurnContext, TurnDraft } from "./model.ts";
import type { Slices } from "./slices.ts";

/** A turn, with the state needed to decide its outcome. */
export interface TrackedTurn {
  draft: TurnDraft;
  /** A record stated its end. */
  ended: boolean;
  /** Its end was only assumed by a client that opened the session: whatever happens next shows that it went on. */
  assumed?: true;
  /** The agent produced something. */
  worked: boolean;
  /**
   * The last thing the agent did was to write text: the request counts as answered unless something else states how it
   * ended. At the end of the file it does so if the text ends the response (`yes`), does not if the response goes on
   * (`partly`), and otherwise (`unstated`) only if no turn of the file has a stated end.
   */
  answered: "no" | "partly" | "unstated" | "yes";
  /** The agent writes a record when a turn ends: as long as there is none, its last text is not the final answer. */
  statesEnd: boolean;
  /** The trigger has no time of its own and uses that of the record before it, until a later record supplies one. */
  untimed?: true;
  /** The settings in force in its window, if they changed after its first work. Only kept for turns that run beside others. */
  left?: TurnContext;
}

export interface StatedEnd {
  detail?: string | null;
  duration?: number | null | undefined;
  named?: string | null | undefined;
  assumed?: boolean | undefined;
}

export interface SavedTurns {
  completed: number;
  /** Turns besides the newest one that may still be worked on. */
  live?: number[];
  branched?: true;
  windows?: true;
}

/** What a prompt continues: a turn, nothing (null), or the turn that began last, if its agent does not say. */
export type Followed = TrackedTurn | null | undefined;

/**
 * The turns of one file: which ones are running, what ends them, what takes them back. If the session was open in
 * several windows, or the human returned to an earlier point, the turns form a tree: each continues the one that its
 * draft says it follows.
 */
export class TurnLedger {
  readonly turns: Slices<TrackedTurn>;
  #current: TrackedTurn | null = null;
  /** Number of turns with an explicit normal end: if it is 0, the format may not write such ends at all. */
  #completed = 0;
  /** The turns that may still be worked on: the newest one, and those that run in other windows. */
  readonly #live = new Set<number>();
  #branched = false;
  #windows = false;

  constructor(turns: Slices<TrackedTurn>, saved?: SavedTurns) {
    this.turns = turns;
    if (!saved) return;
    // Every further entry concerns the running turn, because its outcome depends on being the last one; so it counts as
    // changed.
    this.#current = turns.change(turns.length - 1) ?? null;
    this.#completed = saved.completed;
    this.#branched = saved.branched === true;
    this.#windows = saved.windows === true;
    for (const index of saved.live ?? []) this.#live.add(index);
    if (this.#current) this.#live.add(this.#current.draft.index);
  }

  save(): SavedTurns {
    const live = [...this.#live].filter((index) => index !== this.length - 1);
    return {
      completed: this.#completed,
      ...(live.length > 0 ? { live } : {}),
      ...(this.#branched ? { branched: true } : {}),
      ...(this.#windows ? { windows: true } : {}),
    };
  }

  /** The turn that began last. */
  get current(): TrackedTurn | null {
    return this.#current;
  }

  /** True if some turn continues another one than the turn before it. */
  get branched(): boolean {
    return this.#branched;
  }

  /** True if work on one turn went on after another one began: the session was open in several windows. */
  get windows(): boolean {
    return this.#windows;
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

  /** The turn that began at this line; undefined if none did. */
  findByLine(line: number): TrackedTurn | undefined {
    let [low, high] = [0, this.length - 1];
    while (low <= high) {
      const middle = (low + high) >> 1;
      const at = this.at(middle)?.start_line ?? 0;
      if (at === line) return this.turns.change(middle);
      if (at < line) low = middle + 1;
      else high = middle - 1;
    }
    return undefined;
  }

  /** True while nothing says that the turn is over: no prompt follows it in its window. */
  isLive(index: number): boolean {
    return this.#live.has(index);
  }

  /** `waits`: whether a turn has a call without a result. */
  begin(draft: TurnDraft, statesEnd: boolean, follows: Followed, waits: (index: number) => boolean): TrackedTurn {
    const followed = follows === undefined ? this.#current : follows;
    if (followed !== this.#current) {
      draft.follows = followed?.draft.index ?? null;
      this.#branched = true;
      if (followed) this.#restore(followed);
    }
    for (const index of this.#live)
      if (index === followed?.draft.index || !this.#isAtWork(index, waits)) this.#live.delete(index);
    if (this.#live.size > 0) this.#windows = true;
    const turn: TrackedTurn = { draft, ended: false, worked: false, answered: "no", statesEnd };
    this.turns.push(turn);
    this.#current = turn;
    this.#live.add(draft.index);
    return turn;
  }

  /** The agent is in the middle of something, which a prompt in another window does not end. */
  #isAtWork(index: number, waits: (index: number) => boolean): boolean {
    const turn = this.turns.at(index);
    return (
      turn !== undefined &&
      turn.worked &&
      !turn.ended &&
      (turn.answered === "no" || turn.answered === "partly" || waits(index))
    );
  }

  /** The agent works on a turn that looked over: its window is still open. */
  revive(turn: TrackedTurn): void {
    if (this.#live.has(turn.draft.index)) return;
    this.#windows = true;
    this.#live.add(turn.draft.index);
    this.#restore(turn);
  }

  /** What goes on was not taken back: the prompt that was sent after the same record came from another window. */
  #restore(turn: TrackedTurn): void {
    for (let at: TrackedTurn | null = turn; at?.draft.taken_back === "rewound"; at = this.change(followedBy(at.draft)))
      at.draft.taken_back = null;
  }

  recordWork(turn: TrackedTurn, answered: TrackedTurn["answered"]): void {
    turn.worked = true;
    if (turn.assumed) this.#reopen(turn);
    // New output after a normal end (a notification that woke the agent) still belongs to the same human request.
    if (turn.ended && turn.draft.outcome === "completed" && this.#live.has(turn.draft.index)) {
      this.#reopen(turn);
      this.#completed--;
    }
    turn.answered = answered;
  }

  #reopen(turn: TrackedTurn): void {
    turn.ended = false;
    turn.draft.outcome = "open";
    if (turn.assumed) turn.draft.outcome_detail = null;
    delete turn.assumed;
  }

  /** A call returned: the agent's response to its result is still to come. */
  awaitReply(turn: TrackedTurn | null): void {
    if (turn) turn.answered = "no";
  }

  /** `named`: the native id of the turn that ended, according to the agent. */
  end(turn: TrackedTurn, outcome: Outcome, { detail = null, duration = null, named = null, assumed }: StatedEnd): void {
    const { draft } = turn;
    if (turn.assumed) this.#reopen(turn);
    if (assumed && !turn.ended) turn.assumed = true;
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
    const standing = this.#branched ? this.#continued() : null;
    const back = new Set<number>();
    for (let i = 0; i < this.length; i++) {
      const turn = this.at(i);
      // The trigger that rewound is the current turn already; it stays.
      if (!turn || turn.position < from || turn.start_line >= line) continue;
      // Of a tree, only the branch that begins there is left.
      if (standing && (standing.has(i) || (back.size > 0 && !back.has(followedBy(turn))))) continue;
      back.add(i);
      const changed = this.change(i);
      if (changed) changed.draft.taken_back = "rewound";
    }
  }

  /** The turns that are running in other windows than the newest one, and those they continue. */
  #continued(): Set<number> {
    const found = new Set<number>();
    for (const index of this.#live) {
      if (index === this.length - 1) continue;
      for (let i = index, turn = this.at(i); turn && !found.has(i); i = followedBy(turn), turn = this.at(i))
        found.add(i);
    }
    return found;
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
      const chain = [index];
      for (let i = this.#sharingBefore(index); i !== null; i = this.#sharingBefore(i)) chain.unshift(i);
      for (const i of chain) decided.add(i);
      // Saved turns have no decided outcome: a shared one is found at the end of the chain.
      for (let i = this.#sharedWith(index); i !== null; i = this.#sharedWith(i)) chain.push(i);
      for (const i of chain.toReversed()) this.#decide(i, hanging);
    }
    return decided;
  }

  #decide(i: number, hanging: ReadonlySet<number | null>): void {
    const turn = this.turns.at(i);
    if (!turn || turn.ended) return;
    const { draft } = turn;
    const next = this.#sharedWith(i);
    if (next !== null) {
      draft.outcome = this.at(next)?.outcome ?? "open";
      return;
    }
    const isLive = this.#live.has(i);
    const answered = isLive ? this.#isAnswered(turn) : turn.answered !== "no";
    if (answered && !turn.statesEnd && !hanging.has(i)) draft.outcome = "completed";
    else draft.outcome = isLive ? "open" : "aborted";
  }

  /** Whether a turn counts as answered although nothing follows it. */
  #isAnswered({ answered }: TrackedTurn): boolean {
    return answered === "yes" || (answered === "unstated" && this.#completed === 0);
  }

  /** The turn whose outcome this one shares: the prompt that the human sent into it while it ran. */
  #sharedWith(i: number): number | null {
    // The next turn is checked first: most are not queued, and this one may not be loaded.
    const last = this.#branched ? this.length - 1 : i + 1;
    for (let next = i + 1; next <= last; next++) {
      const turn = this.at(next);
      if (turn?.trigger.kind === "queued" && followedBy(turn) === i)
        return this.turns.at(i)?.ended === false ? next : null;
    }
    return null;
  }

  /** The turn that shares the outcome of this one. */
  #sharingBefore(i: number): number | null {
    const turn = this.at(i);
    if (turn?.trigger.kind !== "queued") return null;
    const before = followedBy(turn);
    return this.turns.at(before)?.ended === false ? before : null;
  }
}

/** The index of the turn that this one continues; -1 if it continues none. */
function followedBy({ index, follows }: TurnDraft): number {
  return follows === undefined ? index - 1 : (follows ?? -1);
}
