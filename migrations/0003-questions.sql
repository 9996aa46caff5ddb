-- Functions that run with more privileges than their caller has. Each one checks what the caller may see. All are owned by
-- daybook_reader, which may read nothing else, and use full table names, so that no setting of the caller can redirect them.

-- Searches one person's own texts. The caller is the owner set for the transaction; no parameter can name another one.
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

-- What the caller may know about a team: no row unless they lead it.
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

-- Totals of a team by 'day', 'project', 'model', 'source', 'tool' (calls that went wrong) or 'person'; anything else gives one total.
-- Totals cover whole weeks, and a week looks the same whatever range is asked for, so the difference of two answers reveals nothing
-- that neither shows. In each week:
--   - a group with fewer people than the store's smallest_group is hidden;
--   - further groups are hidden until the hidden ones together have enough people, because otherwise the difference to the total would
--     reveal the group. The hidden groups become one row without a name;
--   - a group is also hidden if subtracting another team of the same lead would leave too few people of it.
-- A week in which too few people worked is left out altogether, and a team that is too small has no rows. Persons are shown only if the
-- store's settings allow it.
-- JIT compilation is off because it would take longer than the query; nested loops are off because the planner cannot estimate the
-- number of rows.
CREATE OR REPLACE FUNCTION daybook_ask.team_usage(team uuid, since date, until date, split text)
RETURNS TABLE (
  name text, hidden int8, people int8, turns numeric, calls numeric, failed numeric, responses numeric, unpriced numeric,
  input numeric, cached numeric, written numeric, output numeric, reasoning numeric, pico numeric
)
LANGUAGE sql STABLE SECURITY DEFINER /*[not_cockroach] SET search_path = pg_catalog, pg_temp */ /*[postgres] SET jit = off SET enable_nestloop = off */
AS $$
  WITH state AS (
    SELECT
      st.smallest_group AS least, split = 'person' AS by_person, s.zone,
      since - (extract(isodow FROM since)::int4 - 1) AS first_day, until + (7 - extract(isodow FROM until)::int4) AS last_day
    FROM daybook_ask.team_state(team) st, daybook.stores s
    WHERE st.members >= st.smallest_group AND (split <> 'person' OR st.persons_shown)
    LIMIT 1
  ),
  found AS (
    SELECT
      u.owner_id, u.day,
      CASE split
        WHEN 'day' THEN u.day::text
        WHEN 'project' THEN u.project
        WHEN 'model' THEN u.model
        WHEN 'source' THEN u.source
        WHEN 'person' THEN u.owner_id::text
        ELSE ''
      END AS label,
      u.turns, u.calls, u.failed, u.responses, u.unpriced, u.input, u.cached, u.written, u.output, u.reasoning, u.pico
    FROM daybook.usage_days u
    WHERE u.owner_id = ANY (ARRAY(SELECT m.owner_id FROM daybook.memberships m WHERE m.team_id = team))
      AND u.day BETWEEN (SELECT s.first_day FROM state s) AND (SELECT s.last_day FROM state s)
      AND split <> 'tool'
    UNION ALL
    SELECT c.owner_id, (c.ts AT TIME ZONE s.zone)::date, c.name, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0
    FROM state s, daybook.tool_calls c
    WHERE c.owner_id = ANY (ARRAY(SELECT m.owner_id FROM daybook.memberships m WHERE m.team_id = team))
      AND c.trouble > 0
      AND c.ts >= s.first_day::timestamp AT TIME ZONE s.zone
      AND c.ts < (s.last_day + 1)::timestamp AT TIME ZONE s.zone
      AND split = 'tool'
  ),
  -- What one person contributed to one group in one week.
  parts AS (
    SELECT
      f.day - (extract(isodow FROM f.day)::int4 - 1) AS week, f.label, f.owner_id,
      sum(f.turns) AS turns, sum(f.calls) AS calls, sum(f.failed) AS failed, sum(f.responses) AS responses,
      sum(f.unpriced) AS unpriced, sum(f.input) AS input, sum(f.cached) AS cached, sum(f.written) AS written,
      sum(f.output) AS output, sum(f.reasoning) AS reasoning, sum(f.pico) AS pico
    FROM found f
    GROUP BY 1, 2, 3
  ),
  -- Teams that are part of this one and whose totals the caller can see as well.
  led_within AS (
    SELECT l.team_id
    FROM daybook.memberships l
    WHERE l.role = 'lead'
      AND l.owner_id = (SELECT nullif(current_setting('daybook.owner', true), '')::uuid)
      AND l.team_id <> team
      AND NOT EXISTS (
        SELECT 1
        FROM daybook.memberships m
        WHERE m.team_id = l.team_id
          AND m.owner_id <> ALL (ARRAY(SELECT t.owner_id FROM daybook.memberships t WHERE t.team_id = team))
      )
  ),
  -- For each of those teams, the people of this team who are not in it.
  outsiders AS (
    SELECT w.team_id, m.owner_id
    FROM led_within w
    JOIN daybook.memberships m ON m.team_id = team
    WHERE NOT EXISTS (SELECT 1 FROM daybook.memberships x WHERE x.team_id = w.team_id AND x.owner_id = m.owner_id)
  ),
  beside AS (
    SELECT DISTINCT q.week, q.label
    FROM (
      SELECT p.week, p.label
      FROM outsiders o
      JOIN parts p ON p.owner_id = o.owner_id
      GROUP BY p.week, p.label, o.team_id
      HAVING count(*) < (SELECT s.least FROM state s)
    ) q
  ),
  judged AS (
    SELECT c.*, NOT s.by_person AND (c.people < s.least OR b.label IS NOT NULL) AS small
    FROM state s
    CROSS JOIN (SELECT p.*, count(*) OVER (PARTITION BY p.week, p.label) AS people FROM parts p) c
    LEFT JOIN beside b ON b.week = c.week AND b.label = c.label
  ),
  placed AS (
    SELECT r.*, min(r.place) OVER (PARTITION BY r.week, r.owner_id) AS entered
    FROM (SELECT j.*, dense_rank() OVER (PARTITION BY j.week ORDER BY j.small DESC, j.people, j.label) AS place FROM judged j) r
  ),
  -- together: how many people are hidden if all groups up to this place are. small: the number of groups that must be hidden.
  reach AS (
    SELECT
      x.week, x.place,
      sum(x.entering) OVER (PARTITION BY x.week ORDER BY x.place) AS together,
      sum(CASE WHEN x.small THEN 1 ELSE 0 END) OVER (PARTITION BY x.week) AS small
    FROM (
      SELECT p.week, p.place, bool_or(p.small) AS small, count(*) FILTER (WHERE p.entered = p.place) AS entering
      FROM placed p
      GROUP BY p.week, p.place
    ) x
  ),
  -- Places at which too few of the hidden people would be outside another team of the caller.
  bare AS (
    SELECT DISTINCT y.week, y.place
    FROM (
      SELECT r.week, r.place, sum(coalesce(n.entering, 0)) OVER (PARTITION BY r.week, w.team_id ORDER BY r.place) AS together
      FROM led_within w
      CROSS JOIN reach r
      LEFT JOIN (
        SELECT o.team_id, p.week, p.place, count(*) AS entering
        FROM outsiders o
        JOIN placed p ON p.owner_id = o.owner_id AND p.entered = p.place
        GROUP BY o.team_id, p.week, p.place
      ) n ON n.team_id = w.team_id AND n.week = r.week AND n.place = r.place
    ) y
    WHERE y.together > 0 AND y.together < (SELECT s.least FROM state s)
  ),
  -- The last place of a week that is hidden; null if no place hides enough people.
  cut AS (
    SELECT
      x.week,
      CASE
        WHEN max(x.small) = 0 THEN 0
        ELSE min(x.place) FILTER (WHERE x.place >= x.small AND x.together >= s.least AND b.place IS NULL)
      END AS place
    FROM state s
    CROSS JOIN reach x
    LEFT JOIN bare b ON b.week = x.week AND b.place = x.place
    GROUP BY x.week
  )
  SELECT
    CASE WHEN split = 'person' THEN (SELECT o.login FROM daybook.owners o WHERE o.owner_id::text = k.shown) ELSE k.shown END,
    count(DISTINCT k.hidden), count(DISTINCT k.owner_id), sum(k.turns), sum(k.calls), sum(k.failed),
    sum(k.responses), sum(k.unpriced), sum(k.input), sum(k.cached), sum(k.written),
    sum(k.output), sum(k.reasoning), sum(k.pico)
  FROM (
    SELECT
      p.*, CASE WHEN p.place > c.place THEN p.label END AS shown, CASE WHEN p.place <= c.place THEN p.label END AS hidden
    FROM placed p
    JOIN cut c ON c.week = p.week AND c.place IS NOT NULL
  ) k
  GROUP BY k.shown
$$;

REVOKE ALL ON FUNCTION daybook_ask.team_usage(uuid, date, date, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION daybook_ask.team_usage(uuid, date, date, text) TO daybook_lead;
