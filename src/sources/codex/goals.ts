import { contentOf, plainText } from "./content.ts";
import { fieldsOf, numberOf, wordOf, type Fields } from "./fields.ts";
import { fragmentOf } from "./markers.ts";
import { humanAction } from "./human-action.ts";
import { isTurnEnd, nativeTurnId, type NativeRecord } from "./native.ts";
import { recall, remember, type GoalState, type ReaderState } from "./state.ts";
import { LOOKAHEAD, setup, type ClassifyContext, type Verdict } from "./verdict.ts";

/**
 * A goal that the human sets with `/goal` makes Codex start one task after another until the goal is reached. No prompt
 * begins these tasks: what caused them is the goal, which is a request of the human unless the model made it.
 *
 * How the files say so: up to 0.135 only the tasks and, in them, states of the goal that name the task; later a state
 * without a task as soon as the human sets or changes the goal; from 0.166 on also a message that says what the human
 * did, `turn_trigger` for every task, and the root turn of a task whose goal the model made.
 */
const CONTINUES = /^<(goal_context|codex_internal_context source="goal")>/i;
const SAID = /^<codex_internal_context source="user_goal">/i;
const SET = /^User set the goal: /m;
const ACTIVATED = /^User set goal status: "active"/m;
const CLEARED = /^User cleared the goal\b/m;
const OBJECTIVE = /<((?:untrusted_)?objective)>\s*([\s\S]*?)\s*<\/\1>/;
/** How a script calls the tool with which the model makes a goal. */
const MAKES = /\bcreate_goal\s*\(/;
/** Limits the search in a script, so that it finds the same in a line of which only the beginning is examined. */
const SCRIPT_CHARS = 400;

/** Notes the task in which the model makes a goal. */
export function noteGoalCall({ state }: ClassifyContext, name: string, input: unknown): void {
  const makes = name === "create_goal" || (typeof input === "string" && MAKES.test(input.slice(0, SCRIPT_CHARS)));
  if (makes && state.turn !== null) state.goalMadeIn = state.turn.id;
}

/** Notes what the human did with the goal, in a message that Codex wrote about it. */
export function noteGoalMessage({ state }: ClassifyContext, text: string): void {
  if (!SAID.test(text.trim())) return;
  if (CLEARED.test(text)) state.goal = null;
  state.goalSaid = SET.test(text) ? "set" : ACTIVATED.test(text) ? "resumed" : null;
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
export function ownerOf({ owners }: ReaderState, task: string): string {
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
    if (text !== null && CONTINUES.test(text)) {
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

export interface GoalTask {
  /** If no earlier record says that the human set the goal, the task is the request. */
  request: { text: string; turnId: string } | null;
}

/** The beginning of a task: null if a prompt has to begin it, `unknown` if the file ends before that is certain. */
export function goalTask(ctx: ClassifyContext, id: string | null): GoalTask | "unknown" | null {
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
