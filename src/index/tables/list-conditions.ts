import type { ListFilter, ListOrder } from "../../views/list-filter.ts";
import type { SqlValue } from "../../base/io/sqlite.ts";

/** Conditions of a query, joined by AND, and the values of their parameters. */
export interface Conditions {
  where: string[];
  params: SqlValue[];
}

/** The first request of a session `s`. */
export const FIRST_REQUEST =
  "(SELECT json_extract(f.view, '$.trigger.text') FROM turn f WHERE f.session = s.key ORDER BY f.ref LIMIT 1)";
const LAST_OUTCOME =
  "(SELECT json_extract(l.view, '$.outcome') FROM turn l WHERE l.session = s.key ORDER BY l.ref DESC LIMIT 1)";

/** The filters of a list of sessions `s`. */
export function sessionConditions(filter: ListFilter): Conditions {
  return conditions(filter, {
    models: "json_each(s.view, '$.models')",
    outcome: LAST_OUTCOME,
    failed: "json_extract(s.view, '$.tools.failed')",
    cost: "json_extract(s.view, '$.usage.cost_usd')",
    texts: ["json_extract(s.view, '$.title')", FIRST_REQUEST, "s.project", "s.session_id"],
  });
}

/** The filters of a list of turns `t` of sessions `s`. */
export function turnConditions(filter: ListFilter): Conditions {
  return conditions(filter, {
    models: "json_each(t.view, '$.usage.models')",
    outcome: "json_extract(t.view, '$.outcome')",
    failed: "json_extract(t.view, '$.tools.failed')",
    cost: "json_extract(t.view, '$.usage_with_children.cost_usd')",
    texts: ["json_extract(s.view, '$.title')", "json_extract(t.view, '$.trigger.text')", "s.project", "s.session_id"],
  });
}

/** Where a list has what it is filtered by, in SQL. */
interface Places {
  models: string;
  outcome: string;
  failed: string;
  cost: string;
  texts: readonly string[];
}

type Condition<Value> = (value: Value, places: Places) => readonly [sql: string, ...params: SqlValue[]] | null;

/** One condition per filter; null for a value that filters nothing. */
const CONDITIONS: { readonly [Name in keyof ListFilter]-?: Condition<NonNullable<ListFilter[Name]>> } = {
  source: (id) => ["s.source = ?", id],
  model: (name, { models }) => [`EXISTS (SELECT 1 FROM ${models} WHERE value = ?)`, name],
  outcome: (wanted, { outcome }) => [`${outcome} = ?`, wanted],
  failures: (isOnly, { failed }) => (isOnly ? [`${failed} > 0`] : null),
  min_cost: (usd, { cost }) => [`COALESCE(${cost}, 0) >= ?`, usd],
  // A superset: lists show requests in one line and without the signs of bold text, which is checked row by row.
  text: (wanted, { texts }) => {
    const certain = caseSafePart(wanted);
    if (certain === "") return null;
    return [
      `(${texts.map((one) => `REPLACE(${one}, '**', '') LIKE ?`).join(" OR ")})`,
      ...texts.map(() => `%${certain}%`),
    ];
  },
  children: (isAlso) => (isAlso ? null : ["s.kind = 'root'"]),
};

function conditions(filter: ListFilter, places: Places): Conditions {
  const found: Conditions = { where: [], params: [] };
  for (const [name, condition] of Object.entries(CONDITIONS)) {
    const value = filter[name as keyof ListFilter];
    const made = value === undefined ? null : (condition as Condition<typeof value>)(value, places);
    if (made === null) continue;
    const [sql, ...params] = made;
    found.where.push(sql);
    found.params.push(...params);
  }
  return found;
}

const NEWEST = "COALESCE(s.started, 0) DESC, s.source DESC, s.session_id DESC";
const COST = "COALESCE(json_extract(s.view, '$.usage.cost_usd'), 0)";

/** The orders of a list of sessions `s`. */
export const SESSION_ORDER: Readonly<Record<NonNullable<ListOrder["sort"]>, string>> = {
  newest: NEWEST,
  oldest: "s.started, s.key",
  active: "s.ended DESC, s.key",
  cost: `${COST} DESC, s.key`,
  turns: "s.turns DESC, s.key",
  // Newest first within each project, so that the list can be grouped by project.
  project: `s.project, ${NEWEST}`,
};

/**
 * The longest part of a text that occurs, in any case, in the JSON of whatever contains the text: without characters
 * that JSON escapes, white space, and letters to which other characters fold.
 */
export function caseSafePart(text: string): string {
  return text
    .split(/[^a-hjl-z0-9./:=-]+/i)
    .reduce((longest, part) => (part.length > longest.length ? part : longest), "");
}
