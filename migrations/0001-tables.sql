-- The tables of a team store. Rules: every key of a table that holds somebody's rows begins with owner_id; no sequences, no
-- foreign keys, no triggers, no extensions, no jsonb. So the same statements run on PostgreSQL, plain or in hash partitions, and can be
-- distributed by owner. Statements stand alone, can be run twice, and are separated by blank lines.
-- SQL in a comment that begins with a condition in brackets, like the one after a table, runs only if the condition holds:
-- [partitioned] for a partitioned store, others for PostgreSQL only (including Citus), or for every engine except CockroachDB, which
-- has no column privileges and no function settings.

-- Exactly one row. Days are counted in this time zone. A lead never sees groups of fewer people than smallest_group; names of models,
-- agents, outcomes and tools are shown from smallest_name on, if that is less.
CREATE TABLE IF NOT EXISTS daybook.stores (
  store_id uuid NOT NULL PRIMARY KEY,
  schema_version int4 NOT NULL,
  zone text NOT NULL,
  partitions int4 NOT NULL,
  smallest_group int4 NOT NULL CHECK (smallest_group >= 1),
  smallest_name int4 NOT NULL DEFAULT 3 CHECK (smallest_name >= 1),
  persons_shown bool NOT NULL,
  created timestamptz NOT NULL
);

CREATE TABLE IF NOT EXISTS daybook.owners (
  owner_id uuid NOT NULL PRIMARY KEY,
  login text NOT NULL UNIQUE,
  auditor bool NOT NULL DEFAULT false,
  retired timestamptz
);

-- monthly_usd: what the team means to spend in a month; null for no budget.
CREATE TABLE IF NOT EXISTS daybook.teams (
  team_id uuid NOT NULL PRIMARY KEY,
  name text NOT NULL UNIQUE,
  monthly_usd float8
);

CREATE TABLE IF NOT EXISTS daybook.memberships (
  team_id uuid NOT NULL,
  owner_id uuid NOT NULL,
  role text NOT NULL CHECK (role IN ('member', 'lead')),
  PRIMARY KEY (team_id, owner_id)
);

CREATE INDEX IF NOT EXISTS memberships_by_owner ON daybook.memberships (owner_id, role);

-- Only the hash of a device token is stored, so nobody can use a token by reading this table.
CREATE TABLE IF NOT EXISTS daybook.tokens (
  token_hash bytea NOT NULL PRIMARY KEY,
  token_id uuid NOT NULL UNIQUE,
  owner_id uuid NOT NULL,
  scope text NOT NULL CHECK (scope IN ('push', 'read')),
  label text NOT NULL,
  created timestamptz NOT NULL,
  expires timestamptz,
  revoked timestamptz,
  seen timestamptz
);

CREATE INDEX IF NOT EXISTS tokens_by_owner ON daybook.tokens (owner_id);

-- Every push locks the row of its owner first, so pushes of one person run one after the other. Readers poll seq for changes.
CREATE TABLE IF NOT EXISTS daybook.heads (
  owner_id uuid NOT NULL,
  seq int8 NOT NULL,
  PRIMARY KEY (owner_id)
) /*[partitioned] PARTITION BY HASH (owner_id) */;

CREATE TABLE IF NOT EXISTS daybook.machines (
  owner_id uuid NOT NULL,
  machine_id uuid NOT NULL,
  label text NOT NULL,
  seen timestamptz,
  PRIMARY KEY (owner_id, machine_id)
) /*[partitioned] PARTITION BY HASH (owner_id) */;

-- level: how much was pushed (0 totals, 1 turns, 2 full). kind: the kind of session. parent, parent_turn: the session and turn that
-- caused it. A forgotten session stays as a row without content, so that no copy of it can be pushed again.
CREATE TABLE IF NOT EXISTS daybook.sessions (
  owner_id uuid NOT NULL,
  session_id uuid NOT NULL,
  source text NOT NULL,
  project text NOT NULL,
  level int2 NOT NULL CHECK (level IN (0, 1, 2)),
  started timestamptz,
  ended timestamptz,
  turns int4 NOT NULL,
  lines int8 NOT NULL,
  reader int4 NOT NULL,
  hash bytea NOT NULL,
  machine_id uuid NOT NULL,
  seq int8 NOT NULL,
  forgotten timestamptz,
  kind text,
  parent uuid,
  parent_turn int4,
  PRIMARY KEY (owner_id, session_id)
) /*[partitioned] PARTITION BY HASH (owner_id) */;

CREATE INDEX IF NOT EXISTS sessions_by_time ON daybook.sessions (owner_id, started ASC);

-- The state of each machine's copy of a session when it was last pushed. A push compares with it to find what changed.
CREATE TABLE IF NOT EXISTS daybook.session_copies (
  owner_id uuid NOT NULL,
  session_id uuid NOT NULL,
  machine_id uuid NOT NULL,
  lines int8 NOT NULL,
  level int2 NOT NULL,
  hash bytea NOT NULL,
  PRIMARY KEY (owner_id, session_id, machine_id)
) /*[partitioned] PARTITION BY HASH (owner_id) */;

-- day: computed by the sender in the store's time zone; 0001-01-01 for rows without a time. took: duration in milliseconds as the
-- agent stated it. commits: includes those of the sessions it caused. unproven: only the agent says that it ended well.
CREATE TABLE IF NOT EXISTS daybook.turns (
  owner_id uuid NOT NULL,
  session_id uuid NOT NULL,
  n int4 NOT NULL,
  ts timestamptz,
  ended timestamptz,
  day date NOT NULL,
  calls int4 NOT NULL,
  failed int4 NOT NULL,
  pico int8,
  status text NOT NULL,
  source text NOT NULL,
  project text NOT NULL,
  model text NOT NULL,
  hash bytea NOT NULL,
  took float8,
  kind text,
  taken_back text,
  commits int4,
  children int4,
  unproven bool,
  PRIMARY KEY (owner_id, session_id, n)
) /*[partitioned] PARTITION BY HASH (owner_id) */;

CREATE INDEX IF NOT EXISTS turns_by_time ON daybook.turns (owner_id, ts ASC);

CREATE INDEX IF NOT EXISTS turns_by_day ON daybook.turns (owner_id, day ASC);

-- trouble: 0 none, 1 failed, 2 denied by the human, 3 interrupted, 4 never ended. nested: made by another call.
CREATE TABLE IF NOT EXISTS daybook.tool_calls (
  owner_id uuid NOT NULL,
  session_id uuid NOT NULL,
  n int4 NOT NULL,
  turn int4,
  ts timestamptz,
  took float8,
  trouble int2 NOT NULL,
  risky bool NOT NULL,
  status text NOT NULL,
  name text NOT NULL,
  hash bytea NOT NULL,
  nested bool NOT NULL DEFAULT false,
  PRIMARY KEY (owner_id, session_id, n)
) /*[partitioned] PARTITION BY HASH (owner_id) */;

-- Includes the tool's name, so that failures are counted from the index alone.
CREATE INDEX IF NOT EXISTS tool_calls_in_trouble ON daybook.tool_calls (owner_id, ts ASC, name ASC) WHERE trouble > 0;

-- A response counts once per owner, however many sessions and machines contain it: exactly one of its rows is marked as counted.
CREATE TABLE IF NOT EXISTS daybook.usage_responses (
  owner_id uuid NOT NULL,
  response_id uuid NOT NULL,
  session_id uuid NOT NULL,
  ts timestamptz,
  day date NOT NULL,
  turn int4,
  source text NOT NULL,
  project text NOT NULL,
  model text NOT NULL,
  input int8 NOT NULL,
  cached int8 NOT NULL,
  written int8 NOT NULL,
  written_1h int8 NOT NULL,
  output int8 NOT NULL,
  reasoning int8 NOT NULL,
  pico int8,
  counted bool NOT NULL,
  PRIMARY KEY (owner_id, response_id, session_id)
) /*[partitioned] PARTITION BY HASH (owner_id) */;

CREATE INDEX IF NOT EXISTS usage_responses_by_day ON daybook.usage_responses (owner_id, day ASC);

CREATE INDEX IF NOT EXISTS usage_responses_by_session ON daybook.usage_responses (owner_id, session_id);

CREATE TABLE IF NOT EXISTS daybook.usage_days (
  owner_id uuid NOT NULL,
  day date NOT NULL,
  source text NOT NULL,
  project text NOT NULL,
  model text NOT NULL,
  turns int4 NOT NULL,
  calls int4 NOT NULL,
  failed int4 NOT NULL,
  responses int4 NOT NULL,
  unpriced int4 NOT NULL,
  input int8 NOT NULL,
  cached int8 NOT NULL,
  written int8 NOT NULL,
  written_1h int8 NOT NULL,
  output int8 NOT NULL,
  reasoning int8 NOT NULL,
  pico numeric NOT NULL,
  PRIMARY KEY (owner_id, day, source, project, model)
) /*[partitioned] PARTITION BY HASH (owner_id) */;

CREATE INDEX IF NOT EXISTS usage_days_by_day ON daybook.usage_days (day ASC);

CREATE TABLE IF NOT EXISTS daybook.decisions (
  owner_id uuid NOT NULL,
  session_id uuid NOT NULL,
  n int4 NOT NULL,
  ts timestamptz,
  turn int4,
  tier text NOT NULL,
  options int4 NOT NULL,
  answered bool NOT NULL,
  followed bool,
  hash bytea NOT NULL,
  PRIMARY KEY (owner_id, session_id, n)
) /*[partitioned] PARTITION BY HASH (owner_id) */;

-- Complete answers of the JSON contract, redacted before they were pushed. Only this table and texts contain paths, titles and prompts.
-- kind: 0 session, 1 turn, 2 tool call, 3 decision. n: number within the kind; 0 for the session.
CREATE TABLE IF NOT EXISTS daybook.details (
  owner_id uuid NOT NULL,
  session_id uuid NOT NULL,
  kind int2 NOT NULL CHECK (kind IN (0, 1, 2, 3)),
  n int4 NOT NULL,
  body text NOT NULL,
  hash bytea NOT NULL,
  PRIMARY KEY (owner_id, session_id, kind, n)
) /*[partitioned] PARTITION BY HASH (owner_id) */;

-- What reports need of a turn beyond its answer: commits, checks, to-do lists, instructions. Redacted; the input of tools is included
-- only at level full. n: number of the turn; 0 for the session as a whole.
CREATE TABLE IF NOT EXISTS daybook.facts (
  owner_id uuid NOT NULL,
  session_id uuid NOT NULL,
  n int4 NOT NULL,
  body text NOT NULL,
  hash bytea NOT NULL,
  PRIMARY KEY (owner_id, session_id, n)
) /*[partitioned] PARTITION BY HASH (owner_id) */;

-- Searchable texts. The sender splits them into terms, so the server's language settings do not matter. words: how many it has.
CREATE TABLE IF NOT EXISTS daybook.texts (
  owner_id uuid NOT NULL,
  session_id uuid NOT NULL,
  n int4 NOT NULL,
  turn int4,
  line int4,
  kind int2 NOT NULL,
  ts timestamptz,
  body text NOT NULL,
  terms tsvector NOT NULL,
  words int4 NOT NULL,
  hash bytea NOT NULL,
  PRIMARY KEY (owner_id, session_id, n)
) /*[partitioned] PARTITION BY HASH (owner_id) */;

-- Lengths are added up from the index alone.
CREATE INDEX IF NOT EXISTS texts_by_length ON daybook.texts (owner_id, words);

CREATE INDEX IF NOT EXISTS texts_by_term ON daybook.texts USING gin (terms) /*[postgres] WITH (fastupdate = off) */;
