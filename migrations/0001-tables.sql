-- The tables of a team store. Rules: every key of a table that holds somebody's rows begins with owner_id; no sequences, no
-- foreign keys between owners, no triggers, no extensions, no jsonb. So the same statements run on PostgreSQL, plain or in hash
-- partitions, on Citus, CockroachDB and YugabyteDB. Statements stand alone, can be run twice, and are separated by blank lines.
-- What stands in a comment like the one behind a table is said only where the store is partitioned, on PostgreSQL alone (Citus is
-- PostgreSQL), or everywhere but on CockroachDB, which has no rights on columns and no settings of functions.

-- One row. Days are those of its zone; groups of fewer people than smallest_group are never shown to a lead.
CREATE TABLE IF NOT EXISTS daybook.stores (
  store_id uuid NOT NULL PRIMARY KEY,
  schema_version int4 NOT NULL,
  zone text NOT NULL,
  partitions int4 NOT NULL,
  smallest_group int4 NOT NULL CHECK (smallest_group >= 1),
  persons_shown bool NOT NULL,
  created timestamptz NOT NULL
);

CREATE TABLE IF NOT EXISTS daybook.owners (
  owner_id uuid NOT NULL PRIMARY KEY,
  login text NOT NULL UNIQUE,
  auditor bool NOT NULL DEFAULT false,
  retired timestamptz
);

CREATE TABLE IF NOT EXISTS daybook.teams (
  team_id uuid NOT NULL PRIMARY KEY,
  name text NOT NULL UNIQUE
);

CREATE TABLE IF NOT EXISTS daybook.memberships (
  team_id uuid NOT NULL,
  owner_id uuid NOT NULL,
  role text NOT NULL CHECK (role IN ('member', 'lead')),
  PRIMARY KEY (team_id, owner_id)
);

CREATE INDEX IF NOT EXISTS memberships_by_owner ON daybook.memberships (owner_id, role);

-- Of a device token only its hash is here: who reads this table can use none.
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

-- A push takes the row of its owner first, so pushes of one person wait for one another; readers poll seq.
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

-- level: 0 totals, 1 turns, 2 full. kind, parent, parent_turn: what it is, and which session and turn caused it. A forgotten session stays as a row without content: it keeps every copy of the session out.
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

-- Which machine has which copy, as it was last pushed: what a push asks for to know what changed.
CREATE TABLE IF NOT EXISTS daybook.session_copies (
  owner_id uuid NOT NULL,
  session_id uuid NOT NULL,
  machine_id uuid NOT NULL,
  lines int8 NOT NULL,
  level int2 NOT NULL,
  hash bytea NOT NULL,
  PRIMARY KEY (owner_id, session_id, machine_id)
) /*[partitioned] PARTITION BY HASH (owner_id) */;

-- Days are made by the sender in the store's zone; 0001-01-01 is that of rows without a time. took: milliseconds as the agent states
-- them. commits: with those of the sessions it caused. unproven: ended well by the agent's word alone.
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

-- trouble: 0 none, 1 failed, 2 denied by the human, 3 interrupted, 4 without an end. nested: another call made it.
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

-- With the name, so that failures are counted without a look at the rows.
CREATE INDEX IF NOT EXISTS tool_calls_in_trouble ON daybook.tool_calls (owner_id, ts ASC, name ASC) WHERE trouble > 0;

-- A response counts once for its owner, whichever sessions and machines state it: one row of it is the counted one.
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

-- Finished answers of the JSON contract, redacted before they left: paths, titles and prompts stand here and in texts alone.
-- kind: 0 the session, 1 a turn, 2 a tool call, 3 a decision; n counts within the kind, 0 for the session.
CREATE TABLE IF NOT EXISTS daybook.details (
  owner_id uuid NOT NULL,
  session_id uuid NOT NULL,
  kind int2 NOT NULL CHECK (kind IN (0, 1, 2, 3)),
  n int4 NOT NULL,
  body text NOT NULL,
  hash bytea NOT NULL,
  PRIMARY KEY (owner_id, session_id, kind, n)
) /*[partitioned] PARTITION BY HASH (owner_id) */;

-- What reports find in the records of a turn beyond its answer: commits, checks, to-do lists, what ruled it; redacted, without what
-- tools were given below level full. n: the turn; 0 for the session as a whole.
CREATE TABLE IF NOT EXISTS daybook.facts (
  owner_id uuid NOT NULL,
  session_id uuid NOT NULL,
  n int4 NOT NULL,
  body text NOT NULL,
  hash bytea NOT NULL,
  PRIMARY KEY (owner_id, session_id, n)
) /*[partitioned] PARTITION BY HASH (owner_id) */;

-- What can be searched. Terms are made by the sender: no server's language settings decide what is a word.
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
  hash bytea NOT NULL,
  PRIMARY KEY (owner_id, session_id, n)
) /*[partitioned] PARTITION BY HASH (owner_id) */;

CREATE INDEX IF NOT EXISTS texts_by_term ON daybook.texts USING gin (terms) /*[postgres] WITH (fastupdate = off) */;
