import type { SessionKind } from "../../format/record.ts";
import { freshChain, type ChainState } from "../kit/chain.ts";
import { digest } from "../kit/native.ts";
import { RecentMap } from "../kit/recent.ts";

/** What was last stated under a message id: the agent appends the whole message again when it has more. */
export interface StatedReply {
  /** Digest of the text; empty if there was none. */
  text: string;
  thoughts: number;
  tokens: string;
}

/** The complete state of the reader between two records. */
export interface ReaderState extends ChainState {
  kind: SessionKind;
  /** A header was written to the log. */
  meta: boolean;
  startedAt: string | null;
  cwd: string | null;
  model: string | null;
  title: string | null;
  triggers: number;
  /** The subagent's task was read. */
  tasked: boolean;
  /** A trigger of this session itself was read: nothing after it is inherited. */
  own: boolean;
  /** Digest of every message id → the line where it first appeared. */
  lines: RecentMap<number>;
  messages: RecentMap<StatedReply>;
  /** Call id → its status as last reported. */
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
    ...freshChain(),
  };
}

export function isKnown(state: ReaderState, id: string): boolean {
  return state.lines.get(digest(id)) !== undefined;
}

/** Remembers the line where a message first appeared. */
export function rememberMessage(state: ReaderState, id: string, line: number): void {
  const key = digest(id);
  if (state.lines.get(key) === undefined) state.lines.set(key, line);
}
