/** Answers of `daybook team`: the state of a team store, its members and their numbers. */

export type TokenScope = "push" | "read";
export type MemberRole = "member" | "lead" | "auditor";

export interface StoreStatus {
  store_id: string;
  schema_version: number;
  /** Migrations that this version knows and the store lacks; `daybook team init` applies them. */
  missing: string[];
  /** Migrations whose text differs from this version's; `init` does not touch such a store. */
  changed: string[];
  /** Migrations of the store that this version does not know: a newer version applied them. */
  unknown: string[];
  /** The time zone in which all days of the store are counted. */
  zone: string;
  /** Number of hash partitions of each table with rows of people; 0 for none. */
  partitions: number;
  /** Number of nodes of a Citus cluster that hold the rows; null for a store in one database. */
  nodes: number | null;
  /** Groups with fewer people are not shown to a lead. */
  smallest_group: number;
  /** Names of models, agents, tools and outcomes are shown to a lead from this many people on, if that is fewer. */
  smallest_name: number;
  /** Whether leads see numbers by person. */
  persons_shown: boolean;
  /** Number of people who are not retired. */
  people: number;
  teams: number;
  /** Number of valid tokens. */
  tokens: number;
  /** Null when the store's schema is too old for it. */
  retention: Retention | null;
}

/** How long one kind of data stays in a store. */
export interface RetentionAge {
  /** Null: forever. */
  days: number | null;
  /** Data before this day was removed and is excluded from later pushes; null when nothing was removed. */
  before: string | null;
}

export interface Retention {
  /** Searchable texts and stored answers: requests, replies, titles, paths, inputs and outputs of calls. */
  texts: RetentionAge;
  /** Calls and responses: numbers and names. */
  calls: RetentionAge;
  /** Turns with all their data. Daily sums stay. */
  turns: RetentionAge;
}

export interface RemovedRows {
  rows: number;
  /** Estimated size in the database, without indexes. */
  bytes: number;
}

/** What a run of `daybook team retention` removed, or with `dry_run` would remove. */
export interface RetentionRun {
  dry_run: boolean;
  retention: Retention;
  /** Number of people and sessions affected. */
  people: number;
  sessions: number;
  /** Removed rows by table. */
  removed: Record<string, RemovedRows>;
  /** Sessions that machines must push again, because the retention now keeps more. */
  asked_again: number;
  /** The run was stopped before the end and must be repeated. */
  unfinished: boolean;
}

export interface Invited {
  login: string;
  role: MemberRole;
  /** Null for auditors, who belong to no single team. */
  team: string | null;
  scope: TokenScope;
  token_id: string;
  /** Shown only once: the store keeps its hash. */
  token: string;
  expires: string | null;
}

export interface Member {
  login: string;
  auditor: boolean;
  /** The person can no longer query or push; their rows stay. */
  retired: boolean;
  teams: { name: string; role: "member" | "lead" }[];
  tokens: MemberToken[];
}

export interface MemberToken {
  token_id: string;
  scope: TokenScope;
  label: string;
  created: string;
  expires: string | null;
  revoked: string | null;
  /** When the token was last used, to the hour. */
  seen: string | null;
}

/** Whose numbers are requested: `own`, `all`, or a team's id. */
export type TeamViewName = "own" | "all" | (string & {});

export type TeamSplit = "total" | "week" | "day" | "project" | "model" | "source" | "outcome" | "person";

/** One view that the requesting person may use. */
export interface TeamView {
  /** The value for the `view` parameter: `own`, `all` or a team's id. */
  view: string;
  /** The team's name; null when the view is not a team. */
  name: string | null;
  /** `own`: own data; `led`: group totals in whole weeks; `audited`: everything except texts. */
  kind: "own" | "led" | "audited";
  /** Number of people in the view, including those who never pushed. */
  people: number;
  /** What the team means to spend in a month; null without a budget. */
  monthly_budget_usd: number | null;
}

/** The requesting person and their permissions. */
export interface TeamAsker {
  login: string;
  scopes: TokenScope[];
  auditor: boolean;
  teams: { team_id: string; name: string; role: "member" | "lead" }[];
  /** Widest first. */
  views: TeamView[];
  /** Groups with fewer people are not shown to their lead. */
  smallest_group: number;
  /** The same for names of models, agents, tools and outcomes, if that is fewer. */
  smallest_name: number;
  /** The time zone in which all days are counted. */
  zone: string;
  today: string;
}

export interface TeamGroup {
  /** Null for the row that combines all groups too small to be shown. */
  name: string | null;
  /** Number of groups combined in that row; 0 for a group with a name. */
  hidden_groups: number;
  people: number;
  /** These are null in a `led` view where too few people have any, and with `outcome` all but turns are. */
  turns: number | null;
  calls: number | null;
  failed_calls: number | null;
  responses: number | null;
  /** Responses of models without a known price, which are not part of the cost. */
  unpriced_responses: number | null;
  input_tokens: number | null;
  cached_input_tokens: number | null;
  cache_write_tokens: number | null;
  output_tokens: number | null;
  reasoning_tokens: number | null;
  cost_usd: number | null;
}

export interface TeamUsageAnswer {
  /** In a `led` view always a Monday, and `until` a Sunday: its totals cover whole weeks. */
  since: string;
  until: string;
  by: TeamSplit;
  groups: TeamGroup[];
  /** Why groups are missing; null when none are. */
  withheld: string | null;
}

export interface TeamFailure {
  /** Empty when only numbers were pushed; null for the row that combines tools that failed for too few people. */
  tool: string | null;
  /** Number of tools combined in that row; 0 for a tool with a name. */
  hidden_tools: number;
  people: number;
  calls: number;
}

export interface TeamFailuresAnswer {
  since: string;
  until: string;
  failures: TeamFailure[];
  withheld: string | null;
}

export interface TeamTurn {
  login: string;
  session_id: string;
  n: number;
  at: string | null;
  status: string;
  source: string;
  project: string;
  model: string;
  calls: number;
  failed_calls: number;
  cost_usd: number | null;
  /** The turn as in `daybook turns --json`, redacted before the push; null when it was not pushed or was removed. */
  turn: unknown;
}

export interface TeamTurnsAnswer {
  turns: TeamTurn[];
  /** Cursor of the next page; null at the end. */
  next_cursor: string | null;
  /** What retention removed from these days; null when nothing was removed. */
  withheld: string | null;
}

export interface TeamHit {
  session_id: string;
  /** Number of the turn that contains the text; null when none does. */
  turn: number | null;
  line: number | null;
  /** Kind of the text: `prompt`, `reply`, … as in `daybook search`. */
  kind: string;
  at: string | null;
  /** Redacted before the push. */
  text: string;
}

export interface TeamSearchAnswer {
  query: string;
  /** Newest first. */
  hits: TeamHit[];
  /** What retention removed from these days; null when nothing was removed. */
  withheld: string | null;
}
