import { iso, type Zone } from "../time/zone.ts";
import { isExpectedExit } from "../turns/tool-ledger.ts";
import { triggerOf, type Child, type Turn } from "../turns/session.ts";
import { isUnstated, descendants } from "../answers/turn-view.ts";
import { citation } from "./citations.ts";
import { fellShort } from "./loose/fell-short.ts";
import { noFacts, type ToolProblem, type TurnFacts } from "./facts.ts";
import type { ReportChild, ReportCommit, ReportFile, ReportTurn, SessionFacts, Words } from "./model.ts";
import { resultIn } from "./result.ts";
import { countTools, Spending, type SpentTokens } from "./sums.ts";
import { UsageSum } from "../answers/usage-sum.ts";
import type { PriceTable } from "../answers/pricing/price-table.ts";

export interface TurnInput {
  turn: Turn;
  sessionRef: string;
  zone: Zone;
  prices: PriceTable;
  /** What the turn and everything it caused spent. */
  spent: Spending | undefined;
  /** Of the responses that count in the span. */
  costs: SpentTokens["costs"];
  facts: (session: Turn["session"]) => SessionFacts;
  hide: (text: string) => string;
}

export function reportTurn({ turn, sessionRef, zone, prices, spent, costs, facts, hide }: TurnInput): ReportTurn {
  const { draft, session } = turn;
  const { text, kind, entry, reason } = triggerOf(turn);
  const time = draft.trigger.time ?? 0;
  const own = facts(session).turns.get(turn.ref) ?? noFacts();
  const usage = new UsageSum(prices);
  for (const { event } of turn.usage) usage.add(event, costs.get(event));
  const files: ReportFile[] = draft.files.map((file) => ({ ...file, by: null }));
  for (const child of descendants(turn)) {
    const by = child.session_id;
    for (const { path, operation, line } of child.delegations.flatMap((unit) => unit.draft.files)) {
      if (!files.some((file) => file.path === path)) files.push({ path, operation, line, by });
    }
  }
  const all = spent ?? new Spending(prices);
  if (isUnstated(turn)) usage.unstated();
  if (isUnstated(turn) && all.tokens === 0) all.unstated();
  return {
    citation: citation(sessionRef, turn.ref, draft.start_line, draft.end_line),
    session_ref: sessionRef,
    turn_ref: turn.ref,
    source: session.source,
    session_id: session.session_id,
    session_path: turn.part.path,
    native_turn_id: draft.native_turn_id,
    cwd: draft.context.cwd ?? session.meta.cwd,
    time: iso(time) ?? "",
    local_time: zone.clock(time),
    ended_at: iso(draft.ended_at),
    duration_ms: durationOf(turn),
    trigger: {
      ...{ text, kind, entry, reason },
      attachments: draft.trigger.attachments,
      line: draft.trigger.line,
      echo_line: draft.trigger.echo_line,
    },
    outcome: draft.outcome,
    outcome_detail: draft.outcome_detail,
    taken_back: draft.taken_back,
    model: draft.context.model,
    tools: countTools(turn.calls),
    tool_problems: problems(turn, own),
    files,
    commits: commitsOf(turn, facts),
    last_check: own.last_check,
    fell_short: draft.outcome === "completed" ? fellShort(turn) : null,
    questions: own.questions,
    todos: own.todos,
    children: turn.children.map((child) => reportChild(child, prices, costs)),
    last_words: own.last_words,
    // What was said last before somebody pressed stop is no result.
    result: draft.outcome === "completed" ? resultOf(own.last_words, hide) : null,
    usage: usage.view(),
    usage_with_children: all.view(),
  };
}

/** Commits of the turn and of the sessions it caused, each once. */
export function commitsOf(turn: Turn, facts: TurnInput["facts"]): ReportCommit[] {
  const own = facts(turn.session).turns.get(turn.ref) ?? noFacts();
  const commits: ReportCommit[] = own.commits.map((commit) => ({ ...commit, by: null }));
  for (const child of descendants(turn)) {
    const theirs = facts(child).turns.get("") ?? noFacts();
    const known = new Set(commits.map((commit) => commit.hash));
    const fresh = theirs.commits.filter(({ hash }) => hash === null || !known.has(hash));
    commits.push(...fresh.map((commit) => ({ ...commit, by: child.session_id })));
  }
  return commits;
}

/** How a call ended is the session's to say (a missing result may mean two things); what it was about, the record's. */
function problems(turn: Turn, facts: TurnFacts): ToolProblem[] {
  const byCall = new Map(facts.tool_problems.map((problem) => [problem.call_id, problem]));
  return turn.calls.flatMap(({ call }) => {
    const { call_id, name, status, exit_code, error, parent_call_id, start_line } = call;
    if (status === "ok" || parent_call_id !== null || isExpectedExit(call)) return [];
    const about = byCall.get(call_id)?.about ?? "";
    return [{ call_id, name, about, status, exit_code, error, line: start_line }];
  });
}

function resultOf(words: Words | null, hide: TurnInput["hide"]): Words | null {
  const text = words && resultIn(hide(words.text));
  return text === null ? null : { text, line: words?.line ?? 0 };
}

function reportChild(child: Child, prices: PriceTable, costs: SpentTokens["costs"]): ReportChild {
  const { source, session_id, relation, role, spawn_line, result_line, session } = child;
  const spent = new UsageSum(prices);
  for (const { event } of session?.usage ?? []) spent.add(event, costs.get(event));
  return {
    source,
    session_id,
    relation,
    role,
    model: session?.meta.models[0] ?? null,
    tools: countTools(session?.tools ?? []),
    usage: spent.view(),
    spawn_line,
    result_line,
    found: session !== null,
  };
}

/** As the agent says; else from the request to the end. */
export function durationOf({ draft }: Turn): number | null {
  return draft.duration_ms ?? between(draft.trigger.time ?? 0, draft.ended_at);
}

function between(start: number, end: number | null): number | null {
  return end === null || end < start ? null : end - start;
}
