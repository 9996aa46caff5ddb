/** What `daybook team` answers: who is in a team store and what the store is. */

export type TokenScope = "push" | "read";
export type MemberRole = "member" | "lead" | "auditor";

export interface StoreStatus {
  store_id: string;
  schema_version: number;
  /** Steps of the schema this program knows and the store has not seen: `daybook team init` takes them. */
  missing: string[];
  /** Steps that the store was made by in other words than this program's: it is another store than it seems, and `init` leaves it alone. */
  changed: string[];
  /** Steps of the store that this program does not know: a newer one made it. */
  unknown: string[];
  /** The zone all days of the store are counted in. */
  zone: string;
  /** Hash partitions of each table of people's rows; 0 for none. */
  partitions: number;
  /** Groups of fewer people are not shown to a lead. */
  smallest_group: number;
  /** Whether leads see numbers by person. */
  persons_shown: boolean;
  /** Those who are not retired. */
  people: number;
  teams: number;
  /** Those that still hold. */
  tokens: number;
  /** Null where the store's schema has none yet. */
  retention: Retention | null;
}

/** How long something stays in a store. */
export interface RetentionAge {
  /** Null for ever. */
  days: number | null;
  /** The day before which it was removed, and is kept out of later pushes; null where nothing was. */
  before: string | null;
}

export interface Retention {
  /** What can be searched, and finished answers: requests, replies, titles, paths, what calls were given and gave back. */
  texts: RetentionAge;
  /** Calls and responses, which are numbers and names. */
  calls: RetentionAge;
  /** Turns, with all that is theirs. Sums of days stay. */
  turns: RetentionAge;
}

export interface RemovedRows {
  rows: number;
  /** As the database has them, without indexes; an estimate. */
  bytes: number;
}

/** What a run of `daybook team retention` removed, or with `dry_run` would remove. */
export interface RetentionRun {
  dry_run: boolean;
  retention: Retention;
  /** People and sessions that are concerned. */
  people: number;
  sessions: number;
  /** By table. */
  removed: Record<string, RemovedRows>;
  /** Sessions that machines are asked for again, as more may stay than before. */
  asked_again: number;
  /** It was stopped on the way: run it again. */
  unfinished: boolean;
}

export interface Invited {
  login: string;
  role: MemberRole;
  /** Null for who audits: that is no matter of one team. */
  team: string | null;
  scope: TokenScope;
  token_id: string;
  /** Shown once: the store has only its hash. */
  token: string;
  expires: string | null;
}

export interface Member {
  login: string;
  auditor: boolean;
  /** Nobody asks or pushes in their name any more; their rows stay. */
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
  /** When it was last used, to the hour. */
  seen: string | null;
}

/** Whose numbers are asked for: one's own, those of a team by its id, or everybody's. */
export type TeamViewName = "own" | "all" | (string & {});

export type TeamSplit = "total" | "day" | "project" | "model" | "source" | "person";

/** One of the things somebody may ask for. */
export interface TeamView {
  /** What `view` takes: `own`, `all` or a team's id. */
  view: string;
  /** The team's name; null where it is no team. */
  name: string | null;
  /** `own`: one's own; `led`: totals of groups in whole weeks; `audited`: everything but texts. */
  kind: "own" | "led" | "audited";
  /** How many people it is about, those that never pushed too. */
  people: number;
}

/** Who asks, and what they may ask for. */
export interface TeamAsker {
  login: string;
  scopes: TokenScope[];
  auditor: boolean;
  teams: { team_id: string; name: string; role: "member" | "lead" }[];
  /** The widest first. */
  views: TeamView[];
  /** Of fewer people no group is shown to who leads them. */
  smallest_group: number;
  /** The zone all days are counted in. */
  zone: string;
  today: string;
}

export interface TeamGroup {
  /** Null for the groups that are too small to be shown, all together. */
  name: string | null;
  /** How many groups that row stands for; 0 for one that has a name. */
  hidden_groups: number;
  people: number;
  turns: number;
  calls: number;
  failed_calls: number;
  responses: number;
  /** Responses of models without a known price: not part of the cost. */
  unpriced_responses: number;
  input_tokens: number;
  cached_input_tokens: number;
  cache_write_tokens: number;
  output_tokens: number;
  reasoning_tokens: number;
  cost_usd: number;
}

export interface TeamUsageAnswer {
  /** Of a team that is led always a Monday, as `until` is a Sunday: such totals are of whole weeks. */
  since: string;
  until: string;
  by: TeamSplit;
  groups: TeamGroup[];
  /** Why there are no groups, or not all; null where nothing is left out. */
  withheld: string | null;
}

export interface TeamFailure {
  /** Empty where only numbers were pushed; null for the tools that too few people had trouble with, all together. */
  tool: string | null;
  /** How many tools that row stands for; 0 for one that has a name. */
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
  /** The turn as `daybook turns --json` says it, redacted before it was sent; null where only numbers were, or where its text was removed. */
  turn: unknown;
}

export interface TeamTurnsAnswer {
  turns: TeamTurn[];
  /** Leads to the next piece; null at the end. */
  next_cursor: string | null;
  /** What was removed of these days, because it was old; null where nothing was. */
  withheld: string | null;
}

export interface TeamHit {
  session_id: string;
  /** The number of the turn it stands in; null where it stands in none. */
  turn: number | null;
  line: number | null;
  /** What it is: `prompt`, `reply`, … as `daybook search` names it. */
  kind: string;
  at: string | null;
  /** Redacted before it was sent. */
  text: string;
}

export interface TeamSearchAnswer {
  query: string;
  /** The newest first. */
  hits: TeamHit[];
  /** What was removed of these days, because it was old; null where nothing was. */
  withheld: string | null;
}
