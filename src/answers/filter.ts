import { DaybookError } from "../errors.ts";
import { nearest } from "../text/near.ts";
import type { MarkFilter } from "./marks.ts";
import type { Project } from "./projects/project.ts";
import { projectQueryOf } from "./projects/projects.ts";
import { within, type TimeRange } from "../time/range.ts";
import type { Session, Turn } from "../turns/session.ts";
import { sessionKey } from "../format/session-key.ts";

export interface Filter {
  project?: string | undefined;
  session?: string | undefined;
  /** Only sessions and turns with these marks. */
  marked?: MarkFilter | undefined;
  range: TimeRange;
  limit?: number | undefined;
}

/** The sessions that match the filter, except for its range and limit. */
export function selectSessions(
  sessions: readonly Session[],
  filter: Filter,
  names: { projectOf(session: Session): Project; rootOf(session: Session): string },
): Session[] {
  let chosen = filter.session === undefined ? [...sessions] : findSessions(sessions, filter.session);
  if (filter.project !== undefined) {
    const { name, cwd, root } = projectQueryOf(filter.project);
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

/** Finds sessions by full id, `source/id`, path, file name, or an unambiguous prefix of the id. */
export function findSessions(sessions: readonly Session[], wanted: string): Session[] {
  const exact = sessions.filter(
    (session) =>
      session.session_id === wanted ||
      sessionKey(session) === wanted ||
      session.parts.some((part) => part.path === wanted || part.path.endsWith(`/${wanted}`)),
  );
  if (exact.length > 0) return exact;
  return [sessionByPrefix(sessions, wanted)];
}

/** The only session whose id begins with `wanted`; throws when there is none or more than one. */
export function sessionByPrefix<T extends { session_id: string }>(known: readonly T[], wanted: string): T {
  const begun = known.filter(({ session_id }) => wanted.length >= 4 && session_id.startsWith(wanted));
  const [only] = begun;
  if (only && begun.length === 1) return only;
  const idsOf = (some: readonly T[]): string[] => some.map(({ session_id }) => session_id);
  throw sessionNotFound(wanted, idsOf(begun), idsOf(known));
}

/** The error for a prefix that matches no session or several. */
function sessionNotFound(wanted: string, names: readonly string[], known: readonly string[]): DaybookError {
  const message = names.length === 0 ? `no session ${wanted}` : `${wanted} could be ${names.length} sessions`;
  const more = names.length > 5 ? `, … (${names.length} in all)` : "";
  const hint =
    names.length > 0
      ? `one of: ${names.slice(0, 5).join(", ")}${more}`
      : [suggestIds(wanted, known), "`daybook sessions` lists what there is"].filter((part) => part !== "").join(" ");
  return new DaybookError(message, { code: "not_found", op: "find session", hint });
}

/** Suggests similar ids. People type only a prefix of an id, so only prefixes of that length are compared. */
function suggestIds(wanted: string, known: readonly string[]): string {
  if (wanted.length < 4) return "";
  const begun = new Map(known.map((id) => [id.slice(0, wanted.length), id]));
  const near = nearest(wanted, begun.keys()).map((begin) => begun.get(begin) ?? begin);
  return near.length === 0 ? "" : `did you mean ${near.join(" or ")}?`;
}
