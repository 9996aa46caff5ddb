/** The history file: its runs, and what each of their lines is by its form. */
import { createHash } from "node:crypto";
import { DaybookError } from "../../base/errors.ts";
import { openPlain, type ReadMeter } from "../../base/io/bytes.ts";
import { readLines, type LineStart, type RawLine } from "../../base/io/lines.ts";
import type { LineStartCursor, ReadContext, SourceRef } from "../contract.ts";

export const SOURCE_ID = "aider";
export const HISTORY = ".aider.chat.history.md";
export const INPUT_HISTORY = ".aider.input.history";

/**
 * Aider gives its runs no ids and writes all runs of a repository into one file. Only the position in that file
 * distinguishes them: the file only grows, so the n-th run stays the n-th.
 */
export function sessionIdOf(ref: Pick<SourceRef, "path" | "key">): string {
  const place = createHash("sha256").update(ref.path).digest("hex").slice(0, 8);
  return `${ref.key ?? "run-0001"}-${place}`;
}

export function runKey(index: number): string {
  return `run-${String(index).padStart(4, "0")}`;
}

/** Other `# ` lines are headings inside replies or output of commands; only the complete sentence begins a run. */
const HEADER = /^\uFEFF?# aider chat started at (\d{4})-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)\s*$/;
const STAMP = /^(.*) @(\d+):(\d+)-(\d+)$/;
const HEAD = 4096;

/** One run inside a history file. Runs cover the file without gaps. */
export interface Run {
  key: string;
  /** The header line; null for text before the first header. */
  header: string | null;
  /** Number of lines before the run, and the offset of its first byte. */
  from: LineStart;
  /** Offset after its last byte. */
  end: number;
}

function isHeader(text: string): boolean {
  return HEADER.test(text);
}

/** Epoch ms of a header. It has no zone: this machine's is assumed, as nothing better is known. */
export function headerTime(text: string): number | null {
  const found = HEADER.exec(text);
  if (!found) return null;
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = found.slice(1).map(Number);
  const time = new Date(year, month - 1, day, hour, minute, second).getTime();
  return Number.isNaN(time) ? null : time;
}

/** All runs of a file, in order. Blank lines at the beginning belong to the first run. */
export function scanRuns(path: string, meter?: ReadMeter): Run[] {
  const runs: Run[] = [];
  let index = 0;
  let last = 0;
  const stream = openPlain(path, 0, meter);
  try {
    for (const raw of readLines(stream, { line: 0, offset: 0 })) {
      last = raw.offset + raw.bytes + (raw.terminated ? 1 : 0);
      const text = raw.text ?? "";
      const current = runs.at(-1);
      if (isHeader(text)) {
        index++;
        const header = text.replace(/^\uFEFF/, "").trimEnd();
        if (current) current.end = raw.offset;
        const from = current ? { line: raw.line - 1, offset: raw.offset } : { line: 0, offset: 0 };
        runs.push({ key: runKey(index), header, from, end: last });
      } else if (!current && text.trim() !== "") {
        runs.push({ key: runKey(0), header: null, from: { line: 0, offset: 0 }, end: last });
      }
    }
  } finally {
    stream.close();
  }
  const final = runs.at(-1);
  if (final) final.end = last;
  return runs;
}

/** Header and byte range: changes when the run grows, and lets the reader find the run without scanning the file. */
export function stampOf(run: Run): string {
  return `${run.header ?? "(no header)"} @${run.from.line}:${run.from.offset}-${run.end}`;
}

/** The run a ref names, and the start time of the next run (null if there is none). */
export function locateRun(ref: SourceRef, meter?: ReadMeter): { run: Run; until: number | null } {
  try {
    const run = stamped(ref, meter) ?? scanRuns(ref.path, meter).find((one) => one.key === (ref.key ?? runKey(1)));
    if (run) return { run, until: nextStart(ref.path, run, meter) };
  } catch (cause) {
    throw unreadable(ref, cause);
  }
  throw unreadable(ref, undefined);
}

function unreadable(ref: SourceRef, cause: unknown): DaybookError {
  return new DaybookError(`cannot open ${ref.path}`, {
    code: "unreadable",
    op: "read session",
    path: ref.path,
    hint: "check that the file exists, that you may read it, and that it still holds this run",
    cause,
  });
}

/** Uses the stamp only if the header is still at the position it names. */
function stamped(ref: SourceRef, meter?: ReadMeter): Run | null {
  const found = STAMP.exec(ref.stamp ?? "");
  if (!found || ref.key === undefined) return null;
  const [, header = "", line, offset, end] = found;
  const from = { line: Number(line), offset: Number(offset) };
  const run: Run = { key: ref.key, header, from, end: Number(end) };
  if (ref.key === runKey(0)) return { ...run, header: null };
  const stream = openPlain(ref.path, from.offset, meter);
  try {
    const head = Buffer.alloc(HEAD);
    const text = head.toString("utf8", 0, stream.read(head, 0));
    return text
      .replace(/^\uFEFF/, "")
      .trimStart()
      .startsWith(header)
      ? run
      : null;
  } finally {
    stream.close();
  }
}

function nextStart(path: string, run: Run, meter?: ReadMeter): number | null {
  const stream = openPlain(path, run.end, meter);
  try {
    for (const raw of readLines(stream, { line: 0, offset: run.end })) {
      const time = headerTime(raw.text ?? "");
      if (time !== null) return time;
    }
    return null;
  } finally {
    stream.close();
  }
}

/**
 * The kind of a physical line. Aider writes three kinds of blocks without marking their ends: prompts (`#### `),
 * console messages (`> `, only on their first line) and replies (no mark). `more` is a further line of the block before
 * it.
 */
type LineKind = "header" | "blank" | "prompt" | "prompt_more" | "tool" | "tool_more" | "reply" | "problem";

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

interface LexedLine {
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
function lexLine(raw: RawLine, state: LexState): LexedLine {
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

/** A classified physical line of a run. */
export interface RunLine extends LexedLine, RawLine {
  /** The lexer state at the start of the line, which becomes part of a cursor to it. */
  before: LexState;
}

/** The lines of one run with look-ahead. Stops before the header of the next run. */
export class RunLines {
  readonly #lines: Generator<RawLine, void, undefined>;
  readonly #close: () => void;
  readonly #ahead: RunLine[] = [];
  /** The state after the newest line that was pulled. */
  #lexer: LexState;
  /** The state after the last line that was taken. */
  #state: LexState;
  #position: LineStart;
  #ended: "no" | "file" | "run" = "no";

  constructor(path: string, from: LineStart, state: LexState, ctx: ReadContext) {
    const stream = openPlain(path, from.offset, ctx.meter);
    this.#close = () => stream.close();
    this.#lines = readLines(stream, from);
    this.#lexer = state;
    this.#state = state;
    this.#position = from;
  }

  get position(): LineStartCursor {
    return { ...this.#position };
  }

  /** The lexer state after the last line that was taken, which becomes part of a cursor. */
  get lexer(): LexState {
    return this.#state;
  }

  next(): RunLine | null {
    const taken = this.#ahead.shift() ?? this.#pull();
    if (!taken) return null;
    this.#state = taken.after;
    this.#position = { line: taken.line, offset: taken.offset + taken.bytes + (taken.terminated ? 1 : 0) };
    return taken;
  }

  /**
   * The k-th line after the last one taken; `open` at the end of a file that may still grow, `over` at the next run.
   */
  peek(k: number): RunLine | "open" | "over" {
    while (this.#ahead.length <= k) {
      const pulled = this.#pull();
      if (!pulled) return this.#ended === "run" ? "over" : "open";
      this.#ahead.push(pulled);
    }
    const line = this.#ahead[k];
    // An incomplete line proves nothing.
    return line === undefined || !line.terminated ? "open" : line;
  }

  close(): void {
    if (this.#ended === "no") {
      this.#ended = "file";
      this.#close();
    }
  }

  #pull(): RunLine | null {
    if (this.#ended !== "no") return null;
    const step = this.#lines.next();
    if (step.done) {
      this.close();
      return null;
    }
    const lexed = lexLine(step.value, this.#lexer);
    if (lexed.kind === "header" && this.#lexer.headed) {
      this.close();
      this.#ended = "run";
      return null;
    }
    const before = this.#lexer;
    this.#lexer = lexed.after;
    return { ...step.value, ...lexed, before };
  }
}
