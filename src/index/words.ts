import type { RecordBody } from "../log/record.ts";
import type { Entry } from "../sources/source.ts";
import { indexed } from "./terms.ts";

/** What a text is. Its place in this list is in the text's number; the list may only grow by making the number larger. */
export const DOC_KINDS = ["prompt", "reply", "summary", "error", "input", "reasoning", "output", "injected"] as const;
export type DocKind = (typeof DOC_KINDS)[number];

export function kindOf(id: number): DocKind {
  return DOC_KINDS[id % DOC_KINDS.length] ?? "output";
}

/**
 * A text to be found again: line, kind, time, place in the log, words. What is not certain yet is in no log: its place is
 * below zero, and the number of its record among those of its line.
 */
export type Doc = [line: number, kind: DocKind, time: number | null, at: number, bytes: number, text: string];

const LONG = 16 * 1024;
const OUTPUT = 2 * 1024;

export function collectDocs(docs: Doc[], entry: Entry, places: readonly [number, number][]): void {
  for (const [i, [at, bytes]] of places.entries()) {
    const body = entry.records[i];
    const found = body ? words(body) : null;
    if (found) docs.push([entry.line, found[0], entry.time, at, bytes, indexed(found[1])]);
  }
}

export function tailDocs(tail: readonly Entry[]): Doc[] {
  const docs: Doc[] = [];
  for (const entry of tail)
    collectDocs(
      docs,
      entry,
      entry.records.map((_, i) => [-1, i]),
    );
  return docs;
}

/** What of a record can be searched for, and as what. Long outputs keep their beginning and end: there the news is. */
function words(body: RecordBody): [DocKind, string] | null {
  switch (body.type) {
    case "user":
      return body.text === "" ? null : [body.author === "human" ? "prompt" : "injected", cut(body.text, LONG)];
    case "assistant_finished":
      return body.text === "" ? null : ["reply", cut(body.text, LONG)];
    case "reasoning_finished":
      return body.text === "" ? null : ["reasoning", cut(body.text, LONG)];
    case "tool_started":
      return [
        "input",
        cut(`${body.name} ${typeof body.input === "string" ? body.input : JSON.stringify(body.input)}`, OUTPUT),
      ];
    case "tool_finished":
      return body.output ? ["output", cut(body.output, OUTPUT)] : null;
    case "failed":
      return ["error", cut(body.message, OUTPUT)];
    case "compacted":
      return body.summary ? ["summary", cut(body.summary, LONG)] : null;
    default:
      return null;
  }
}

function cut(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const head = Math.floor(limit * 0.75);
  return `${text.slice(0, head)}\n${text.slice(text.length - (limit - head))}`;
}
