/** How tasks begin and end, and the requests without a prompt: goals, plans, reviews. */
import type {
  AssistantFinishedBody,
  CancelledBody,
  PlanAnswer,
  RecordBody,
  ReviewFinding,
} from "../../record/record.ts";
import { compactsOnly, contextWindow, noteMode } from "./context.ts";
import {
  contentOf,
  fieldsOf,
  fragmentOf,
  isFields,
  isTurnEnd,
  listOf,
  nativeTurnId,
  numberOf,
  plainText,
  stringOf,
  wordOf,
  type Fields,
  type NativeRecord,
} from "./native.ts";
import {
  LOOKAHEAD,
  humanAction,
  reaction,
  recall,
  remember,
  setup,
  verdict,
  type ClassifyContext,
  type GoalState,
  type ReaderState,
  type Verdict,
} from "./state.ts";

export function turnStarted(ctx: ClassifyContext): Verdict {
  const { state, record } = ctx;
  const id = wordOf(record.payload.turn_id);
  noteMode(state, record.payload.collaboration_mode_kind);
  const compact = state.kind === "root" && !state.review ? compactsOnly(ctx) : "no";
  const goal = compact === "yes" ? null : goalTask(ctx, id);
  const forGoal = goal !== null && goal !== "unknown";
  state.lifecycle = true;
  state.compacted = "";
  state.spoken = [];
  state.echoed = [];
  state.turn = {
    id,
    // The goal takes the place of the prompt.
    prompts: Number(forGoal),
    output: false,
    text: false,
    silent: state.review || compact === "yes",
    compact: compact === "yes",
    error: null,
    startedBy: startedBy(record.payload, id),
    goal: forGoal,
    named: forGoal,
  };
  if (compact === "yes") return humanAction(ctx, "/compact", "command", "codex.compaction.manual");
  const size = ctx.detailed ? contextWindow(record.payload.model_context_window, state) : [];
  if (forGoal && goal.request !== null) {
    const request = humanAction(ctx, goal.request.text, "command", "codex.goal.task", goal.request.turnId);
    return { ...request, records: [...request.records, ...size] };
  }
  const open = compact === "unknown" || goal === "unknown";
  return verdict("setup", "codex.turn.started", [...parentTurnRecords(ctx, id), ...size], open);
}

/**
 * Tasks state the turn of another agent that caused them and the human's turn at the top, which is the task itself if a
 * client started it (0.166 and later).
 */
function startedBy(task: Fields, id: string | null): "agent" | "client" | null {
  const attribution = fieldsOf(task.turn_attribution);
  if (wordOf(attribution.parent_turn_id) !== null) return "agent";
  const root = wordOf(attribution.root_turn_id);
  if (root === null || id === null) return null;
  return root === id ? "client" : "agent";
}

/** The turn of the parent that caused this session; only the session's first task states it. */
function parentTurnRecords({ state, record }: ClassifyContext, id: string | null): RecordBody[] {
  if (state.kind === "root" || state.header === null || state.header.parent_turn_id !== undefined) return [];
  let parentTurn = wordOf(fieldsOf(record.payload.turn_attribution).parent_turn_id);
  // In versions without attribution, a reviewer's own turn id is the only link: it is forwarded into the parent's file.
  if (parentTurn === null && state.kind === "review") parentTurn = id;
  if (parentTurn === null) return [];
  state.header.parent_turn_id = parentTurn;
  return [
    {
      type: "session_meta",
      source: "codex",
      kind: state.kind,
      cwd: stringOf(state.header.cwd),
      started_at: stringOf(state.header.started_at),
      agent_version: state.version,
      parent_turn_id: parentTurn,
    },
  ];
}

export function turnCompleted(ctx: ClassifyContext): Verdict {
  const { state, record } = ctx;
  const { payload } = record;
  const id = wordOf(payload.turn_id);
  const turn = state.turn;
  const mine = turn !== null && (id === null || turn.id === null || turn.id === id);
  state.turn = null;
  state.review = false;
  state.last = "m";
  const text = stringOf(payload.last_agent_message);
  const failure = failureOf(payload.error) ?? (mine && text === null ? turn.error : null);
  if (failure !== null) {
    const code = codeOf(fieldsOf(payload.error).codex_error_info);
    return reaction("codex.turn.failed", {
      type: "failed",
      message: failure,
      code,
      native_turn_id: id,
      turn_ended: true,
    });
  }
  // Versions without the `error` field record a failed request like this: no answer, no error, no output of the model.
  if (mine && text === null && turn.prompts > 0 && !turn.output && !turn.text && !turn.silent) {
    const message = "turn ended without an answer";
    return reaction("codex.turn.unanswered", { type: "failed", message, native_turn_id: id, turn_ended: true });
  }
  const body: AssistantFinishedBody = {
    type: "assistant_finished",
    native_turn_id: id,
    model: state.model,
    // Usually the answer was already reported by its own record; otherwise this is the only record of it.
    text: ctx.full && text !== null && mine && !turn.text ? text : "",
    turn_ended: true,
    duration_ms: numberOf(payload.duration_ms),
  };
  return reaction("codex.turn.completed", body);
}

function failureOf(error: unknown): string | null {
  if (typeof error === "string") return error;
  if (!isFields(error)) return null;
  return wordOf(error.message) ?? "unknown error";
}

/** `codex_error_info` is a string, or an object with one key. */
function codeOf(info: unknown): string | null {
  return stringOf(info) ?? Object.keys(fieldsOf(info))[0] ?? null;
}

const ABORT_REASONS: Readonly<Record<string, CancelledBody["reason"]>> = {
  interrupted: "interrupted",
  user_interrupt: "interrupted",
  replaced: "replaced",
  review_ended: "review_ended",
  budget_limited: "budget_limited",
};

export function turnAborted(ctx: ClassifyContext): Verdict {
  const { state, record } = ctx;
  const body: CancelledBody = {
    type: "cancelled",
    reason: ABORT_REASONS[stringOf(record.payload.reason) ?? ""] ?? "unknown",
    native_turn_id: wordOf(record.payload.turn_id),
    duration_ms: numberOf(record.payload.duration_ms),
  };
  state.turn = null;
  state.review = false;
  state.last = "m";
  return reaction("codex.turn.aborted", body);
}

export function rolledBack({ record, state }: ClassifyContext): Verdict {
  // The answer may be among what was taken back. If it is not, nothing waits for another one.
  if (state.plan) state.plan.open = true;
  const turns = numberOf(record.payload.num_turns) ?? 1;
  return reaction("codex.turn.rolled_back", { type: "cancelled", reason: "rolled_back", turns });
}

/** `error` and `stream_error` events, in versions that store them. */
export function failed(ctx: ClassifyContext, ends: boolean): Verdict {
  const { state, record } = ctx;
  const message = wordOf(record.payload.message) ?? "unknown error";
  const code = codeOf(record.payload.codex_error_info);
  if (ends && state.turn) state.turn.error = message;
  return reaction(ends ? "codex.turn.error" : "codex.turn.stream_error", {
    type: "failed",
    message,
    code,
    turn_ended: ends,
  });
}

/**
 * A goal that the human sets with `/goal` makes Codex start one task after another until the goal is reached. No prompt
 * begins these tasks: what caused them is the goal, which is a request of the human unless the model made it.
 *
 * How the files say so: up to 0.135 only the tasks and, in them, states of the goal that name the task; later a state
 * without a task as soon as the human sets or changes the goal; from 0.166 on also a message that says what the human
 * did, `turn_trigger` for every task, and the root turn of a task whose goal the model made.
 */
const GOAL_CONTINUES = /^<(goal_context|codex_internal_context source="goal")>/i;
const GOAL_MESSAGE = /^<codex_internal_context source="user_goal">/i;
const GOAL_SET = /^User set the goal: /m;
const GOAL_ACTIVATED = /^User set goal status: "active"/m;
const GOAL_CLEARED = /^User cleared the goal\b/m;
const OBJECTIVE = /<((?:untrusted_)?objective)>\s*([\s\S]*?)\s*<\/\1>/;
/** How a script calls the tool with which the model makes a goal. */
const GOAL_CALL = /\bcreate_goal\s*\(/;
/** Limits the search in a script, so that it finds the same in a line of which only the beginning is examined. */
const SCRIPT_CHARS = 400;

/** Notes the task in which the model makes a goal. */
export function noteGoalCall({ state }: ClassifyContext, name: string, input: unknown): void {
  const makes = name === "create_goal" || (typeof input === "string" && GOAL_CALL.test(input.slice(0, SCRIPT_CHARS)));
  if (makes && state.turn !== null) state.goalMadeIn = state.turn.id;
}

/** Notes what the human did with the goal, in a message that Codex wrote about it. */
export function noteGoalMessage({ state }: ClassifyContext, text: string): void {
  if (!GOAL_MESSAGE.test(text.trim())) return;
  if (GOAL_CLEARED.test(text)) state.goal = null;
  state.goalSaid = GOAL_SET.test(text) ? "set" : GOAL_ACTIVATED.test(text) ? "resumed" : null;
}

/** `thread_goal_updated`: the goal and its state. It is a request if the human set, changed or resumed the goal. */
export function goalUpdated(ctx: ClassifyContext): Verdict {
  const { record, state } = ctx;
  const goal = fieldsOf(record.payload.goal);
  const objective = wordOf(goal.objective);
  const status = wordOf(goal.status) ?? "active";
  const task = wordOf(record.payload.turnId) ?? wordOf(record.payload.turn_id);
  const said = state.goalSaid;
  state.goalSaid = null;
  const known = state.goal;
  const same = known !== null && isSame(known, objective, numberOf(goal.createdAt));
  const now: GoalState = { objective, created: numberOf(goal.createdAt), status, owner: known?.owner ?? null };
  state.goal = now;
  if (status !== "active" || objective === null) return setup("codex.goal");
  if (!same && task !== null && task === state.goalMadeIn) {
    now.owner = ownerOf(state, task);
    state.goalMadeIn = null;
    return setup("codex.goal");
  }
  // Codex also writes the state of a goal to account for time and tokens.
  const resumed = same && (said !== null || (task === null && known.status !== "active"));
  if (same && !resumed) return setup("codex.goal");
  return goalRequest(ctx, now, same && said !== "set" ? "/goal resume" : requestText(objective));
}

/** Edited goals keep their time of creation. */
function isSame(known: GoalState, objective: string | null, created: number | null): boolean {
  if (known.objective !== null && objective !== null && known.objective !== objective) return false;
  return known.created === null || created === null || known.created === created;
}

function requestText(objective: string | null): string {
  return objective === null ? "/goal" : `/goal ${objective}`;
}

function goalRequest(ctx: ClassifyContext, goal: GoalState, text: string): Verdict {
  const { state, record } = ctx;
  goal.owner = newOwner(record);
  state.goalMadeIn = null;
  state.last = "u";
  const { turn } = state;
  const steers = turn?.goal === true;
  if (turn !== null) turn.named = true;
  // Codex tells the running task of a changed goal; a task that a prompt began is not affected.
  if (steers && turn.id !== null) remember(state.owners, turn.id, goal.owner);
  return humanAction(ctx, text, steers ? "queued" : "command", "codex.goal.set", goal.owner);
}

/** The id for the turn of a goal. Its tasks cannot serve: a prompt typed while one of them runs has the id of the task. */
function newOwner({ ordinal, line }: NativeRecord): string {
  return `goal:${ordinal ?? line}`;
}

/** The turn that owns a task: that of its goal, else its own. */
function ownerOf({ owners }: ReaderState, task: string): string {
  return recall(owners, task) ?? task;
}

/** Whether Codex started this task by itself, to work on the goal. */
type Continuation = { is: "yes"; objective: string | null } | { is: "no" | "unknown" };

function continuation(ctx: ClassifyContext): Continuation {
  const trigger = wordOf(fieldsOf(ctx.record.payload.turn_attribution).turn_trigger);
  if (trigger !== null && trigger !== "goal") return { is: "no" };
  let objective: string | null = null;
  for (let k = 0; k < LOOKAHEAD; k++) {
    const next = ctx.ahead(k);
    if (next === null) return trigger === null ? { is: "unknown" } : { is: "yes", objective };
    if (next.payload.name === "goal_objective") objective = wordOf(plainText(next.payload.output).trim());
    const text = userText(next);
    if (text === null && !endsSearch(next)) continue;
    if (text !== null && GOAL_CONTINUES.test(text)) {
      return { is: "yes", objective: wordOf(OBJECTIVE.exec(text)?.[2]) ?? objective };
    }
    if (text === null || fragmentOf(text) === null) break;
  }
  return trigger === null ? { is: "no" } : { is: "yes", objective };
}

function userText(record: NativeRecord): string | null {
  if (record.type !== "response_item" || record.payload.role !== "user") return null;
  return contentOf(record.payload.content).texts.join("\n").trim();
}

function endsSearch(record: NativeRecord): boolean {
  if (
    isTurnEnd(record) ||
    record.kind === "task_started" ||
    record.kind === "user_message" ||
    record.itemType === "UserMessage"
  )
    return true;
  return record.type === "response_item" && (record.kind.endsWith("_call") || record.payload.role === "assistant");
}

interface GoalTask {
  /** If no earlier record says that the human set the goal, the task is the request. */
  request: { text: string; turnId: string } | null;
}

/** The beginning of a task: null if a prompt has to begin it, `unknown` if the file ends before that is certain. */
function goalTask(ctx: ClassifyContext, id: string | null): GoalTask | "unknown" | null {
  const { state, record } = ctx;
  if (state.kind !== "root" || state.review || id === null) return null;
  const found = continuation(ctx);
  if (found.is !== "yes") return found.is === "no" ? null : "unknown";
  const known = knownOwner(state, id, record, found.objective);
  const owner = known ?? newOwner(record);
  const { goal } = state;
  state.goal = {
    objective: found.objective ?? goal?.objective ?? null,
    created: known !== null && known === goal?.owner ? goal.created : null,
    status: "active",
    owner,
  };
  state.goalMadeIn = null;
  remember(state.owners, id, owner);
  return { request: known === null ? { text: requestText(found.objective), turnId: owner } : null };
}

/** The turn that a task for a goal belongs to, as far as earlier records tell. */
function knownOwner(state: ReaderState, id: string, task: NativeRecord, objective: string | null): string | null {
  const { goal, goalMadeIn } = state;
  const root = rootOf(task.payload);
  if (root !== null && root !== id) return ownerOf(state, root);
  if (goal !== null && isSame(goal, objective, null)) return goal.owner;
  return goalMadeIn === null ? null : ownerOf(state, goalMadeIn);
}

function rootOf(task: Fields): string | null {
  return wordOf(fieldsOf(task.turn_attribution).root_turn_id) ?? wordOf(task.root_turn_id);
}

/** The turn that a record belongs to, if the record or its task tells. */
export function turnOf(record: NativeRecord, state: ReaderState): string | null {
  const { turn } = state;
  const task = nativeTurnId(record) ?? (turn?.named === true ? turn.id : null);
  return task === null ? null : ownerOf(state, task);
}

/**
 * A record of a task that a goal caused belongs to the turn of the goal. Settings in it prepare no prompt: what they
 * were stated for is running.
 */
export function ownedVerdict(found: Verdict, record: NativeRecord, state: ReaderState): Verdict {
  const running = state.turn?.goal === true && found.class === "setup";
  const task = nativeTurnId(record);
  const owner = task === null ? null : ownerOf(state, task);
  if (!running && owner === task) return found;
  const records = found.records.map((body) =>
    "native_turn_id" in body && body.native_turn_id === task ? { ...body, native_turn_id: owner } : body,
  );
  return { ...found, class: running ? "reaction" : found.class, records };
}

/** What the client sends when the human chooses to carry out the plan in the same thread. */
const CARRY_OUT = "Implement the plan.";
const PLAN_START_CHARS = 200;

/** The plan that the model proposed in plan mode: the client asks the human whether to carry it out. */
export function planShown(ctx: ClassifyContext): Verdict {
  const { record, state, full } = ctx;
  const plan = stringOf(record.item.text) ?? "";
  if (state.turn) state.turn.output = true;
  if (state.kind !== "root") return reaction("codex.item.plan");
  state.plan = {
    task: nativeTurnId(record) ?? state.turn?.id ?? null,
    start: plan.trim().slice(0, PLAN_START_CHARS),
    open: true,
  };
  return reaction("codex.item.plan", { type: "assistant_finished", text: "", plan: full ? plan : "" });
}

/**
 * What a prompt says about the plan shown before it. To carry out a plan, the client leaves plan mode and sends a fixed
 * text or the plan itself. Who writes something else and stays in plan mode does not accept the plan yet.
 */
export function answerToPlan({ state }: ClassifyContext, text: string, task: string | null): PlanAnswer | null {
  const { plan, mode } = state;
  // A prompt in the task of the plan was typed before the plan was there.
  if (plan?.open !== true || (plan.task !== null && plan.task === task)) return null;
  plan.open = false;
  if (mode === "plan") return "refused";
  return isCarryOut(text) || (plan.start !== "" && text.includes(plan.start)) ? "approved" : "unclear";
}

/** The client wrote the text, not the human. */
export function isCarryOut(text: string): boolean {
  return text.trim() === CARRY_OUT || isHandOver(text);
}

const HAND_OVER =
  /^\s*(?:A previous agent produced the plan below|PLEASE IMPLEMENT THIS PLAN|Read the approved plan at \S[^\n]*\bapproved-plan\.md and implement it\.\s*$)/;

/** Whether a client hands over a plan to another thread: a human action, but the human did not write the text. */
export function isHandOver(text: string): boolean {
  return HAND_OVER.test(text);
}

export function enteredReview(ctx: ClassifyContext, fields: Fields): Verdict {
  const { state } = ctx;
  state.review = true;
  if (state.turn) state.turn.silent = true;
  const hint = wordOf(fields.user_facing_hint);
  return humanAction(ctx, hint === null ? "/review" : `/review ${hint}`, "command", "codex.review.entered");
}

export function exitedReview(ctx: ClassifyContext, fields: Fields): Verdict {
  ctx.state.review = false;
  const output = fields.review_output;
  if (!isFields(output)) return reaction("codex.review.exited");
  const explanation = stringOf(output.overall_explanation);
  // New versions also write the review as an assistant message, which then reports the text.
  const [first, second] = [ctx.ahead(0), ctx.ahead(1)];
  const answered = [first, second].some((next) => next?.type === "response_item" && next.payload.role === "assistant");
  const body: AssistantFinishedBody = {
    type: "assistant_finished",
    text: answered || !ctx.full ? "" : (explanation ?? ""),
    review: {
      findings: listOf(output.findings).map((finding) => findingOf(fieldsOf(finding))),
      overall_correctness: stringOf(output.overall_correctness),
      overall_explanation: explanation,
      overall_confidence: numberOf(output.overall_confidence_score),
    },
  };
  if (ctx.state.turn) ctx.state.turn.output = true;
  return verdict("reaction", "codex.review.exited", [body], !answered && (first === null || second === null));
}

const LINE_RANGE = /^(.*?):(\d+)(?:-(\d+))?$/;

/** Old findings have `file`, `line`, `severity`, `message`; newer ones a code location with a range. */
function findingOf(finding: Fields): ReviewFinding {
  const place = fieldsOf(finding.code_location);
  const range = fieldsOf(place.line_range);
  const text = LINE_RANGE.exec(stringOf(finding.code_location) ?? "");
  const line = numberOf(range.start) ?? numberOf(finding.line) ?? (text ? Number(text[2]) : null);
  return {
    title: stringOf(finding.title) ?? stringOf(finding.message),
    body: stringOf(finding.body),
    priority: numberOf(finding.priority),
    severity: stringOf(finding.severity),
    confidence: numberOf(finding.confidence_score),
    path: stringOf(place.absolute_file_path) ?? stringOf(finding.file) ?? text?.[1] ?? null,
    start_line: line,
    end_line: numberOf(range.end) ?? (text?.[3] === undefined ? line : Number(text[3])),
  };
}
