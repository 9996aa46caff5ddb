import { expandConditions, statementsOf } from "../../src/team/schema/migrations.ts";

/** Something that an engine refuses or misinterprets: a pattern that no statement may match, and an example that does. */
interface Refused {
  what: string;
  /** The engines that refuse it; `all` if it breaks the store's own rules. */
  by: string;
  pattern: RegExp;
  example: string;
}

/**
 * From the documentation of each engine: CockroachDB 25.2 to 26.3, YugabyteDB from 2025.1, neither of which was run; and what
 * Citus 13.2 said when it was run.
 */
export const REFUSED: readonly Refused[] = [
  {
    what: "sequences",
    by: "Citus, CockroachDB",
    pattern: /\b(?:small|big)?serial\d?\b|\bidentity\b|\bsequence\b|\bnextval\b/i,
    example: "CREATE TABLE IF NOT EXISTS daybook.x (n bigserial)",
  },
  {
    what: "foreign keys",
    by: "Citus; ties owners together",
    pattern: /\breferences\b|\bforeign key\b/i,
    example: "CREATE TABLE IF NOT EXISTS daybook.x (owner_id uuid REFERENCES daybook.owners)",
  },
  {
    what: "triggers and rules",
    by: "Citus",
    pattern: /\btrigger\b|\bcreate (?:or replace )?rule\b/i,
    example: "CREATE TRIGGER x BEFORE INSERT ON daybook.turns",
  },
  {
    what: "extensions",
    by: "CockroachDB, YugabyteDB",
    pattern: /\bextension\b|\bpg_trgm\b|\bgin_trgm_ops\b/i,
    example: "CREATE EXTENSION pg_trgm",
  },
  {
    what: "jsonb and generated columns",
    by: "CockroachDB, YugabyteDB",
    pattern: /\bjsonb\b|\bgenerated\b/i,
    example: "CREATE TABLE IF NOT EXISTS daybook.x (body jsonb)",
  },
  {
    what: "text search that depends on the server's language",
    by: "CockroachDB",
    pattern: /\b(?:websearch_|plainto_|phraseto_)?to_ts(?:vector|query)\b|\bsetweight\b|\bts_rank(?:_cd)?\b/i,
    example: "SELECT to_tsvector('english', body)",
  },
  {
    what: "a GIN index over several columns",
    by: "YugabyteDB",
    pattern: /using gin \([^)]*,/i,
    example: "CREATE INDEX IF NOT EXISTS x ON daybook.texts USING gin (terms, owner_id)",
  },
  {
    what: "advisory locks",
    by: "CockroachDB ignores them, Citus holds them per node",
    pattern: /\bpg_(?:try_)?advisory/i,
    example: "SELECT pg_advisory_xact_lock(1)",
  },
  {
    what: "LISTEN and NOTIFY",
    by: "CockroachDB, poolers",
    pattern: /^\s*(?:listen|notify)\b|\bpg_notify\b/im,
    example: "NOTIFY pushed",
  },
  {
    what: "COPY and temporary tables",
    by: "PostgreSQL on tables with policies, CockroachDB, poolers",
    pattern: /^\s*copy\b|\btemp(?:orary)? table\b/im,
    example: "CREATE TEMP TABLE stage (n int4)",
  },
  {
    what: "code in languages other than SQL and PL/pgSQL",
    by: "not built in",
    pattern: /^\s*do \$|\blanguage (?!sql\b|plpgsql\b)\w+/im,
    example: "DO $$ BEGIN NULL; END $$",
  },
  {
    what: "SQL functions with parameters",
    by: "Citus: no distributed plan",
    pattern: /\bcreate (?:or replace )?function \S+\((?!\))[^$]*\blanguage sql\b/i,
    example: "CREATE OR REPLACE FUNCTION daybook_ask.x(a int4) RETURNS int4 LANGUAGE sql AS $$ SELECT a $$",
  },
  {
    what: "a policy that asks another table",
    by: "Citus: no subqueries in policies on distributed tables",
    pattern: /^create policy\b[^]*\bselect\s+(?!to\b)[^]*$/i,
    example:
      "CREATE POLICY own ON daybook.x FOR ALL TO daybook_dev USING (owner_id = (SELECT current_setting('a')::uuid))",
  },
  {
    what: "an owner from a parameter in INSERT … SELECT",
    by: "Citus: copies rows instead, which PostgreSQL refuses on tables with policies",
    pattern:
      /^\s*insert into daybook\.\w+[^(]*\(owner_id\b[^;]*\)\s*select\s+\$1::uuid\b(?:(?!\bunnest\b)[^])*\bfrom daybook\./i,
    example: "INSERT INTO daybook.usage_days (owner_id, n) SELECT $1::uuid, count(*) FROM daybook.turns",
  },
  {
    what: "CASE of a column WHEN a value",
    by: "Citus: compares a smallint with a boolean",
    pattern: /\bcase\s+\w+\.\w+\s+when\b/i,
    example: "SELECT CASE t.kind WHEN 1 THEN 'x' END FROM daybook.details t",
  },
  {
    what: "several statements in one string",
    by: "Citus: sends the settings to its workers before their transaction",
    pattern: /^\s*(?:begin|set)\b[^;]*;\s*\S/i,
    example: "BEGIN; SET LOCAL ROLE daybook_dev",
  },
  {
    what: "privileges on single columns",
    by: "CockroachDB",
    pattern: /\bgrant (?:select|insert|update)\s*\(/i,
    example: "GRANT UPDATE (seen) ON daybook.tokens TO daybook_auth",
  },
  {
    what: "settings of a function",
    by: "CockroachDB",
    pattern: /\blanguage sql\b[^$]*\bset \w+ =/i,
    example: "CREATE FUNCTION x() RETURNS int4 LANGUAGE sql SET search_path = pg_catalog AS $$ SELECT 1 $$",
  },
  {
    what: "integer types of varying size",
    by: "CockroachDB",
    pattern: /\b(?:int|integer|smallint|bigint)\b(?!\w)/i,
    example: "CREATE TABLE IF NOT EXISTS daybook.x (n integer)",
  },
  {
    what: "views",
    by: "CockroachDB; Citus does not write through them",
    pattern: /\bcreate (?:or replace )?(?:materialized )?view\b|\bsecurity_barrier\b/i,
    example: "CREATE VIEW daybook.x WITH (security_barrier) AS SELECT 1",
  },
  {
    what: "ON CONFLICT by an expression or a constraint",
    by: "CockroachDB, Citus",
    pattern: /\bon conflict (?:on constraint|\([^)]*\()/i,
    example: "INSERT INTO daybook.x VALUES (1) ON CONFLICT (lower(name)) DO NOTHING",
  },
  {
    what: "statements that cannot be run twice",
    by: "all: an interrupted step is run again",
    pattern: /\bconcurrently\b|^create (?:table|index|unique index) (?!if not exists)|\badd column (?!if not exists)/i,
    example: "CREATE INDEX CONCURRENTLY x ON daybook.turns (owner_id)",
  },
];

/** A statement without any of its optional parts, as the least capable engine gets it. */
export function barest(statement: string): string {
  return expandConditions(statement, new Set());
}

/** What a statement contains that some engine refuses. */
export function refusedIn(statement: string): string[] {
  const text = barest(statement);
  return REFUSED.filter(({ pattern }) => pattern.test(text)).map(({ what, by }) => `${what} (${by})`);
}

export interface TableText {
  name: string;
  body: string;
  /** Whether its rows belong to owners; other tables are small and the same on every node. */
  owned: boolean;
}

export function tablesIn(statements: readonly string[]): TableText[] {
  return statements.flatMap((text) => {
    const [, name, body] = /^CREATE TABLE IF NOT EXISTS daybook\.(\w+) \(([^]*)\)/.exec(text) ?? [];
    if (name === undefined || body === undefined) return [];
    return [{ name, body, owned: text.includes("[partitioned]") }];
  });
}

/** Tables about people, teams and the store: no rows of anybody's work. */
const PEOPLE = ["stores", "owners", "teams", "memberships", "tokens"];

/** Keys and unique indexes that do not begin with the owner; other indexes may begin with any column. */
export function keyProblems(sql: string): string[] {
  const statements = statementsOf(sql);
  const problems = tablesIn(statements).flatMap(({ name, body, owned }) => {
    if (PEOPLE.includes(name)) return owned ? [`${name} holds nobody's rows`] : [];
    if (!owned) return [`${name} is not split by its owner`];
    const keys = [...body.matchAll(/(?:PRIMARY KEY|UNIQUE) ?(\([^)]*\))?/gi)].map(([, columns = ""]) => columns);
    if (keys.length !== 1) return [`${name} has ${keys.length} keys`];
    return keys.filter((key) => !/^\(owner_id\b/.test(key)).map((key) => `${name} has a key ${key || "of one column"}`);
  });
  for (const text of statements) {
    const [, table = "", columns = ""] = /^CREATE UNIQUE INDEX .* ON daybook\.(\w+) (\(.*\))/.exec(text) ?? [];
    if (table !== "" && !columns.startsWith("(owner_id")) problems.push(`${table} has a unique index ${columns}`);
    const [, altered = ""] = /^ALTER TABLE daybook\.(\w+) ADD (?:CONSTRAINT|PRIMARY|UNIQUE)/i.exec(text) ?? [];
    if (altered !== "") problems.push(`${altered} is given another key`);
  }
  return problems;
}
