import { DaybookError } from "../base/errors.ts";
import { sessionKey } from "../record/session-key.ts";
import type { Session, Turn } from "../turns/session.ts";
import type { AnswerContext } from "./answer-context.ts";

/** A session, and one of its turns if the target names one: `SESSION` or `SESSION/T0001`. */
export async function findTarget(ctx: AnswerContext, target: string): Promise<{ session: Session; turn: Turn | null }> {
  const { wanted, ref } = parseTarget(target);
  const keys = new Set(ctx.index.queries.findSessions(wanted));
  const session = ctx.read([...keys]).sessions.find((one) => keys.has(sessionKey(one)));
  if (!session) throw noSessionError(target);
  if (ref === undefined) return { session, turn: null };
  const turn = session.turns.find((candidate) => candidate.ref === ref);
  if (turn) return { session, turn };
  throw new DaybookError(`session ${session.session_id} has no turn ${ref}`, {
    code: "not_found",
    op: "find turn",
    hint: `it has ${session.turns.length} turns; \`daybook turns --session ${session.session_id}\` lists them`,
  });
}

export function parseTarget(target: string): { wanted: string; ref: string | undefined } {
  const [, wanted = target, ref] = /^(.*)\/(T\d{4,})$/.exec(target) ?? [];
  return { wanted, ref };
}

export function noSessionError(target: string): DaybookError {
  return new DaybookError(`no session ${target}`, { code: "not_found", op: "find session" });
}
