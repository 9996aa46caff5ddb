import { TABLES, type TableName } from "../rows/tables.ts";

/** Runs SQL within a transaction that has its role and owner set. */
export interface Sql {
  query(text: string, values?: unknown[]): Promise<{ rows: Record<string, unknown>[]; rowCount: number | null }>;
}

/** Writes a batch, column by column, in one statement; existing equal rows are not written. */
export function upsert(name: TableName): string {
  const { key, columns } = TABLES[name];
  const names = Object.keys(columns);
  const values = Object.values(columns).map((type, i) => `$${i + 3}::${type}[]`);
  const rest = names.filter((column) => !key.includes(column));
  const listed = (alias: string): string => rest.map((column) => `${alias}.${column}`).join(", ");
  // Which of several statements of a response counts is decided when all are written.
  const counted = name === "usage_responses" ? { column: ", counted", value: ", true" } : { column: "", value: "" };
  const isOther =
    name === "usage_responses"
      ? `(${listed("t")}) IS DISTINCT FROM (${listed("excluded")})`
      : "t.hash <> excluded.hash";
  return `INSERT INTO daybook.${name} AS t (owner_id, session_id, ${names.join(", ")}${counted.column})
    SELECT $1::uuid, $2::uuid, ${names.map((column) => `x.${column}`).join(", ")}${counted.value}
    FROM unnest(${values.join(", ")}) AS x (${names.join(", ")})
    ON CONFLICT (owner_id, ${name === "usage_responses" ? "response_id, session_id" : `session_id, ${key.join(", ")}`})
    DO UPDATE SET ${rest.map((column) => `${column} = excluded.${column}`).join(", ")} WHERE ${isOther}`;
}

/** The days of a session whose sums depend on it. */
export const DAYS_OF_SESSION = `SELECT day::text AS day FROM daybook.turns WHERE owner_id = $1 AND session_id = $2
  UNION SELECT day::text FROM daybook.usage_responses WHERE owner_id = $1 AND session_id = $2
  UNION SELECT day::text FROM daybook.session_days WHERE owner_id = $1 AND session_id = $2`;

/** Responses of a session that other sessions state as well, including those of which only sums are left here. */
export const SHARED_RESPONSES = `SELECT DISTINCT b.response_id FROM daybook.usage_responses a
  JOIN daybook.usage_responses b ON b.owner_id = a.owner_id AND b.response_id = a.response_id
  WHERE a.owner_id = $1 AND a.session_id = $2 AND b.owner_id = $1 AND b.session_id <> $2
  UNION SELECT b.response_id FROM (
    SELECT unnest(d.response_ids) AS response_id FROM daybook.session_days d WHERE d.owner_id = $1 AND d.session_id = $2
  ) a JOIN daybook.usage_responses b ON b.response_id = a.response_id
  WHERE b.owner_id = $1 AND b.session_id <> $2`;

/**
 * Of several statements of a response the largest counts, as in the book; among equals, that of the session whose id
 * sorts first.
 */
export const COUNT_ONCE = `UPDATE daybook.usage_responses u SET counted = (u.session_id = w.session_id)
  FROM (
    SELECT DISTINCT ON (response_id) response_id, session_id FROM daybook.usage_responses
    WHERE owner_id = $1 AND response_id = ANY ($2::uuid[])
    ORDER BY response_id, input + cached + written + output DESC, output DESC, reasoning DESC, written_1h DESC, written DESC, session_id
  ) w
  WHERE u.owner_id = $1 AND u.response_id = w.response_id`;

/** Responses included in the sums of another session, of which retention kept nothing else, count there. */
export const COUNTED_IN_SUMS = `UPDATE daybook.usage_responses u SET counted = false
  FROM (SELECT unnest(d.response_ids) AS response_id FROM daybook.session_days d WHERE d.owner_id = $1 AND d.session_id <> $2) g
  WHERE u.owner_id = $1 AND u.response_id = g.response_id AND u.counted AND (u.session_id = $2 OR u.response_id = ANY ($3::uuid[]))`;

export const DROP_SUMS = "DELETE FROM daybook.session_days WHERE owner_id = $1 AND session_id = $2";

export const DAYS_OF_RESPONSES = `SELECT DISTINCT day::text AS day FROM daybook.usage_responses
  WHERE owner_id = $1 AND response_id = ANY ($2::uuid[])`;

export const DROP_DAYS = "DELETE FROM daybook.usage_days WHERE owner_id = $1 AND day = ANY ($2::date[])";

const TOKENS = ["input", "cached", "written", "written_1h", "output", "reasoning"];
const SUMMED = ["turns", "calls", "failed", "responses", "unpriced", ...TOKENS];

/**
 * The owner is that of the rows, so that a distributed database sees that they stay on their node. Recomputed from the
 * rows instead of incremented: in whatever order sessions were pushed, the sums are those of the
 * rows and of what retention removed.
 */
export const MAKE_DAYS: string = `INSERT INTO daybook.usage_days (owner_id, day, source, project, model, ${SUMMED.join(", ")}, pico)
  SELECT x.owner_id, x.day, x.source, x.project, x.model, ${SUMMED.map((column) => `sum(x.${column})`).join(", ")}, coalesce(sum(x.pico), 0)
  FROM (
    SELECT owner_id, day, source, project, model, 0 AS turns, 0 AS calls, 0 AS failed, 1 AS responses,
      CASE WHEN pico IS NULL THEN 1 ELSE 0 END AS unpriced, ${TOKENS.join(", ")}, pico
    FROM daybook.usage_responses WHERE owner_id = $1 AND day = ANY ($2::date[]) AND counted
    UNION ALL
    SELECT owner_id, day, source, project, model, 1, calls, failed, 0, 0, ${TOKENS.map(() => "0").join(", ")}, NULL
    FROM daybook.turns WHERE owner_id = $1 AND day = ANY ($2::date[])
    UNION ALL
    SELECT owner_id, day, source, project, model, turns, calls, failed, responses, CASE WHEN priced THEN 0 ELSE responses END,
      ${TOKENS.join(", ")}, CASE WHEN priced THEN pico END
    FROM daybook.session_days WHERE owner_id = $1 AND day = ANY ($2::date[])
  ) x
  GROUP BY x.owner_id, x.day, x.source, x.project, x.model`;

/** The owner's row is the lock for all their pushes, and the number that readers poll. */
export const NEXT_SEQ = `INSERT INTO daybook.heads AS h (owner_id, seq) VALUES ($1, 1)
  ON CONFLICT (owner_id) DO UPDATE SET seq = h.seq + 1 RETURNING seq`;

export const KNOWN_HEAD = `SELECT lines, reader, level, encode(hash, 'hex') AS hash, machine_id, forgotten IS NOT NULL AS forgotten
  FROM daybook.sessions WHERE owner_id = $1 AND session_id = $2`;

export const PUT_HEAD = `INSERT INTO daybook.sessions AS s
  (owner_id, session_id, source, project, level, started, ended, turns, lines, reader, hash, kind, parent, parent_turn, machine_id, seq, forgotten)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, NULL)
  ON CONFLICT (owner_id, session_id) DO UPDATE SET source = excluded.source, project = excluded.project, level = excluded.level,
    started = excluded.started, ended = excluded.ended, turns = excluded.turns, lines = excluded.lines, reader = excluded.reader,
    hash = excluded.hash, kind = excluded.kind, parent = excluded.parent, parent_turn = excluded.parent_turn,
    machine_id = excluded.machine_id, seq = excluded.seq
  WHERE s.forgotten IS NULL`;

/** A head without content, which rejects every copy of its session. */
export const PUT_TOMBSTONE = `INSERT INTO daybook.sessions AS s
  (owner_id, session_id, source, project, level, started, ended, turns, lines, reader, hash, machine_id, seq, forgotten)
  VALUES ($1, $2, '', '', 0, NULL, NULL, 0, 0, 0, '\\x', $3, $4, now())
  ON CONFLICT (owner_id, session_id) DO UPDATE SET source = '', project = '', level = 0, started = NULL, ended = NULL, turns = 0,
    lines = 0, reader = 0, hash = '\\x', kind = NULL, parent = NULL, parent_turn = NULL, machine_id = excluded.machine_id, seq = excluded.seq, forgotten = excluded.forgotten`;

export const PUT_COPY = `INSERT INTO daybook.session_copies (owner_id, session_id, machine_id, lines, level, hash)
  VALUES ($1, $2, $3, $4, $5, $6)
  ON CONFLICT (owner_id, session_id, machine_id) DO UPDATE SET lines = excluded.lines, level = excluded.level, hash = excluded.hash`;

export const PUT_MACHINE = `INSERT INTO daybook.machines (owner_id, machine_id, label, seen) VALUES ($1, $2, $3, now())
  ON CONFLICT (owner_id, machine_id) DO UPDATE SET label = excluded.label, seen = excluded.seen`;
