import type { Reason } from "./reasons.ts";
import type { EntryClass } from "../contract.ts";
import { freshLexer, type LexState } from "./lexer.ts";

/** A second prompt a command is about to log. */
export interface Pair {
  /** `same`: the argument again. `question`: wrapped into documentation. `any`: a text Aider makes. */
  how: "same" | "question" | "any";
  text: string;
}

/** The whole memory of the reader between two lines; flat, so that a copy is cheap. */
export interface RunState {
  /** The version met last: what comes without one is of it. */
  met: string;
  /** Whose console messages these are: nobody has typed yet, a turn is (or was) at work, or Aider alone. */
  owner: "none" | "turn" | "client";
  /** `running`: a model was asked and has not reported its usage. */
  turn: "idle" | "running" | "ended";
  /** A reply came since the model was asked. */
  replied: boolean;
  model: string | null;
  editor: string | null;
  /** The editor model works on what the architect said. */
  editing: boolean;
  /** Started with a message on the command line; null when the command line is not known. */
  headless: boolean | null;
  /** Fingerprint of the newest reply: an architect's comes again as a prompt. */
  lastReply: string | null;
  pair: Pair | null;
  /** What the further lines of the current prompt are. */
  more: readonly [EntryClass, Reason];
  /** Last line of the current reply: blank lines before it are inside. */
  replyEnd: number;
  /** The console message before this one: questions name their file there. */
  subject: string;
  /** File whose creation was just agreed to. */
  created: string | null;
  /** Entries of the input history already used. */
  typed: number;
}

export interface SavedState {
  run: RunState;
  lexer: LexState;
}

export function freshState(headed: boolean): SavedState {
  return {
    run: {
      met: "unknown",
      owner: "none",
      turn: "idle",
      replied: false,
      model: null,
      editor: null,
      editing: false,
      headless: null,
      lastReply: null,
      pair: null,
      more: ["session", "aider.prompt.more"],
      replyEnd: 0,
      subject: "",
      created: null,
      typed: 0,
    },
    lexer: freshLexer(headed),
  };
}

export function loadState(saved: unknown): SavedState {
  return structuredClone(saved) as SavedState;
}
