import type { TurnEvidence } from "../turn-evidence.ts";
import type { Problem } from "./problem.ts";
import { fileOf, type LineSpan } from "./scope.ts";

/** An outcome must cite lines in which an agent did something, not only the request. */
export function outcomeLineProblems(spans: readonly LineSpan[], turn: TurnEvidence, path: string): Problem[] {
  const reacted = spans.some(({ agent, first, last }) =>
    fileOf(turn, agent)?.lines.some(
      ({ line, by }) =>
        (by === "agent" || by === "tool") &&
        (agent !== null || !turn.trigger_lines.includes(line)) &&
        first <= line &&
        line <= last,
    ),
  );
  if (reacted) return [];
  return [
    {
      rule: "outcome.trigger_only",
      path,
      message: "an outcome rests on lines in which the agent did nothing",
      hint: "cite the lines in which the agent did it, not those of the request",
    },
  ];
}
