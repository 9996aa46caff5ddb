import type { Level } from "../../answers/push-level.ts";
import type { ContextShift } from "../../answers/context-trail.ts";
import type { ReportedSession, SessionContents } from "../../daybook.ts";

type TurnFacts = NonNullable<ReturnType<ReportedSession["facts"]["get"]>>;

/** What a row of `facts` says of a turn. */
export interface ReportedTurn {
  facts: TurnFacts | null;
  changes?: readonly ContextShift[];
}

/** The same of work that no turn of a human asked for, and of the session as a whole. */
export interface ReportedWhole extends ReportedTurn, Pick<ReportedSession, "detail" | "audit"> {}

/** What reports find of a session beyond its answers: of the whole, then of each turn of which there is something to say. */
export function* reportedRows(
  whole: SessionContents,
  level: Level,
): Generator<{ n: number; body: ReportedTurn | ReportedWhole }, void, undefined> {
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

/** What tools were given and gave back stays where it is below `full`; how they ended is known. */
function withoutContents({ tool_problems, last_check, ...rest }: TurnFacts): TurnFacts {
  return {
    ...rest,
    tool_problems: tool_problems.map((problem) => ({ ...problem, about: null, error: null })),
    last_check: last_check && { ...last_check, command: null },
  };
}
