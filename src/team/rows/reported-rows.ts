import type { Level } from "../../views/push-level.ts";
import type { ContextShift } from "../../views/context-trail.ts";
import type { ReportedFacts, StoredContents } from "../../answers/daybook.ts";

type TurnFacts = NonNullable<ReturnType<ReportedFacts["facts"]["get"]>>;

/**
 * The content of a row of `facts`. `detail` and `audit` only for row 0: work that no human turn asked for, and the
 * session as a whole.
 */
export interface ReportedBody extends Partial<Pick<ReportedFacts, "detail" | "audit">> {
  facts: TurnFacts | null;
  changes?: readonly ContextShift[];
}

/**
 * What reports derive from a session in addition to its views: for the whole session, then for each turn with
 * something to report.
 */
export function* reportedRows(
  whole: StoredContents,
  level: Level,
): Generator<{ n: number; body: ReportedBody }, void, undefined> {
  const { facts, changes, detail, audit } = whole.reported();
  const shown = (n: number): TurnFacts | null => {
    const found = facts.get(n);
    return found === undefined ? null : level === "full" ? found : withoutContents(found);
  };
  yield { n: 0, body: { facts: shown(0), detail, audit } };
  const numbers = new Set([...facts.keys(), ...changes.keys()]);
  for (const n of [...numbers].toSorted((a, b) => a - b)) {
    if (n === 0) continue;
    const shifts = changes.get(n);
    yield { n, body: { facts: shown(n), ...(shifts ? { changes: shifts } : {}) } };
  }
}

/** Below `full`, inputs and outputs of tools are not sent; how they ended is. */
function withoutContents({ tool_problems, last_check, ...rest }: TurnFacts): TurnFacts {
  return {
    ...rest,
    tool_problems: tool_problems.map((problem) => ({ ...problem, about: null, error: null })),
    last_check: last_check && { ...last_check, command: null },
  };
}
