import type { SessionKind, ToolStatus, TouchedFile, TriggerEntry } from "../../format/record.ts";

/**
 * Everything the reader remembers between two lines. Plain JSON, because it is the `state` of a cursor: reading may stop
 * after any line, in any process, and go on as if it had not.
 */
export interface ReaderState {
  /** From the first usable header, else from the file name. */
  sessionId: string;
  /** A header named the session. */
  named: boolean;
  kind: SessionKind;
  entry: TriggerEntry;
  version: string | null;
  model: string | null;
  cwd: string | null;
  /** The own header as last emitted, to find what a repeated one changes. */
  header: Record<string, unknown> | null;
  /** Where copied history ends: see `inherit.ts`. */
  copy: { until: number | null; startedAfter: number } | null;
  historyStart: number | null;
  /** The parent's records are known and the leading run of them is not over yet. */
  inheriting: boolean;
  /** Lines are bare items of the oldest formats, which never had echoes. */
  bare: boolean;
  /** Lifecycle events exist in this file (0.101 and later). */
  lifecycle: boolean;
  /** The running native turn. */
  turn: NativeTurn | null;
  /** A review is running; its reviewer's records are forwarded into this file. */
  review: boolean;
  /** The line on which the echo of the last user message stands. */
  echoLine: number;
  /** A `!` command whose transcript message is still to come. */
  shell: string | null;
  /** The last item written by model or tool: `m` message, `w` other work, `u` user, "" nothing. */
  last: "" | "m" | "w" | "u";
  /** A compaction was reported, and nothing was done since: markers are its own. `early` when a prompt waited for it. */
  compacted: "" | "stated" | "early";
  totals: readonly number[] | null;
  /** What the running total held before the session's own first response; null before it was stated. */
  base: readonly number[] | null;
  /** The file has records of usage: counts among its events only repeat them. */
  recorded: boolean;
  /** The counter said it holds nothing (`info: null`) after `totals` was read. */
  totalsReset: boolean;
  /** How often the running total restarted from zero. */
  epoch: number;
  rateLimits: string | null;
  /** Tokens that fit into the model's context, as last reported. */
  window: number | null;
  /** Instructions that are stated with every turn: kind and path to the hash of the text stated last. */
  instructions: Record<string, string>;
  /** The last thing said was that a foreign session ends here, taken over with estimated usage. */
  imported: boolean;
  calls: Record<string, CallState>;
  /** Running processes and script cells: native id to the call that started them. */
  processes: Record<string, string>;
  /** Child thread id to the phases reported, and agent path to thread id. */
  children: Record<string, ChildState>;
  paths: Record<string, string>;
  /** Fingerprints of the user's messages and of snapshots, which compactions repeat. */
  retained: string[];
  /** Fingerprints of texts reported once and not yet met in their second form. */
  spoken: string[];
  echoed: string[];
}

export interface NativeTurn {
  id: string | null;
  prompts: number;
  /** Model or tool output was seen. */
  output: boolean;
  /** Text of an assistant message was seen. */
  text: boolean;
  /** A user shell command, a compaction or a review: no answer is due. */
  silent: boolean;
  compact: boolean;
  error: string | null;
}

export interface CallState {
  name: string;
  turn: string | null;
  open: boolean;
  status?: ToolStatus;
  exit?: number | null;
  ms?: number | null;
  files?: TouchedFile[];
  role?: string | null;
  /** For script tools: commands and server tools that ran inside, and how the last of them ended. */
  nested?: number;
  /** The script runs one command, and nothing that could run another. */
  single?: true;
  /** The beginning of a script that is still running: it tells whose command an item is. */
  script?: string;
  nestedExit?: number | null;
  nestedError?: string | null;
  nestedStatus?: ToolStatus;
  /** For calls that act on a running process: which one. */
  process?: string;
}

export interface ChildState {
  spawned: boolean;
  returned: boolean;
}

export function initialState(sessionId: string, inheriting: boolean): ReaderState {
  return {
    sessionId,
    named: false,
    kind: "root",
    entry: "unknown",
    version: null,
    model: null,
    cwd: null,
    header: null,
    copy: null,
    historyStart: null,
    inheriting,
    bare: false,
    lifecycle: false,
    turn: null,
    review: false,
    echoLine: 0,
    shell: null,
    last: "",
    compacted: "",
    totals: null,
    base: null,
    recorded: false,
    totalsReset: false,
    epoch: 0,
    rateLimits: null,
    window: null,
    instructions: {},
    imported: false,
    calls: {},
    processes: {},
    children: {},
    paths: {},
    retained: [],
    spoken: [],
    echoed: [],
  };
}

const MEMORY = 96;

/** Sets a key and forgets the oldest ones, so that the memory of a long session stays small. */
export function remember<T>(map: Record<string, T>, key: string, value: T, droppable?: (value: T) => boolean): void {
  map[key] = value;
  const keys = Object.keys(map);
  if (keys.length <= MEMORY) return;
  for (const old of keys) {
    const held = map[old];
    if (old !== key && (droppable === undefined || (held !== undefined && droppable(held)))) {
      delete map[old];
      return;
    }
  }
  const first = keys.find((old) => old !== key);
  if (first !== undefined) delete map[first];
}

/** Appends to a short list of fingerprints. */
export function note(list: string[], value: string, most = 16): void {
  list.push(value);
  if (list.length > most) list.shift();
}

/** Removes one occurrence; true when it was there. */
export function take(list: string[], value: string): boolean {
  const at = list.indexOf(value);
  if (at === -1) return false;
  list.splice(at, 1);
  return true;
}

/** Own keys only: ids come from files, and a call may be named `constructor`. */
export function recall<T>(map: Readonly<Record<string, T>>, key: string | null): T | undefined {
  return key !== null && Object.hasOwn(map, key) ? map[key] : undefined;
}
