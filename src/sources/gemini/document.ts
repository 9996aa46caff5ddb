import { DocumentLines } from "../kit/document-lines.ts";
import { JsonLines, type Lines } from "../kit/json-lines.ts";
import type { LineStartCursor, ReadContext, SourceRef } from "../contract.ts";
import { list } from "../kit/native.ts";

/** Older versions kept a session as one JSON document: the header becomes line 1, message n line n + 1. */
export function openLines(ref: SourceRef, from: LineStartCursor | null, ctx: ReadContext): Lines {
  if (ref.container !== "json") return new JsonLines(ref, from, ctx);
  return new DocumentLines(ref, from, ctx, ({ messages, ...header }) => [header, ...list(messages)]);
}
