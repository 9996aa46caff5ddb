import { DaybookError } from "../base/errors.ts";
import { sessionKey } from "../record/session-key.ts";
import type { Session, Turn } from "../turns/session.ts";
import type { AnswerContext } from "./answer-context.ts";

/** What a target names, as answers print it: `SESSION[/TURN][:LINE[-LINE]]`. */
export interface Target {
  wanted: string;
  ref: string | undefined;
  lines: CitedLines | null;
}

export type CitedLines = readonly [first: number, last: number];

export interface FoundTarget {
  session: Session;
  turn: Turn | null;
  /** The lines of the session's file that the target names; null if it names none. */
  lines: CitedLines | null;
}

export async function findTarget(ctx: AnswerContext, target: string): Promise<FoundTarget> {
  const { wanted, ref, lines } = parseTarget(target);
  const keys = new Set(ctx.index.queries.findSessions(wanted));
  const session = ctx.read([...keys]).sessions.find((one) => keys.has(sessionKey(one)));
  if (!session) throw noSessionError(target);
  if (ref === undefined) return { session, turn: null, lines };
  const turn = session.turns.find((candidate) => candidate.ref === ref);
  if (turn) return { session, turn, lines };
  throw new DaybookError(`session ${session.session_id} has no turn ${ref}`, {
    code: "not_found",
    op: "find turn",
    hint: `it has ${session.turns.length} turns; \`daybook turns --session ${session.session_id}\` lists them`,
  });
}

export function parseTarget(target: string): Target {
  const [, place = target, first, last = first] = /^(.+?)(?::(\d{1,15})(?:-(\d{1,15}))?)?$/s.exec(target) ?? [];
  const [, wanted = place, ref] = /^(.*)\/(T\d{4,})$/s.exec(place) ?? [];
  return { wanted, ref, lines: first === undefined ? null : [Number(first), Math.max(Number(first), Number(last))] };
}

export function noSessionError(target: string): DaybookError {
  return new DaybookError(`no session ${target}`, { code: "not_found", op: "find session" });
}
