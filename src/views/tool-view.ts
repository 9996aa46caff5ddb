import type { NotPushed, ReadViews } from "./not-pushed.ts";
import type { ToolStatus } from "../record/record.ts";
import { risksOf, type Risk } from "./risk/risk.ts";
import { iso } from "../base/time/zone.ts";
import { isExpectedExit } from "../turns/tool-ledger.ts";
import type { OwnedCall, Session } from "../turns/session.ts";

/** A tool call as printed in JSON. From a team store some fields may be null: `not_pushed` names them. */
export interface ToolView {
  source: string;
  session_id: string;
  session_path: string | null;
  turn_ref: string | null;
  call_id: string | null;
  parent_call_id: string | null;
  name: string | null;
  input: unknown;
  status: ToolStatus;
  exit_code: number | null;
  /** Present only when true: the exit code is an ordinary answer, such as a search without a hit (`docs/report.md`). */
  expected_exit?: true;
  duration_ms: number | null;
  started_at: string | null;
  start_line: number | null;
  end_line: number | null;
  error: string | null;
  /** The rules of `docs/risk.md` that apply to the call. */
  risks: Risk[] | null;
  /** Only from a team store: the fields that were not pushed. */
  not_pushed?: NotPushed;
}

/** `known`: the risks, if already determined. The risk rules cost more than everything else here. */
export function toolView(session: Session, { call, part, turn }: OwnedCall, known?: Risk[]): ReadViews["call"] {
  const { cwd } = session.meta;
  const worked = turn?.draft.context.cwd ?? cwd;
  const place = { roots: [cwd, worked].filter((dir) => dir !== null), cwd: worked };
  return {
    source: session.source,
    session_id: session.session_id,
    session_path: part.path,
    turn_ref: turn && !turn.draft.delegated ? turn.ref : null,
    call_id: call.call_id,
    parent_call_id: call.parent_call_id,
    name: call.name,
    input: call.input,
    status: call.status,
    exit_code: call.exit_code,
    ...(isExpectedExit(call) ? { expected_exit: true as const } : {}),
    // Without a stated duration, the time between call and result is used.
    duration_ms: call.duration_ms ?? between(call.started_at, call.settled ? call.ended_at : null),
    started_at: iso(call.started_at),
    start_line: call.start_line,
    end_line: call.end_line,
    error: call.error,
    risks: known ?? risksOf(call.name, call.input, place),
  };
}

function between(start: number | null, end: number | null): number | null {
  return start === null || end === null || end < start ? null : end - start;
}
