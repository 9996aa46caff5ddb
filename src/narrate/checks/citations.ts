import type { TurnEvidence } from "../turn-evidence.ts";
import type { Problem } from "./problem.ts";
import { fileOf, spanOf, type LineSpan } from "./scope.ts";

/** Citations must be well-formed, lie inside the turn, and lead to recorded lines. */
export function citationProblems(citations: readonly string[], turn: TurnEvidence, path: string): Problem[] {
  const agents = turn.agents.map(({ ref, start, end }) => `, or inside ${ref}:${start}-${end}`).join("");
  const inside = `cite lines inside ${turn.start}-${turn.end}, as "first-last"${agents.slice(0, 400)}`;
  if (citations.length === 0) return [{ rule: "citation.missing", path, message: "nothing is cited", hint: inside }];
  return citations.flatMap((text, i): Problem[] => {
    const at = `${path}[${i}]`;
    const span = spanOf(text);
    if (span === null)
      return [{ rule: "citation.form", path: at, message: `${inQuotes(text)} is no span of lines`, hint: inside }];
    const { agent, first, last } = span;
    const file = fileOf(turn, agent);
    if (!file)
      return [{ rule: "citation.no_agent", path: at, message: `the turn started no ${agent ?? ""}`, hint: inside }];
    if (first < file.start || last > file.end)
      return [{ rule: "citation.outside_turn", path: at, message: `${text} is outside the turn`, hint: inside }];
    if (!file.lines.some(({ line }) => first <= line && line <= last))
      return [{ rule: "citation.no_record", path: at, message: `nothing is recorded on ${text}`, hint: inside }];
    return [];
  });
}

/** The spans of the well-formed citations. */
export function spansOf(citations: readonly string[]): LineSpan[] {
  return citations.flatMap((text) => {
    const span = spanOf(text);
    return span === null ? [] : [span];
  });
}

export function inQuotes(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}
