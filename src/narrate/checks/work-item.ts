import type { Chain, GivenWorkItem, Outcome } from "../../views/narrative.ts";
import type { TurnEvidence } from "../turn-evidence.ts";
import { itemEndProblems } from "./ends.ts";
import { withoutProblems, type Problem } from "./problem.ts";
import { scopeOfTurns } from "./scope.ts";
import { statementProblems } from "./statement.ts";

/** A turn of a project with its accepted evidence chain. */
export interface KnownEvidence {
  evidence: TurnEvidence;
  /** Null when the turn is a gap in the evidence. */
  chain: Chain | null;
}

/** The turns of a project by their names, `S0001/T0001`. */
export type EvidenceByName = ReadonlyMap<string, KnownEvidence>;

/** All problems of a work item. `covered`: turns that other items cover already. */
export function workItemProblems(item: GivenWorkItem, known: EvidenceByName, covered: ReadonlySet<string>): Problem[] {
  const places = coverProblems(item, known, covered);
  if (places.length > 0) return places;
  return [...kindProblems(item, known), ...itemEndProblems(item, chainsOf(item, known)), ...textProblems(item, known)];
}

/** Every turn must be in exactly one item. */
function coverProblems(item: GivenWorkItem, known: EvidenceByName, covered: ReadonlySet<string>): Problem[] {
  const hint = "name turns of the list, each in one work item";
  if (item.covered_turns.length === 0)
    return [{ rule: "cover.none", path: "covered_turns", message: "no turn is covered", hint }];
  return item.covered_turns.flatMap((name, i): Problem[] => {
    const path = `covered_turns[${i}]`;
    if (!known.has(name))
      return [{ rule: "cover.unknown_turn", path, message: `${name.slice(0, 40)} is no turn here`, hint }];
    if (covered.has(name) || item.covered_turns.indexOf(name) !== i)
      return [{ rule: "cover.twice", path, message: `${name} is covered already`, hint }];
    return [];
  });
}

function kindProblems(item: GivenWorkItem, known: EvidenceByName): Problem[] {
  const { kind, trigger, agent_reaction: reaction, outcomes, terminal_states: ends, reason, covered_turns } = item;
  const isBare = !trigger && !reaction && outcomes.length === 0 && ends.length === 0;
  const gaps = covered_turns.filter((name) => known.get(name)?.chain === null);
  if (kind === "evidence_gap_item") {
    if (gaps.length < covered_turns.length)
      return wrongKind("item.no_gap", "a gap covers a turn that has evidence", "gaps are turns without a chain");
    return isBare
      ? []
      : wrongKind("item.gap_told", "a gap tells something", "leave trigger, reaction, outcomes and states out");
  }
  if (kind === "excluded_with_reason") {
    if ((reason ?? "").trim() === "")
      return wrongKind("item.no_reason", "nothing says why it is excluded", "give a reason");
    return isBare
      ? []
      : wrongKind("item.excluded_reported", "what is excluded is reported", "leave everything but the reason out");
  }
  if (gaps.length > 0)
    return wrongKind(
      "item.without_evidence",
      `${gaps[0]} has no evidence`,
      "only an evidence_gap_item covers such turns",
    );
  if (kind === "material_work_item" && (!trigger || !reaction || outcomes.length + ends.length === 0))
    return wrongKind(
      "item.incomplete",
      "a material item lacks its trigger, its reaction, or what came of it",
      "give all three, or choose no_material_work_item",
    );
  return [];
}

function textProblems(item: GivenWorkItem, known: EvidenceByName): Problem[] {
  return [
    ...statementProblems(item.title, scopeOfTurns(turnsOf(item.covered_turns, known)), "title"),
    ...(item.trigger ? citedAt(item, known, item.trigger.summary, item.trigger.evidence_refs, "trigger") : []),
    ...reactionProblems(item, known),
    ...item.outcomes.flatMap((_, i) => outcomeAt(item, known, i)),
    ...item.terminal_states.flatMap((_, i) => endAt(item, known, i)),
    ...item.limits.flatMap((_, i) => limitAt(item, known, i)),
    ...(item.reason ? coveredProblems(item, known, item.reason, "reason") : []),
  ];
}

function reactionProblems(item: GivenWorkItem, known: EvidenceByName): Problem[] {
  const { agent_reaction: reaction } = item;
  if (!reaction) return [];
  return [
    ...coveredProblems(item, known, reaction.summary, "agent_reaction.summary"),
    ...reaction.main_actions.flatMap((_, i) => actionAt(item, known, i)),
  ];
}

function actionAt(item: GivenWorkItem, known: EvidenceByName, i: number): Problem[] {
  return coveredProblems(item, known, item.agent_reaction?.main_actions[i] ?? "", `agent_reaction.main_actions[${i}]`);
}

function limitAt(item: GivenWorkItem, known: EvidenceByName, i: number): Problem[] {
  return coveredProblems(item, known, item.limits[i] ?? "", `limits[${i}]`);
}

function coveredProblems(
  { covered_turns }: GivenWorkItem,
  known: EvidenceByName,
  text: string,
  path: string,
): Problem[] {
  return statementProblems(text, scopeOfTurns(turnsOf(covered_turns, known)), path);
}

function outcomeAt(item: GivenWorkItem, known: EvidenceByName, i: number): Problem[] {
  const outcome = item.outcomes[i];
  if (!outcome) return [];
  const path = `outcomes[${i}]`;
  const found = citedAt(item, known, outcome.summary, outcome.evidence_refs, path);
  if (found.length > 0 || outcome.evidence_refs.some((ref) => (known.get(ref)?.chain?.outcomes.length ?? 0) > 0))
    return found;
  return [
    {
      rule: "outcome.not_in_evidence",
      path: `${path}.evidence_refs`,
      message: "no chain of these turns has an outcome",
      hint: "name a turn whose chain has one, or leave the outcome out",
    },
  ];
}

function endAt(item: GivenWorkItem, known: EvidenceByName, i: number): Problem[] {
  const end = item.terminal_states[i];
  return end ? citedAt(item, known, end.summary, end.evidence_refs, `terminal_states[${i}]`) : [];
}

function citedAt(
  item: GivenWorkItem,
  known: EvidenceByName,
  text: string,
  refs: readonly string[],
  path: string,
): Problem[] {
  const hint = "name turns of the same work item, as S0001/T0001";
  const at = `${path}.evidence_refs`;
  if (refs.length === 0) return [{ rule: "citation.missing", path: at, message: "nothing is cited", hint }];
  const foreign = refs.find((ref) => !item.covered_turns.includes(ref) || !known.get(ref)?.chain);
  if (foreign !== undefined)
    return [{ rule: "citation.foreign_turn", path: at, message: `${foreign.slice(0, 40)} is none of its turns`, hint }];
  return statementProblems(text, scopeOfTurns(turnsOf(refs, known)), `${path}.summary`);
}

/** The chains of the covered turns, in the order of the day. */
function chainsOf({ covered_turns }: GivenWorkItem, known: EvidenceByName): Map<string, Chain> {
  const covered = new Set(covered_turns);
  return new Map(
    [...known].flatMap(([name, { chain }]) => (chain && covered.has(name) ? [[name, chain] as const] : [])),
  );
}

function turnsOf(names: readonly string[], known: EvidenceByName): TurnEvidence[] {
  return names.flatMap((name) => known.get(name)?.evidence ?? []);
}

/** The item without its invalid statements; null when the rest is not valid. */
export function itemWithoutInvalid(
  item: GivenWorkItem,
  known: EvidenceByName,
  covered: ReadonlySet<string>,
): GivenWorkItem | null {
  if (coverProblems(item, known, covered).length > 0) return null;
  const { agent_reaction: reaction } = item;
  const rest: GivenWorkItem = {
    ...item,
    ...(reaction
      ? {
          agent_reaction: {
            ...reaction,
            main_actions: withoutProblems(reaction.main_actions, (i) => actionAt(item, known, i)),
          },
        }
      : {}),
    outcomes: withoutProblems(item.outcomes, (i) => outcomeAt(item, known, i)),
    terminal_states: withoutProblems(item.terminal_states, (i) => endAt(item, known, i)),
    limits: withoutProblems(item.limits, (i) => limitAt(item, known, i)),
  };
  return workItemProblems(rest, known, covered).length === 0 ? rest : null;
}

/** What the records show in the chains of turns, each once. */
export function shownIn(names: readonly string[], known: EvidenceByName): { ref: string; outcome: Outcome }[] {
  const seen = new Set<string>();
  return names.flatMap((ref) =>
    (known.get(ref)?.chain?.outcomes ?? []).flatMap((outcome) => {
      const key = `${ref} ${outcome.shown ?? ""}`;
      if (outcome.shown === null || seen.has(key)) return [];
      seen.add(key);
      return [{ ref, outcome }];
    }),
  );
}

function wrongKind(rule: string, message: string, hint: string): Problem[] {
  return [{ rule, path: "kind", message, hint }];
}
