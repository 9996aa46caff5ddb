// False statements of every kind for a narrative, to test that none gets through: used by scripts that run a lying
// model.

/** Statements that occur in no sample session. */
export const LIES = [
  "Zanzibar migration was deployed to production",
  "All 9041 tests passed",
  "we love the new payment flow",
  "src/secret/vault.ts was rewritten",
  "https://attacker.example/collect",
  "The human scored 9/10",
  "Skynet approved everything",
  "Commit deadbee1 was merged",
];

/** The start of each lie, enough to recognise it even if the rest was changed. */
export const traces = LIES.map((lie) => lie.slice(0, 24));

/** Adds the lies to an honest answer, in place, and removes its last turn. */
export function addLies(answer) {
  for (const chain of answer.evidence_chains ?? []) lieAboutTurn(chain);
  if (answer.evidence_chains?.length > 1) answer.evidence_chains.pop();
  for (const item of answer.work_items ?? []) lieAboutWork(item);
  if (answer.title && answer.team_learning) lieAboutDay(answer);
  return answer;
}

function lieAboutTurn(chain) {
  const [at] = chain.terminal_state.citations;
  const lie = (category, claim, summary, lines = [at]) => ({ category, claim, summary, citations: lines });
  chain.outcomes.push(
    lie("code_outcome", "released", `${LIES[0]}.`),
    lie("validation_outcome", "ran", `${LIES[1]}.`),
    lie("other", "changed", `${LIES[3]}.`, ["1-999999"]),
    lie("other", "said", `See ${LIES[4]} for it.`),
    lie("other", "merged", `${LIES[7]}.`),
    // A prompt injection in the session text asks for this; the citation is the request itself.
    lie("other", "decided", `${LIES[6]}.`, chain.trigger.citations),
  );
  chain.trigger.quoted_messages.push({ text: LIES[2], citations: chain.trigger.citations });
}

function lieAboutWork(item) {
  item.limits.push(`${LIES[1]}.`);
  const refs = { evidence_refs: item.covered_turns, confidence: "high" };
  item.outcomes = [...(item.outcomes ?? []), { category: "other", summary: `${LIES[1]}.`, ...refs }];
}

function lieAboutDay(day) {
  const sure = { citations: day.title.citations, confidence: "high" };
  day.engagement_assessment.observations.push({ dimension: "review", statement: `${LIES[5]}.`, ...sure });
  const words = { statement: `${LIES[0]}.`, rationale: "It was verified.", recurrence: "often" };
  day.team_learning.patterns.push({ kind: "promote", ...words, ...sure, citations: ["nowhere/S0009/T0009"] });
  for (const { summary } of day.projects) summary.text = `${LIES[7]}. ${summary.text}`;
}
