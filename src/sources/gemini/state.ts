import type { SessionKind } from "../../format/record.ts";
import { digest } from "../kit/native.ts";
import { RecentMap } from "../kit/recent.ts";

/** What was last said under a message id: the agent appends the whole message again when it learns more. */
export interface Said {
  /** Digest of the text; empty when there was none. */
  text: string;
  thoughts: number;
  tokens: string;
}

/** The whole memory of the reader between two records. */
export interface ReaderState {
  kind: SessionKind;
  /** A header was written to the log. */
  meta: boolean;
  startedAt: string | null;
  cwd: string | null;
  model: string | null;
  title: string | null;
  triggers: number;
  /** A subagent has been given its task. */
  tasked: boolean;
  /** A trigger of this session itself has been seen: nothing after it is inherited. */
  own: boolean;
  /** Digest of every message id → the line where it first stood. */
  lines: RecentMap<number>;
  messages: RecentMap<Said>;
  /** Call id → how it stands, as last reported. */
  calls: RecentMap<string>;
}

const LIMITS = { lines: 2048, messages: 64, calls: 256 };

export function freshState(kind: SessionKind): ReaderState {
  return {
    kind,
    meta: false,
    startedAt: null,
    cwd: null,
    model: null,
    title: null,
    triggers: 0,
    tasked: false,
    own: false,
    lines: new RecentMap(LIMITS.lines),
    messages: new RecentMap(LIMITS.messages),
    calls: new RecentMap(LIMITS.calls),
  };
}

export function knows(state: ReaderState, id: string): boolean {
  return state.lines.get(digest(id)) !== undefined;
}

/** Remembers where a message first stood. */
export function met(state: ReaderState, id: string, line: number): void {
  const key = digest(id);
  if (state.lines.get(key) === undefined) state.lines.set(key, line);
}
