-- Who may see what. The server's login daybook_api is the only one. All it may do is take one of these roles for a transaction:
--   daybook_auth     tokens, people and teams; nobody's rows
--   daybook_dev      one person's own rows, named by the setting daybook.owner
--   daybook_lead     no tables; only totals of the teams they lead, through functions in daybook_ask
--   daybook_auditor  everybody's rows except texts; of the complete answers only those of sessions and turns, which were redacted by the sender
--   daybook_admin    people, teams, tokens and the store's settings, for `daybook team`
-- daybook_reader owns the functions in daybook_ask, daybook_reporter the views in daybook_report. Policies use settings only, no other tables: Citus plans no others. Privileges are granted on parent tables, never on partitions.

GRANT USAGE ON SCHEMA daybook TO daybook_auth, daybook_dev, daybook_lead, daybook_auditor, daybook_admin, daybook_reader, daybook_reporter;

GRANT SELECT ON daybook.stores TO daybook_auth, daybook_dev, daybook_lead, daybook_auditor, daybook_admin, daybook_reader, daybook_reporter;

GRANT SELECT ON daybook.owners, daybook.teams, daybook.memberships, daybook.tokens TO daybook_auth;

-- Authentication writes one thing only: when a token was last used.
GRANT UPDATE /*[not_cockroach] (seen) */ ON daybook.tokens TO daybook_auth;

GRANT SELECT, INSERT, UPDATE, DELETE ON daybook.owners, daybook.teams, daybook.memberships, daybook.tokens TO daybook_admin;

GRANT UPDATE ON daybook.stores TO daybook_admin;

GRANT SELECT ON daybook.owners, daybook.teams, daybook.memberships TO daybook_auditor, daybook_reader;

GRANT SELECT ON daybook.owners, daybook.teams, daybook.memberships, daybook.usage_days, daybook.turns, daybook.tool_calls TO daybook_reporter;

GRANT SELECT, INSERT, UPDATE, DELETE ON daybook.heads, daybook.machines, daybook.sessions, daybook.session_copies, daybook.turns, daybook.tool_calls, daybook.usage_responses, daybook.usage_days, daybook.decisions, daybook.details, daybook.facts, daybook.texts TO daybook_dev;

GRANT SELECT ON daybook.heads, daybook.machines, daybook.sessions, daybook.session_copies, daybook.turns, daybook.tool_calls, daybook.usage_responses, daybook.usage_days, daybook.decisions, daybook.details TO daybook_auditor;

GRANT SELECT ON daybook.usage_days, daybook.turns, daybook.tool_calls, daybook.texts TO daybook_reader;

ALTER TABLE daybook.heads ENABLE ROW LEVEL SECURITY;

ALTER TABLE daybook.heads FORCE ROW LEVEL SECURITY;

DROP POLICY IF EXISTS own_rows ON daybook.heads;

CREATE POLICY own_rows ON daybook.heads FOR ALL TO daybook_dev
  USING (owner_id = nullif(current_setting('daybook.owner', true), '')::uuid)
  WITH CHECK (owner_id = nullif(current_setting('daybook.owner', true), '')::uuid);

DROP POLICY IF EXISTS audited ON daybook.heads;

CREATE POLICY audited ON daybook.heads FOR SELECT TO daybook_auditor USING (true);

ALTER TABLE daybook.machines ENABLE ROW LEVEL SECURITY;

ALTER TABLE daybook.machines FORCE ROW LEVEL SECURITY;

DROP POLICY IF EXISTS own_rows ON daybook.machines;

CREATE POLICY own_rows ON daybook.machines FOR ALL TO daybook_dev
  USING (owner_id = nullif(current_setting('daybook.owner', true), '')::uuid)
  WITH CHECK (owner_id = nullif(current_setting('daybook.owner', true), '')::uuid);

DROP POLICY IF EXISTS audited ON daybook.machines;

CREATE POLICY audited ON daybook.machines FOR SELECT TO daybook_auditor USING (true);

ALTER TABLE daybook.sessions ENABLE ROW LEVEL SECURITY;

ALTER TABLE daybook.sessions FORCE ROW LEVEL SECURITY;

DROP POLICY IF EXISTS own_rows ON daybook.sessions;

CREATE POLICY own_rows ON daybook.sessions FOR ALL TO daybook_dev
  USING (owner_id = nullif(current_setting('daybook.owner', true), '')::uuid)
  WITH CHECK (owner_id = nullif(current_setting('daybook.owner', true), '')::uuid);

DROP POLICY IF EXISTS audited ON daybook.sessions;

CREATE POLICY audited ON daybook.sessions FOR SELECT TO daybook_auditor USING (true);

ALTER TABLE daybook.session_copies ENABLE ROW LEVEL SECURITY;

ALTER TABLE daybook.session_copies FORCE ROW LEVEL SECURITY;

DROP POLICY IF EXISTS own_rows ON daybook.session_copies;

CREATE POLICY own_rows ON daybook.session_copies FOR ALL TO daybook_dev
  USING (owner_id = nullif(current_setting('daybook.owner', true), '')::uuid)
  WITH CHECK (owner_id = nullif(current_setting('daybook.owner', true), '')::uuid);

DROP POLICY IF EXISTS audited ON daybook.session_copies;

CREATE POLICY audited ON daybook.session_copies FOR SELECT TO daybook_auditor USING (true);

ALTER TABLE daybook.turns ENABLE ROW LEVEL SECURITY;

ALTER TABLE daybook.turns FORCE ROW LEVEL SECURITY;

DROP POLICY IF EXISTS own_rows ON daybook.turns;

CREATE POLICY own_rows ON daybook.turns FOR ALL TO daybook_dev
  USING (owner_id = nullif(current_setting('daybook.owner', true), '')::uuid)
  WITH CHECK (owner_id = nullif(current_setting('daybook.owner', true), '')::uuid);

DROP POLICY IF EXISTS audited ON daybook.turns;

CREATE POLICY audited ON daybook.turns FOR SELECT TO daybook_auditor USING (true);

ALTER TABLE daybook.tool_calls ENABLE ROW LEVEL SECURITY;

ALTER TABLE daybook.tool_calls FORCE ROW LEVEL SECURITY;

DROP POLICY IF EXISTS own_rows ON daybook.tool_calls;

CREATE POLICY own_rows ON daybook.tool_calls FOR ALL TO daybook_dev
  USING (owner_id = nullif(current_setting('daybook.owner', true), '')::uuid)
  WITH CHECK (owner_id = nullif(current_setting('daybook.owner', true), '')::uuid);

DROP POLICY IF EXISTS audited ON daybook.tool_calls;

CREATE POLICY audited ON daybook.tool_calls FOR SELECT TO daybook_auditor USING (true);

ALTER TABLE daybook.usage_responses ENABLE ROW LEVEL SECURITY;

ALTER TABLE daybook.usage_responses FORCE ROW LEVEL SECURITY;

DROP POLICY IF EXISTS own_rows ON daybook.usage_responses;

CREATE POLICY own_rows ON daybook.usage_responses FOR ALL TO daybook_dev
  USING (owner_id = nullif(current_setting('daybook.owner', true), '')::uuid)
  WITH CHECK (owner_id = nullif(current_setting('daybook.owner', true), '')::uuid);

DROP POLICY IF EXISTS audited ON daybook.usage_responses;

CREATE POLICY audited ON daybook.usage_responses FOR SELECT TO daybook_auditor USING (true);

ALTER TABLE daybook.usage_days ENABLE ROW LEVEL SECURITY;

ALTER TABLE daybook.usage_days FORCE ROW LEVEL SECURITY;

DROP POLICY IF EXISTS own_rows ON daybook.usage_days;

CREATE POLICY own_rows ON daybook.usage_days FOR ALL TO daybook_dev
  USING (owner_id = nullif(current_setting('daybook.owner', true), '')::uuid)
  WITH CHECK (owner_id = nullif(current_setting('daybook.owner', true), '')::uuid);

DROP POLICY IF EXISTS audited ON daybook.usage_days;

CREATE POLICY audited ON daybook.usage_days FOR SELECT TO daybook_auditor USING (true);

ALTER TABLE daybook.decisions ENABLE ROW LEVEL SECURITY;

ALTER TABLE daybook.decisions FORCE ROW LEVEL SECURITY;

DROP POLICY IF EXISTS own_rows ON daybook.decisions;

CREATE POLICY own_rows ON daybook.decisions FOR ALL TO daybook_dev
  USING (owner_id = nullif(current_setting('daybook.owner', true), '')::uuid)
  WITH CHECK (owner_id = nullif(current_setting('daybook.owner', true), '')::uuid);

DROP POLICY IF EXISTS audited ON daybook.decisions;

CREATE POLICY audited ON daybook.decisions FOR SELECT TO daybook_auditor USING (true);

ALTER TABLE daybook.details ENABLE ROW LEVEL SECURITY;

ALTER TABLE daybook.details FORCE ROW LEVEL SECURITY;

DROP POLICY IF EXISTS own_rows ON daybook.details;

CREATE POLICY own_rows ON daybook.details FOR ALL TO daybook_dev
  USING (owner_id = nullif(current_setting('daybook.owner', true), '')::uuid)
  WITH CHECK (owner_id = nullif(current_setting('daybook.owner', true), '')::uuid);

DROP POLICY IF EXISTS audited ON daybook.details;

CREATE POLICY audited ON daybook.details FOR SELECT TO daybook_auditor USING (kind IN (0, 1));

ALTER TABLE daybook.facts ENABLE ROW LEVEL SECURITY;

ALTER TABLE daybook.facts FORCE ROW LEVEL SECURITY;

DROP POLICY IF EXISTS own_rows ON daybook.facts;

CREATE POLICY own_rows ON daybook.facts FOR ALL TO daybook_dev
  USING (owner_id = nullif(current_setting('daybook.owner', true), '')::uuid)
  WITH CHECK (owner_id = nullif(current_setting('daybook.owner', true), '')::uuid);

ALTER TABLE daybook.texts ENABLE ROW LEVEL SECURITY;

ALTER TABLE daybook.texts FORCE ROW LEVEL SECURITY;

DROP POLICY IF EXISTS own_rows ON daybook.texts;

CREATE POLICY own_rows ON daybook.texts FOR ALL TO daybook_dev
  USING (owner_id = nullif(current_setting('daybook.owner', true), '')::uuid)
  WITH CHECK (owner_id = nullif(current_setting('daybook.owner', true), '')::uuid);

DROP POLICY IF EXISTS led_rows ON daybook.usage_days;

-- The people a lead may add up, as the server set them for the transaction: on Citus a policy can ask no other table. The functions that read
-- these rows ask the memberships again.
CREATE POLICY led_rows ON daybook.usage_days FOR SELECT TO daybook_reader
  USING (position(owner_id::text IN current_setting('daybook.led', true)) > 0);

DROP POLICY IF EXISTS led_rows ON daybook.turns;

CREATE POLICY led_rows ON daybook.turns FOR SELECT TO daybook_reader
  USING (position(owner_id::text IN current_setting('daybook.led', true)) > 0);

DROP POLICY IF EXISTS led_rows ON daybook.tool_calls;

CREATE POLICY led_rows ON daybook.tool_calls FOR SELECT TO daybook_reader
  USING (position(owner_id::text IN current_setting('daybook.led', true)) > 0);

DROP POLICY IF EXISTS reported ON daybook.usage_days;

-- Nobody logs in as daybook_reporter, and its one function shows no group of too few people.
CREATE POLICY reported ON daybook.usage_days FOR SELECT TO daybook_reporter USING (true);

DROP POLICY IF EXISTS reported ON daybook.turns;

CREATE POLICY reported ON daybook.turns FOR SELECT TO daybook_reporter USING (true);

DROP POLICY IF EXISTS reported ON daybook.tool_calls;

CREATE POLICY reported ON daybook.tool_calls FOR SELECT TO daybook_reporter USING (true);

DROP POLICY IF EXISTS searched ON daybook.texts;

-- PostgreSQL evaluates a policy before the full-text match, so a policy with a condition would read every text of the owner. This one
-- applies only to daybook_reader, which reads texts in a single function, daybook_ask.search_texts; the function has the condition.
CREATE POLICY searched ON daybook.texts FOR SELECT TO daybook_reader USING (true);
