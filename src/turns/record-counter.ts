import type { Entry, EntryClass } from "../sources/contract.ts";
import type { LedgerRow, RecordBalance, TurnDraft } from "./model.ts";

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

/** Who is told of each record, in order, once it is certain what it belongs to. */
export type BuildLedger = false | ((row: LedgerRow) => void);

export interface SavedCounter {
  balance: RecordBalance;
  held: number;
  early: number;
  reasons: [EntryClass, string, number][];
}

/**
 * Books every native record exactly once. Setup is held until it is known what it was for: the trigger that follows, or,
 * when work goes on without one, the turn that is running.
 */
export class RecordCounter {
  readonly balance: RecordBalance = emptyBalance();
  readonly #onRow: ((row: LedgerRow) => void) | null;
  // Nested, so that counting a record builds no string.
  readonly #reasons = new Map<EntryClass, Map<string, number>>();
  #held = 0;
  /** Of them, those that will be owned by the turn that begins. */
  #early = 0;
  /** From the first held record on: rows are told in order. */
  #waiting: LedgerRow[] = [];

  constructor(ledger: BuildLedger, saved?: SavedCounter) {
    this.#onRow = ledger === false ? null : ledger;
    if (!saved) return;
    Object.assign(this.balance, saved.balance, { reasons: {} });
    this.#held = saved.held;
    this.#early = saved.early;
    for (const [kind, reason, n] of saved.reasons) {
      const counts = this.#reasons.get(kind) ?? new Map<string, number>();
      this.#reasons.set(kind, counts.set(reason, n));
    }
  }

  /** What must be kept to go on counting later. Rows are not: they are asked for in one pass or not at all. */
  save(): SavedCounter {
    const reasons = [...this.#reasons].flatMap(([kind, counts]) =>
      [...counts].map(([reason, n]): [EntryClass, string, number] => [kind, reason, n]),
    );
    return { balance: { ...this.balance, reasons: {} }, held: this.#held, early: this.#early, reasons };
  }

  count(entry: Entry, owner: TurnDraft | null): void {
    const b = this.balance;
    b.records_read++;
    this.#reason(entry);
    if (this.#onRow && this.#held > 0) this.#waiting.push(rowOf(entry, owner));
    else this.#onRow?.(rowOf(entry, owner));
    switch (entry.class) {
      case "inherited":
        b.inherited++;
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

  hold(entry: Entry): void {
    this.balance.records_read++;
    this.#reason(entry);
    this.#held++;
    if (entry.class === "early") this.#early++;
    if (this.#onRow) this.#waiting.push(rowOf(entry, null));
  }

  /**
   * `begins`: the turn is new and the held records prepared it, or were caused by it. Otherwise they stood inside the running
   * turn and are its own.
   */
  settle(turn: TurnDraft | null, begins: boolean): void {
    if (this.#held === 0) return;
    const owned = begins ? this.#early : this.#held;
    if (turn) {
      this.balance.owned_by_turns += owned;
      turn.records += owned;
      this.balance.setup += this.#held - owned;
    } else {
      this.balance.session_level += this.#early;
      this.balance.setup += this.#held - this.#early;
    }
    this.#held = 0;
    this.#early = 0;
    for (const row of this.#waiting.splice(0)) {
      if (row.class === "setup" && begins) row.prepares = turn?.index ?? null;
      else if (row.class === "setup" || row.class === "early") row.turn = turn?.index ?? null;
      this.#onRow?.(row);
    }
  }

  close(): void {
    this.settle(null, true);
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
