import { DaybookError } from "../../base/errors.ts";
import type { UnreadableBody } from "../../record/record.ts";
import { openPlain, openZstd } from "../../base/io/bytes.ts";
import { MAX_DEPTH, TooDeep, parseJson } from "../../base/io/json.ts";
import { readLines, type RawLine, type Skimmer } from "../../base/io/lines.ts";
import type { Entry, LineStartCursor, ReadContext, SourceRef } from "../contract.ts";

/** A JSON object read from one line, or the reason why the line holds none. */
export interface JsonLine {
  line: number;
  offset: number;
  bytes: number;
  terminated: boolean;
  value: Record<string, unknown> | null;
  problem: LineProblem | null;
  /** The record is usable, but its bytes were not clean: shrunk, or undecodable bytes replaced. */
  blemish: "shrunk" | "invalid_utf8" | null;
  /** Native type of a line that the skimmer left unparsed; `value` is null then. */
  skimmed: string | null;
  /**
   * The reader's own view of the line, kept here because look-ahead visits a line several times; what the skimmer found
   * in a line that it left unparsed.
   */
  memo: unknown;
}

export type LineProblem = "blank" | "torn" | "not_json" | "not_object" | "nul_bytes" | "too_large" | "too_deep";

export const HINTS: Record<Exclude<LineProblem, "blank">, string> = {
  torn: "the agent may still be writing this line; it will be read again when it is complete",
  not_json: "this line is not valid JSON and was skipped; everything else in the file is still read",
  not_object: "this line is valid JSON but not an object; session records are objects",
  nul_bytes: "this line holds NUL bytes, as a crashed or full file system leaves them",
  too_large: "this line is too large to hold even with its long strings cut out",
  too_deep: `objects and lists stand in one another more than ${MAX_DEPTH} deep in this record; everything else is still read`,
};

/** What a reader needs of a file: its records in order, with look-ahead. */
export interface Lines {
  readonly position: LineStartCursor;
  next(): JsonLine | null;
  peek(k?: number): JsonLine | null;
  close(): void;
}

/**
 * The lines of a JSONL file as objects, with look-ahead: some verdicts on a line depend on the line that follows it
 * (a prompt and its echo), and a reader that only peeks can stop and resume between any two lines.
 */
export class JsonLines implements Lines {
  readonly #lines: Generator<RawLine, void, undefined>;
  readonly #close: () => void;
  readonly #ahead: JsonLine[] = [];
  #ended = false;
  #line: number;
  #offset: number;

  constructor(ref: SourceRef, from: LineStartCursor | null, ctx: ReadContext, skim?: Skimmer) {
    this.#line = from?.line ?? 0;
    this.#offset = from?.offset ?? 0;
    try {
      const open = ref.container === "jsonl.zst" ? openZstd : openPlain;
      const stream = open(ref.path, this.#offset, ctx.meter);
      this.#close = () => stream.close();
      this.#lines = readLines(stream, { line: this.#line, offset: this.#offset }, skim);
    } catch (cause) {
      throw cannotOpen(ref.path, cause);
    }
  }

  /** Lines consumed and the offset of the next one: the file part of a cursor. */
  get position(): LineStartCursor {
    return { line: this.#line, offset: this.#offset };
  }

  next(): JsonLine | null {
    const taken = this.#ahead.shift() ?? this.#pull();
    if (taken) {
      this.#line = taken.line;
      this.#offset = taken.offset + taken.bytes + (taken.terminated ? 1 : 0);
    }
    return taken;
  }

  /** The k-th line after the one taken last (0 = the very next), or null at the end of the file. */
  peek(k = 0): JsonLine | null {
    while (this.#ahead.length <= k) {
      const pulled = this.#pull();
      if (!pulled) return null;
      this.#ahead.push(pulled);
    }
    return this.#ahead[k] ?? null;
  }

  close(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#close();
  }

  #pull(): JsonLine | null {
    if (this.#ended) return null;
    let step: IteratorResult<RawLine, void>;
    try {
      step = this.#lines.next();
    } catch {
      // A damaged container (truncated zstd, failing disk) ends the file here; what was read stays read.
      this.close();
      const last = this.#ahead.at(-1);
      const line = (last?.line ?? this.#line) + 1;
      const offset = last ? last.offset + last.bytes + 1 : this.#offset;
      return {
        line,
        offset,
        bytes: 0,
        terminated: false,
        value: null,
        problem: "torn",
        blemish: null,
        skimmed: null,
        memo: null,
      };
    }
    if (step.done) {
      this.close();
      return null;
    }
    return parse(step.value);
  }
}

function parse(raw: RawLine): JsonLine {
  const { line, offset, bytes, terminated } = raw;
  const out: JsonLine = {
    line,
    offset,
    bytes,
    terminated,
    value: null,
    problem: null,
    blemish: null,
    skimmed: raw.skimmed,
    memo: raw.mark ?? null,
  };
  if (raw.skimmed !== null) return out;
  let text = raw.text;
  if (text === null) {
    out.problem = "too_large";
    return out;
  }
  if (line === 1 && text.charCodeAt(0) === 0xfeff) text = text.slice(1);
  try {
    const value: unknown = parseJson(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      out.value = value as Record<string, unknown>;
      if (raw.shrunk) out.blemish = "shrunk";
      else if (raw.replaced) out.blemish = "invalid_utf8";
    } else out.problem = "not_object";
  } catch (error) {
    if (error instanceof TooDeep) out.problem = "too_deep";
    else if (text.trim() === "") out.problem = "blank";
    else if (text.includes("\0")) out.problem = "nul_bytes";
    else out.problem = terminated ? "not_json" : "torn";
  }
  return out;
}

/**
 * The entry for a line without a record: blank lines belong to the session, all others are corrupt, with the reason.
 */
export function problemEntry(line: JsonLine, source: string): Entry {
  const problem = line.problem ?? "not_json";
  const place = { line: line.line, offset: line.offset, bytes: line.bytes, position: line.line, time: null };
  if (problem === "blank") {
    return {
      ...place,
      class: "session",
      reason: `${source}.line.blank`,
      native: "(blank)",
      records: [],
      tentative: !line.terminated,
    };
  }
  const body: UnreadableBody = { type: "unreadable", reason: problem, bytes: line.bytes, hint: HINTS[problem] };
  return {
    ...place,
    class: "corrupt",
    reason: `${source}.line.${problem}`,
    native: "(unreadable)",
    records: [body],
    tentative: !line.terminated,
  };
}

/**
 * The entry for a line that the skimmer left unparsed: only its type is known, and that it belongs to the running turn.
 */
export function skimmedEntry(line: JsonLine, source: string): Entry {
  return {
    line: line.line,
    offset: line.offset,
    bytes: line.bytes,
    position: line.line,
    time: null,
    class: "reaction",
    reason: `${source}.skimmed`,
    native: line.skimmed ?? "",
    records: [],
    tentative: false,
  };
}

/** The error for a session file that is missing or not readable. */
export function cannotOpen(path: string, cause: unknown): DaybookError {
  const hint = "check that the file exists and that you may read it";
  return new DaybookError(`cannot open ${path}`, { code: "unreadable", op: "read session", path, hint, cause });
}
