import type { UsageRow } from "../answers/usage-view.ts";
import type { UsageShare } from "./answers.ts";
import { totalTokens } from "../format/tokens.ts";

/** Sums rows by name, most expensive first. */
export function usageShares(rows: readonly UsageRow[], nameOf: (row: UsageRow) => string): UsageShare[] {
  const shares = new Map<string, UsageShare>();
  for (const row of rows) {
    const name = nameOf(row);
    const known = shares.get(name) ?? { name, tokens: 0, cost_usd: null, unpriced_models: [] };
    shares.set(name, known);
    known.tokens += totalTokens(row);
    if (row.cost_usd !== null) known.cost_usd = (known.cost_usd ?? 0) + row.cost_usd;
    known.unpriced_models = [...new Set([...known.unpriced_models, ...row.unpriced_models])].toSorted();
  }
  return [...shares.values()].toSorted((a, b) => (b.cost_usd ?? 0) - (a.cost_usd ?? 0) || b.tokens - a.tokens);
}

/** Parses the name of a row by turn: `source/session/T0001`. A session id may contain slashes. */
export function turnNamed(period: string): { source: string; session_id: string; turn_ref: string } | null {
  const [, source, session_id, turn_ref] = /^([^/]+)\/(.+)\/(T\d+)$/.exec(period) ?? [];
  return source === undefined || session_id === undefined || turn_ref === undefined
    ? null
    : { source, session_id, turn_ref };
}
