import type { Chain, GivenChain } from "../../views/narrative.ts";
import type { TurnEvidence } from "../turn-evidence.ts";
import { citationProblems, spansOf } from "./citations.ts";
import { claimProblems, shownBy } from "./claims.ts";
import { endProblems } from "./ends.ts";
import { outcomeLineProblems } from "./outcome-lines.ts";
import { withoutProblems, type Problem } from "./problem.ts";
import { messageProblems } from "./quotes.ts";
import { scopeOfSpans } from "./scope.ts";
import { statementProblems } from "./statement.ts";

type Lists = "agent_reactions" | "outcomes" | "observed_checks";

/** All problems of what was written about a turn. Paths are relative to the chain. */
export function chainProblems(chain: GivenChain, turn: TurnEvidence): Problem[] {
  const { trigger, terminal_state: end } = chain;
  return [
    ...statementProblemsAt(trigger.summary, trigger.citations, turn, "trigger"),
    ...trigger.quoted_messages.flatMap((_, i) => messageAt(chain, turn, i)),
    ...(["agent_reactions", "outcomes", "observed_checks"] as const).flatMap((list) =>
      chain[list].flatMap((_, i) => itemAt(chain, turn, list, i)),
    ),
    ...statementProblemsAt(end.summary, end.citations, turn, "terminal_state"),
    ...materialProblems(chain),
    ...endProblems(chain, turn),
  ];
}

/** A material result needs an outcome. */
function materialProblems({ terminal_state: { type }, outcomes }: GivenChain): Problem[] {
  if (type !== "material_result" || outcomes.length > 0) return [];
  return [
    {
      rule: "terminal.no_outcome",
      path: "terminal_state.type",
      message: "material_result without an outcome",
      hint: "add an outcome with its lines, or choose no_material",
    },
  ];
}

function messageAt({ trigger }: GivenChain, turn: TurnEvidence, i: number): Problem[] {
  const quote = trigger.quoted_messages[i];
  if (!quote) return [];
  const path = `trigger.quoted_messages[${i}]`;
  const cited = citationProblems(quote.citations, turn, `${path}.citations`);
  if (cited.length > 0) return cited;
  return messageProblems(quote.text, scopeOfSpans(turn, spansOf(quote.citations)), `${path}.text`);
}

function itemAt(chain: GivenChain, turn: TurnEvidence, list: Lists, i: number): Problem[] {
  const item = chain[list][i];
  if (!item) return [];
  const path = `${list}[${i}]`;
  const found = statementProblemsAt(item.summary, item.citations, turn, path);
  if (list !== "outcomes" || found.some(({ rule }) => rule.startsWith("citation."))) return found;
  const outcome = chain.outcomes[i];
  const spans = spansOf(item.citations);
  return [
    ...found,
    ...(outcome ? claimProblems(outcome, scopeOfSpans(turn, spans), path) : []),
    ...outcomeLineProblems(spans, turn, `${path}.citations`),
  ];
}

/** Checks a statement. When its citations are invalid, nothing else is checked. */
function statementProblemsAt(text: string, citations: readonly string[], turn: TurnEvidence, path: string): Problem[] {
  const cited = citationProblems(citations, turn, `${path}.citations`);
  if (cited.length > 0) return cited;
  return statementProblems(text, scopeOfSpans(turn, spansOf(citations)), `${path}.summary`);
}

/** The chain without its invalid statements; null when the rest is not valid by itself. */
export function withoutInvalid(chain: GivenChain, turn: TurnEvidence): GivenChain | null {
  const rest: GivenChain = {
    ...chain,
    trigger: {
      ...chain.trigger,
      quoted_messages: withoutProblems(chain.trigger.quoted_messages, (i) => messageAt(chain, turn, i)),
    },
    agent_reactions: withoutProblems(chain.agent_reactions, (i) => itemAt(chain, turn, "agent_reactions", i)),
    outcomes: withoutProblems(chain.outcomes, (i) => itemAt(chain, turn, "outcomes", i)),
    observed_checks: withoutProblems(chain.observed_checks, (i) => itemAt(chain, turn, "observed_checks", i)),
  };
  return chainProblems(rest, turn).length === 0 ? rest : null;
}

/** Adds to each outcome what the records show of its claim. */
export function withProofs(chain: GivenChain, turn: TurnEvidence): Chain {
  return {
    ...chain,
    outcomes: chain.outcomes.map((outcome) => {
      const scope = scopeOfSpans(turn, spansOf(outcome.citations));
      const { proof = "said_only", shown = null } = shownBy(outcome.claim, scope, outcome.summary) ?? {};
      return { ...outcome, proof, shown };
    }),
  };
}
