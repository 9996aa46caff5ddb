import { JsonLines } from "../json-lines.ts";
import { DocumentLines, type Lines } from "../shared/document-lines.ts";
import type { LineStartCursor, ReadContext, SourceRef } from "../source.ts";
import { list } from "../shared/native.ts";

/** Older versions kept a session as one JSON document: the header is line 1, message n is line n + 1. */
export function openLines(ref: SourceRef, from: LineStartCursor | null, ctx: ReadContext): Lines {
  if (ref.container !== "json") return new JsonLines(ref, from, ctx);
  return new DocumentLines(ref, from, ctx, ({ messages, ...header }) => [header, ...list(messages)]);
}
