import type { RecordBody } from "../log/record.ts";
import { indexed } from "./terms.ts";

/** What a text is. Its place in this list is in the text's number; the list may only grow by making the number larger. */
export const DOC_KINDS = ["prompt", "reply", "summary", "error", "input", "reasoning", "output", "injected"] as const;
export type DocKind = (typeof DOC_KINDS)[number];

export function kindAt(place: number): DocKind {
  return DOC_KINDS[place % DOC_KINDS.length] ?? "output";
}

/** Longer texts keep their beginning and end: there the news is, and most of what agents show a model is shorter. */
const LONG = 16 * 1024;

/** What of a record can be searched for, and as what, ready to be indexed. */
export function textsOf(body: RecordBody): [DocKind, string] | null {
  const found = words(body);
  return found && [found[0], indexed(found[1])];
}

/** What of a record can be searched for, and as what. */
function words(body: RecordBody): [DocKind, string] | null {
  switch (body.type) {
    case "user":
      return body.text === "" ? null : [body.author === "human" ? "prompt" : "injected", cut(body.text)];
    case "assistant_finished":
      return body.text === "" ? null : ["reply", cut(body.text)];
    case "reasoning_finished":
      return body.text === "" ? null : ["reasoning", cut(body.text)];
    case "tool_started":
      return ["input", cut(`${body.name} ${typeof body.input === "string" ? body.input : JSON.stringify(body.input)}`)];
    case "tool_finished":
      return body.output ? ["output", cut(body.output)] : null;
    case "failed":
      return ["error", cut(body.message)];
    case "compacted":
      return body.summary ? ["summary", cut(body.summary)] : null;
    default:
      return null;
  }
}

function cut(text: string): string {
  if (text.length <= LONG) return text;
  const head = Math.floor(LONG * 0.75);
  return `${text.slice(0, head)}\n${text.slice(text.length - (LONG - head))}`;
}
