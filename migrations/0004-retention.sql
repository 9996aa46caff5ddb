-- What is removed when it is old, and what stays of it. How long things stay is the store's to say (`daybook team retention`): texts, calls
-- with responses, and turns, each for so many days; null for ever. What began before *_before is gone, and is kept out of later pushes.

ALTER TABLE daybook.stores ADD COLUMN IF NOT EXISTS texts_days int4;

ALTER TABLE daybook.stores ADD COLUMN IF NOT EXISTS calls_days int4;

ALTER TABLE daybook.stores ADD COLUMN IF NOT EXISTS turns_days int4;

ALTER TABLE daybook.stores ADD COLUMN IF NOT EXISTS texts_before timestamptz;

ALTER TABLE daybook.stores ADD COLUMN IF NOT EXISTS calls_before timestamptz;

ALTER TABLE daybook.stores ADD COLUMN IF NOT EXISTS turns_before timestamptz;

-- Up to where that was begun for each person.
ALTER TABLE daybook.heads ADD COLUMN IF NOT EXISTS texts_before timestamptz;

ALTER TABLE daybook.heads ADD COLUMN IF NOT EXISTS calls_before timestamptz;

ALTER TABLE daybook.heads ADD COLUMN IF NOT EXISTS turns_before timestamptz;

-- A run that did not come to its end.
ALTER TABLE daybook.heads ADD COLUMN IF NOT EXISTS removing bool NOT NULL DEFAULT false;

-- Sums of the turns and responses of a session that were removed, so that days stay what they were, whatever is pushed or forgotten later.
-- priced: responses whose cost is known; those of unknown cost stand in a row of their own. response_ids: those that are summed here, as
-- another session may state one of them again.
CREATE TABLE IF NOT EXISTS daybook.session_days (
  owner_id uuid NOT NULL,
  session_id uuid NOT NULL,
  day date NOT NULL,
  model text NOT NULL,
  priced bool NOT NULL,
  source text NOT NULL,
  project text NOT NULL,
  turns int4 NOT NULL,
  calls int4 NOT NULL,
  failed int4 NOT NULL,
  responses int4 NOT NULL,
  input int8 NOT NULL,
  cached int8 NOT NULL,
  written int8 NOT NULL,
  written_1h int8 NOT NULL,
  output int8 NOT NULL,
  reasoning int8 NOT NULL,
  pico numeric NOT NULL,
  response_ids uuid[] NOT NULL,
  PRIMARY KEY (owner_id, session_id, day, model, priced)
) /*[partitioned] PARTITION BY HASH (owner_id) */;

CREATE INDEX IF NOT EXISTS session_days_by_day ON daybook.session_days (owner_id, day ASC);

GRANT SELECT, INSERT, UPDATE, DELETE ON daybook.session_days TO daybook_dev;

GRANT SELECT ON daybook.session_days TO daybook_auditor;

ALTER TABLE daybook.session_days ENABLE ROW LEVEL SECURITY;

ALTER TABLE daybook.session_days FORCE ROW LEVEL SECURITY;

DROP POLICY IF EXISTS own_rows ON daybook.session_days;

CREATE POLICY own_rows ON daybook.session_days FOR ALL TO daybook_dev
  USING (owner_id = (SELECT nullif(current_setting('daybook.owner', true), '')::uuid))
  WITH CHECK (owner_id = (SELECT nullif(current_setting('daybook.owner', true), '')::uuid));

DROP POLICY IF EXISTS audited ON daybook.session_days;

CREATE POLICY audited ON daybook.session_days FOR SELECT TO daybook_auditor USING (true);
