import type { WorkCounts } from "../../views/facts/record-facts.ts";
import { mergeMarks } from "../../views/marks.ts";
import type { ReportRow, ReportRows, ReportSessionRow, CallOutcomes, ViewRow } from "../../views/rows.ts";
import type { SessionView } from "../../views/session-view.ts";
import type { ChildView, TurnView } from "../../views/turn-view.ts";
import type { PriceTable } from "../../views/pricing/price-table.ts";
import { UsageSum, type UsageView } from "../../views/usage-sum.ts";
import type { Zone } from "../../base/time/zone.ts";
import { citation } from "./citations.ts";
import { endedEarly } from "./ended-early.ts";
import { fellShort } from "./loose/fell-short.ts";
import { noFacts, type ToolProblem, type TurnFacts } from "../../views/facts/facts.ts";
import type { ReportChild, ReportCommit, ReportFile, ReportTools, ReportTurn, FoundFacts, Words } from "./model.ts";
import { resultIn } from "./result.ts";
import { addTools, isUnproven, Spending, toolsOf } from "./sums.ts";
import { sessionKey, parseSessionKey } from "../../record/session-key.ts";

export interface RequestInput {
  turn: ReportRow;
  /** The sessions of the report. */
  sessions: ReportRows["sessions"];
  sessionRef: string;
  zone: Zone;
  prices: PriceTable;
  /** What the turn and everything it caused spent. */
  spent: Spending | undefined;
  facts: (session: string) => FoundFacts;
  hide: (text: string) => string;
}

/** A turn of the report, with the tool counts of the turn and of everything it caused. */
export interface CountedReport {
  turn: ReportTurn;
  tools: ReportTools;
  counted: WorkCounts;
}

export function reportTurn({
  turn,
  sessions,
  sessionRef,
  zone,
  prices,
  spent,
  facts,
  hide,
}: RequestInput): CountedReport {
  const { view, calls } = turn;
  const found = facts(turn.session);
  const own = found.turns.get(turn.ref) ?? noFacts();
  const helpers = turn.below.map((key) => causedSession(key, sessions.get(key)));
  const tools = toolsOf(view.tools, calls.expected_exit);
  const time = turn.time ?? 0;
  const marks = sessions.get(turn.session)?.view?.marks;
  const all = spent ?? new Spending(prices);
  if (isUnstated(view) && all.tokens === 0) all.unstated();
  const reported: ReportTurn = {
    citation: citation(sessionRef, turn.ref, view.start_line, view.end_line),
    session_ref: sessionRef,
    turn_ref: turn.ref,
    source: view.source,
    session_id: view.session_id,
    session_path: view.session_path,
    native_turn_id: view.native_turn_id,
    cwd: view.cwd,
    time: view.trigger.time ?? "",
    local_time: zone.clock(time),
    ended_at: view.ended_at,
    duration_ms: view.duration_ms,
    trigger: triggerOf(view),
    outcome: view.outcome,
    outcome_detail: view.outcome_detail,
    taken_back: view.taken_back,
    model: view.context.model,
    tools,
    tool_problems: problems(calls, own),
    files: filesOf(view, helpers),
    commits: commitsOf(turn, facts),
    last_check: own.last_check,
    fell_short: view.outcome === "completed" ? fellShort(view, calls) : null,
    questions: found.counted ? null : own.questions,
    todos: own.todos,
    children: view.children && view.children.map((child) => reportChild(child, sessions, prices)),
    last_words: own.last_words,
    // What was pushed by earlier versions has no such field.
    review: own.review ?? null,
    result: found.counted ? null : resultOf(view.outcome, own, hide, view.end_line ?? 0),
    usage: view.usage,
    usage_with_children: all.view(),
    marks: marks ? mergeMarks(marks, view.marks) : view.marks,
  };
  const counted = found.counted?.get(turn.ref) ?? countsOf(reported);
  return { turn: reported, tools: addTools([tools, ...helpers.map((helper) => helper.tools)]), counted };
}

function countsOf(turn: ReportTurn): WorkCounts {
  const { commits, children } = turn;
  return {
    commits: commits && commits.length,
    children: children && children.filter(({ relation }) => relation !== "fork").length,
    unproven: isUnproven(turn),
  };
}

/** A session the turn caused, with its files and tool counts. */
interface Helper {
  session_id: string;
  files: ReportSessionRow["files"];
  tools: ReportTools;
}

function causedSession(key: string, row: ReportSessionRow | undefined): Helper {
  return { session_id: parseSessionKey(key).session_id, files: row?.files ?? [], tools: toolsIn(row) };
}

function toolsIn(row: ReportSessionRow | undefined): ReportTools {
  return row?.view ? toolsOf(row.view.tools, row.expected_exit) : addTools([]);
}

function filesOf(view: TurnView, helpers: readonly Helper[]): ReportFile[] | null {
  if (view.files === null) return null;
  const files: ReportFile[] = view.files.map((file) => ({ ...file, by: null }));
  for (const { session_id: by, files: theirs } of helpers) {
    for (const { path, operation, line } of theirs) {
      if (!files.some((file) => file.path === path)) files.push({ path, operation, line, by });
    }
  }
  return files;
}

/** How many commits a turn and the sessions it caused made; null where that is not known. */
export function commitCount(turn: ViewRow, facts: RequestInput["facts"]): number | null {
  const { counted } = facts(turn.session);
  return counted ? (counted.get(turn.ref)?.commits ?? null) : (commitsOf(turn, facts)?.length ?? null);
}

/**
 * Commits of the turn and of the sessions it caused, each once; null when the records of one of them are on another
 * machine.
 */
function commitsOf(
  { session, ref, below }: Pick<ViewRow, "session" | "ref" | "below">,
  facts: RequestInput["facts"],
): ReportCommit[] | null {
  if ([session, ...below].some((key) => facts(key).counted !== null)) return null;
  const own = facts(session).turns.get(ref) ?? noFacts();
  const commits: ReportCommit[] = own.commits.map((commit) => ({ ...commit, by: null }));
  for (const key of below) {
    // The work of such a session belongs to no human turn: its facts are under the empty key.
    const theirs = facts(key).turns.get("") ?? noFacts();
    const known = new Set(commits.map((commit) => commit.hash));
    const fresh = theirs.commits.filter(({ hash }) => hash === null || !known.has(hash));
    commits.push(...fresh.map((commit) => ({ ...commit, by: parseSessionKey(key).session_id })));
  }
  return commits;
}

/** Whether a model worked for the turn and no usage was stated. */
function isUnstated({ usage, trigger, children }: TurnView): boolean {
  // When the children are unknown only the stated usage can tell.
  if (children === null) return usage.cost_usd === null && usage.models.length === 0;
  return usage.models.length === 0 && trigger.kind !== "shell" && children.length === 0;
}

function triggerOf({ trigger }: TurnView): ReportTurn["trigger"] {
  const { text, kind, entry, reason, attachments, line, echo_line } = trigger;
  return { text, kind, entry, reason, attachments, line, echo_line };
}

/**
 * The session says how a call ended (a missing result may mean two things), the records say what the call was about.
 */
function problems(calls: CallOutcomes, facts: TurnFacts): ToolProblem[] {
  const byCall = new Map(facts.tool_problems.map((problem) => [problem.call_id, problem]));
  return calls.problems.flatMap(({ call_id, name, status, exit_code, error, start_line }) => {
    const about = call_id === null ? null : (byCall.get(call_id)?.about ?? "");
    return status === "ok" ? [] : [{ call_id, name, about, status, exit_code, error, line: start_line }];
  });
}

/** For a turn that did not complete the result is how it ended, not what was said last. */
function resultOf(
  outcome: ReportTurn["outcome"],
  { last_words: said, tool_problems }: TurnFacts,
  hide: RequestInput["hide"],
  line: number,
): Words | null {
  const words = hide(said?.text ?? "");
  const running = tool_problems.findLast(({ status }) => status === "interrupted" || status === "pending");
  const text = outcome === "completed" ? resultIn(words) : endedEarly(outcome, words, hide(running?.about ?? ""));
  return text === null ? null : { text, line: said?.line ?? line };
}

function reportChild(child: ChildView, sessions: ReportRows["sessions"], prices: PriceTable): ReportChild {
  const { source, session_id, relation, role, spawn_line, result_line } = child;
  const row = sessions.get(sessionKey(child));
  const view = row?.view ?? null;
  return {
    source,
    session_id,
    relation,
    role,
    model: view?.models[0] ?? null,
    tools: toolsIn(row),
    usage: view ? statedUsage(view) : new UsageSum(prices).view(),
    spawn_line,
    result_line,
    found: view !== null,
  };
}

/** The usage a session states; a cost of zero when it states none. */
function statedUsage({ usage }: SessionView): UsageView {
  return usage.models.length === 0 ? { ...usage, cost_usd: 0 } : usage;
}
