import type { Chain, GivenChain, GivenWorkItem } from "../../views/narrative.ts";
import type { TurnEvidence } from "../turn-evidence.ts";
import type { Problem } from "./problem.ts";

type End = GivenChain["terminal_state"]["type"];

/** Terminal states that contradict the recorded outcome of a turn. */
const CONTRADICTED: Readonly<Record<string, readonly End[]>> = {
  aborted: ["material_result", "no_material", "clarification_only"],
  failed: ["material_result", "no_material", "clarification_only"],
  open: ["material_result"],
};

/** The stated end of a turn must not contradict its recorded outcome. */
export function endProblems({ terminal_state: { type } }: GivenChain, { view }: TurnEvidence): Problem[] {
  const outcome = view?.outcome ?? "completed";
  if (CONTRADICTED[outcome]?.includes(type) !== true) return [];
  return [
    {
      rule: "terminal.contradicts_outcome",
      path: "terminal_state.type",
      message: `${type}, where the turn ended ${outcome}`,
      hint: "choose interrupted, failed or blocked; what came of it before may still be an outcome",
    },
  ];
}

const BAD: readonly End[] = ["failed", "blocked", "interrupted"];

/**
 * A work item must report how its last turn ended, and only ends that its turns had. `chains`: those of the covered
 * turns, in order.
 */
export function itemEndProblems(item: GivenWorkItem, chains: ReadonlyMap<string, Chain>): Problem[] {
  const problems: Problem[] = [];
  const last = [...chains.values()].at(-1)?.terminal_state.type;
  const reported = new Set(item.terminal_states.map(({ type }) => type));
  if (item.kind === "material_work_item" && last !== undefined && BAD.includes(last) && !reported.has(last))
    problems.push({
      rule: "item.end_untold",
      path: "terminal_states",
      message: `its last turn was ${last}, and that is not reported`,
      hint: `add a terminal state of the type ${last}`,
    });
  for (const [i, { type, evidence_refs }] of item.terminal_states.entries())
    if (!evidence_refs.some((ref) => chains.get(ref)?.terminal_state.type === type))
      problems.push({
        rule: "item.end_not_in_evidence",
        path: `terminal_states[${i}].type`,
        message: `no turn it names ended ${type}`,
        hint: "take the type from the chain of a turn that is named",
      });
  return problems;
}
