import type { RawLine } from "../../io/lines.ts";
import { isHeader } from "./runs.ts";

/**
 * The kind of a physical line. Aider writes three kinds of blocks without marking their ends: prompts (`#### `),
 * console messages (`> `, only on their first line) and replies (no mark). `more` is a further line of the block before
 * it.
 */
export type LineKind = "header" | "blank" | "prompt" | "prompt_more" | "tool" | "tool_more" | "reply" | "problem";

/** The complete state of the lexer. */
export interface LexState {
  /** The run's own header was read: the next header begins another run. */
  headed: boolean;
  /**
   * True if the two spaces that Aider puts at the end of every prompt and message line are still there. They are the
   * best evidence of who wrote a line; some published histories lost them to an editor.
   */
  breaksKept: boolean;
  /** The block before this line. `open`: a message whose last line has not been read yet. */
  last: "start" | "prompt" | "tool" | "open" | "reply";
  /** Blank lines since then. */
  blanks: number;
  /** What closes the code block that is open in a reply. */
  fence: string | null;
}

export function initialLexState(headed: boolean): LexState {
  return { headed, breaksKept: false, last: "start", blanks: 0, fence: null };
}

export interface LexedLine {
  kind: LineKind;
  /** The line without its mark and without Aider's two spaces. */
  body: string;
  after: LexState;
}

const FENCE = /^\s*(`{3,}|~{3,})/;
const TAG = /^<(source|code|pre|codeblock|sourcecode)>/;
const COMMAND = /^#### \/[a-z-]{2,}(?: |$)/;
/** Messages that may follow a reply and continue on the next line. */
const OPENERS = /^> (?:Tokens: |Add the output to the chat\?)/;

/** Classifies one line by its text and the lines before it; never needs what follows. */
export function lexLine(raw: RawLine, state: LexState): LexedLine {
  if (raw.text === null || raw.text.includes("\0")) return { kind: "problem", body: "", after: state };
  const text = raw.text.endsWith("\r") ? raw.text.slice(0, -1) : raw.text;
  if (isHeader(text)) return { kind: "header", body: text.trimEnd(), after: { ...initialLexState(true) } };
  if (text.trim() === "") return blank(state);
  const broken = text.endsWith("  ");
  if (/^####(?: |$)/.test(text) && isPrompt(text, broken, state)) {
    const kind = continues(state) ? "prompt_more" : "prompt";
    const body = unbroken(text.slice(5));
    return {
      kind,
      body,
      after: { ...state, breaksKept: state.breaksKept || broken, last: "prompt", blanks: 0, fence: null },
    };
  }
  if (/^>(?: |$)/.test(text)) {
    const found = quoted(text, broken, state);
    if (found) return found;
  }
  if (state.last === "open" || isTail(state)) {
    const last = state.last === "open" && !broken ? "open" : "tool";
    return { kind: "tool_more", body: unbroken(text), after: { ...state, last, blanks: 0 } };
  }
  return { kind: "reply", body: text, after: replied(text, state) };
}

/** Blank lines inside an unfinished message are part of it. */
function blank(state: LexState): LexedLine {
  const kind = state.last === "open" ? "tool_more" : "blank";
  return { kind, body: "", after: { ...state, blanks: state.blanks + 1 } };
}

function unbroken(text: string): string {
  return text.endsWith("  ") ? text.slice(0, -2) : text;
}

/** The lines of a prompt follow one another directly; everything else is preceded by a blank line. */
function continues(state: LexState): boolean {
  return state.last === "prompt" && state.blanks === 0;
}

/**
 * A reply is followed by a blank line and a prompt is preceded by one, so two blank lines separate them. A level-four
 * heading inside a reply lacks that, lacks the two trailing spaces, or is inside a code block.
 */
function isPrompt(text: string, broken: boolean, state: LexState): boolean {
  if (continues(state)) return true;
  const apart = state.last === "start" || state.blanks >= (state.last === "reply" ? 2 : 1);
  if (broken) return apart;
  if (state.breaksKept) return false;
  // No reply has headings like these, and without the two spaces the end of the message before them may have been
  // missed.
  return (apart && state.fence === null) || (state.blanks > 0 && COMMAND.test(text));
}

function quoted(text: string, broken: boolean, state: LexState): LexedLine | null {
  const body = unbroken(text.slice(2));
  // The two spaces prove that Aider wrote the line only where it cannot be a quotation inside a reply.
  const breaksKept = state.breaksKept || (broken && state.last !== "reply");
  const tool = (last: LexState["last"]): LexedLine => ({
    kind: "tool",
    body,
    after: { ...state, breaksKept, last, blanks: 0, fence: null },
  });
  if (state.last === "reply") {
    if (state.blanks === 0) return null;
    if (!state.breaksKept) return state.fence === null ? tool("tool") : null;
    if (broken) return tool("tool");
    return OPENERS.test(text) ? tool("open") : null;
  }
  if (!breaksKept || broken) return tool("tool");
  if (state.last === "open") return null;
  // A reply may begin with a quotation: that follows a blank line, a message does not.
  return state.blanks === 0 || state.last === "start" || OPENERS.test(text) ? tool("open") : null;
}

/**
 * Without the two spaces the end of a message cannot be detected, but a reply never follows a message without a blank
 * line.
 */
function isTail(state: LexState): boolean {
  return state.last === "tool" && state.blanks === 0;
}

function replied(text: string, state: LexState): LexState {
  const open = state.last === "reply" ? state.fence : null;
  return { ...state, last: "reply", blanks: 0, fence: nextFence(text, open) };
}

function nextFence(text: string, open: string | null): string | null {
  if (open !== null) {
    const closes = open.startsWith("<") ? text.startsWith(open) : text.trim().startsWith(open) && !/\w/.test(text);
    return closes ? null : open;
  }
  const tag = TAG.exec(text)?.[1];
  return tag === undefined ? (FENCE.exec(text)?.[1] ?? null) : `</${tag}>`;
}
