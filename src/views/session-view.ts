import type { NotPushed, ReadViews } from "./not-pushed.ts";
import type { SessionMarks } from "./marks.ts";
import type { SessionKind, SessionRef } from "../record/record.ts";
import type { PriceTable } from "./pricing/price-table.ts";
import type { Project } from "./projects/project.ts";
import { iso } from "../base/time/zone.ts";
import { triggerOf, type Session } from "../turns/session.ts";
import { titleOf, type NamingRequest, type StatedTitle, type Title, type TitleSource } from "./title.ts";
import { countCalls, isUnstated, type ToolCounts } from "./turn-view.ts";
import { UsageSum, type UsageView } from "./usage-sum.ts";

/** A session as printed in JSON. From a team store some fields may be null: `not_pushed` names them. */
export interface SessionView {
  source: string;
  session_id: string;
  session_path: string | null;
  /** Every file of the session, oldest first. */
  session_paths: string[] | null;
  project: string;
  project_key: string;
  cwd: string | null;
  /** Given by the human or the agent; else the first meaningful request. */
  title: string | null;
  title_source: TitleSource | null;
  started_at: string | null;
  ended_at: string | null;
  models: string[];
  agent_version: string | null;
  kind: SessionKind;
  role: string | null;
  parent: SessionRef | null;
  /** The turn of the parent that caused it. */
  parent_turn: string | null;
  forked_from: string | null;
  turns: number;
  usage: UsageView;
  tools: ToolCounts;
  diagnostics: {
    corrupt_lines: number;
    unknown_records: number;
    duplicate_records: number;
    inherited_records: number;
    untimed_records: number;
    backward_times: number;
  } | null;
  /** The marks on the session and its turns; null when there are none. */
  marks: SessionMarks | null;
  /** Only from a team store: the fields that were not pushed. */
  not_pushed?: NotPushed;
}

export function sessionView(
  session: Session,
  project: Project,
  stated: StatedTitle | null,
  prices: PriceTable,
): ReadViews["session"] {
  const usage = new UsageSum(prices);
  for (const { event } of session.usage) usage.add(event);
  if (session.usage.length === 0 && session.turns.some(isUnstated)) usage.unstated();
  const counted = { turns: session.turns.length, usage: usage.view(), tools: countCalls(session.tools) };
  return sessionViewOf(session, project, sessionTitle(session, stated), counted);
}

export function sessionTitle(session: Session, stated: StatedTitle | null): Title {
  return titleOf(stated, requestsOf(session));
}

function* requestsOf({ turns }: Session): Generator<NamingRequest, void, undefined> {
  for (const turn of turns) yield triggerOf(turn);
}

/** Builds the view from counts that are already known. */
export function sessionViewOf(
  session: Session,
  project: Project,
  title: Title,
  counted: Pick<SessionView, "turns" | "usage" | "tools">,
): ReadViews["session"] {
  const { meta, records, cause } = session;
  const parent = cause ? { source: cause.session.source, session_id: cause.session.session_id } : meta.parent;
  return {
    source: session.source,
    session_id: session.session_id,
    session_path: session.path,
    session_paths: session.parts.map((part) => part.path),
    ...project,
    cwd: meta.cwd,
    ...title,
    started_at: iso(session.started_at),
    ended_at: iso(session.ended_at),
    models: meta.models,
    agent_version: meta.agent_version,
    kind: meta.kind,
    role: meta.role,
    parent: meta.kind === "root" ? null : parent,
    parent_turn: cause && !cause.draft.delegated ? cause.ref : null,
    forked_from: meta.forked_from,
    turns: counted.turns,
    usage: counted.usage,
    tools: counted.tools,
    diagnostics: {
      corrupt_lines: records.corrupt,
      unknown_records: records.unknown,
      duplicate_records: records.duplicates,
      inherited_records: records.inherited,
      untimed_records: session.parts.reduce((sum, part) => sum + part.untimed, 0),
      backward_times: session.parts.reduce((sum, part) => sum + part.backwards, 0),
    },
    // Marks are stored in the book, not in the session; they are added when a book is queried.
    marks: null,
  };
}
