import { DaybookError } from "../../../base/errors.ts";
import type { PriceTable } from "../../../views/pricing/price-table.ts";
import type { AnswerRows } from "../../../views/rows.ts";
import type { Decision } from "../../../turns/decisions/model.ts";
import type { SessionView } from "../../../views/session-view.ts";
import type { Zone } from "../../../base/time/zone.ts";
import { turnIndexOf } from "../../../turns/session.ts";
import type { RecordedRequest, FoundFacts } from "../model.ts";
import { reportTurn } from "../turn.ts";
import type { HandoffInput } from "./items.ts";
import { sessionKey } from "../../../record/session-key.ts";

export interface ReportedInput extends Pick<HandoffInput, "session" | "agent" | "resume"> {
  /** The last turn to report; undefined for the session's last one. */
  last: string | undefined;
  rows: AnswerRows;
  facts: (key: string) => FoundFacts;
  zone: Zone;
  prices: PriceTable;
  hide: (text: string) => string;
}

/** Reports the turns of one session, up to a given turn. */
export function reportedSession({ session, last, rows, facts, agent, resume, ...how }: ReportedInput): HandoffInput {
  const key = sessionKey(session);
  const all = rows
    .turnsIn({ start: null, end: null })
    .filter((turn) => turn.session === key)
    .toSorted((a, b) => turnIndexOf(a.ref) - turnIndexOf(b.ref));
  const end = last === undefined ? all.length : all.findIndex(({ ref }) => ref === last) + 1;
  if (end === 0 && last !== undefined) throw noTurn(session, last, all.length);
  const { turns: chosen, sessions } = rows.reported(all.slice(0, end));
  // The brief names the session once, in its head, so citations start with the turn.
  const turns = chosen.map((turn) => {
    // A brief is made from a local book, which holds whole turns: no field is missing.
    const reported = reportTurn({ ...how, turn, sessions, facts, sessionRef: "", spent: undefined })
      .turn as RecordedRequest;
    return { ...reported, citation: reported.citation.replace(/^\//, "") };
  });
  const refs = new Set(chosen.map(({ ref }) => ref));
  const context = chosen.at(-1)?.view.context;
  return {
    session,
    agent,
    resume,
    turns,
    decisions: facts(key).decisions.filter(({ turn_ref }) => turn_ref === null || refs.has(turn_ref)) as Decision[],
    branch: context?.git_branch ?? null,
    commit: context?.git_commit ?? null,
  };
}

function noTurn({ session_id }: SessionView, ref: string, turns: number): DaybookError {
  return new DaybookError(`session ${session_id} has no turn ${ref}`, {
    code: "not_found",
    op: "find turn",
    hint: `it has ${turns} turns; \`daybook turns --session ${session_id}\` lists them`,
  });
}
