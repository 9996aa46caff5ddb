import type { SessionKind, ToolStatus, TouchedFile, TriggerEntry } from "../../format/record.ts";

/**
 * Everything the reader remembers between two lines. Plain JSON, because it is the `state` of a cursor: reading may
 * stop after any line and resume in another process.
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
  /** The session's header as last reported, to find what a repeated header changes. */
  header: Record<string, unknown> | null;
  /** Where copied history ends: see `inherit.ts`. */
  copy: { until: number | null; startedAfter: number } | null;
  historyStart: number | null;
  /** The parent's records are known, and the leading run of copies has not ended yet. */
  inheriting: boolean;
  /** Lines are bare items of the oldest formats, which never had echoes. */
  bare: boolean;
  /** Lifecycle events exist in this file (0.101 and later). */
  lifecycle: boolean;
  /** The running native turn. */
  turn: NativeTurn | null;
  /** A review is running; its reviewer's records are forwarded into this file. */
  review: boolean;
  /** Line number of the echo of the last user message. */
  echoLine: number;
  /** A `!` command whose transcript message has not been read yet. */
  shell: string | null;
  /** The last item: `m` message of the model, `w` other work of model or tool, `u` user prompt, "" none. */
  last: "" | "m" | "w" | "u";
  /** A compaction was just reported, so markers that follow belong to it. `early` if a prompt waited for it. */
  compacted: "" | "stated" | "early";
  totals: readonly number[] | null;
  /** The running total before the session's own first response; null before a total was stated. */
  base: readonly number[] | null;
  /** The file has `token_usage_record`s: the `token_count` events only repeat them. */
  recorded: boolean;
  /** An empty count (`info: null`) was read after `totals`. */
  totalsReset: boolean;
  /** How often the running total restarted from zero. */
  epoch: number;
  rateLimits: string | null;
  /** Size of the model's context window in tokens, as last reported. */
  window: number | null;
  /** For instructions that are repeated with every turn: the hash of the text stated last, by kind and path. */
  instructions: Record<string, string>;
  /** The last message was the end of an import from another agent, whose usage is estimated. */
  imported: boolean;
  calls: Record<string, CallState>;
  /** Running processes and script cells: the call that started each, by native id. */
  processes: Record<string, string>;
  /** Phases already reported, by child thread id. */
  children: Record<string, ChildState>;
  /** Thread ids by agent path. */
  paths: Record<string, string>;
  /** Fingerprints of user messages and snapshots, which compactions repeat. */
  retained: string[];
  /** Fingerprints of texts in response items whose event has not been read yet. */
  spoken: string[];
  /**
   * Fingerprints of texts in events whose response item has not been read yet; with `!` if the event reported the text.
   */
  echoed: string[];
}

export interface NativeTurn {
  id: string | null;
  prompts: number;
  /** Model or tool output was seen. */
  output: boolean;
  /** Text of an assistant message was seen. */
  text: boolean;
  /** A user shell command, a compaction or a review: no answer is expected. */
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
  /**
   * For script tools: the number of commands and MCP tools that ran inside; `nested…` say how the last of them ended.
   */
  nested?: number;
  /** The script runs a single command and nothing that could run another. */
  single?: true;
  /** The beginning of a script that is still running, to match its commands. */
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

/** Sets a key and drops the oldest one above a limit, so that the state of a long session stays small. */
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
export function pushRecent(list: string[], value: string, most = 16): void {
  list.push(value);
  if (list.length > most) list.shift();
}

/** Removes one occurrence; true when it was there. */
export function removeOne(list: string[], value: string): boolean {
  const at = list.indexOf(value);
  if (at === -1) return false;
  list.splice(at, 1);
  return true;
}

/** Looks at own keys only: ids come from files, and a call may be named `constructor`. */
export function recall<T>(map: Readonly<Record<string, T>>, key: string | null): T | undefined {
  return key !== null && Object.hasOwn(map, key) ? map[key] : undefined;
}
