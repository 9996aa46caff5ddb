import { LEVELS, type Level } from "../../views/push-level.ts";
import type { NotPushed } from "../../views/not-pushed.ts";
import type { AnswerRows } from "../../views/rows.ts";
import type { CountedReport } from "./turn.ts";

const CALLS = ["call_id", "about", "exit_code", "error", "line"].map((name) => `projects.turns.tool_problems.${name}`);

/** Fields that are missing at level `turns`: they need the records of calls. */
const AT_TURNS: readonly string[] = [
  ...CALLS,
  "projects.turns.last_check.command",
  "loose_ends.text",
  "carried_over.text",
  "projects.turns.result",
  "projects.items.results",
];

/** Fields that are also missing at level `totals`: they need texts. */
const AT_TOTALS: readonly string[] = [
  "totals.files_changed",
  "projects.totals.files_changed",
  "balance.records_read",
  "balance.balanced",
  "balance.problems",
  "loose_ends",
  "carried_over",
  "said_open",
  "changes",
  "decisions",
  "projects.project",
  "projects.items",
  "projects.project_keys",
  "projects.cwds",
  ...["session_ref", "session_id", "session_path", "title", "agent_version"].map((name) => `projects.sessions.${name}`),
  ...[
    "citation",
    "session_ref",
    "session_id",
    "session_path",
    "native_turn_id",
    "cwd",
    "trigger",
    "outcome_detail",
  ].map((name) => `projects.turns.${name}`),
  ...[
    "model",
    "tool_problems.name",
    "files",
    "commits",
    "last_check",
    "fell_short",
    "questions",
    "todos",
    "children",
  ].map((name) => `projects.turns.${name}`),
  "projects.turns.last_words",
  "projects.turns.review",
];

/**
 * The fields that a report from a team store lacks, by the lowest level at which one of its sessions was pushed. Empty
 * for a local book.
 */
export function notPushed(
  turns: readonly CountedReport[],
  touched: readonly string[],
  rows: AnswerRows,
): { not_pushed?: NotPushed } {
  const found = new Set<Level>();
  for (const key of touched) {
    const level = rows.session(key)?.not_pushed?.level;
    if (level) found.add(level);
  }
  for (const { turn } of turns) {
    const isBare = turn.last_check?.command === null || turn.tool_problems.some(({ about }) => about === null);
    if (isBare) found.add("turns");
  }
  const level = LEVELS.find((one) => found.has(one));
  if (level === undefined) return {};
  return { not_pushed: { level, fields: level === "totals" ? [...AT_TOTALS, ...AT_TURNS] : [...AT_TURNS] } };
}
