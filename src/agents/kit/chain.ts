import { RecentMap, SavedMap } from "./state.ts";

/**
 * The part of a reader's state that follows a chain: each record names the one before it. A session may be open in
 * several windows; each of them continues its own end of the chain, whatever the others append in between. Turns are
 * named by the line of their trigger, 0 before the first one.
 */
export interface ChainState {
  /** The turns of the newest records. */
  links: RecentMap<number>;
  /** The newest record of each turn that may go on. A window may wait for long, while others write. */
  ends: RecentMap<string>;
  /** Turns whose further records belong to a prompt that was sent into them. */
  joined: RecentMap<number>;
  /** For each record after which a prompt was sent: the line of the newest such prompt, and the turn it follows. */
  branches: SavedMap<[prompt: number, follows: number]>;
  /** The turn that began last, and the one it follows. */
  began: number;
  follows: number;
  /** The turn at the end of the window that wrote the record read last. */
  window: number;
  /** The turn of the record that is being read; for a prompt, the one it follows. */
  at: number;
}

const LIMITS = { links: 512, ends: 64, joined: 64 };

export function freshChain(): ChainState {
  return {
    links: new RecentMap(LIMITS.links),
    ends: new RecentMap(LIMITS.ends),
    joined: new RecentMap(LIMITS.joined),
    branches: new SavedMap(),
    began: 0,
    follows: 0,
    window: 0,
    at: 0,
  };
}

/** The turn of a record that follows this one; undefined if that is not known. */
export function turnAfter(chain: ChainState, id: string): number | undefined {
  const turn = chain.links.get(id) ?? chain.branches.get(id)?.[1] ?? endedBy(chain, id);
  return turn === undefined ? undefined : (chain.joined.get(String(turn)) ?? turn);
}

function endedBy({ ends }: ChainState, id: string): number | undefined {
  for (const [turn, end] of ends.toJSON()) if (end === id) return Number(turn);
  return undefined;
}

/** The record belongs to the turn `at`. */
export function linkRecord({ links, ends, at }: ChainState, id: string): void {
  if (links.get(id) === undefined) links.set(id, at);
  if (ends.get(String(at)) !== undefined) ends.set(String(at), id);
}

/**
 * A prompt at this line begins a turn; it follows the turn `at` and the record `after`. `joins`: it was sent into that
 * turn while it ran.
 */
export function beginTurn(chain: ChainState, line: number, after: string | null, joins: boolean): void {
  const { at, joined, ends } = chain;
  if (joins || ends.get(String(at)) === after) ends.delete(String(at));
  if (joins) {
    for (const [turn, by] of joined.toJSON()) if (by === at) joined.set(turn, line);
    joined.set(String(at), line);
  }
  ends.set(String(line), "");
  chain.follows = at;
  chain.began = chain.window = chain.at = line;
}
