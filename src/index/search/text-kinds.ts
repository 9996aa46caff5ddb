import type { RecordBody } from "../../record/record.ts";
import { saidIn } from "../../record/review-text.ts";

/** Kinds of texts. The position in this list is part of a text's rowid, so the list cannot grow without renumbering. */
export const DOC_KINDS = ["prompt", "reply", "summary", "error", "input", "reasoning", "output", "injected"] as const;
export type DocKind = (typeof DOC_KINDS)[number];

/** What people wrote ranks before what machines wrote. */
export const WEIGHTS: Readonly<Record<DocKind, number>> = {
  prompt: 3,
  reply: 2,
  summary: 1.5,
  error: 1,
  input: 1,
  reasoning: 1,
  output: 0.7,
  injected: 0.5,
};

/**
 * Kinds that can be searched for. Instructions are found once per text, not once per session. `note`: notes and labels
 * that people put on sessions and turns. `review`: what a model read in a day.
 */
export type SearchKind = DocKind | "instructions" | "note" | "review";
export const SEARCH_KINDS: readonly SearchKind[] = [...DOC_KINDS, "instructions", "note", "review"];

export function kindAt(place: number): DocKind {
  return DOC_KINDS[place % DOC_KINDS.length] ?? "output";
}

/** The searchable text of a record and its kind. */
export function textOf(body: RecordBody): [DocKind, string] | null {
  switch (body.type) {
    case "user":
      return textIn(body.author === "human" ? "prompt" : "injected", body.text);
    case "assistant_finished":
      return textIn("reply", saidIn(body));
    case "reasoning_finished":
      return textIn("reasoning", body.text);
    case "tool_started":
      return ["input", `${body.name} ${typeof body.input === "string" ? body.input : JSON.stringify(body.input)}`];
    case "tool_finished":
      return body.output ? ["output", body.output] : null;
    case "failed":
      return ["error", body.message];
    case "compacted":
      return body.summary || body.retained
        ? ["summary", [body.summary ?? "", ...(body.retained ?? [])].join("\n\n").trim()]
        : null;
    default:
      return null;
  }
}

function textIn(kind: DocKind, text: string): [DocKind, string] | null {
  return text === "" ? null : [kind, text];
}
