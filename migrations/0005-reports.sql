-- Views for dashboards: team totals by week for Grafana, Metabase and the like, to be read by a login in the role daybook_report. They show
-- what somebody who led every team would be shown, by the same function: no group of too few people, in whole weeks, persons never.
-- docs/team.md describes each column. Columns are only added; `version` is raised when one changes its meaning.

GRANT USAGE ON SCHEMA daybook_report TO daybook_report;

-- One week of one team.
CREATE OR REPLACE FUNCTION daybook_report.week_of(team uuid, week date, split text)
RETURNS TABLE (
  name text, hidden int8, people int8, turns numeric, calls numeric, failed numeric, responses numeric, unpriced numeric,
  input numeric, cached numeric, written numeric, output numeric, reasoning numeric, pico numeric
)
LANGUAGE plpgsql STABLE SECURITY DEFINER /*[not_cockroach] SET search_path = pg_catalog, pg_temp */
AS $$
DECLARE
  owners uuid[];
  parts int4[];
BEGIN
  IF split IS DISTINCT FROM 'person' THEN
    SELECT array_agg(p.owner_id ORDER BY p.owner_id), array_agg(p.part ORDER BY p.owner_id) INTO owners, parts
    FROM daybook_ask.parts_of(team, ARRAY(SELECT t.team_id FROM daybook.teams t)) p;
    RETURN QUERY SELECT u.* FROM daybook_ask.usage_of(owners, parts, week, week + 6, split) u;
  END IF;
END
$$;

REVOKE ALL ON FUNCTION daybook_report.week_of(uuid, date, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION daybook_report.week_of(uuid, date, text) TO daybook_report;

-- A view over the tables themselves would not do: Citus asks them for the privileges of whoever reads the view.
CREATE OR REPLACE FUNCTION daybook_report.all_teams()
RETURNS TABLE (team_id uuid, team text, members int8)
LANGUAGE plpgsql STABLE SECURITY DEFINER /*[not_cockroach] SET search_path = pg_catalog, pg_temp */
AS $$
BEGIN
  RETURN QUERY
  SELECT t.team_id, t.name, (SELECT count(*) FROM daybook.memberships m WHERE m.team_id = t.team_id)
  FROM daybook.teams t;
END
$$;

REVOKE ALL ON FUNCTION daybook_report.all_teams() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION daybook_report.all_teams() TO daybook_report;

-- The weeks of the last two years, by team. A condition on the week is applied before anything is added up.
/*[not_cockroach] CREATE OR REPLACE VIEW daybook_report.weeks AS
SELECT t.team_id, t.team, t.members, w.week::date AS week
    FROM daybook_report.all_teams() t, generate_series(date_trunc('week', current_date - 728), current_date, '7 days') w (week) */;

/*[not_cockroach] CREATE OR REPLACE VIEW daybook_report.version AS SELECT 1 AS version */;

-- Totals of a week.
/*[not_cockroach] CREATE OR REPLACE VIEW daybook_report.weekly_usage AS
SELECT w.team, w.week, u.people, u.turns, u.calls, u.responses, u.unpriced AS unpriced_responses, u.input AS input_tokens, u.cached AS cached_input_tokens,
  u.written AS cache_write_tokens, u.output AS output_tokens, u.reasoning AS reasoning_tokens, round(u.pico / 1000000000000, 6) AS cost_usd
FROM daybook_report.weeks w
CROSS JOIN LATERAL daybook_report.week_of(w.team_id, w.week, 'total') u */;

-- By day. Days of too few people are one row of their week, without a day.
/*[not_cockroach] CREATE OR REPLACE VIEW daybook_report.daily_usage AS
SELECT w.team, w.week, u.name::date AS day, u.hidden AS hidden_days, u.people, u.turns, u.calls, u.responses, u.unpriced AS unpriced_responses, u.input AS input_tokens, u.cached AS cached_input_tokens,
  u.written AS cache_write_tokens, u.output AS output_tokens, u.reasoning AS reasoning_tokens, round(u.pico / 1000000000000, 6) AS cost_usd
FROM daybook_report.weeks w
CROSS JOIN LATERAL daybook_report.week_of(w.team_id, w.week, 'day') u */;

-- By project. Projects of too few people are one row, without a name; so in the next two views.
/*[not_cockroach] CREATE OR REPLACE VIEW daybook_report.usage_by_project AS
SELECT w.team, w.week, u.name AS project, u.hidden AS hidden_projects, u.people, u.turns, u.calls, u.responses, u.unpriced AS unpriced_responses, u.input AS input_tokens, u.cached AS cached_input_tokens,
  u.written AS cache_write_tokens, u.output AS output_tokens, u.reasoning AS reasoning_tokens, round(u.pico / 1000000000000, 6) AS cost_usd
FROM daybook_report.weeks w
CROSS JOIN LATERAL daybook_report.week_of(w.team_id, w.week, 'project') u */;

-- By model.
/*[not_cockroach] CREATE OR REPLACE VIEW daybook_report.usage_by_model AS
SELECT w.team, w.week, u.name AS model, u.hidden AS hidden_models, u.people, u.turns, u.calls, u.responses, u.unpriced AS unpriced_responses, u.input AS input_tokens, u.cached AS cached_input_tokens,
  u.written AS cache_write_tokens, u.output AS output_tokens, u.reasoning AS reasoning_tokens, round(u.pico / 1000000000000, 6) AS cost_usd
FROM daybook_report.weeks w
CROSS JOIN LATERAL daybook_report.week_of(w.team_id, w.week, 'model') u */;

-- By agent.
/*[not_cockroach] CREATE OR REPLACE VIEW daybook_report.usage_by_agent AS
SELECT w.team, w.week, u.name AS agent, u.hidden AS hidden_agents, u.people, u.turns, u.calls, u.responses, u.unpriced AS unpriced_responses, u.input AS input_tokens, u.cached AS cached_input_tokens,
  u.written AS cache_write_tokens, u.output AS output_tokens, u.reasoning AS reasoning_tokens, round(u.pico / 1000000000000, 6) AS cost_usd
FROM daybook_report.weeks w
CROSS JOIN LATERAL daybook_report.week_of(w.team_id, w.week, 'source') u */;

-- How turns ended.
/*[not_cockroach] CREATE OR REPLACE VIEW daybook_report.outcomes AS
SELECT w.team, w.week, u.name AS outcome, u.hidden AS hidden_outcomes, u.people, u.turns
FROM daybook_report.weeks w
CROSS JOIN LATERAL daybook_report.week_of(w.team_id, w.week, 'outcome') u */;

-- Calls that went wrong, by tool.
/*[not_cockroach] CREATE OR REPLACE VIEW daybook_report.failures AS
SELECT w.team, w.week, u.name AS tool, u.hidden AS hidden_tools, u.people, u.calls
FROM daybook_report.weeks w
CROSS JOIN LATERAL daybook_report.week_of(w.team_id, w.week, 'tool') u */;

-- How many people of a team worked with agents; null in a week in which too few did.
/*[not_cockroach] CREATE OR REPLACE VIEW daybook_report.adoption AS
SELECT w.team, w.week, w.members, u.people
FROM daybook_report.weeks w
LEFT JOIN LATERAL daybook_report.week_of(w.team_id, w.week, 'total') u ON true */;

/*[not_cockroach] GRANT SELECT ON daybook_report.version, daybook_report.weekly_usage, daybook_report.daily_usage, daybook_report.usage_by_project, daybook_report.usage_by_model, daybook_report.usage_by_agent, daybook_report.outcomes, daybook_report.failures, daybook_report.adoption TO daybook_report */;
