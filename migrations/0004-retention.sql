-- What is removed when it is old, and what is kept of it. The store's settings (`daybook team retention`) say for how many days texts,
-- calls with responses, and turns are kept; null means for ever. Everything that began before *_before is removed, and refused in later
-- pushes.

ALTER TABLE daybook.stores ADD COLUMN IF NOT EXISTS texts_days int4;

ALTER TABLE daybook.stores ADD COLUMN IF NOT EXISTS calls_days int4;

ALTER TABLE daybook.stores ADD COLUMN IF NOT EXISTS turns_days int4;

ALTER TABLE daybook.stores ADD COLUMN IF NOT EXISTS texts_before timestamptz;

ALTER TABLE daybook.stores ADD COLUMN IF NOT EXISTS calls_before timestamptz;

ALTER TABLE daybook.stores ADD COLUMN IF NOT EXISTS turns_before timestamptz;

-- The same times per person: up to where the removal of their rows has begun.
ALTER TABLE daybook.heads ADD COLUMN IF NOT EXISTS texts_before timestamptz;

ALTER TABLE daybook.heads ADD COLUMN IF NOT EXISTS calls_before timestamptz;

ALTER TABLE daybook.heads ADD COLUMN IF NOT EXISTS turns_before timestamptz;

-- True while rows are removed, and after a removal that was interrupted.
ALTER TABLE daybook.heads ADD COLUMN IF NOT EXISTS removing bool NOT NULL DEFAULT false;

-- Sums of the removed turns and responses of a session, so that the totals of its days stay the same, whatever is pushed or forgotten
-- later. priced: whether the cost of these responses is known; those of unknown cost have a row of their own. response_ids: the responses
-- summed here, because another session may contain one of them too.
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
  USING (owner_id = nullif(current_setting('daybook.owner', true), '')::uuid)
  WITH CHECK (owner_id = nullif(current_setting('daybook.owner', true), '')::uuid);

DROP POLICY IF EXISTS audited ON daybook.session_days;

CREATE POLICY audited ON daybook.session_days FOR SELECT TO daybook_auditor USING (true);
