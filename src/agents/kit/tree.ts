/** Stores whose records form a tree: each names its parent, and a human may go back to any of them. */
import type { CancelledBody } from "../../record/record.ts";
import { freshChain } from "./chain.ts";
import { str, type Native } from "./native.ts";
import type { RuleOwner } from "./reading.ts";
import { SavedMap } from "./state.ts";
import { freshParked, placeEntry, Windows, type WindowedState, type WindowRules } from "./windows.ts";

/** What a reader remembers of the tree. `W`: what it remembers of each window. */
export interface TreeState<W> extends WindowedState<W> {
  /** Id of the last record written: the next one is its child unless the human moved in the tree. */
  leaf: string | null;
  /** Line of every record by its id, because a branch may start at any of them. */
  nodes: SavedMap<number>;
  /** Where records of another turn begin: from the line on, they belong to the turn. */
  runs: [line: number, turn: number][];
  /** For each turn: the newest prompt that follows it, and the line of the record after which it was sent. */
  prompts: SavedMap<[prompt: number, after: number]>;
  /** The header was read, so a record without a known parent is a new root and not the rest of a cut file. */
  rooted: boolean;
}

export function freshTree<W>(): TreeState<W> {
  const [nodes, prompts] = [new SavedMap<number>(), new SavedMap<[prompt: number, after: number]>()];
  return { leaf: null, nodes, runs: [], prompts, rooted: false, parked: freshParked(), ...freshChain() };
}

/** How records name each other. */
export interface TreeRules<W> extends Pick<WindowRules<object, never>, "isWork"> {
  /** Fields of the records' own id and of their parent's, which is null for the first record. */
  id: string;
  parent: string;
  /** Whether the record is a header: it stands before the tree. */
  isHeader: (record: Native) => boolean;
  /** See `WindowRules`. */
  fields: Record<keyof W, true>;
}

/** Stands for the parent of the first record. */
const ROOT = "";

/**
 * Which turn owns a record of a tree. The conversation continues at the newest record, unless the session is open in
 * several windows, or the human went back; nothing but what follows tells these apart.
 */
export function treeOwner<W extends object, S extends W & TreeState<W>>(rules: TreeRules<W>): TreeOwner<S> {
  const { isWork, isHeader } = rules;
  const idOf = (record: Native): string | null => str(record[rules.id]);
  const windows = new Windows<W, S>({
    fields: rules.fields,
    atWork: {},
    parentOf: (record) => (record[rules.parent] === null ? ROOT : str(record[rules.parent])),
    idOf,
    isWork,
    turnAfter: ({ nodes, runs }, id) => (id === ROOT ? 0 : turnAt(runs, nodes.get(id))),
  });
  return {
    find(record, state, lines) {
      windows.enter(record, state);
      return windows.linesAhead(lines, state);
    },
    // Work of the agent does not show that a human went back: it goes on in the window that it began in.
    rewound: (record, state) => (idOf(record) === null || isWork(record) ? [] : rewindTo(record[rules.parent], state)),
    note(record, line, isPrompt, state) {
      const id = idOf(record);
      if (isHeader(record)) state.rooted = true;
      else if (id !== null) {
        state.nodes.set(id, line);
        state.leaf = id;
      }
      let follows: number | null = null;
      if (isPrompt) {
        const parent = str(record[rules.parent]);
        state.prompts.set(String(state.at), [line, parent === null ? 0 : (state.nodes.get(parent) ?? 0)]);
        follows = windows.begin(record, line, false, state);
      }
      if (state.runs.at(-1)?.[1] !== state.at) state.runs.push([line, state.at]);
      return follows;
    },
    place: placeEntry,
    isRepeated: (record, { nodes }) => !isHeader(record) && nodes.has(idOf(record) ?? ROOT),
  };
}

export interface TreeOwner<State> extends RuleOwner<State> {
  /** Whether a record of this id was read before: the line was written twice. */
  isRepeated(record: Native, state: State): boolean;
}

function turnAt(runs: TreeState<unknown>["runs"], line: number | undefined): number | undefined {
  if (line === undefined) return undefined;
  let [low, high] = [0, runs.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((runs[middle]?.[0] ?? 0) <= line) low = middle + 1;
    else high = middle;
  }
  return runs[low - 1]?.[1];
}

/**
 * What was taken back if the human went back to this parent: the newest prompt that was sent from there, and all that
 * follow it.
 */
function rewindTo(parent: unknown, state: TreeState<unknown>): CancelledBody[] {
  if (parent === undefined || parent === state.leaf || !state.rooted) return [];
  const line = parent === null ? 0 : state.nodes.get(str(parent) ?? "");
  // An unknown parent was on a line that was lost: its position is unknown.
  if (line === undefined || state.leaf === null) return [];
  const [prompt, after] = state.prompts.get(String(state.at)) ?? [0, -1];
  return after < line ? [] : [{ type: "cancelled", reason: "rewound", from_line: prompt }];
}
