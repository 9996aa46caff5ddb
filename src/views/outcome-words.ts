/** The sign and the word for how something ended: the same on a terminal, in documents and on the page. */
export const OUTCOME_WORDS = {
  completed: { sign: "✓", word: "done" },
  unproven: { sign: "!", word: "unproven: said to be done, but the last check or call failed" },
  failed: { sign: "✗", word: "failed" },
  aborted: { sign: "■", word: "stopped" },
  open: { sign: "◔", word: "not finished" },
} as const;

/** The sign and a short word. */
export function outcomeText(shown: keyof typeof OUTCOME_WORDS): string {
  const { sign, word } = OUTCOME_WORDS[shown];
  return `${sign} ${word.split(":")[0] ?? ""}`;
}

/** What is left open, by kind. */
export const LOOSE_END_WORDS = {
  unanswered_question: "unanswered question",
  failed: "failed",
  aborted: "stopped",
  open: "not finished",
  open_todos: "steps left open",
  check_failed: "check failed last",
  call_failed: "did not succeed",
  denied: "refused or stopped",
  plan_not_begun: "plan approved, not begun",
  uncommitted: "not committed",
  unpushed: "not pushed",
  unmerged: "branch not merged",
  open_pr: "opened, not merged",
  not_run: "written, never run",
  dry_run: "run for show only",
  not_looked_at: "started, never looked at",
  said: "only said",
} as const;

/** What is left open, by records, as a heading. */
export const WAITING = "Waiting for you";

/** What agents only said is open: told apart from what records show. */
export const SAID_OPEN = "Only said to be open";
