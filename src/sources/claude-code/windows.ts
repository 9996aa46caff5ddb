import type { Entry, EntryClass } from "../contract.ts";
import { beginTurn, linkRecord, turnAfter } from "../kit/chain.ts";
import type { JsonLine, Lines } from "../kit/json-lines.ts";
import { num, obj, str, type Native } from "../kit/native.ts";
import type { ReaderState, WindowState } from "./state.ts";
import type { Verdict } from "./verdict.ts";

/**
 * Several terminals may have one session open (`--resume`). All append to its file, and every record names the one
 * before it in its own terminal. So the turn of a record is known however the lines are mixed; what the reader
 * remembers of the running turn is kept for each window.
 */

const OF_A_WINDOW: Record<keyof WindowState, true> = {
  turn: true,
  unanswered: true,
  stop: true,
  absorbed: true,
  command: true,
  goal: true,
  compaction: true,
  shell: true,
  voice: true,
  entry: true,
  ruling: true,
};

/**
 * The record before this one. A compaction begins a new chain, and names the end of the old one separately. A prompt
 * without a record before it may state its index instead.
 */
export function parentOf(record: Native): string | null {
  const parent = str(record["parentUuid"]) ?? str(record["logicalParentUuid"]);
  const index = parent === null ? num(obj(record["turnPosition"])?.["turnIndex"]) : null;
  return index === null ? parent : `root#${index}`;
}

/** Finds the turn that the record belongs to or follows, and restores the state of its window. */
export function enterWindow(record: Native, state: ReaderState): void {
  const parent = parentOf(record);
  const turn = parent === null ? undefined : turnAfter(state, parent);
  enterTurn(state, turn, record["type"] === "assistant");
}

/** The same for a line that was not parsed. `link`: the ids of the record before it and of itself, as far as known. */
export function placeSkimmed(entry: Entry, link: string | null, state: ReaderState): void {
  const [parent = "", id = ""] = link?.split(" ") ?? [];
  enterTurn(state, turnAfter(state, parent));
  if (id !== "") linkRecord(state, id);
  placeInWindow(entry, null, state);
}

/** `works`: the record is an answer of the model. */
function enterTurn(state: ReaderState, turn: number = state.window, works = false): void {
  state.at = turn;
  if (turn === state.window) return;
  const parked = state.parked.get(String(turn));
  // Anything else than an answer may be a late record of a turn whose window has moved on.
  if (!parked && !works) return;
  park(state);
  state.parked.delete(String(turn));
  Object.assign(state, parked ?? { turn: "running", unanswered: true, stop: null }, { window: turn });
}

function park(state: ReaderState): void {
  const names = Object.keys(OF_A_WINDOW) as (keyof WindowState)[];
  const fields = Object.fromEntries(names.map((name) => [name, state[name]]));
  state.parked.set(String(state.window), structuredClone(fields) as unknown as WindowState);
}

/** A prompt begins a turn. Returns the turn it follows, null if that is the one that began last. */
export function beginInWindow(record: Native, { reason }: Verdict, line: number, state: ReaderState): number | null {
  const { at, began } = state;
  // A prompt after any other turn than the last one of a window begins another window, or replaces this one.
  if (at !== state.window) park(state);
  beginTurn(state, line, parentOf(record), JOINING.has(reason));
  return at === began ? null : at;
}

/** Prompts sent into a running turn: everything that follows in it belongs to them. */
const JOINING: ReadonlySet<string> = new Set([
  "claude.tool_result.feedback",
  "claude.tool_result.prompt",
  "claude.queued.absorbed",
  "claude.queue.absorbed",
]);

/** States what an entry follows or belongs to, where the order of lines would tell it wrong. */
export function placeInWindow(entry: Entry, follows: number | null, state: ReaderState): void {
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

/** The lines ahead without those of other windows. */
export function linesOfWindow(lines: Lines, state: ReaderState): Lines {
  return state.parked.size === 0 ? lines : new WindowLines(lines, state);
}

class WindowLines implements Lines {
  readonly #lines: Lines;
  readonly #state: ReaderState;
  /** Ids of records ahead that other windows wrote. */
  readonly #others = new Set<string>();
  readonly #found: JsonLine[] = [];
  #next = 0;

  constructor(lines: Lines, state: ReaderState) {
    this.#lines = lines;
    this.#state = state;
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
    const parent = parentOf(record);
    if (parent === null) return false;
    const turn = turnAfter(this.#state, parent);
    const isOther = this.#others.has(parent) || this.#state.parked.get(String(turn)) !== undefined;
    const id = str(record["uuid"]);
    if (isOther && id !== null) this.#others.add(id);
    return isOther;
  }
}
