/**
 * Questions that gstack's skills ask under a fixed id: `id door signal`. A door is one-way when the consequences cannot
 * be undone. Other questions are judged by their text (`door.ts`); `registry.json` adds to the list and takes
 * precedence over it.
 */
export const KNOWN_QUESTIONS: readonly (readonly [
  skill: string,
  category: string,
  questions: readonly (readonly [name: string, door: "one-way" | "two-way", signal?: string])[],
])[] = [
  [
    "ship",
    "approval",
    [
      ["test-failure-triage", "one-way", "test-discipline"],
      ["release-pipeline-missing", "two-way", "distribution-care"],
      ["pre-landing-review-fix", "two-way", "code-quality-care"],
      ["greptile-comment-valid", "two-way", "code-quality-care"],
      ["todos-reorganize", "two-way", "detail-preference"],
      ["pr-summary-voice-polish", "two-way", "detail-preference"],
    ],
  ],
  [
    "review",
    "approval",
    [
      ["sql-safety", "one-way"],
      ["llm-trust-boundary", "one-way"],
      ["finding-fix", "two-way", "code-quality-care"],
    ],
  ],
  ["office-hours", "approval", [["landscape-privacy-gate", "one-way"]]],
  [
    "office-hours",
    "routing",
    [
      ["mode-goal", "two-way", "session-mode"],
      ["approach-choose", "two-way", "scope-appetite"],
    ],
  ],
  ["plan-ceo-review", "approval", [["premise-revise", "one-way"]]],
  ["plan-ceo-review", "routing", [["mode", "two-way", "scope-appetite"]]],
  ["plan-ceo-review", "cherry-pick", [["expansion-proposal", "two-way", "scope-appetite"]]],
  [
    "plan-eng-review",
    "approval",
    [
      ["arch-finding", "one-way", "architecture-care"],
      ["test-gap", "two-way", "test-discipline"],
    ],
  ],
  ["plan-eng-review", "routing", [["scope-reduce", "two-way", "scope-appetite"]]],
  ["plan-design-review", "routing", [["mode", "two-way", "design-care"]]],
  ["plan-design-review", "approval", [["fix", "two-way", "design-care"]]],
  ["plan-devex-review", "routing", [["mode", "two-way", "devex-care"]]],
  ["plan-devex-review", "approval", [["friction-fix", "two-way", "devex-care"]]],
  ["qa", "approval", [["bug-fix-scope", "two-way", "code-quality-care"]]],
  ["investigate", "approval", [["fix-apply", "one-way"]]],
  [
    "land-and-deploy",
    "approval",
    [
      ["merge-confirm", "one-way", "decision-autonomy"],
      ["rollback", "one-way", "decision-autonomy"],
    ],
  ],
  [
    "cso",
    "approval",
    [
      ["global-scan-approval", "one-way"],
      ["finding-fix", "one-way"],
    ],
  ],
  ["autoplan", "approval", [["user-challenge", "one-way"]]],
];
