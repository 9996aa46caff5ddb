import { readWhole } from "../../io/bytes.ts";
import { DaybookError } from "../../errors.ts";
import { JsonLines, type JsonLine } from "../json-lines.ts";
import type { LineStartCursor, ReadContext, SourceRef } from "../source.ts";
import { isFields, listOf } from "./fields.ts";
import { skimForUsage } from "./skim.ts";

/** What the reader needs of a file: its records in order, with look-ahead. */
export interface Lines {
  readonly position: LineStartCursor;
  next(): JsonLine | null;
  peek(k: number): JsonLine | null;
  close(): void;
}

/** With `usage` only lines that matter to it are unfolded. */
export function openLines(ref: SourceRef, from: LineStartCursor | null, ctx: ReadContext): Lines {
  // Copies are recognised by what their records say, so a file that repeats another is read whole.
  const whole = ctx.inherited !== undefined || ctx.identities === true;
  const skim = !whole && ctx.detail === "usage" ? skimForUsage : undefined;
  return ref.container === "json" ? new DocumentLines(ref, from, ctx) : new JsonLines(ref, from, ctx, skim);
}

/**
 * The first client wrote a session as one JSON document, `{session, items}`, rewritten as a whole. It is read as if it
 * had lines: the header is line 1, item n is line n + 1. The document has no offsets, so a cursor counts lines only.
 */
class DocumentLines implements Lines {
  readonly #lines: JsonLine[];
  #at: number;

  constructor(ref: SourceRef, from: LineStartCursor | null, ctx: ReadContext) {
    this.#at = from?.line ?? 0;
    try {
      this.#lines = linesOf(readWhole(ref.path, ctx.meter).toString("utf8"));
    } catch (cause) {
      throw new DaybookError(`cannot open ${ref.path}`, {
        code: "unreadable",
        op: "read session",
        path: ref.path,
        hint: "check that the file exists and that you may read it",
        cause,
      });
    }
  }

  get position(): LineStartCursor {
    return { line: this.#at, offset: 0 };
  }

  next(): JsonLine | null {
    const line = this.#lines[this.#at];
    if (line === undefined) return null;
    this.#at++;
    return line;
  }

  peek(k: number): JsonLine | null {
    return this.#lines[this.#at + k] ?? null;
  }

  close(): void {
    this.#lines.length = 0;
  }
}

function linesOf(text: string): JsonLine[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return [problem(1, text, text.trim() === "" ? "blank" : "not_json")];
  }
  if (!isFields(value)) return [problem(1, text, "not_object")];
  const { session } = value;
  if (!isFields(session)) return [lineOf(1, value)];
  return [lineOf(1, session), ...listOf(value.items).map((item, i) => lineOf(i + 2, item))];
}

function lineOf(line: number, value: unknown): JsonLine {
  const bytes = Buffer.byteLength(JSON.stringify(value) ?? "");
  if (!isFields(value)) return problem(line, " ".repeat(bytes), "not_object");
  return {
    line,
    offset: 0,
    bytes,
    terminated: true,
    value: value,
    problem: null,
    blemish: null,
    skimmed: null,
    memo: null,
  };
}

function problem(line: number, text: string, why: NonNullable<JsonLine["problem"]>): JsonLine {
  return {
    line,
    offset: 0,
    bytes: Buffer.byteLength(text),
    terminated: true,
    value: null,
    problem: why,
    blemish: null,
    skimmed: null,
    memo: null,
  };
}
