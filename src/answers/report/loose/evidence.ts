import type { DecisionView } from "../../../views/decision-view.ts";
import type { TurnView } from "../../../views/turn-view.ts";
import type { TurnFacts } from "../../../views/facts/facts.ts";
import type { Thread, ThreadTurn } from "../threads.ts";
import type { Habits } from "./habits.ts";
import type { Spoken } from "./spoken.ts";
import { isRedone } from "./redone.ts";
import { isMigration, isScript, isStarter, ranAs, stemOf } from "./runnable.ts";
import { endsInQuestion } from "./sentences.ts";
import { countShared, termsOf } from "./terms.ts";
import type { Deed, Step } from "../../../views/facts/steps.ts";

/** A turn with what its records say. */
export interface WorkTurn extends ThreadTurn {
  view: Pick<TurnView, "outcome" | "outcome_detail" | "cwd" | "start_line" | "end_line">;
  facts: TurnFacts;
  /** Questions that the turn put to the human. */
  asked: readonly DecisionView[];
  /** Files it changed in its own repository, with the lines of the calls. */
  edits: readonly { path: string; isNew: boolean; line: number }[];
  /** Its commits and those of the sessions it caused. */
  commits: readonly { branch: string | null; line: number }[];
  branch: string | null;
  /** A person closed what it left, and what its thread left before. */
  isClosed: boolean;
}

export type EvidenceKind =
  | "aborted"
  | "failed"
  | "open"
  | "unanswered_question"
  | "open_todos"
  | "check_failed"
  | "call_failed"
  | "denied"
  | "plan_not_begun"
  | "uncommitted"
  | "unpushed"
  | "unmerged"
  | "open_pr"
  | "not_run"
  | "dry_run"
  | "not_looked_at";

/** What the records show to be open. */
export interface Evidence {
  kind: EvidenceKind;
  turn: WorkTurn;
  /** The record that shows it; null = the whole turn. */
  line: number | null;
  /** What is open, worded by what the record holds; null when that was not pushed to the team store. */
  text: string | null;
  closes_by: string;
}

/** What is looked at beside a thread: a commit of any session of the project commits these files too. */
export interface Project {
  /** All turns of the project, in order. */
  turns: readonly WorkTurn[];
  habits: Habits;
  spoken: Spoken;
}

/** What the records of a thread show to be open at its end. */
export function evidenceIn({ turns }: Thread<WorkTurn>, project: Project): Evidence[] {
  const { turns: all, habits, spoken } = project;
  const last = turns.findLastIndex(({ view }) => view.outcome === "completed");
  const done = turns[last];
  // The human's next request goes on from what a turn left, unless the agent never came to work on it.
  const worked = turns.slice(0, last + 1).findLast(({ edits, facts }) => edits.length > 0 || facts.steps?.some(isAct));
  const left = [...(done ? questionLeft(done) : []), ...(worked ? leftByTurn(worked, all) : [])];
  // Talk leaves a failure as it was, unless it names it.
  const known = turns.slice(0, last + 1);
  const failedAt = known.findLastIndex(({ facts }) => (facts.last_call ?? null) !== null);
  const talk = termsOf(
    turns
      .slice(failedAt + 1, last + 1)
      .map(({ prompt }) => prompt)
      .join("\n"),
  );
  const failed = [...failedLast(turns[failedAt], all), ...redCheck(known, failedAt, all)].filter(
    ({ text }) => countShared(termsOf(text ?? ""), talk) === 0,
  );
  const state = [
    ...uncommitted(turns, habits, all),
    ...unpushed(turns, habits, all),
    ...unmerged(turns, habits, all),
    ...openRequests(turns, all),
    ...notRun(turns, all),
  ];
  const goal = [...planned(turns), ...todosLeft(turns, spoken)];
  const broken = turns.slice(last + 1).at(-1);
  // Whatever the human typed next into the session, he had seen how the turn ended.
  const isSeen =
    broken &&
    (all.some(({ session, time }) => session === broken.session && time > broken.time) || isTakenUp(broken, project));
  const early = broken && !isSeen ? [unfinished(broken)] : [];
  // What a later request speaks of again, in whatever session, goes on there.
  const told = [...left, ...failed, ...goal].filter(({ turn, text }) => !spoken.isSpokenOf(turn, text ?? ""));
  return [...told, ...state, ...early];
}

/** Later work on what a turn began: on its files, or asked for in words that are its own. */
function isTakenUp(turn: WorkTurn, { turns, spoken }: Project): boolean {
  const files = new Set(turn.files);
  const names = turn.files.map((path) => path.split(/[/\\]/).at(-1) ?? path);
  return (
    turns.some(({ time, prompt }) => time > turn.time && names.some((name) => prompt.includes(name))) ||
    turns.some(({ time, files: theirs }) => time > turn.time && theirs.some((path) => files.has(path))) ||
    spoken.isSpokenOf(turn, "", RARE_WORD)
  );
}

function unfinished(turn: WorkTurn): Evidence {
  const { outcome, outcome_detail } = turn.view;
  const waiting = turn.facts.questions.find(({ status }) => status === "pending" || status === "interrupted");
  if (waiting) return questionOf(turn, waiting.question, waiting.line);
  const kind = outcome === "completed" ? "open" : outcome;
  return { kind, turn, line: null, text: outcome_detail ?? "", closes_by: "a request that does what was asked" };
}

function questionOf(turn: WorkTurn, text: string, line: number | null): Evidence {
  return { kind: "unanswered_question", turn, line, text, closes_by: "an answer" };
}

/** The question that a completed turn ended with. */
function questionLeft(turn: WorkTurn): Evidence[] {
  const { facts, asked } = turn;
  const marker = asked.find(({ tier, answered, asked_line }) => tier === "marker" && !answered && asked_line !== null);
  if (marker) return [questionOf(turn, marker.title ?? "", marker.asked_line)];
  const words = facts.last_words;
  const question = words === null ? null : endsInQuestion(turn.final);
  // After work was done, a question at the end offers more of it.
  return question !== null && isIdle(turn) ? [questionOf(turn, question, words?.line ?? null)] : [];
}

/** What the calls of a completed turn leave; talk after it leaves that as it was. */
function leftByTurn(turn: WorkTurn, all: readonly WorkTurn[]): Evidence[] {
  const { facts } = turn;
  const isRedoneLater = (step: Step): boolean => isRedone(step, stepsAfter(turn, all));
  const found: Evidence[] = [];
  const add = (kind: EvidenceKind, line: number | null, text: string | null, closes_by: string): void => {
    found.push({ kind, turn, line, text, closes_by });
  };
  const steps = facts.steps ?? [];
  const end = steps.at(-1);
  const stopped = steps.findLast((step, i) => isStopped(step) && !isMadeUp(step, steps.slice(i + 1), turn));
  if (stopped && !isRedoneLater(stopped))
    add("denied", stopped.line, aboutOf(stopped), "the same done, by the agent or by hand");
  const startedAt = steps.findLastIndex((step) => isOk(step) && step.deeds.some((deed) => deed.started));
  const started = steps[startedAt];
  // Whoever only saves his work after that has not looked.
  const isUnseen = steps.slice(startedAt + 1).every(({ deeds }) => deeds.every(isSaving));
  const isWatched = after(turn, all).some(({ facts: { watched } }) => watched === true);
  if (started && isUnseen && !isWatched && (facts.last_call ?? 0) <= (end?.line ?? 0))
    add("not_looked_at", started.line, aboutOf(started), "a look at how it ended");
  return found;
}

/** The last call that did anything failed. */
function failedLast(turn: WorkTurn | undefined, all: readonly WorkTurn[]): Evidence[] {
  const end = turn?.facts.steps?.at(-1);
  if (!turn || !end || end.status !== "failed" || end.deeds.length === 0) return [];
  if (isAnswer(end, turn) || isRedone(end, stepsAfter(turn, all))) return [];
  const isCheck = end.deeds.some(({ kind }) => kind === "check");
  const closes_by = isCheck ? "a run that passes" : "a successful run";
  return [{ kind: isCheck ? "check_failed" : "call_failed", turn, line: end.line, text: aboutOf(end), closes_by }];
}

/** The last check of a thread failed, whatever else was done since. */
function redCheck(turns: readonly WorkTurn[], before: number, all: readonly WorkTurn[]): Evidence[] {
  const turn = turns
    .slice(0, Math.max(0, before))
    .findLast(({ facts }) => facts.steps?.some((step) => has(step, "check")));
  const step = turn?.facts.steps?.findLast((one) => has(one, "check"));
  if (!turn || step !== turn.facts.steps?.at(-1)) return [];
  // Nobody knows what a change since has made of it.
  return turns.slice(turns.indexOf(turn) + 1).some(({ edits }) => edits.length > 0) ? [] : failedLast(turn, all);
}

/** A plan that was approved, and nothing changed since. */
function planned(turns: readonly WorkTurn[]): Evidence[] {
  const at = turns.findLastIndex(({ facts }) => facts.plan_approved === true);
  const turn = turns[at];
  if (!turn || !turns.slice(at).every(isIdle)) return [];
  const closes_by = "a change that begins it";
  return [{ kind: "plan_not_begun", turn, line: null, text: turn.prompt, closes_by }];
}

/** Steps of the thread's last to-do list that were never begun, until it goes on without the list. */
function todosLeft(turns: readonly WorkTurn[], spoken: Spoken): Evidence[] {
  const at = turns.findLastIndex(({ facts }) => facts.todos !== null);
  const turn = turns[at];
  const list = turn?.facts.todos;
  if (!turn || !list || !turns.slice(at + 1).every(isIdle)) return [];
  // Agents often forget to tick the last step: a list counts once it was begun.
  if (!list.items.some(({ status }) => status === "completed")) return [];
  const open = list.items.filter(({ status, text }) => status === "pending" && !spoken.isNamed(turn, text));
  if (open.length === 0) return [];
  const text = open.map((item) => item.text).join("; ");
  return [{ kind: "open_todos", turn, line: list.line, text, closes_by: "the steps done, or struck off" }];
}

/** A failure that is no loose end: the answer to who only asked, or a command that a change made needless. */
function isAnswer({ deeds, line }: Step, turn: WorkTurn): boolean {
  if (isIdle(turn) && /[?？؟]\s*$/.test(turn.prompt)) return true;
  return deeds.every(({ kind }) => kind === "run") && turn.edits.some((edit) => edit.line > line);
}

/** What changes nothing that lasts. */
const PREPARES: ReadonlySet<Deed["kind"]> = new Set<Deed["kind"]>(["check", "preview", "branch"]);
const CONCLUDES: ReadonlySet<Deed["kind"]> = new Set<Deed["kind"]>(["check", "preview", "commit", "push"]);
/** The weight of a word that tells one matter of a project from the others. */
const RARE_WORD = 0.6;

function isSaving({ kind }: Deed): boolean {
  return kind === "commit" || kind === "push";
}

/** The turn changed nothing. */
export function isIdle({ edits, commits, facts }: WorkTurn): boolean {
  if (edits.length + commits.length > 0) return false;
  return !(facts.steps ?? []).some((step) => isOk(step) && step.deeds.some(({ kind }) => !PREPARES.has(kind)));
}

function isOk({ status }: Step): boolean {
  return status === "ok";
}

function aboutOf({ about }: Step): string | null {
  return about === "" ? null : about;
}

function isStopped({ status }: Step): boolean {
  return status === "denied" || status === "interrupted";
}

/** A call that did something, or was kept from it. */
function isAct(step: Step): boolean {
  return step.deeds.length > 0 || isStopped(step);
}

/** Whether later calls of the turn had the effect of one that was stopped, by another way. */
function isMadeUp(step: Step, later: readonly Step[], { edits }: WorkTurn): boolean {
  if (step.deeds.length === 0) return edits.some(({ line }) => line > step.line) || later.some(isOk);
  const isEdited = edits.some(
    ({ path, line }) => line > step.line && step.about.includes(path.split("/").at(-1) ?? path),
  );
  if (isEdited || isRedone(step, later)) return true;
  // A push without force is what a refused one was for.
  if (has(step, "push")) return later.some((other) => isOk(other) && has(other, "push"));
  return later.some((other) => isOk(other) && other.deeds.some(({ kind }) => !CONCLUDES.has(kind)));
}

/** Turns of the project after a turn, and the turn itself from a line on. */
function after(turn: WorkTurn, all: readonly WorkTurn[]): WorkTurn[] {
  return all.filter((other) => other.time > turn.time);
}

function stepsAfter(turn: WorkTurn, all: readonly WorkTurn[]): Step[] {
  return after(turn, all).flatMap(({ facts }) => facts.steps ?? []);
}

function uncommitted(turns: readonly WorkTurn[], habits: Habits, all: readonly WorkTurn[]): Evidence[] {
  const turn = turns.findLast(({ edits }) => edits.length > 0);
  if (!turn || !habits.commits(turns)) return [];
  const last = Math.max(...turn.edits.map(({ line }) => line));
  const isDone =
    turn.commits.some(({ line }) => line > last) || after(turn, all).some(({ commits }) => commits.length > 0);
  if (isDone) return [];
  const files = [...new Set(turn.edits.map(({ path }) => shortPath(path, turn)))];
  return [{ kind: "uncommitted", turn, line: last, text: files.join(", "), closes_by: "a commit" }];
}

function shortPath(path: string, { view: { cwd } }: WorkTurn): string {
  return cwd !== null && path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path;
}

function unpushed(turns: readonly WorkTurn[], habits: Habits, all: readonly WorkTurn[]): Evidence[] {
  const turn = turns.findLast(({ commits }) => commits.length > 0);
  if (!turn || !habits.pushes(turns)) return [];
  const last = Math.max(...turn.commits.map(({ line }) => line));
  const isDone =
    (turn.facts.steps ?? []).some((step) => step.line >= last && isOk(step) && has(step, "push")) ||
    after(turn, all).some(({ facts }) => facts.steps?.some((step) => isOk(step) && has(step, "push")));
  if (isDone) return [];
  return [{ kind: "unpushed", turn, line: last, text: turn.subjects.at(-1) ?? "", closes_by: "a push" }];
}

function unmerged(turns: readonly WorkTurn[], habits: Habits, all: readonly WorkTurn[]): Evidence[] {
  const turn = turns.findLast(({ commits }) => commits.length > 0);
  const commit = turn?.commits.at(-1);
  const branch = commit?.branch ?? turn?.branch ?? null;
  if (!turn || !commit || branch === null || !habits.isSideBranch(branch, turns)) return [];
  // A fix that is also put on a release branch stays there: only the branch a session works on is meant to be merged.
  const isOwn = turn.branch === branch || turns.some(({ facts }) => facts.steps?.some((step) => begins(step, branch)));
  if (!isOwn) return [];
  const merges = ({ status, deeds }: Step): boolean =>
    status === "ok" &&
    deeds.some(({ kind, name }) => kind === "merge_pr" || (kind === "merge" && (name === "" || name.endsWith(branch))));
  const steps = [...(turn.facts.steps ?? []), ...stepsAfter(turn, all)];
  if (steps.some((step) => merges(step) || (isOk(step) && has(step, "open_pr")))) return [];
  return [{ kind: "unmerged", turn, line: commit.line, text: branch, closes_by: "a merge" }];
}

function begins({ status, deeds }: Step, branch: string): boolean {
  return status === "ok" && deeds.some(({ kind, name }) => kind === "branch" && name === branch);
}

/** Requests to merge that were opened and not merged. */
function openRequests(turns: readonly WorkTurn[], all: readonly WorkTurn[]): Evidence[] {
  const at = turns.findLastIndex(({ facts }) => facts.steps?.some((step) => isOk(step) && has(step, "open_pr")));
  const turn = turns[at];
  const step = turn?.facts.steps?.findLast((one) => isOk(one) && has(one, "open_pr"));
  if (!turn || !step) return [];
  const number = step.deeds.findLast(({ kind }) => kind === "open_pr")?.name ?? "";
  const branch = branchOf(turn, step);
  const merges = ({ kind, name }: Deed): boolean =>
    (kind === "merge" && (branch === null || name === "" || name.endsWith(branch))) ||
    (kind === "merge_pr" && (name === "" || number === "" || name === number));
  const isDone =
    [turn, ...after(turn, all)].some(({ facts }) => facts.steps?.some((one) => isOk(one) && one.deeds.some(merges))) ||
    after(turn, all).some(({ prompt, commits }) => commits.length === 0 && isNumbered(prompt, number));
  return isDone ? [] : [{ kind: "open_pr", turn, line: step.line, text: aboutOf(step), closes_by: "its merge" }];
}

/** The branch a request to merge was opened for: the one begun or pushed by its name before it; null if none was. */
function branchOf({ facts }: WorkTurn, opened: Step): string | null {
  const before = (facts.steps ?? []).filter(({ line }) => line <= opened.line).flatMap(({ deeds }) => deeds);
  const named = before.findLast(({ kind, name }) => kind === "branch" || (kind === "push" && name.includes(" ")));
  return named?.name.split(" ").at(-1) ?? null;
}

/** The human speaks of the request by its number: what became of it is his word. */
function isNumbered(prompt: string, number: string): boolean {
  if (number === "") return false;
  const before = number.length > 1 ? String.raw`(?<![\d.,:])` : String.raw`[#!]`;
  return new RegExp(String.raw`${before}${number}(?!\d|[.,:]\d|\s?%)`).test(prompt);
}

function has(step: Step, kind: Deed["kind"]): boolean {
  return step.deeds.some((deed) => deed.kind === kind);
}

/** A later turn looked at what became of it and changed nothing. Mere talk leaves it as it was. */
function isTalkedOver(later: readonly WorkTurn[]): boolean {
  return later.some(
    (turn) => turn.view.outcome === "completed" && !isTalk(turn) && turn.edits.length + turn.commits.length === 0,
  );
}

/** Words alone: no call was made. */
export function isTalk({ facts, edits, commits }: WorkTurn): boolean {
  return (facts.last_call ?? null) === null && edits.length + commits.length === 0;
}

/** Scripts and migrations that were written and never run, or only for show. */
function notRun(turns: readonly WorkTurn[], all: readonly WorkTurn[]): Evidence[] {
  const at = turns.findLastIndex(({ edits }) => edits.some(isRunnable) && !edits.some(({ path }) => isStarter(path)));
  const turn = turns[at];
  if (turn && !isTalkedOver(turns.slice(at + 1))) {
    const edit = turn.edits.findLast(isRunnable);
    const steps = [...(turn.facts.steps ?? []), ...stepsAfter(turn, all)];
    // In a team store at level `turns` no command is known: nothing can be said of what was run.
    const isUnknown = steps.some(({ about }) => about === "");
    const runs = steps.filter(({ deeds, about }) => edit && ranAs(edit.path, about, deeds));
    if (edit && runs.length === 0 && !isUnknown) return [runOf("not_run", turn, edit.line, shortPath(edit.path, turn))];
  }
  const dryAt = turns.findLastIndex(({ facts }) => facts.steps?.some((step) => step.deeds.some(({ dry }) => dry)));
  const pretended = turns[dryAt];
  const step = pretended?.facts.steps?.findLast((one) => isOk(one) && one.deeds.some(({ dry }) => dry));
  const deed = step?.deeds.findLast(({ dry }) => dry);
  // Who asked what a deployment would change, and changed nothing for it, has his answer.
  const isLook = deed?.kind === "preview" && !turns.some(({ edits }) => edits.length > 0);
  if (!pretended || !step || !deed || isLook || isTalkedOver(turns.slice(dryAt + 1))) return [];
  const isReal = (other: Step): boolean =>
    other.deeds.some(({ name, dry }) => !dry && stemOf(name) === stemOf(deed.name));
  const rest = (pretended.facts.steps ?? []).filter(({ line }) => line > step.line);
  const later = stepsAfter(pretended, all);
  if ([...rest, ...later].some(isReal)) return [];
  // A trial followed by a commit tried the code, not the job.
  if (
    turns
      .slice(dryAt)
      .some(({ commits, time }) => commits.some(({ line }) => time > pretended.time || line > step.line))
  )
    return [];
  return [runOf("dry_run", pretended, step.line, aboutOf(step))];
}

function runOf(kind: "not_run" | "dry_run", turn: WorkTurn, line: number, text: string | null): Evidence {
  return { kind, turn, line, text, closes_by: kind === "dry_run" ? "the run itself" : "a run" };
}

function isRunnable({ path, isNew }: WorkTurn["edits"][number]): boolean {
  return isNew && (isScript(path) || isMigration(path));
}
