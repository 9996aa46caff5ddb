-- Functions that run with more privileges than their caller has. Each one checks what the caller may see. All are owned by
-- daybook_reader, which may read nothing else, and use full table names, so that no setting of the caller can redirect them. Those that
-- read people's rows are in PL/pgSQL, because Citus plans no SQL function with parameters over distributed tables.

-- Searches one person's own texts. The caller is the owner set for the transaction; no parameter can name another one.
CREATE OR REPLACE FUNCTION daybook_ask.search_texts(terms_wanted text, since timestamptz, until timestamptz, most int4)
RETURNS TABLE (session_id uuid, n int4, turn int4, line int4, kind int2, ts timestamptz, body text)
LANGUAGE plpgsql STABLE SECURITY DEFINER /*[not_cockroach] SET search_path = pg_catalog, pg_temp */
AS $$
BEGIN
  RETURN QUERY
  SELECT t.session_id, t.n, t.turn, t.line, t.kind, t.ts, t.body
  FROM daybook.texts t
  WHERE t.owner_id = nullif(current_setting('daybook.owner', true), '')::uuid
    AND t.terms @@ terms_wanted::tsquery
    AND (since IS NULL OR t.ts >= since)
    AND (until IS NULL OR t.ts < until)
  ORDER BY t.ts DESC NULLS LAST, t.session_id, t.n
  LIMIT least(greatest(most, 0), 1000);
END
$$;

REVOKE ALL ON FUNCTION daybook_ask.search_texts(text, timestamptz, timestamptz, int4) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION daybook_ask.search_texts(text, timestamptz, timestamptz, int4) TO daybook_dev;

-- How many texts one person has, how many words they have together, and how many contain each of these phrases: what ranks matches as in a
-- book. The caller is the owner set for the transaction.
CREATE OR REPLACE FUNCTION daybook_ask.text_counts(phrases text[])
RETURNS TABLE (texts int8, words int8, holders int8[])
LANGUAGE plpgsql STABLE SECURITY DEFINER /*[not_cockroach] SET search_path = pg_catalog, pg_temp */
AS $$
DECLARE
  me uuid := nullif(current_setting('daybook.owner', true), '')::uuid;
  phrase text;
  n int8;
BEGIN
  holders := '{}';
  FOREACH phrase IN ARRAY phrases LOOP
    SELECT count(*) INTO n FROM daybook.texts t WHERE t.owner_id = me AND t.terms @@ phrase::tsquery;
    holders := holders || n;
  END LOOP;
  SELECT count(*), coalesce(sum(t.words), 0) INTO texts, words FROM daybook.texts t WHERE t.owner_id = me;
  RETURN NEXT;
END
$$;

REVOKE ALL ON FUNCTION daybook_ask.text_counts(text[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION daybook_ask.text_counts(text[]) TO daybook_dev;

-- The people of a team, each with the number of their part, for somebody who sees several teams. Parts are the people who are in the same
-- of these teams: the difference of any two teams, or of teams and their union, consists of whole parts. A team with a part of too few
-- people has no parts: its smaller sister is shown instead of it. Reads with the privileges of its caller.
CREATE OR REPLACE FUNCTION daybook_ask.parts_of(team uuid, seen uuid[])
RETURNS TABLE (owner_id uuid, part int4)
LANGUAGE plpgsql STABLE /*[not_cockroach] SET search_path = pg_catalog, pg_temp */
AS $$
DECLARE
  least_people int4 := (SELECT s.smallest_group FROM daybook.stores s);
  shown uuid[] := '{}';
  one uuid;
BEGIN
  FOR one IN
    SELECT m.team_id
    FROM daybook.memberships m
    WHERE m.team_id = ANY (seen)
    GROUP BY m.team_id
    HAVING count(*) >= least_people
    ORDER BY count(*), m.team_id
  LOOP
    IF NOT EXISTS (
      SELECT 1
      FROM (
        SELECT array_agg(m.team_id ORDER BY m.team_id) AS teams
        FROM daybook.memberships m
        WHERE m.team_id = ANY (shown || one)
        GROUP BY m.owner_id
      ) p
      GROUP BY p.teams
      HAVING count(*) < least_people
    ) THEN
      shown := shown || one;
    END IF;
  END LOOP;
  IF team = ANY (shown) THEN
    RETURN QUERY
    SELECT p.owner_id, (dense_rank() OVER (ORDER BY p.teams))::int4
    FROM (
      SELECT m.owner_id, array_agg(m.team_id ORDER BY m.team_id) AS teams
      FROM daybook.memberships m
      WHERE m.team_id = ANY (shown)
      GROUP BY m.owner_id
    ) p
    WHERE team = ANY (p.teams);
  END IF;
END
$$;

REVOKE ALL ON FUNCTION daybook_ask.parts_of(uuid, uuid[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION daybook_ask.parts_of(uuid, uuid[]) TO daybook_reporter;

-- The parts of a team that the caller leads, beside the other teams they lead; no row of any other team.
CREATE OR REPLACE FUNCTION daybook_ask.team_parts(team uuid)
RETURNS TABLE (owner_id uuid, part int4)
LANGUAGE plpgsql STABLE SECURITY DEFINER /*[not_cockroach] SET search_path = pg_catalog, pg_temp */
AS $$
BEGIN
  RETURN QUERY
  SELECT p.owner_id, p.part
  FROM daybook_ask.parts_of(team, ARRAY(
    SELECT l.team_id
    FROM daybook.memberships l
    WHERE l.role = 'lead' AND l.owner_id = nullif(current_setting('daybook.owner', true), '')::uuid
  )) p;
END
$$;

REVOKE ALL ON FUNCTION daybook_ask.team_parts(uuid) FROM PUBLIC;

-- What the caller may know about a team: no row unless they lead it. shown: false if the numbers of their other teams would reveal too
-- few people of it.
CREATE OR REPLACE FUNCTION daybook_ask.team_state(team uuid)
RETURNS TABLE (members int8, smallest_group int4, persons_shown bool, shown bool)
LANGUAGE plpgsql STABLE SECURITY DEFINER /*[not_cockroach] SET search_path = pg_catalog, pg_temp */
AS $$
BEGIN
  RETURN QUERY
  SELECT (SELECT count(*) FROM daybook.memberships m WHERE m.team_id = team), s.smallest_group, s.persons_shown,
    EXISTS (SELECT 1 FROM daybook_ask.team_parts(team))
  FROM daybook.stores s
  WHERE EXISTS (
    SELECT 1
    FROM daybook.memberships l
    WHERE l.team_id = team
      AND l.role = 'lead'
      AND l.owner_id = nullif(current_setting('daybook.owner', true), '')::uuid
  );
END
$$;

REVOKE ALL ON FUNCTION daybook_ask.team_state(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION daybook_ask.team_state(uuid) TO daybook_lead;

-- Whether fewer than `fewest` people cannot be told apart by adding and subtracting the sums of groups. marks: for each of somebody's
-- rows the groups it counts in, one in each of `splits` splits; people: whose row it is, the rows of one person together. Groups with a
-- row in common are connected; the sums of c connected groups in s splits have at most c - s + 1 independent values. If there are
-- `fewest` sets of people, nobody in two of them, and the rows of each set alone have as many, then a result that involves anybody
-- involves somebody of each set: were a set not involved, all its independent values would be zero. Values are counted modulo 2, which
-- finds at most as many.
CREATE OR REPLACE FUNCTION daybook_ask.is_shared(people int4[], marks varbit[], fewest int4, splits int4)
RETURNS bool
LANGUAGE plpgsql IMMUTABLE /*[not_cockroach] SET search_path = pg_catalog, pg_temp */
AS $$
DECLARE
  none varbit := marks[1] # marks[1];
  connected varbit[] := '{}';
  apart varbit[];
  every varbit;
  one varbit;
  base varbit[];
  taken int4[];
  who int4;
  mark varbit;
  last int4;
BEGIN
  FOR mark IN SELECT DISTINCT m FROM unnest(marks) m LOOP
    every := mark;
    apart := '{}';
    FOREACH one IN ARRAY connected LOOP
      IF one & mark = none THEN
        apart := apart || one;
      ELSE
        every := every | one;
      END IF;
    END LOOP;
    connected := apart || every;
  END LOOP;
  FOREACH every IN ARRAY connected LOOP
    taken := '{}';
    FOR n IN 1..fewest LOOP
      base := '{}';
      last := NULL;
      FOR who, mark IN
        SELECT r.who, r.mark FROM unnest(people, marks) r (who, mark) WHERE r.mark & every <> none AND r.who <> ALL (taken)
      LOOP
        EXIT WHEN cardinality(base) > bit_count(every) - splits AND who IS DISTINCT FROM last;
        FOREACH one IN ARRAY base LOOP
          mark := least(mark, mark # one);
        END LOOP;
        IF mark <> none THEN
          base := base || mark;
          IF who IS DISTINCT FROM last THEN
            taken := taken || who;
            last := who;
          END IF;
        END IF;
      END LOOP;
      IF cardinality(base) <= bit_count(every) - splits THEN
        RETURN false;
      END IF;
    END LOOP;
  END LOOP;
  RETURN true;
END
$$;

REVOKE ALL ON FUNCTION daybook_ask.is_shared(int4[], varbit[], int4, int4) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION daybook_ask.is_shared(int4[], varbit[], int4, int4) TO daybook_reporter;

-- Which names and measures of one week may be shown. The arrays have an element for each different row of a person; kinds: 1 daily sums,
-- 3 turns by outcome, 4 calls that went wrong by tool; has: the measures that a row has, in order of the columns of usage_days. A
-- mark has a place for each split (project, agent, model, day, outcome, tool), for its rows without a name, and then places for names,
-- the most important first; models: those of daily sums, whether they get a name or not; split_of: the split of each place. Returns the
-- marks of the places that have a name, of the measures with a total, and of those that are shown by group; and whether enough people
-- have turns by outcome, and calls that went wrong.
CREATE OR REPLACE FUNCTION daybook_ask.week_shown(
  people int4[], kinds int4[], marks varbit[], has varbit[], models text[], split_of int4[], needs int4[], least_people int4, fewest int4,
  OUT named varbit, OUT totals varbit, OUT margins varbit, OUT outcomes bool, OUT tools bool
)
LANGUAGE plpgsql IMMUTABLE /*[not_cockroach] SET search_path = pg_catalog, pg_temp */
AS $$
DECLARE
  splits CONSTANT int4 := 6;
  failures CONSTANT int4 := 3;
  -- Tokens, costs, turns by outcome, calls by tool: which rows, has one of which measures, in how many splits, and which these are.
  of_kind CONSTANT int4[] := ARRAY[1, 1, 3, 4];
  of_measures CONSTANT varbit[] := ARRAY[B'00000100100', B'00000000001', NULL, NULL];
  firsts CONSTANT int4[] := ARRAY[1, 1, 1, 6];
  lasts CONSTANT int4[] := ARRAY[4, 4, 5, 6];
  of_tokens CONSTANT varbit := B'00000111100';
  of_cost CONSTANT varbit := B'00000000001';
  none CONSTANT varbit := B'00000000000';
  -- Tokens, when the names are decided: most measures are in the same rows.
  usual text;
  now varbit[] := marks;
  loser int4;
  one text;
  own int4[];
  theirs varbit[];
  different int4;
BEGIN
  named := ~(marks[1] # marks[1]);
  totals := repeat('1', length(has[1]))::varbit;
  margins := totals;
  LOOP
    -- Rows without a name are a group as well.
    SELECT max(p.place) INTO loser
    FROM generate_subscripts(split_of, 1) p (place)
    WHERE p.place > splits
      AND get_bit(named, p.place - 1) = 1
      AND split_of[p.place] = (
        SELECT min(x.split)
        FROM (
          SELECT s.split, count(DISTINCT r.who) AS people
          FROM unnest(people, now) r (who, mark), generate_series(1, splits) s (split)
          WHERE get_bit(r.mark, s.split - 1) = 1
          GROUP BY s.split
        ) x
        WHERE x.people < needs[x.split]
          AND EXISTS (
            SELECT 1 FROM generate_subscripts(split_of, 1) q (place)
            WHERE q.place > splits AND split_of[q.place] = x.split AND get_bit(named, q.place - 1) = 1
          )
      );
    FOR i IN 1..4 LOOP
      EXIT WHEN loser IS NOT NULL;
      SELECT array_agg(r.who), array_agg(r.mark), count(DISTINCT r.who) INTO own, theirs, different
      FROM unnest(people, kinds, now, has) r (who, kind, mark, has)
      WHERE r.kind = of_kind[i] AND (of_measures[i] IS NULL OR bit_count(r.has & of_measures[i]) > 0);
      -- What too few people have is not shown, whatever its groups are.
      CONTINUE WHEN different < least_people;
      IF NOT daybook_ask.is_shared(own, theirs, fewest, lasts[i] - firsts[i] + 1) THEN
        SELECT max(p.place) INTO loser
        FROM generate_subscripts(split_of, 1) p (place)
        WHERE p.place > splits AND get_bit(named, p.place - 1) = 1 AND split_of[p.place] BETWEEN firsts[i] AND lasts[i];
      END IF;
    END LOOP;
    EXIT WHEN loser IS NULL;
    named := set_bit(named, loser - 1, 0);
    SELECT array_agg(
      CASE WHEN get_bit(n.mark, loser - 1) = 1 THEN set_bit(set_bit(n.mark, loser - 1, 0), split_of[loser] - 1, 1) ELSE n.mark END ORDER BY n.i
    ) INTO now FROM unnest(now) WITH ORDINALITY n (mark, i);
  END LOOP;
  SELECT count(DISTINCT r.who) FILTER (WHERE r.kind = 3) >= least_people, count(DISTINCT r.who) FILTER (WHERE r.kind = 4) >= least_people
  INTO outcomes, tools FROM unnest(people, kinds) r (who, kind);
  FOR i IN 1..length(totals) LOOP
    SELECT array_agg(r.who), array_agg(r.mark), count(DISTINCT r.who) INTO own, theirs, different
    FROM unnest(people, kinds, now, has) r (who, kind, mark, has)
    WHERE r.kind = 1 AND get_bit(r.has, i - 1) = 1;
    IF i = failures THEN
      -- Shown by tool, and so never by other splits.
      margins := set_bit(margins, i - 1, 0);
      totals := set_bit(totals, i - 1, tools::int4);
    ELSIF different BETWEEN 1 AND least_people - 1 THEN
      totals := set_bit(totals, i - 1, 0);
      margins := set_bit(margins, i - 1, 0);
    ELSIF different > 0 AND own::text || theirs::text IS DISTINCT FROM usual THEN
      IF daybook_ask.is_shared(own, theirs, fewest, 4) THEN
        usual := own::text || theirs::text;
      ELSE
        margins := set_bit(margins, i - 1, 0);
      END IF;
    END IF;
  END LOOP;
  -- Cost is the sum of tokens times public prices. Both together would tell what was done with one model: so tokens are shown only if
  -- enough people share the rows of each, and all kinds of tokens or none.
  FOR one IN SELECT DISTINCT m FROM unnest(models) m WHERE m IS NOT NULL LOOP
    EXIT WHEN totals & of_tokens <> of_tokens;
    SELECT array_agg(r.who), array_agg(r.mark) INTO own, theirs
    FROM unnest(people, now, has, models) r (who, mark, has, model)
    WHERE r.model = one AND r.has & (of_tokens | of_cost) <> none;
    IF own IS NOT NULL AND NOT daybook_ask.is_shared(own, theirs, fewest, 4) THEN
      totals := totals & ~of_tokens;
    END IF;
  END LOOP;
  IF totals & of_tokens <> of_tokens THEN
    totals := totals & ~of_tokens;
  END IF;
  IF totals & margins & of_tokens <> of_tokens THEN
    margins := margins & ~of_tokens;
  END IF;
END
$$;

REVOKE ALL ON FUNCTION daybook_ask.week_shown(int4[], int4[], varbit[], varbit[], text[], int4[], int4[], int4, int4) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION daybook_ask.week_shown(int4[], int4[], varbit[], varbit[], text[], int4[], int4[], int4, int4) TO daybook_reporter;

-- Totals of a team by 'week', 'day', 'project', 'model', 'source', 'outcome' (of turns), 'tool' (calls that went wrong) or 'person';
-- anything else gives one total. Whatever the caller asks, about any spans, splits and teams, and adds up or subtracts, a result that
-- involves anybody involves no fewer people than a name needs, because every answer consists of the same groups:
--   - totals cover whole weeks, and what a week shows is decided for the week alone, so it is the same whatever span is asked for;
--   - the people of a team are taken part by part (see team_parts), and what a part shows is decided for the part alone;
--   - a project or day of fewer people than smallest_group, and a model, agent, outcome or tool of fewer than smallest_name, has no name:
--     these are one row. More names are given up until is_shared holds for tokens, costs, turns and calls that went wrong;
--   - a measure for which it does not hold even then, because few people have it, is null, except for the total of enough people;
--     tokens that went in, out, into a cache and from it are shown together or not at all, and only if enough people share the rows of
--     each model: beside the cost, they would tell who used which.
-- Calls that went wrong are counted by tool and in total only. A week of a part in which too few people worked is left out altogether.
-- Persons are shown only if the store's settings allow it. Reads with the privileges of its caller, who says which people these are, and
-- in which parts.
-- JIT compilation is off because it would take longer than the query; nested loops are off because the planner cannot estimate the
-- number of rows.
CREATE OR REPLACE FUNCTION daybook_ask.usage_of(owners uuid[], parts int4[], since date, until date, split text)
RETURNS TABLE (
  name text, hidden int8, people int8, turns numeric, calls numeric, failed numeric, responses numeric, unpriced numeric,
  input numeric, cached numeric, written numeric, output numeric, reasoning numeric, pico numeric
)
LANGUAGE plpgsql STABLE /*[not_cockroach] SET search_path = pg_catalog, pg_temp */ /*[postgres] SET jit = off SET enable_nestloop = off */
AS $$
#variable_conflict use_column
DECLARE
  asked CONSTANT int4 := array_position(ARRAY['project', 'source', 'model', 'day', 'outcome', 'tool'], split);
  -- How many names of each split a mark has room for, after a place for each split.
  most CONSTANT int4[] := ARRAY[80, 10, 40, 7, 6, 40];
  nothing CONSTANT varbit := repeat('0', 192)::varbit;
  least_people int4;
  least_name int4;
  persons bool;
  zone text;
  needs int4[];
  turns_from date;
  calls_from date;
  first_day date;
  last_day date;
  -- What people did, one element for a row.
  all_kinds int4[];
  all_owners uuid[];
  all_days date[];
  all_projects text[];
  all_sources text[];
  all_models text[];
  all_outcomes text[];
  all_tools text[];
  all_has varbit[];
  all_turns numeric[];
  all_calls numeric[];
  all_failed numeric[];
  all_responses numeric[];
  all_unpriced numeric[];
  all_input numeric[];
  all_cached numeric[];
  all_written numeric[];
  all_output numeric[];
  all_reasoning numeric[];
  all_pico numeric[];
  one record;
  shown record;
  -- What is shown: the measures of each week of a part, and the names of its groups.
  week_parts int4[] := '{}';
  weeks date[] := '{}';
  week_open varbit[] := '{}';
  week_outcomes bool[] := '{}';
  week_tools bool[] := '{}';
  name_parts int4[] := '{}';
  name_weeks date[] := '{}';
  name_labels text[] := '{}';
BEGIN
  IF split IS NULL OR owners IS NULL OR NOT coalesce(isfinite(since) AND isfinite(until) AND since <= until, false) THEN
    RETURN;
  END IF;
  SELECT s.smallest_group, least(s.smallest_name, s.smallest_group), s.persons_shown, s.zone INTO least_people, least_name, persons, zone
  FROM daybook.stores s;
  IF split = 'person' AND NOT persons THEN
    RETURN;
  END IF;
  -- The first whole weeks of which retention removed nothing.
  SELECT m.turns + (8 - extract(isodow FROM m.turns)::int4) % 7,
    m.calls + (8 - extract(isodow FROM m.calls)::int4) % 7
  INTO turns_from, calls_from
  FROM (
    SELECT (s.turns_before AT TIME ZONE s.zone)::date AS turns, (s.calls_before AT TIME ZONE s.zone)::date AS calls FROM daybook.stores s
  ) m;
  needs := ARRAY[least_people, least_name, least_name, least_people, least_name, least_name];
  first_day := since - (extract(isodow FROM since)::int4 - 1);
  last_day := until + (7 - extract(isodow FROM until)::int4);
  WITH found AS MATERIALIZED (
    SELECT u.owner_id, 1 AS kind, u.day, u.project, u.source, u.model, NULL AS outcome, NULL AS tool,
      (u.turns > 0)::int4::bit(1) || (u.calls > 0)::int4::bit(1) || (u.failed > 0)::int4::bit(1) || (u.responses > 0)::int4::bit(1) || (u.unpriced > 0)::int4::bit(1) || (u.input > 0)::int4::bit(1) || (u.cached > 0)::int4::bit(1) || (u.written > 0)::int4::bit(1) || (u.output > 0)::int4::bit(1) || (u.reasoning > 0)::int4::bit(1) || (u.pico > 0)::int4::bit(1) AS has,
      u.turns::numeric AS turns, u.calls::numeric AS calls, u.failed::numeric AS failed, u.responses::numeric AS responses, u.unpriced::numeric AS unpriced, u.input::numeric AS input, u.cached::numeric AS cached, u.written::numeric AS written, u.output::numeric AS output, u.reasoning::numeric AS reasoning, u.pico::numeric AS pico
    FROM daybook.usage_days u
    WHERE u.owner_id = ANY (owners) AND u.day BETWEEN first_day AND last_day
    UNION ALL
    SELECT t.owner_id, 3, t.day, t.project, t.source, t.model, CASE WHEN t.unproven THEN 'unproven' ELSE t.status END, NULL, NULL,
      count(*), NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
    FROM daybook.turns t
    WHERE t.owner_id = ANY (owners) AND t.day BETWEEN greatest(first_day, turns_from) AND last_day
    GROUP BY t.owner_id, t.day, t.project, t.source, t.model, CASE WHEN t.unproven THEN 'unproven' ELSE t.status END
    UNION ALL
    SELECT c.owner_id, 4, (c.ts AT TIME ZONE zone)::date, NULL, NULL, NULL, NULL, c.name, NULL,
      0, count(*), count(*), NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
    FROM daybook.tool_calls c
    WHERE c.owner_id = ANY (owners)
      AND c.trouble > 0
      AND c.ts >= greatest(first_day, calls_from)::timestamp AT TIME ZONE zone
      AND c.ts < (last_day + 1)::timestamp AT TIME ZONE zone
    GROUP BY c.owner_id, (c.ts AT TIME ZONE zone)::date, c.name
  )
  SELECT array_agg(f.kind), array_agg(f.owner_id), array_agg(f.day), array_agg(f.project), array_agg(f.source), array_agg(f.model),
    array_agg(f.outcome), array_agg(f.tool), array_agg(f.has), array_agg(f.turns), array_agg(f.calls), array_agg(f.failed), array_agg(f.responses), array_agg(f.unpriced), array_agg(f.input), array_agg(f.cached), array_agg(f.written), array_agg(f.output), array_agg(f.reasoning), array_agg(f.pico)
  INTO all_kinds, all_owners, all_days, all_projects, all_sources, all_models, all_outcomes, all_tools, all_has,
    all_turns, all_calls, all_failed, all_responses, all_unpriced, all_input, all_cached, all_written, all_output, all_reasoning, all_pico
  FROM found f;
  FOR one IN
    WITH did AS (
      SELECT r.i, r.kind, r.has, r.day - (extract(isodow FROM r.day)::int4 - 1) AS week, o.part, o.who::int4 AS who,
        ARRAY[r.project, r.source, r.model, CASE WHEN r.kind < 4 THEN r.day::text END, r.outcome, r.tool] AS labels
      FROM unnest(all_kinds, all_owners, all_days, all_projects, all_sources, all_models, all_outcomes, all_tools, all_has)
        WITH ORDINALITY r (kind, owner_id, day, project, source, model, outcome, tool, has, i)
      JOIN unnest(owners, parts) WITH ORDINALITY o (owner_id, part, who) ON o.owner_id = r.owner_id
    ),
    week AS (
      SELECT r.part, r.week FROM did r GROUP BY r.part, r.week HAVING count(DISTINCT r.who) >= least_people
    ),
    labelled AS (
      SELECT r.part, r.week, r.who, r.kind, r.i, r.has, s.split::int4 AS split, s.label
      FROM did r
      JOIN week w ON w.part = r.part AND w.week = r.week
      CROSS JOIN LATERAL unnest(r.labels) WITH ORDINALITY s (label, split)
      WHERE s.label IS NOT NULL
    ),
    counted AS (
      SELECT l.part, l.week, l.split, l.label, count(DISTINCT l.who) AS people
      FROM labelled l
      GROUP BY l.part, l.week, l.split, l.label
    ),
    candidate AS (
      SELECT c.part, c.week, c.split, c.label,
        (6 + row_number() OVER (PARTITION BY c.part, c.week ORDER BY c.people DESC, c.split, c.label))::int4 AS place
      FROM (
        SELECT n.*, row_number() OVER (PARTITION BY n.part, n.week, n.split ORDER BY n.people DESC, n.label) AS nth
        FROM counted n
        WHERE n.people >= needs[n.split]
      ) c
      WHERE c.nth <= most[c.split]
    ),
    marked AS (
      SELECT l.part, l.week, l.who, l.kind, l.has, bit_or(set_bit(nothing, coalesce(c.place, l.split) - 1, 1)) AS mark,
        max(l.label) FILTER (WHERE l.kind = 1 AND l.split = 3) AS model
      FROM labelled l
      LEFT JOIN candidate c ON c.part = l.part AND c.week = l.week AND c.split = l.split AND c.label = l.label
      GROUP BY l.part, l.week, l.who, l.kind, l.has, l.i
    ),
    kept AS (
      SELECT m.part, m.week, m.who, m.kind, m.mark, m.model, bit_or(m.has) AS has
      FROM marked m
      GROUP BY m.part, m.week, m.who, m.kind, m.mark, m.model
    )
    SELECT k.part, k.week, array_agg(k.who ORDER BY k.who, k.kind, k.mark, k.model) AS people, array_agg(k.kind ORDER BY k.who, k.kind, k.mark, k.model) AS kinds,
      array_agg(k.mark ORDER BY k.who, k.kind, k.mark, k.model) AS marks, array_agg(k.has ORDER BY k.who, k.kind, k.mark, k.model) AS has,
      array_agg(k.model ORDER BY k.who, k.kind, k.mark, k.model) AS models,
      n.split_of, n.labels
    FROM kept k
    LEFT JOIN (
      SELECT c.part, c.week, array_agg(c.split ORDER BY c.place) AS split_of, array_agg(c.label ORDER BY c.place) AS labels
      FROM candidate c
      GROUP BY c.part, c.week
    ) n ON n.part = k.part AND n.week = k.week
    GROUP BY k.part, k.week, n.split_of, n.labels
  LOOP
    one.split_of := ARRAY[1, 2, 3, 4, 5, 6] || one.split_of;
    SELECT * INTO shown FROM daybook_ask.week_shown(
      one.people, one.kinds, one.marks, one.has, one.models, one.split_of, needs, least_people, least_name);
    week_parts := week_parts || one.part;
    weeks := weeks || one.week;
    week_open := week_open || CASE WHEN asked IS NULL THEN shown.totals ELSE shown.margins END;
    week_outcomes := week_outcomes || shown.outcomes;
    week_tools := week_tools || shown.tools;
    FOR i IN 7..coalesce(cardinality(one.split_of), 0) LOOP
      IF one.split_of[i] = asked AND get_bit(shown.named, i - 1) = 1 THEN
        name_parts := name_parts || one.part;
        name_weeks := name_weeks || one.week;
        name_labels := name_labels || one.labels[i - 6];
      END IF;
    END LOOP;
  END LOOP;
  RETURN QUERY
  WITH did AS (
    SELECT r.*, o.part, r.day - (extract(isodow FROM r.day)::int4 - 1) AS week,
      CASE split
        WHEN 'week' THEN (r.day - (extract(isodow FROM r.day)::int4 - 1))::text
        WHEN 'person' THEN r.owner_id::text
        WHEN 'project' THEN r.project
        WHEN 'source' THEN r.source
        WHEN 'model' THEN r.model
        WHEN 'day' THEN r.day::text
        WHEN 'outcome' THEN r.outcome
        WHEN 'tool' THEN r.tool
        ELSE ''
      END AS label
    FROM unnest(all_kinds, all_owners, all_days, all_projects, all_sources, all_models, all_outcomes, all_tools, all_turns, all_calls, all_failed, all_responses, all_unpriced, all_input, all_cached, all_written, all_output, all_reasoning, all_pico)
      r (kind, owner_id, day, project, source, model, outcome, tool, turns, calls, failed, responses, unpriced, input, cached, written, output, reasoning, pico)
    JOIN unnest(owners, parts) o (owner_id, part) ON o.owner_id = r.owner_id
    WHERE r.kind = CASE split WHEN 'outcome' THEN 3 WHEN 'tool' THEN 4 ELSE 1 END
      OR (r.kind = 4 AND asked IS NULL AND split <> 'person')
  )
  SELECT
    CASE WHEN split = 'person' THEN (SELECT o.login FROM daybook.owners o WHERE o.owner_id::text = k.shown) ELSE k.shown END,
    count(DISTINCT k.hidden), count(DISTINCT k.owner_id) FILTER (WHERE k.kind = 1 OR asked IS NOT NULL),
    CASE WHEN bool_and(get_bit(k.open, 0) = 1) THEN sum(k.turns) END,
    CASE WHEN bool_and(get_bit(k.open, 1) = 1) THEN sum(k.calls) FILTER (WHERE k.kind = 1 OR asked IS NOT NULL) END,
    CASE WHEN bool_and(get_bit(k.open, 2) = 1) THEN sum(k.failed) FILTER (WHERE k.kind = 4 OR split = 'person') END,
    CASE WHEN bool_and(get_bit(k.open, 3) = 1) THEN sum(k.responses) END,
    CASE WHEN bool_and(get_bit(k.open, 4) = 1) THEN sum(k.unpriced) END,
    CASE WHEN bool_and(get_bit(k.open, 5) = 1) THEN sum(k.input) END,
    CASE WHEN bool_and(get_bit(k.open, 6) = 1) THEN sum(k.cached) END,
    CASE WHEN bool_and(get_bit(k.open, 7) = 1) THEN sum(k.written) END,
    CASE WHEN bool_and(get_bit(k.open, 8) = 1) THEN sum(k.output) END,
    CASE WHEN bool_and(get_bit(k.open, 9) = 1) THEN sum(k.reasoning) END,
    CASE WHEN bool_and(get_bit(k.open, 10) = 1) THEN sum(k.pico) END
  FROM (
    SELECT
      r.*, CASE WHEN split IN ('person', 'outcome', 'tool') THEN repeat('1', 11)::varbit ELSE w.open END AS open,
      CASE WHEN asked IS NULL OR g.label IS NOT NULL THEN r.label END AS shown,
      CASE WHEN asked IS NOT NULL AND g.label IS NULL THEN r.label END AS hidden
    FROM did r
    JOIN unnest(week_parts, weeks, week_open, week_outcomes, week_tools) w (part, week, open, outcomes, tools)
      ON w.part = r.part AND w.week = r.week
    LEFT JOIN unnest(name_parts, name_weeks, name_labels) g (part, week, label) ON g.part = r.part AND g.week = r.week AND g.label = r.label
    WHERE (r.kind <> 3 OR w.outcomes) AND (r.kind <> 4 OR w.tools)
  ) k
  GROUP BY k.shown;
END
$$;

REVOKE ALL ON FUNCTION daybook_ask.usage_of(uuid[], int4[], date, date, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION daybook_ask.usage_of(uuid[], int4[], date, date, text) TO daybook_reporter;

-- The same of a team that the caller leads.
CREATE OR REPLACE FUNCTION daybook_ask.team_usage(team uuid, since date, until date, split text)
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
  SELECT array_agg(p.owner_id ORDER BY p.owner_id), array_agg(p.part ORDER BY p.owner_id) INTO owners, parts
  FROM daybook_ask.team_parts(team) p;
  RETURN QUERY SELECT u.* FROM daybook_ask.usage_of(owners, parts, since, until, split) u;
END
$$;

REVOKE ALL ON FUNCTION daybook_ask.team_usage(uuid, date, date, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION daybook_ask.team_usage(uuid, date, date, text) TO daybook_lead;
