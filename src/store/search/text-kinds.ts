import type { RecordBody } from "../../format/record.ts";

/** What a text is. Its place in this list is in the text's number; the list may only grow by making the number larger. */
export const DOC_KINDS = ["prompt", "reply", "summary", "error", "input", "reasoning", "output", "injected"] as const;
export type DocKind = (typeof DOC_KINDS)[number];

/**
 * What can be asked for: instructions are found once for each text, not once for each session. `note`: notes and labels that people
 * put on sessions and turns.
 */
export type SearchKind = DocKind | "instructions" | "note";
export const SEARCH_KINDS: readonly SearchKind[] = [...DOC_KINDS, "instructions", "note"];

export function kindAt(place: number): DocKind {
  return DOC_KINDS[place % DOC_KINDS.length] ?? "output";
}

/** What of a record can be searched for, and as what: all that the book has of it. */
export function textOf(body: RecordBody): [DocKind, string] | null {
  switch (body.type) {
    case "user":
      return body.text === "" ? null : [body.author === "human" ? "prompt" : "injected", body.text];
    case "assistant_finished":
      return body.text === "" ? null : ["reply", body.text];
    case "reasoning_finished":
      return body.text === "" ? null : ["reasoning", body.text];
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
