import { DocumentLines } from "../kit/document-lines.ts";
import { JsonLines, type Lines } from "../kit/json-lines.ts";
import type { LineStartCursor, ReadContext, SourceRef } from "../contract.ts";
import { isFields, listOf, type Fields } from "./fields.ts";
import { skimForUsage } from "./skim.ts";

/** Opens the lines of a session. With detail `usage`, lines that are irrelevant to usage are not parsed. */
export function openLines(ref: SourceRef, from: LineStartCursor | null, ctx: ReadContext): Lines {
  // Copies are recognised by the content of their records, so a file that repeats another is parsed completely.
  const whole = ctx.inherited !== undefined || ctx.identities === true;
  const skim = !whole && ctx.detail === "usage" ? skimForUsage : undefined;
  return ref.container === "json" ? new DocumentLines(ref, from, ctx, itemsOf) : new JsonLines(ref, from, ctx, skim);
}

/**
 * The first client wrote a session as one JSON document, `{session, items}`: the header is line 1, item n is line n +
 * 1.
 */
function itemsOf(document: Fields): unknown[] {
  const { session, items } = document;
  return isFields(session) ? [session, ...listOf(items)] : [document];
}
