import type { UsageRow } from "../../views/usage-view.ts";
import type { UsageShare } from "./answers.ts";
import { totalTokens } from "../../record/tokens.ts";
import { parseSessionKey, parseTurnKey } from "../../record/session-key.ts";

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

/** The turn a row by turn is named after; null for rows of what no turn asked for. */
export function turnNamed(period: string): { source: string; session_id: string; turn_ref: string } | null {
  const { session, turn_ref } = parseTurnKey(period);
  const { source, session_id } = parseSessionKey(session);
  return /^T\d+$/.test(turn_ref) && source !== "" && session_id !== "" ? { source, session_id, turn_ref } : null;
}
