/**
 * Synthetic developers, made by the database itself. Of each: 50 sessions of 20 turns over 90 days, 5 calls and 3 responses a turn,
 * four models a session, the finished answer of every turn (600 bytes), days as they are added up by a push: 200 rows a developer. Teams have ten people.
 */

/** Developers to a statement: few enough that it shows how far it is. */
const AT_ONCE = 50;

const PEOPLE = `
  INSERT INTO daybook.owners (owner_id, login)
  SELECT md5('owner' || i)::uuid, 'dev' || lpad(i::text, 5, '0') FROM generate_series(1, $1::int4) i`;
const HEADS = `
  INSERT INTO daybook.heads (owner_id, seq) SELECT md5('owner' || i)::uuid, 1 FROM generate_series(1, $1::int4) i`;
const TEAMS = `
  INSERT INTO daybook.teams SELECT md5('team' || t)::uuid, 'team' || lpad(t::text, 4, '0') FROM generate_series(0, ($1::int4 - 1) / 10) t`;
const MEMBERS = `
  INSERT INTO daybook.memberships
  SELECT md5('team' || (i - 1) / 10)::uuid, md5('owner' || i)::uuid, CASE WHEN i % 10 = 1 THEN 'lead' ELSE 'member' END
  FROM generate_series(1, $1::int4) i`;

/** What all rows of a turn are made from; \$1 to \$2 are the numbers of the developers. */
const TURNS = `
  FROM generate_series($1::int4, $2::int4) i, generate_series(1, 50) s, generate_series(1, 20) n,
    LATERAL (SELECT md5('owner' || i)::uuid AS owner, md5('session' || i || '/' || s)::uuid AS session,
      timestamptz '2026-05-12 18:00Z' - make_interval(days => ((s * 90) / 50)::int4) + make_interval(mins => n * 7) AS at,
      (ARRAY['codex', 'claude-code', 'opencode'])[1 + (i + s) % 3] AS source,
      'project-' || ((i - 1) / 10) || '-' || (s % 8) AS project,
      (ARRAY['gpt-5.2-codex', 'claude-opus-4-6', 'claude-sonnet-4-6', 'gpt-5.1'])[1 + (i + s + n) % 4] AS model,
      decode(md5(i || '/' || s || '/' || n), 'hex') AS hash) x`;

/** By table, in the order they are filled. */
export const STATEMENTS = {
  sessions: `INSERT INTO daybook.sessions
    SELECT DISTINCT ON (x.owner, x.session) x.owner, x.session, x.source, x.project, 1, x.at, x.at, 20, 400, 1, x.hash, x.session, 1, NULL::timestamptz ${TURNS}`,
  turns: `INSERT INTO daybook.turns
    SELECT x.owner, x.session, n, x.at, x.at + interval '4 min', x.at::date, 5, (n % 3)::int4, 40000000000, 'done', x.source, x.project, x.model, x.hash ${TURNS}`,
  tool_calls: `INSERT INTO daybook.tool_calls
    SELECT x.owner, x.session, (n - 1) * 5 + c, n, x.at, 900, CASE WHEN (n + c) % 12 = 0 THEN 1 ELSE 0 END, false,
      CASE WHEN (n + c) % 12 = 0 THEN 'failed' ELSE 'ok' END, (ARRAY['Bash', 'Edit', 'Read', 'shell', 'Grep'])[c], x.hash
    ${TURNS}, generate_series(1, 5) c`,
  usage_responses: `INSERT INTO daybook.usage_responses
    SELECT x.owner, md5(x.session || '/' || n || '/' || r)::uuid, x.session, x.at, x.at::date, n, x.source, x.project, x.model,
      1200, 40000, 900, 0, 700, 200, 13000000000, true
    ${TURNS}, generate_series(1, 3) r`,
  details: `INSERT INTO daybook.details
    SELECT x.owner, x.session, 1, n, '{"turn_ref":"T' || lpad(n::text, 4, '0') || '","ask":"' || repeat(md5(x.hash) || ' ', 16) || '"}', x.hash ${TURNS}`,
  usage_days: `INSERT INTO daybook.usage_days
    SELECT x.owner, x.at::date, x.source, x.project, x.model, count(*), count(*) * 5, sum(n % 3), count(*) * 3, 0,
      count(*) * 3600, count(*) * 120000, count(*) * 2700, 0, count(*) * 2100, count(*) * 600, count(*) * 39000000000 ${TURNS}
    GROUP BY 1, 2, 3, 4, 5`,
};

const TEXTS = `INSERT INTO daybook.texts
  SELECT x.owner, x.session, n * 2 + k, n, 1, k, x.at, body, array_to_tsvector(ARRAY(SELECT DISTINCT w FROM unnest(string_to_array(body, ' ')) w WHERE w <> '')), x.hash
  FROM (SELECT * ${TURNS.replace("(1, 50) s", "(1, 10) s")}, generate_series(0, 1) k, LATERAL (
    SELECT string_agg('word' || ((hashtext(x.hash::text || k || w) & 2047)), ' ') AS body FROM generate_series(1, 60) w) b) x`;

/**
 * Fills a store; gives rows and seconds by table.
 * @param {import("pg").Client} client
 * @param {number} developers
 */
export async function fill(client, developers) {
  for (const text of [PEOPLE, HEADS, TEAMS, MEMBERS]) await client.query(text, [developers]);
  /** @type {Record<string, { rows: number, seconds: number }>} */
  const made = {};
  for (const [table, text] of Object.entries({ ...STATEMENTS, ...(developers <= 10 ? { texts: TEXTS } : {}) })) {
    const began = performance.now();
    let rows = 0;
    for (let first = 1; first <= developers; first += AT_ONCE) {
      const { rowCount } = await client.query(text, [first, Math.min(first + AT_ONCE - 1, developers)]);
      rows += rowCount ?? 0;
    }
    made[table] = { rows, seconds: (performance.now() - began) / 1000 };
  }
  await client.query("VACUUM ANALYZE");
  return made;
}
