import { DaybookError } from "../../errors.ts";
import { readWhole } from "../../io/bytes.ts";
import { JsonLines, type JsonLine } from "../json-lines.ts";
import type { LineStartCursor, ReadContext, SourceRef } from "../source.ts";
import { list, obj } from "./native.ts";

/** What the reader needs of a file: its records in order, with look-ahead. */
export interface Lines {
  readonly position: LineStartCursor;
  next(): JsonLine | null;
  peek(k: number): JsonLine | null;
  close(): void;
}

export function openLines(ref: SourceRef, from: LineStartCursor | null, ctx: ReadContext): Lines {
  return ref.container === "json" ? new DocumentLines(ref, from, ctx) : new JsonLines(ref, from, ctx);
}

/**
 * Older versions kept a session as one JSON document, rewritten as a whole. It is read as if it had lines: the header is
 * line 1, message n is line n + 1. The document has no offsets, so a cursor counts lines only.
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
    value = JSON.parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
  } catch {
    return [problem(1, Buffer.byteLength(text), text.trim() === "" ? "blank" : "not_json")];
  }
  const document = obj(value);
  if (!document) return [problem(1, Buffer.byteLength(text), "not_object")];
  const { messages, ...header } = document;
  return [header, ...list(messages)].map((item, i) => lineOf(i + 1, item));
}

function lineOf(line: number, item: unknown): JsonLine {
  const bytes = Buffer.byteLength(JSON.stringify(item) ?? "");
  const value = obj(item);
  if (!value) return problem(line, bytes, "not_object");
  return { line, offset: 0, bytes, terminated: true, value, problem: null, blemish: null, skimmed: null, memo: null };
}

function problem(line: number, bytes: number, why: NonNullable<JsonLine["problem"]>): JsonLine {
  return {
    line,
    offset: 0,
    bytes,
    terminated: true,
    value: null,
    problem: why,
    blemish: null,
    skimmed: null,
    memo: null,
  };
}
