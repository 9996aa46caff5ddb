import { DaybookError } from "../../base/errors.ts";
import type { AnswerRows } from "../../views/rows.ts";
import type { SessionView } from "../../views/session-view.ts";
import { parseCitation, refsOf } from "./citations.ts";
import { projectNaming } from "./groups.ts";
import { rangeOf, type Span } from "./window.ts";
import { order } from "../../base/text/order.ts";
import { keyOfSession } from "../../record/session-key.ts";

/** Where a citation leads: a target for `show`, and the lines it names. */
export interface Cited {
  target: string;
  lines: [first: number, last: number] | null;
}

/**
 * Finds the session a report's citation means. Sessions are numbered within a project and a span, so both must be the
 * report's: the newest day with work unless a day is given, and the project where several have such a session.
 */
export function findCitation(text: string, rows: AnswerRows, span: Span): Cited | null {
  const named = parseCitation(text);
  if (!named) return null;
  const listed = rows.turnsIn(rangeOf(span));
  const nameOf = projectNaming(rows.namings());
  const byProject = new Map<string, Map<string, SessionView>>();
  for (const turn of listed) {
    const sessions = byProject.get(nameOf(turn)) ?? new Map<string, SessionView>();
    const session = sessions.get(turn.session) ?? rows.session(turn.session);
    if (session) byProject.set(nameOf(turn), sessions.set(turn.session, session));
  }
  const fits = (key: string, session: SessionView, project: string): boolean =>
    (named.project === null || [project, folderOf(session)].includes(named.project)) &&
    (named.turn_ref === null || listed.some((turn) => turn.session === key && turn.ref === named.turn_ref));
  const found: { project: string; session: SessionView }[] = [];
  for (const [project, sessions] of byProject) {
    const refs = refsOf(sessions.values());
    for (const [key, session] of sessions) {
      if (refs.get(session) === named.session_ref && fits(key, session, project)) found.push({ project, session });
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
  return { target: `${keyOfSession(source, session_id)}${turn}`, lines: named.lines };
}

/** The name of the session's working directory: people also call a project by its folder. */
function folderOf({ cwd }: SessionView): string {
  return cwd?.split(/[/\\]+/).findLast((part) => part !== "") ?? "";
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
