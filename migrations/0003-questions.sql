-- Questions that are answered with more rights than the asker has. Each holds its own condition; all are owned by daybook_reader, which
-- may read nothing else, and name every table in full, so that no setting of the asker's leads them elsewhere.

-- One person's own texts by terms. The asker is the owner that was set for the transaction; there is no parameter for another.
CREATE OR REPLACE FUNCTION daybook_ask.search_texts(terms_wanted text, since timestamptz, until timestamptz, most int4)
RETURNS TABLE (session_id uuid, n int4, turn int4, line int4, kind int2, ts timestamptz, body text)
LANGUAGE sql STABLE SECURITY DEFINER /*[not_cockroach] SET search_path = pg_catalog, pg_temp */
AS $$
  SELECT t.session_id, t.n, t.turn, t.line, t.kind, t.ts, t.body
  FROM daybook.texts t
  WHERE t.owner_id = (SELECT nullif(current_setting('daybook.owner', true), '')::uuid)
    AND t.terms @@ terms_wanted::tsquery
    AND (since IS NULL OR t.ts >= since)
    AND (until IS NULL OR t.ts < until)
  ORDER BY t.ts DESC NULLS LAST, t.session_id, t.n
  LIMIT least(greatest(most, 0), 1000)
$$;

REVOKE ALL ON FUNCTION daybook_ask.search_texts(text, timestamptz, timestamptz, int4) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION daybook_ask.search_texts(text, timestamptz, timestamptz, int4) TO daybook_dev;

-- What the asker may know of a team: no row unless they lead it.
CREATE OR REPLACE FUNCTION daybook_ask.team_state(team uuid)
RETURNS TABLE (members int8, smallest_group int4, persons_shown bool)
LANGUAGE sql STABLE SECURITY DEFINER /*[not_cockroach] SET search_path = pg_catalog, pg_temp */
AS $$
  SELECT (SELECT count(*) FROM daybook.memberships m WHERE m.team_id = team), s.smallest_group, s.persons_shown
  FROM daybook.stores s
  WHERE EXISTS (
    SELECT 1
    FROM daybook.memberships l
    WHERE l.team_id = team
      AND l.role = 'lead'
      AND l.owner_id = (SELECT nullif(current_setting('daybook.owner', true), '')::uuid)
  )
$$;

REVOKE ALL ON FUNCTION daybook_ask.team_state(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION daybook_ask.team_state(uuid) TO daybook_lead;

-- Totals of a team by 'day', 'project', 'model', 'source' or 'person'; anything else gives one total. A group of fewer people than the
-- store's smallest is not shown, nor, as what is missing from the total would show it, are others until those hidden together are
-- enough people: they come as one row without a name. A team that is too small has no rows. Persons are shown where the store says so.
CREATE OR REPLACE FUNCTION daybook_ask.team_usage(team uuid, since date, until date, split text)
RETURNS TABLE (
  name text, hidden int8, people int8, turns int8, calls int8, failed int8, responses int8, unpriced int8,
  input int8, cached int8, written int8, output int8, reasoning int8, pico numeric
)
LANGUAGE sql STABLE SECURITY DEFINER /*[not_cockroach] SET search_path = pg_catalog, pg_temp */
AS $$
  WITH state AS (
    SELECT st.smallest_group AS least, split = 'person' AS by_person
    FROM daybook_ask.team_state(team) st
    WHERE st.members >= st.smallest_group AND (split <> 'person' OR st.persons_shown)
  ),
  chosen AS (
    SELECT
      CASE split
        WHEN 'day' THEN u.day::text
        WHEN 'project' THEN u.project
        WHEN 'model' THEN u.model
        WHEN 'source' THEN u.source
        WHEN 'person' THEN u.owner_id::text
        ELSE ''
      END AS label,
      u.*
    FROM daybook.usage_days u
    WHERE u.owner_id = ANY (ARRAY(SELECT m.owner_id FROM daybook.memberships m WHERE m.team_id = team))
      AND u.day BETWEEN since AND until
      AND EXISTS (SELECT 1 FROM state)
  ),
  grouped AS (
    SELECT
      c.label, count(DISTINCT c.owner_id) AS people, sum(c.turns) AS turns, sum(c.calls) AS calls, sum(c.failed) AS failed,
      sum(c.responses) AS responses, sum(c.unpriced) AS unpriced, sum(c.input) AS input, sum(c.cached) AS cached,
      sum(c.written) AS written, sum(c.output) AS output, sum(c.reasoning) AS reasoning, sum(c.pico) AS pico
    FROM chosen c
    GROUP BY c.label
  ),
  ranked AS (
    SELECT g.*, row_number() OVER (ORDER BY g.people, g.label) AS place FROM grouped g
  ),
  -- The place from which on somebody is among those hidden.
  entered AS (
    SELECT min(r.place) AS place
    FROM (SELECT DISTINCT c.owner_id, c.label FROM chosen c) o
    JOIN ranked r ON r.label = o.label
    GROUP BY o.owner_id
  ),
  reach AS (
    SELECT r.place, (SELECT count(*) FROM entered e WHERE e.place <= r.place) AS together FROM ranked r
  ),
  small AS (
    SELECT max(r.place) AS place FROM ranked r, state s WHERE r.people < s.least AND NOT s.by_person
  ),
  -- Up to here groups are hidden; where nobody is enough all are.
  cut AS (
    SELECT
      coalesce(small.place, 0) AS small,
      CASE
        WHEN small.place IS NULL THEN 0
        ELSE coalesce(
          (SELECT min(x.place) FROM reach x, state s WHERE x.place >= small.place AND x.together >= s.least),
          9223372036854775807
        )
      END AS place
    FROM small
  )
  SELECT
    CASE WHEN split = 'person' THEN (SELECT o.login FROM daybook.owners o WHERE o.owner_id::text = r.label) ELSE r.label END,
    0::int8, r.people, r.turns::int8, r.calls::int8, r.failed::int8, r.responses::int8, r.unpriced::int8,
    r.input::int8, r.cached::int8, r.written::int8, r.output::int8, r.reasoning::int8, r.pico
  FROM ranked r, cut
  WHERE r.place > cut.place
  UNION ALL
  SELECT
    NULL, count(*), (SELECT x.together FROM reach x WHERE x.place = max(cut.place)),
    sum(r.turns)::int8, sum(r.calls)::int8, sum(r.failed)::int8, sum(r.responses)::int8, sum(r.unpriced)::int8,
    sum(r.input)::int8, sum(r.cached)::int8, sum(r.written)::int8, sum(r.output)::int8, sum(r.reasoning)::int8, sum(r.pico)
  FROM ranked r, cut
  WHERE r.place <= cut.place AND cut.place < 9223372036854775807
  HAVING count(*) > 0
$$;

REVOKE ALL ON FUNCTION daybook_ask.team_usage(uuid, date, date, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION daybook_ask.team_usage(uuid, date, date, text) TO daybook_lead;

-- Calls that went wrong, by tool, for tools that enough people had trouble with.
CREATE OR REPLACE FUNCTION daybook_ask.team_failures(team uuid, since timestamptz, until timestamptz)
RETURNS TABLE (name text, people int8, calls int8)
LANGUAGE sql STABLE SECURITY DEFINER /*[not_cockroach] SET search_path = pg_catalog, pg_temp */
AS $$
  SELECT c.name, count(DISTINCT c.owner_id), count(*)
  FROM daybook.tool_calls c
  WHERE c.owner_id = ANY (ARRAY(SELECT m.owner_id FROM daybook.memberships m WHERE m.team_id = team))
    AND c.trouble > 0
    AND c.ts >= since
    AND c.ts < until
    AND EXISTS (SELECT 1 FROM daybook_ask.team_state(team) st WHERE st.members >= st.smallest_group)
  GROUP BY c.name
  HAVING count(DISTINCT c.owner_id) >= (SELECT s.smallest_group FROM daybook.stores s)
$$;

REVOKE ALL ON FUNCTION daybook_ask.team_failures(uuid, timestamptz, timestamptz) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION daybook_ask.team_failures(uuid, timestamptz, timestamptz) TO daybook_lead;
