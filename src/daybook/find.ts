import { findSessions } from "../answers/filter.ts";
import { DaybookError } from "../errors.ts";
import type { ReadOptions } from "../reading/read-file.ts";
import type { Session, Turn } from "../turns/session.ts";
import type { Asking } from "./asking.ts";

/** A session, and a turn of it when the target names one: `SESSION` or `SESSION/T0001`. */
export async function find(
  asking: Asking,
  target: string,
  options: ReadOptions,
): Promise<{ session: Session; turn: Turn | null }> {
  const { wanted, ref } = namedTurn(target);
  const { sessions } = await asking.read(options, (index) => index.find(wanted));
  const [session] = findSessions(sessions, wanted);
  if (!session) throw noSession(target);
  if (ref === undefined) return { session, turn: null };
  const turn = session.turns.find((candidate) => candidate.ref === ref);
  if (turn) return { session, turn };
  throw new DaybookError(`session ${session.session_id} has no turn ${ref}`, {
    code: "not_found",
    op: "find turn",
    hint: `it has ${session.turns.length} turns; \`daybook turns --session ${session.session_id}\` lists them`,
  });
}

export function namedTurn(target: string): { wanted: string; ref: string | undefined } {
  const [, wanted = target, ref] = /^(.*)\/(T\d{4,})$/.exec(target) ?? [];
  return { wanted, ref };
}

export function noSession(target: string): DaybookError {
  return new DaybookError(`no session ${target}`, { code: "not_found", op: "find session" });
}
