import { cannotOpen, type JsonLine, type LineProblem, type Lines } from "./json-lines.ts";
import { readWhole } from "../../base/io/bytes.ts";
import { isDeeper, isObject } from "../../base/io/json.ts";
import type { LineStartCursor, ReadContext, SourceRef } from "../contract.ts";

/**
 * Some old agent releases store a session as one JSON document that they rewrite as a whole. This class reads it as if
 * it had lines: `itemsOf` returns the item of each line. A document has no line offsets, so a cursor counts lines only.
 */
export class DocumentLines implements Lines {
  readonly #lines: JsonLine[];
  #at: number;

  constructor(
    ref: SourceRef,
    from: LineStartCursor | null,
    ctx: ReadContext,
    itemsOf: (document: Record<string, unknown>) => unknown[],
  ) {
    this.#at = from?.line ?? 0;
    try {
      this.#lines = linesOf(readWhole(ref.path, ctx.meter).toString("utf8"), itemsOf);
    } catch (cause) {
      throw cannotOpen(ref.path, cause);
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

  peek(k = 0): JsonLine | null {
    return this.#lines[this.#at + k] ?? null;
  }

  close(): void {
    this.#lines.length = 0;
  }
}

/**
 * Parses a document without a limit to its depth: for those whose items are then checked one by one, so that one item
 * nested too deeply does not lose the others.
 */
export function parseDocument(text: string): unknown {
  return JSON.parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
}

function linesOf(text: string, itemsOf: (document: Record<string, unknown>) => unknown[]): JsonLine[] {
  let value: unknown;
  try {
    value = parseDocument(text);
  } catch {
    // The agent may be writing the file right now: as an unterminated line it stays tentative until the document
    // parses.
    const problem = text.trim() === "" ? "blank" : "not_json";
    return [{ ...lineOf(1, Buffer.byteLength(text), null, problem), terminated: false }];
  }
  if (!isObject(value)) return [lineOf(1, Buffer.byteLength(text), null, "not_object")];
  return itemsOf(value).map((item, i) => {
    // Such an item cannot be serialised to measure its size.
    if (isDeeper(item)) return lineOf(i + 1, 0, null, "too_deep");
    const bytes = Buffer.byteLength(JSON.stringify(item) ?? "");
    return isObject(item) ? lineOf(i + 1, bytes, item, null) : lineOf(i + 1, bytes, null, "not_object");
  });
}

function lineOf(
  line: number,
  bytes: number,
  value: Record<string, unknown> | null,
  problem: LineProblem | null,
): JsonLine {
  return { line, offset: 0, bytes, terminated: true, value, problem, blemish: null, skimmed: null, memo: null };
}
