import type { Entry, EntryClass } from "../contract.ts";
import { beginTurn, linkRecord, turnAfter, type ChainState } from "./chain.ts";
import type { JsonLine, Lines } from "./json-lines.ts";
import type { Native } from "./native.ts";
import { RecentMap } from "./state.ts";

/** A reader's state that has some fields, `W`, for each window of the session. */
export interface WindowedState<W> extends ChainState {
  /** The fields of windows that other windows wrote after, by their last turn. */
  parked: RecentMap<W>;
}

/** What a source knows about the chain that its agent writes. */
export interface WindowRules<W extends object, S extends WindowedState<W>> {
  /** The fields that a window has for itself: what the reader remembers of the turn that runs there. */
  fields: Record<keyof W, true>;
  /** Their values for a turn that goes on although its window seemed to be gone, as far as they are known. */
  atWork: Partial<W>;
  /** The record before this one in its own window. */
  parentOf: (record: Native) => string | null;
  idOf: (record: Native) => string | null;
  /** Whether the record is work of the agent. Anything else may be a late record of a turn whose window has moved on. */
  isWork: (record: Native) => boolean;
  /** The turn of a record that follows this one, for readers that know it of every record. */
  turnAfter?: (state: S, id: string) => number | undefined;
}

const PARKED = 16;

export function freshParked<W>(): RecentMap<W> {
  return new RecentMap(PARKED);
}

/**
 * Several windows may have one session open. All append to its file, and every record names the one before it in its
 * own window. So the turn of a record is known however the lines are mixed; what the reader remembers of the running
 * turn is kept for each window.
 */
export class Windows<W extends object, S extends W & WindowedState<W> = W & WindowedState<W>> {
  readonly #rules: Required<WindowRules<W, S>>;

  constructor(rules: WindowRules<W, S>) {
    this.#rules = { turnAfter, ...rules };
  }

  /** Finds the turn that the record belongs to or follows, and restores the state of its window. */
  enter(record: Native, state: S): void {
    const parent = this.#rules.parentOf(record);
    const turn = parent === null ? undefined : this.#rules.turnAfter(state, parent);
    this.#enterTurn(state, turn, this.#rules.isWork(record));
  }

  /** The same for a line that was not parsed. `link`: the ids of the record before it and of itself, as far as known. */
  placeSkimmed(entry: Entry, link: string | null, state: S): void {
    const [parent = "", id = ""] = link?.split(" ") ?? [];
    this.#enterTurn(state, this.#rules.turnAfter(state, parent), false);
    if (id !== "") linkRecord(state, id);
    placeEntry(entry, null, state);
  }

  #enterTurn(state: S, turn: number = state.window, isWork: boolean): void {
    state.at = turn;
    if (turn === state.window) return;
    const parked = state.parked.get(String(turn));
    if (!parked && !isWork) return;
    this.#park(state);
    state.parked.delete(String(turn));
    Object.assign(state, parked ?? this.#rules.atWork, { window: turn });
  }

  #park(state: S): void {
    const names = Object.keys(this.#rules.fields) as (keyof W)[];
    const fields = Object.fromEntries(names.map((name) => [name, state[name]]));
    state.parked.set(String(state.window), structuredClone(fields) as W);
  }

  /**
   * A prompt begins a turn. Returns the turn it follows, null if that is the one that began last. `joins`: it was sent
   * into that turn while it ran, and everything that follows in it belongs to the prompt.
   */
  begin(record: Native, line: number, joins: boolean, state: S): number | null {
    const { at, began } = state;
    // A prompt after any other turn than the last one of a window begins another window, or replaces this one.
    if (at !== state.window) this.#park(state);
    beginTurn(state, line, this.#rules.parentOf(record), joins);
    return at === began ? null : at;
  }

  /** The lines ahead without those of other windows. */
  linesAhead(lines: Lines, state: S): Lines {
    return state.parked.size === 0 ? lines : new WindowLines(lines, state, this.#rules);
  }
}

/** States what an entry follows or belongs to, where the order of lines would tell it wrong. */
export function placeEntry<W>(entry: Entry, follows: number | null, state: WindowedState<W>): void {
  const { at, began } = state;
  if (entry.class === "trigger" && follows !== null)
    entry.records = entry.records.map((body) =>
      body.type === "user" ? { ...body, follows_line: follows === 0 ? null : follows } : body,
    );
  if (at === 0 || !OF_A_TURN.has(entry.class)) return;
  // What is held back for the next prompt has to wait for that of its own window.
  const waits = entry.class === "setup" && state.parked.size > 0;
  if (at === began && !waits) return;
  entry.turnLine = at;
  delete entry.turnId;
}

const OF_A_TURN: ReadonlySet<EntryClass> = new Set<EntryClass>(["reaction", "echo", "setup", "duplicate", "unknown"]);

class WindowLines<W extends object, S extends WindowedState<W>> implements Lines {
  readonly #lines: Lines;
  readonly #state: S;
  readonly #rules: Required<WindowRules<W, S>>;
  /** Ids of records ahead that other windows wrote. */
  readonly #others = new Set<string>();
  readonly #found: JsonLine[] = [];
  #next = 0;

  constructor(lines: Lines, state: S, rules: Required<WindowRules<W, S>>) {
    this.#lines = lines;
    this.#state = state;
    this.#rules = rules;
  }

  get position(): Lines["position"] {
    return this.#lines.position;
  }

  next(): JsonLine | null {
    return this.#lines.next();
  }

  peek(k = 0): JsonLine | null {
    while (this.#found.length <= k) {
      const line = this.#lines.peek(this.#next);
      if (line === null) return null;
      this.#next++;
      if (line.value === null || !this.#isOther(line.value)) this.#found.push(line);
    }
    return this.#found[k] ?? null;
  }

  close(): void {
    this.#lines.close();
  }

  #isOther(record: Native): boolean {
    const parent = this.#rules.parentOf(record);
    if (parent === null) return false;
    const turn = this.#rules.turnAfter(this.#state, parent);
    const isOther = this.#others.has(parent) || this.#state.parked.get(String(turn)) !== undefined;
    const id = this.#rules.idOf(record);
    if (isOther && id !== null) this.#others.add(id);
    return isOther;
  }
}
