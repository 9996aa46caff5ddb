import type { Known } from "../not-pushed.ts";
import { EarlyResults } from "../../record/early.ts";
import { saidIn } from "../../record/review-text.ts";
import type { LogRecord, Review, ToolFinishedBody, ToolStartedBody, ToolStatus } from "../../record/record.ts";
import { fieldsOf } from "../../base/io/json.ts";
import { inputSummary } from "../../base/text/input-summary.ts";
import { commandsOf, commandText } from "../../base/shell/commands.ts";
import { expectedExitOf, isExpectedOutput, type NoHit } from "../../base/shell/no-hit.ts";
import { checkOf, checkResultOf, type Check, type CheckRun } from "./checks.ts";
import { CommitTracker, isPushRefused, type Commit } from "./commits.ts";
import { gitSteps, type GitStep } from "./git-steps.ts";
import type { TodoItem } from "../../agents/contract.ts";
import { asksHuman, editsOf, showsPlan, todoToolOf } from "../../agents/traits.ts";
import { deedsOf, stepOf, watches, withRequests, type Deed, type Step } from "./steps.ts";

export type { CheckRun, Commit, Step };

/**
 * What a report needs to know about a turn beyond its summary, taken from its records. Small enough to be stored in the
 * index.
 */
export interface TurnFacts {
  tool_problems: ToolProblem[];
  questions: AskedQuestion[];
  /** The to-do list as the turn left it; null when the turn kept none. */
  todos: TodoList | null;
  commits: Commit[];
  /** The calls that did something or should have, in order; absent in what earlier versions pushed. */
  steps?: Step[];
  /** Line of the last call of any kind. */
  last_call?: number | null;
  /** A call looked at what had been started before. */
  watched?: boolean;
  /** Whether the plan that the turn showed was approved; null when it showed none. */
  plan_approved?: boolean | null;
  /** The last run of tests, a build or a linter, and how it ended. */
  last_check: CheckRun | null;
  last_words: Words | null;
  /** The result of a code review, if the agent recorded one as data. */
  review: ReviewResult | null;
}

export interface ReviewResult extends Omit<Review, "overall_explanation"> {
  line: number;
}

/** A tool call that did not succeed. */
export interface ToolProblem {
  call_id: string | null;
  name: string | null;
  /** The command, path or query the call was about; null when the team store does not hold it. */
  about: string | null;
  status: Exclude<ToolStatus, "ok">;
  exit_code: number | null;
  error: string | null;
  line: number | null;
}

/** A list of steps the agent keeps for itself: plans, todos, tasks. */
export interface TodoList {
  items: TodoItem[];
  line: number;
}

/** A question put to the human through a tool. */
export interface AskedQuestion {
  question: string;
  answered: boolean;
  /**
   * Status of the tool call that asked: `pending` still waits for an answer, `denied` was an answer, `failed` means
   * that the question was never shown.
   */
  status: ToolStatus;
  line: number;
}

/** The last thing the agent said. */
export interface Words {
  text: string;
  line: number;
}

/** Maximum length stored of a command or an error; the cited line has the rest. */
const MAX_STORED = 2000;

/** A call between its start and its end record. Holds only what may still be needed, not the whole input and output. */
interface OpenCall extends ToolProblemOrOk {
  input: unknown;
  check: Check | null;
  result: CheckRun["result"] | null;
  git: GitStep[];
  deeds: Deed[];
  /** It only looks, and without it nothing is undone. */
  isLook: boolean;
  /** When its exit code may be an ordinary answer. */
  noHit: NoHit | null;
  /** It failed, and that was an ordinary answer. */
  isAnswered: boolean;
  /** What the call printed; only for calls that run git. */
  output: string;
  questions: string[];
  parent: string | null;
  facts: TurnFacts;
  finished: boolean;
}

type ToolProblemOrOk = Omit<Known<ToolProblem, "call_id" | "name" | "about" | "line">, "status"> & {
  status: ToolStatus;
};

/**
 * Facts per turn of one session, from its records in order. Records outside human turns (a sub-agent's whole work) are
 * filed under the empty key.
 */
export function turnFacts(records: Iterable<LogRecord>): Map<string, TurnFacts> {
  const collector = new FactsCollector();
  for (const record of records) collector.take(record);
  return collector.finish();
}

/** As `turnFacts`, fed record by record by a caller that makes the pass for other reasons too. */
export class FactsCollector {
  readonly #byTurn = new Map<string, TurnFacts>();
  readonly #open = new Map<string, OpenCall>();
  readonly #calls: OpenCall[] = [];
  /** Single tasks of to-do lists, by id. */
  readonly #tasks = new Map<string, TodoItem>();
  readonly #early = new EarlyResults<ToolFinishedBody>();

  take(record: LogRecord): void {
    const line = record.origin.line ?? record.origin.row ?? 0;
    const turn = record.turn_id ?? "";
    if (record.type === "tool_started") {
      // Some agents state a call twice; the first statement is the call.
      if (this.#open.get(record.call_id)?.finished === false) return;
      const call = begin(record, line, this.#factsOf(turn));
      this.#open.set(record.call_id, call);
      this.#calls.push(call);
      const early = this.#early.take(record.call_id);
      if (early) finish(call, early, this.#tasks);
    } else if (record.type === "tool_finished") {
      const call = this.#open.get(record.call_id);
      if (call) finish(call, record, this.#tasks);
      else this.#early.hold(record.call_id, record);
    } else if (record.type === "assistant_finished") {
      // Beside a text, a review is reported as data.
      const said = record.text.trim() === "" ? saidIn(record) : record.text;
      if (said.trim() !== "") this.#factsOf(turn).last_words = { text: said, line };
      if (record.review) this.#factsOf(turn).review = reviewResult(record.review, line);
    }
  }

  /** Takes the records that pass on their way to another reader. */
  *passing(records: Iterable<LogRecord>): Generator<LogRecord, void, undefined> {
    for (const record of records) {
      this.take(record);
      yield record;
    }
  }

  finish(): Map<string, TurnFacts> {
    const outer = new Set(this.#calls.flatMap(({ parent }) => parent ?? []));
    for (const call of this.#calls) {
      settle(call);
      // A script tool is told by the calls inside it.
      if (!outer.has(call.call_id)) addStep(call);
    }
    this.#commits();
    return this.#byTurn;
  }

  /** Runs last, because a later call may print the hash of an earlier commit. */
  #commits(): void {
    const book = new CommitTracker();
    // A script tool and the command inside it report the same commit: the inner command is more precise.
    const outer = new Set(
      this.#calls.flatMap(({ parent, git }) => (parent !== null && git.length > 0 ? [parent] : [])),
    );
    for (const { call_id, git, output, status, line, facts, parent } of this.#calls) {
      if (git.length === 0 || outer.has(call_id)) continue;
      const text = output === "" && parent !== null ? (this.#open.get(parent)?.output ?? "") : output;
      facts.commits.push(...book.take(git, text, status === "ok", line));
    }
    for (const facts of this.#byTurn.values()) facts.commits = distinct(facts.commits);
  }

  #factsOf(turn: string): TurnFacts {
    let facts = this.#byTurn.get(turn);
    if (!facts) this.#byTurn.set(turn, (facts = noFacts()));
    return facts;
  }
}

export function noFacts(): TurnFacts {
  return {
    tool_problems: [],
    questions: [],
    todos: null,
    commits: [],
    steps: [],
    last_call: null,
    plan_approved: null,
    last_check: null,
    last_words: null,
    review: null,
  };
}

function reviewResult(
  { findings, overall_correctness, overall_confidence = null }: Review,
  line: number,
): ReviewResult {
  const kept = findings.map((finding) => ({
    ...finding,
    title: finding.title?.slice(0, MAX_STORED) ?? null,
    body: finding.body?.slice(0, MAX_STORED) ?? null,
  }));
  return { findings: kept, overall_correctness, overall_confidence, line };
}

/** What a call is about; for a patch, the files it names. */
function aboutOf(input: unknown): string {
  const text = inputSummary(input);
  if (!text.startsWith("*** Begin Patch")) return text;
  const files = [...text.matchAll(/^\*\*\* (?:Update|Add|Delete) File: (.{1,500})$/gm)].map((match) => match[1] ?? "");
  return files.length > 0 ? files.join(", ") : text;
}

function begin(record: ToolStartedBody, line: number, facts: TurnFacts): OpenCall {
  const { call_id, name, input } = record;
  const about = aboutOf(input);
  const deeds = deedsOf(name, input);
  if (watches(name, input)) facts.watched = true;
  return {
    call_id,
    name,
    about: about.slice(0, MAX_STORED),
    status: "pending",
    exit_code: null,
    error: null,
    line,
    input: todoToolOf(name) === null ? null : input,
    check: checkOf(name, input),
    result: null,
    git: about.includes("git") ? gitSteps(commandText(name, input)) : [],
    deeds,
    isLook: deeds.length === 0 && isLook(name, input),
    noHit: deeds.length === 0 ? null : expectedExitOf(name, input),
    isAnswered: false,
    output: "",
    questions: questionsIn(name, input),
    parent: record.parent_call_id ?? null,
    facts,
    finished: false,
  };
}

function finish(call: OpenCall, record: ToolFinishedBody, tasks: Map<string, TodoItem>): void {
  const ok = record.status === "ok";
  const output = record.output ?? "";
  call.finished = true;
  call.status = record.status;
  call.exit_code = record.exit_code ?? call.exit_code;
  call.error = record.error?.slice(0, MAX_STORED) ?? null;
  if (call.check) {
    const { status, exit_code } = call;
    call.result = mergedResult(call.result, checkResultOf(call.check, { status, exit_code, output }));
  }
  // A repeated end record may lack the output.
  if (call.git.length > 0 && output !== "") call.output = headAndTail(output);
  call.deeds = withRequests(call.deeds, call.about, headAndTail(output));
  if (call.noHit && record.status === "failed" && call.exit_code === 1)
    call.isAnswered = isExpectedOutput(call.noHit, output);
  const items = ok ? todoToolOf(call.name)?.(fieldsOf(call.input), output, tasks) : null;
  if (items) call.facts.todos = { items, line: call.line };
}

/** Merges the results of repeated end records: a later `ok` or null does not overwrite an earlier result. */
function mergedResult(known: CheckRun["result"] | null, now: CheckRun["result"] | null): CheckRun["result"] | null {
  return now === null || (now === "ok" && known !== null) ? known : now;
}

function settle({ facts, questions, parent, result, ...call }: OpenCall): void {
  const { call_id, name, about, status, exit_code, error, line } = call;
  for (const question of questions) facts.questions.push({ question, answered: status === "ok", status, line });
  if (result !== null) facts.last_check = { command: about, result, line };
  if (status !== "ok" && parent === null)
    facts.tool_problems.push({ call_id, name, about, status, exit_code, error, line });
}

/** Notes what the call set out to do, and how that ended by what was printed where the status does not tell. */
function addStep({ facts, deeds, name, about, status, result, output, line, isLook, isAnswered }: OpenCall): void {
  const isRefused = deeds.some(({ kind }) => kind === "push") && isPushRefused(output);
  const isBad = isRefused || (result !== null && result !== "ok");
  const ended = isAnswered ? "ok" : status === "ok" && isBad ? "failed" : status;
  // A question and a plan that were declined are answers.
  const isStopped = (ended === "denied" || ended === "interrupted") && !isLook && !asksHuman(name) && !showsPlan(name);
  if (showsPlan(name)) facts.plan_approved = status === "ok";
  facts.last_call = line;
  if (deeds.length > 0 || isStopped) (facts.steps ??= []).push(stepOf(line, ended, deeds, about));
}

const LOOKING_TOOL = /(?<![a-z])(?:read|get|list|ls|search|find|fetch|query|view|grep|glob|look|show|describe)/i;

/** A call without deeds that changes no file: a command that only looks, or a tool named after looking. */
function isLook(name: string, input: unknown): boolean {
  if (commandsOf(name, input).length > 0) return true;
  return editsOf(name, input).length === 0 && LOOKING_TOOL.test(name.replace(/(?<=[a-z])(?=[A-Z])/g, "_"));
}

/** Keeps the beginning and the end of a long output: git reports there, whatever hooks print in between. */
function headAndTail(output: string): string {
  return output.length <= MAX_STORED * 10
    ? output
    : `${output.slice(0, MAX_STORED * 5)}\n${output.slice(-MAX_STORED * 5)}`;
}

function questionsIn(name: string, input: unknown): string[] {
  if (showsPlan(name)) return ["Approve the plan?"];
  if (!asksHuman(name)) return [];
  const fields = fieldsOf(input);
  const list = Array.isArray(fields["questions"]) ? (fields["questions"] as unknown[]) : [fields];
  const found = list.flatMap((item) => {
    if (typeof item === "string") return [item];
    const asked = fieldsOf(item);
    const text = asked["question"] ?? asked["prompt"] ?? asked["message"] ?? asked["text"] ?? asked["header"];
    return typeof text === "string" ? [text] : [];
  });
  return found.length > 0 ? found : [name];
}

/** Drops repeated hashes: a commit may be printed twice. */
function distinct(commits: readonly Commit[]): Commit[] {
  const seen = new Set<string>();
  return commits
    .filter((commit) => {
      if (commit.hash === null) return true;
      if (seen.has(commit.hash)) return false;
      seen.add(commit.hash);
      return true;
    })
    .toSorted((a, b) => a.line - b.line);
}
