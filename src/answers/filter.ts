import { DaybookError } from "../errors.ts";
import { nearest } from "../text/near.ts";
import type { Marked } from "./marks.ts";
import type { Project } from "./projects/project.ts";
import { callsOf } from "./projects/projects.ts";
import { within, type TimeRange } from "../time/range.ts";
import { sessionKey, type Session, type Turn } from "../turns/session.ts";

export interface Filter {
  project?: string | undefined;
  session?: string | undefined;
  /** Only what people marked so. */
  marked?: Marked | undefined;
  range: TimeRange;
  limit?: number | undefined;
}

/** Sessions that match; a session is in range when any part of its life is. */
export function selectSessions(
  sessions: readonly Session[],
  filter: Filter,
  names: { projectOf(session: Session): Project; rootOf(session: Session): string },
): Session[] {
  let chosen = filter.session === undefined ? [...sessions] : findSessions(sessions, filter.session);
  if (filter.project !== undefined) {
    const { name, cwd, root } = callsOf(filter.project);
    chosen = chosen.filter((session) => {
      const { project, project_key } = names.projectOf(session);
      return project === name || project_key === name || session.meta.cwd === cwd || names.rootOf(session) === root;
    });
  }
  const { marked } = filter;
  return marked ? chosen.filter((session) => marked.hasSession(sessionKey(session))) : chosen;
}

export function inRange(session: Session, range: TimeRange): boolean {
  if (range.start === null && range.end === null) return true;
  const start = session.started_at ?? session.ended_at;
  const end = session.ended_at ?? session.started_at;
  if (start === null || end === null) return false;
  return (range.end === null || start < range.end) && (range.start === null || end >= range.start);
}

export function turnInRange(turn: Turn, range: TimeRange): boolean {
  return within(range, turn.draft.trigger.time);
}

/** By full id, `source/id`, path, file name, or an unambiguous beginning of the id. */
export function findSessions(sessions: readonly Session[], wanted: string): Session[] {
  const exact = sessions.filter(
    (session) =>
      session.session_id === wanted ||
      `${session.source}/${session.session_id}` === wanted ||
      session.parts.some((part) => part.path === wanted || part.path.endsWith(`/${wanted}`)),
  );
  if (exact.length > 0) return exact;
  return [sessionBegun(sessions, wanted)];
}

/** The one whose id begins so. */
export function sessionBegun<T extends { session_id: string }>(known: readonly T[], wanted: string): T {
  const begun = known.filter(({ session_id }) => wanted.length >= 4 && session_id.startsWith(wanted));
  const [only] = begun;
  if (only && begun.length === 1) return only;
  const idsOf = (some: readonly T[]): string[] => some.map(({ session_id }) => session_id);
  throw notOneSession(wanted, idsOf(begun), idsOf(known));
}

/** None, or several, whose names begin so. */
function notOneSession(wanted: string, names: readonly string[], known: readonly string[]): DaybookError {
  const message = names.length === 0 ? `no session ${wanted}` : `${wanted} could be ${names.length} sessions`;
  const more = names.length > 5 ? `, … (${names.length} in all)` : "";
  const hint =
    names.length > 0
      ? `one of: ${names.slice(0, 5).join(", ")}${more}`
      : [mistyped(wanted, known), "`daybook sessions` lists what there is"].filter((part) => part !== "").join(" ");
  return new DaybookError(message, { code: "not_found", op: "find session", hint });
}

/** Ids are begun rather than typed, so as much of each is compared. */
function mistyped(wanted: string, known: readonly string[]): string {
  if (wanted.length < 4) return "";
  const begun = new Map(known.map((id) => [id.slice(0, wanted.length), id]));
  const near = nearest(wanted, begun.keys()).map((begin) => begun.get(begin) ?? begin);
  return near.length === 0 ? "" : `did you mean ${near.join(" or ")}?`;
}
