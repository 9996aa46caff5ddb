/*
 * The fields that several questions share, in the groups in which they are taken. A filter added to a group exists at
 * every door of the questions that take the group.
 */

/** Which sessions. */
export const PLACE = {
  project: {
    kind: "text",
    about: "only this project (name, key or directory)",
    takes: "name",
    longest: 500,
    http: "Name, key or directory of a project",
    mcp: "name or directory; `.` is the caller's",
  },
  session: {
    kind: "text",
    about: "only this session (id, path, or the beginning of an id)",
    takes: "id",
    longest: 1000,
    mcp: "id or its beginning",
  },
} as const;

/** What the user put on sessions and turns. */
export const MARKS = {
  label: {
    kind: "texts",
    about: "only what has this label (repeatable: all must match)",
    takes: "key[=value]",
    longest: 600,
    http: "Only with this label: `KEY` or `KEY=VALUE`",
    mcp: "KEY or KEY=VALUE the user put on it",
  },
  starred: { kind: "flag", about: "only what is starred", mcp: "" },
  noted: { kind: "flag", about: "only what has a note", mcp: "" },
} as const;

/** Which days. */
export const DAYS = {
  since: {
    kind: "text",
    about: 'from this day on (2026-05-12, 28d, 5w, yesterday, "last monday", october)',
    takes: "day",
    letter: "s",
    longest: 40,
    http: "A day: YYYY-MM-DD, today, yesterday, 28d",
    example: "2026-05-12",
    mcp: "2026-05-12, yesterday, 7d",
  },
  until: {
    kind: "text",
    about: "up to and including this day",
    takes: "day",
    letter: "u",
    longest: 40,
    http: "A day: YYYY-MM-DD, today, yesterday, 28d",
    example: "2026-05-12",
    mcp: "inclusive",
  },
} as const;

/** How many rows. Doors that answer in pages have their own. */
export const LIMIT = {
  limit: { kind: "whole", about: "at most this many rows; 0 for all", takes: "n" },
} as const;

/** What lists of sessions and of turns are filtered by. */
export const LISTED = {
  source: {
    kind: "text",
    about: "only this agent",
    takes: "id",
    longest: 40,
    isEverywhere: true,
    mcp: "agent",
  },
  model: { kind: "text", about: "only with answers of this model", takes: "name", longest: 100, mcp: "" },
  outcome: {
    kind: "choice",
    values: ["completed", "aborted", "failed", "open"],
    about: "only completed, aborted, failed, open; a session ended as its last turn did",
    takes: "outcome",
    mcp: "",
  },
  failures: { kind: "flag", about: "only with a tool call that failed", mcp: "" },
  min_cost: { kind: "number", about: "only what cost this much or more, in dollars", takes: "usd", mcp: "dollars" },
  text: {
    kind: "text",
    about: "only with this text in the title, the request (of a session, the first), the project or the id",
    takes: "text",
    longest: 200,
    mcp: "in title, request, project or id",
  },
  children: {
    kind: "flag",
    isOn: true,
    about: "without sessions that no human started: sub-agents, reviews",
    http: "Also sessions that no human started: sub-agents, reviews",
    mcp: "false: without sub-agents",
  },
  own: { kind: "flag", about: "also sessions in which agents wrote narratives for Daybook", mcp: "" },
} as const;

/** In which order sessions are listed. */
export const SORTED = {
  sort: {
    kind: "choice",
    values: ["newest", "oldest", "active", "cost", "turns", "project"],
    about: "newest (default), oldest, active, cost, turns or project: what comes first",
    takes: "order",
    mcp: "of sessions",
  },
} as const;

export type Where = typeof PLACE & typeof MARKS & typeof DAYS;
/** Which sessions, by name, marks and days: what nearly every question takes. */
export const WHERE: Where = { ...PLACE, ...MARKS, ...DAYS };

/** What tool calls are filtered by, and their order. */
export const CALLS = {
  status: {
    kind: "choice",
    values: ["ok", "failed", "interrupted", "denied", "pending"],
    about: "only ok, failed, interrupted, denied, pending",
    takes: "status",
  },
  name: { kind: "text", about: "only calls of this tool", takes: "tool", longest: 200 },
  grep: {
    kind: "text",
    about: "only calls whose command or other input contains this text",
    takes: "text",
    longest: 500,
    http: "Only calls whose input contains this text",
  },
  risky: {
    kind: "flag",
    about:
      "only calls marked as risky: deletion outside the project, force push, credentials, network install (docs/risk.md)",
  },
  unexpected: {
    kind: "flag",
    about: "without calls whose exit code is a normal result, such as a search without a hit",
    http: "Without calls whose exit code is a normal result",
  },
  order: {
    kind: "choice",
    values: ["worst", "time", "slow", "recent"],
    about: "worst | time | slow | recent: failed and slow ones first, session by session, slowest or latest first",
    takes: "order",
  },
} as const;

/** The days of a report, in addition to `since` and `until`. */
export const SPAN = {
  date: {
    kind: "text",
    about: "the day to report (default: the newest day with work)",
    takes: "day",
    longest: 40,
    mcp: "one day",
  },
  week: { kind: "flag", about: "the whole week of that day" },
} as const;

/** How usage is summed. */
export const SUMMED = {
  group: {
    kind: "choice",
    values: ["daily", "weekly", "monthly", "session", "turn", "model"],
    about: "one row per day, week, month, session, turn or model",
    takes: "period",
  },
  by: {
    kind: "choice",
    values: ["spent", "trigger"],
    about: "spent: count a token when it was spent; trigger: on the day of the turn that owns it",
    takes: "time",
  },
  breakdown: { kind: "flag", about: "one line per model below each row", letter: "b" },
  instances: { kind: "flag", about: "one row per period and project", http: "One row per period and project" },
  order: { kind: "choice", values: ["asc", "desc"], about: "asc or desc", takes: "order", letter: "o" },
} as const;

/** Which questions put to the human. */
export const ASKED = {
  unanswered: { kind: "flag", about: "only questions without an answer", mcp: "" },
} as const;

/** Which texts a search looks at. */
export const KINDS = {
  kinds: {
    kind: "texts",
    values: [
      "prompt",
      "reply",
      "summary",
      "error",
      "input",
      "reasoning",
      "output",
      "injected",
      "instructions",
      "note",
      "review",
    ],
    about:
      "only prompt, reply, summary, error, input, reasoning, output, injected, instructions, note, review (repeatable)",
    flag: "kind",
    takes: "kind",
    longest: 200,
    separator: ",",
    http: "Any of prompt, reply, summary, error, input, reasoning, output, injected, instructions, note, review, separated by commas",
  },
} as const;
