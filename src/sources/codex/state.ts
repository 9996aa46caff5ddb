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
  /** The mode that tasks run in, as last stated. */
  mode: string | null;
  /** The last plan: the task it was shown in, its beginning, and whether it waits for the human's answer. */
  plan: { task: string | null; start: string; open: boolean } | null;
  /** The goal that Codex works on by itself, see `goals.ts`; null when there is none. */
  goal: GoalState | null;
  /** What the last message about the goal says that the human did. */
  goalSaid: "set" | "resumed" | null;
  /** The task in which the model made a goal that no task works on yet. */
  goalMadeIn: string | null;
  /** The owners of tasks that a goal caused. */
  owners: Record<string, string>;
  /** A review is running; its reviewer's records are forwarded into this file. */
  review: boolean;
  /** Line number of the echo of the last user message. */
  echoLine: number;
  /** A `!` command whose transcript message has not been read yet. */
  shell: string | null;
  /**
   * The last item: `m` message of the model, `r` the same and then another request, `w` other work of model or tool, `u`
   * user prompt, "" none.
   */
  last: "" | "m" | "r" | "w" | "u";
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
  /** Another agent wrote to this one, in messages of their own kind. */
  mailed: boolean;
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
  /** Who started it, where that is stated: an agent, or a client of the human. */
  startedBy: "agent" | "client" | null;
  /** A goal caused it, so there is no prompt to come. */
  goal: boolean;
  /** The turn that owns it may not be the one that began last, so that records without a turn id have to name it. */
  named: boolean;
}

export interface GoalState {
  /** Null when it is not stated. */
  objective: string | null;
  /** When it was created, as stated by Codex. */
  created: number | null;
  status: string;
  /** The native id of the turn that owns the tasks for this goal; null when it is unknown. */
  owner: string | null;
}

export interface CallState {
  name: string;
  turn: string | null;
  /** When it was called. */
  at: number | null;
  open: boolean;
  status?: ToolStatus;
  exit?: number | null;
  ms?: number | null;
  files?: TouchedFile[];
  role?: string | null;
  /** For calls of the script tool. */
  script?: ScriptState;
  /** For calls that act on a running process: which one. */
  process?: string;
}

/** A script and what ran inside it: see `scripts.ts`. Times are those of the records, 0 if they have none. */
export interface ScriptState {
  /** The beginning of the script without what already ran, as long as it may be needed. */
  text?: string;
  /** It mentions its tools once: to run a command, or another tool. */
  single?: "command" | "tool";
  /** It may run the same text more than once. */
  repeats?: true;
  /** When the response that called it was complete. */
  sampledAt?: number;
  /** The first output, possibly only that it is still running. */
  firstAt?: number;
  endedAt?: number;
  /** A step whose script is not known may have run inside. */
  unsure?: true;
  /** The number of commands and MCP tools that ran inside, and how the last of them ended. */
  steps?: number;
  lastStep?: { status: ToolStatus; exit: number | null; error: string | null };
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
    mode: null,
    plan: null,
    goal: null,
    goalSaid: null,
    goalMadeIn: null,
    owners: {},
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
    mailed: false,
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
