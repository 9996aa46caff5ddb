import { DaybookError } from "../errors.ts";
import type { Session } from "../turns/session.ts";
import { order, parseCitation, sessionRefs } from "./citations.ts";
import { projectNames } from "./groups.ts";
import { listTurns, type ReportInput } from "./day.ts";

/** Where a citation leads: a target for `show`, and the lines it names. */
export interface Cited {
  target: string;
  lines: [first: number, last: number] | null;
}

/**
 * Finds the session a report's citation means. Sessions are numbered within a project and a span, so both must be the
 * report's: the newest day with work unless a day is given, and the project where several have such a session.
 */
export function cited(
  text: string,
  input: Pick<ReportInput, "chosen" | "span" | "projectOf" | "namings">,
): Cited | null {
  const named = parseCitation(text);
  if (!named) return null;
  const { span } = input;
  const listed = listTurns(input.chosen, span);
  const nameOf = projectNames(input.namings, input.projectOf);
  const byProject = new Map<string, Set<Session>>();
  for (const { session } of listed) {
    const project = nameOf(session);
    byProject.set(project, (byProject.get(project) ?? new Set()).add(session));
  }
  const fits = (session: Session, project: string): boolean =>
    (named.project === null || [project, folderOf(session)].includes(named.project)) &&
    (named.turn_ref === null || session.turns.some((turn) => turn.ref === named.turn_ref && listed.has(turn)));
  const found: { project: string; session: Session }[] = [];
  for (const [project, sessions] of byProject) {
    for (const [session, ref] of sessionRefs(sessions)) {
      if (ref === named.session_ref && fits(session, project)) found.push({ project, session });
    }
  }
  const [only] = found;
  if (!only || found.length > 1)
    throw unclear(
      text,
      `${span.since} to ${span.until}`,
      found.map((f) => f.project),
    );
  const { source, session_id } = only.session;
  const turn = named.turn_ref === null ? "" : `/${named.turn_ref}`;
  return { target: `${source}/${session_id}${turn}`, lines: named.lines };
}

/** People call a project by its folder, too. */
function folderOf(session: Session): string {
  return session.meta.cwd?.split(/[/\\]+/).findLast((part) => part !== "") ?? "";
}

function unclear(text: string, days: string, projects: readonly string[]): DaybookError {
  const none = projects.length === 0;
  return new DaybookError(none ? `no session ${text} in ${days}` : `${text} could be in ${projects.length} projects`, {
    code: "not_found",
    op: "find citation",
    hint: none
      ? "give the day of the report with --date"
      : `one of: ${projects
          .toSorted(order)
          .map((project) => `${project}/${text}`)
          .join(", ")}`,
  });
}
