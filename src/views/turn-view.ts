import type { NotPushed, ReadViews } from "./not-pushed.ts";
import type { Relation, ToolStatus, TriggerEntry, TriggerKind } from "../record/record.ts";
import type { Marks } from "./marks.ts";
import type { PriceTable } from "./pricing/price-table.ts";
import type { Project } from "./projects/project.ts";
import { iso } from "../base/time/zone.ts";
import type { Outcome, TouchedFileAt, TurnContext } from "../turns/model.ts";
import { triggerOf, type Child, type OwnedCall, type Session, type Turn } from "../turns/session.ts";
import { decisionIds } from "./turn-decisions.ts";
import { UsageSum, type UsageView } from "./usage-sum.ts";

export interface ToolCounts extends Record<ToolStatus, number> {
  total: number;
}

export interface ChildView {
  source: string;
  session_id: string;
  relation: Relation;
  role: string | null;
  spawn_line: number | null;
  result_line: number | null;
}

/** A turn as printed in JSON. From a team store some fields may be null: `not_pushed` names them. */
export interface TurnView {
  source: string;
  session_id: string;
  session_path: string | null;
  project: string;
  project_key: string;
  cwd: string | null;
  turn_ref: string;
  native_turn_id: string | null;
  trigger: {
    time: string | null;
    line: number | null;
    echo_line: number | null;
    text: string | null;
    kind: TriggerKind;
    entry: TriggerEntry | null;
    reason: string | null;
    attachments: number | null;
  };
  start_line: number | null;
  end_line: number | null;
  started_at: string | null;
  ended_at: string | null;
  duration_ms: number | null;
  outcome: Outcome;
  outcome_detail: string | null;
  taken_back: "rolled_back" | "rewound" | null;
  final_text: string | null;
  tools: ToolCounts;
  usage: UsageView;
  usage_with_children: UsageView;
  children: ChildView[] | null;
  files: TouchedFileAt[] | null;
  context: TurnContext;
  decisions: string[] | null;
  /** The marks on the turn; null when there are none. */
  marks: Marks | null;
  /** Only from a team store: the fields that were not pushed. */
  not_pushed?: NotPushed;
}

export function turnView(turn: Turn, project: Project, prices: PriceTable): ReadViews["turn"] {
  const own = new UsageSum(prices);
  const all = new UsageSum(prices);
  for (const { event } of turn.usage) {
    own.add(event);
    all.add(event);
  }
  const below = descendants(turn).flatMap((child) => child.usage);
  for (const { event } of below) all.add(event);
  if (isUnstated(turn)) own.unstated();
  if (isUnstated(turn) && below.length === 0) all.unstated();
  const sums = { tools: countCalls(turn.calls), usage: own.view(), usage_with_children: all.view() };
  return turnViewOf(turn, project, { ...sums, decisions: decisionIds(turn) });
}

/** Builds the view from counts that are already known. */
export function turnViewOf(
  turn: Turn,
  project: Project,
  counted: Pick<ReadViews["turn"], "tools" | "usage" | "usage_with_children" | "decisions">,
): ReadViews["turn"] {
  const { draft, session } = turn;
  const { text, kind, entry, reason } = triggerOf(turn);
  return {
    source: session.source,
    session_id: session.session_id,
    session_path: turn.part.path,
    ...project,
    cwd: draft.context.cwd ?? session.meta.cwd,
    turn_ref: turn.ref,
    native_turn_id: draft.native_turn_id,
    trigger: {
      time: iso(draft.trigger.time),
      line: draft.trigger.line,
      echo_line: draft.trigger.echo_line,
      text,
      kind,
      entry,
      reason,
      attachments: draft.trigger.attachments,
    },
    start_line: draft.start_line,
    end_line: draft.end_line,
    started_at: iso(draft.trigger.time),
    ended_at: iso(draft.ended_at),
    duration_ms: draft.duration_ms ?? elapsed(draft.trigger.time, draft.ended_at),
    outcome: draft.outcome,
    outcome_detail: draft.outcome_detail,
    taken_back: draft.taken_back,
    final_text: draft.final_text,
    tools: counted.tools,
    usage: counted.usage,
    usage_with_children: counted.usage_with_children,
    children: turn.children.map(childView),
    files: draft.files,
    context: draft.context,
    decisions: counted.decisions,
    // Marks are stored in the book, not in the session; they are added when a book is queried.
    marks: null,
  };
}

/** Where the agent states no duration: the time from the request to the end. */
function elapsed(start: number | null, end: number | null): number | null {
  return start === null || end === null || end < start ? null : end - start;
}

/** True when a model worked in the turn but no usage is stated. `!` commands and pure delegations use no model. */
export function isUnstated(turn: Turn): boolean {
  return turn.usage.length === 0 && turn.draft.trigger.kind !== "shell" && turn.children.length === 0;
}

function childView(child: Child): ChildView {
  const { source, session_id, relation, role, spawn_line, result_line } = child;
  return { source, session_id, relation, role, spawn_line, result_line };
}

/** The sessions that this turn caused, directly and indirectly. Forks are excluded: they are independent work. */
export function descendants(turn: Turn): Session[] {
  const out = new Set<Session>();
  const queue = [turn];
  for (let at = queue.pop(); at; at = queue.pop()) {
    for (const child of at.children) {
      const session = child.session;
      if (!session || child.relation === "fork" || session.cause !== at || out.has(session)) continue;
      out.add(session);
      queue.push(...session.delegations);
    }
  }
  return [...out];
}

/** Counts the calls that the model made. Commands that a script tool ran inside its own call are not counted again. */
export function countCalls(calls: readonly OwnedCall[]): ToolCounts {
  const counts: ToolCounts = { total: 0, ok: 0, failed: 0, interrupted: 0, denied: 0, pending: 0 };
  for (const { call } of calls) {
    if (call.parent_call_id !== null) continue;
    counts.total++;
    counts[call.status]++;
  }
  return counts;
}
