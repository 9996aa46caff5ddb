import type { Entry, EntryClass } from "../agents/contract.ts";
import type { LedgerRow, LineRuns, RecordBalance, TurnDraft } from "./model.ts";

export function emptyBalance(): RecordBalance {
  return {
    records_read: 0,
    owned_by_turns: 0,
    setup: 0,
    session_level: 0,
    inherited: 0,
    duplicates: 0,
    unknown: 0,
    corrupt: 0,
    reasons: {},
  };
}

/** Callback that receives every record, in order, as soon as its owner is certain; false if rows are not needed. */
export type BuildLedger = false | ((row: LedgerRow) => void);

export interface SavedCounter {
  balance: RecordBalance;
  held: HeldLine[];
  inherited: LineRuns;
  reasons: [EntryClass, string, number][];
}

/**
 * A record whose owner is not certain yet; `early`: the next turn to begin will own it. `after`: the turn it follows in
 * its window, if the agent says so.
 */
type HeldLine = [line: number, early: boolean, after: number | null];

/**
 * Counts every native record exactly once. Setup is held until its purpose is known: it prepared the trigger that
 * follows or, if work continues without one, it belongs to the running turn.
 */
export class RecordCounter {
  readonly balance: RecordBalance = emptyBalance();
  /** Lines copied from another session. */
  readonly inherited: LineRuns = [];
  readonly #onRow: ((row: LedgerRow) => void) | null;
  // Nested maps, so that counting a record builds no string.
  readonly #reasons = new Map<EntryClass, Map<string, number>>();
  #held: HeldLine[] = [];
  /** Rows from the first held record on: rows are delivered in order. */
  #waiting: LedgerRow[] = [];

  constructor(ledger: BuildLedger, saved?: SavedCounter) {
    this.#onRow = ledger === false ? null : ledger;
    if (!saved) return;
    Object.assign(this.balance, saved.balance, { reasons: {} });
    this.#held = [...saved.held];
    this.inherited.push(...saved.inherited);
    for (const [kind, reason, n] of saved.reasons) {
      const counts = this.#reasons.get(kind) ?? new Map<string, number>();
      this.#reasons.set(kind, counts.set(reason, n));
    }
  }

  /**
   * The state needed to continue counting later. Rows are not saved: they are requested for a whole pass or not at all.
   */
  save(): SavedCounter {
    const reasons = [...this.#reasons].flatMap(([kind, counts]) =>
      [...counts].map(([reason, n]): [EntryClass, string, number] => [kind, reason, n]),
    );
    return { balance: { ...this.balance, reasons: {} }, held: this.#held, inherited: this.inherited, reasons };
  }

  count(entry: Entry, owner: TurnDraft | null): void {
    const b = this.balance;
    b.records_read++;
    this.#reason(entry);
    if (owner) addLine(owner.lines, entry.line);
    if (this.#onRow && this.#held.length > 0) this.#waiting.push(rowOf(entry, owner));
    else this.#onRow?.(rowOf(entry, owner));
    switch (entry.class) {
      case "inherited":
        b.inherited++;
        addLine(this.inherited, entry.line);
        return;
      case "duplicate":
        b.duplicates++;
        return;
      case "unknown":
        b.unknown++;
        return;
      case "corrupt":
        b.corrupt++;
        return;
      case "session":
      case "trigger":
      case "echo":
      case "reaction":
      case "early":
      case "setup":
        if (owner) {
          b.owned_by_turns++;
          owner.records++;
        } else b.session_level++;
        return;
    }
  }

  hold(entry: Entry, after: number | null): void {
    this.balance.records_read++;
    this.#reason(entry);
    this.#held.push([entry.line, entry.class === "early", after]);
    if (this.#onRow) this.#waiting.push(rowOf(entry, null));
  }

  /**
   * `begins`: the turn is new, and the held records prepared it or were caused by it. Otherwise they lie inside the
   * running turn and belong to it. `after`: the turn they have to follow; what follows another one is of another
   * window, and stays.
   */
  settle(turn: TurnDraft | null, begins: boolean, after: number | null): void {
    if (this.#held.length === 0) return;
    const held = this.#held.filter((line) => line[2] === null || line[2] === after);
    this.#held = this.#held.filter((line) => !held.includes(line));
    this.#settleHeld(held, turn, begins);
  }

  #settleHeld(held: readonly HeldLine[], turn: TurnDraft | null, begins: boolean): void {
    const early = held.filter(([, isEarly]) => isEarly);
    const owned = begins ? early : held;
    if (turn) {
      this.balance.owned_by_turns += owned.length;
      turn.records += owned.length;
      for (const [line] of owned) addLine(turn.lines, line);
      this.balance.setup += held.length - owned.length;
    } else {
      this.balance.session_level += early.length;
      this.balance.setup += held.length - early.length;
    }
    const lines = new Set(held.map(([line]) => line));
    for (const row of this.#waiting) {
      if (!lines.has(row.line)) continue;
      if (row.class === "setup" && begins) row.prepares = turn?.index ?? null;
      else row.turn = turn?.index ?? null;
    }
    // Rows are delivered in order: those after a record that is still held have to wait with it.
    const [first] = this.#held;
    const end = first ? this.#waiting.findIndex(({ line }) => line === first[0]) : this.#waiting.length;
    for (const row of this.#waiting.splice(0, end)) this.#onRow?.(row);
  }

  close(): void {
    for (const after of new Set(this.#held.map((line) => line[2]))) this.settle(null, true, after);
    for (const [kind, counts] of this.#reasons) {
      for (const [reason, n] of counts) this.balance.reasons[`${kind} · ${reason}`] = n;
    }
  }

  #reason(entry: Entry): void {
    let counts = this.#reasons.get(entry.class);
    if (!counts) this.#reasons.set(entry.class, (counts = new Map()));
    counts.set(entry.reason, (counts.get(entry.reason) ?? 0) + 1);
  }
}

function rowOf(entry: Entry, owner: TurnDraft | null): LedgerRow {
  return {
    line: entry.line,
    class: entry.class,
    reason: entry.reason,
    native: entry.native,
    time: entry.time,
    turn: owner?.index ?? null,
    prepares: null,
    records: entry.records.map((body) => body.type),
  };
}

/** Lines come in order: the next one extends the last run or begins a new one. */
function addLine(runs: LineRuns, line: number): void {
  if (runs.at(-1) === line - 1) runs[runs.length - 1] = line;
  else runs.push(line, line);
}
