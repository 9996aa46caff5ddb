import type { LogRecord, ToolFinishedBody, ToolStartedBody, ToolStatus } from "../log/record.ts";
import { summary } from "../text/input-summary.ts";
import { commitsOf, type Commit } from "./commits.ts";
import { keepsTodos, TodoBook, type TodoList } from "./todos.ts";

export type { Commit, TodoList };

/** What a report needs of a turn beyond its summary, taken from its records; small enough to be kept in an index. */
export interface TurnFacts {
  tool_problems: ToolProblem[];
  questions: AskedQuestion[];
  /** The list of steps as the turn left it; null when it kept none. */
  todos: TodoList | null;
  commits: Commit[];
  last_words: Words | null;
}

/** A call that did not end well. */
export interface ToolProblem {
  call_id: string;
  name: string;
  /** The command, path or query it was about. */
  about: string;
  status: Exclude<ToolStatus, "ok">;
  exit_code: number | null;
  error: string | null;
  line: number;
}

/** A question put to the human through a tool. */
export interface AskedQuestion {
  question: string;
  answered: boolean;
  line: number;
}

/** The last thing the agent said. */
export interface Words {
  text: string;
  line: number;
}

/** Longest text kept of a command or an error: the line it cites has the rest. */
const KEEP = 2000;
const QUESTION_TOOLS =
  /^(?:AskUserQuestion|request_user_input|ask_user|ask_user_question|ask_followup_question|question|ExitPlanMode|exit_plan_mode)$/;

/** A call between its two records: only what may still be needed is held, not the input or the output as such. */
interface OpenCall extends ToolProblemOrOk {
  input: unknown;
  command: string;
  questions: string[];
  nested: boolean;
  facts: TurnFacts;
  finished: boolean;
  commits: Commit[];
}

type ToolProblemOrOk = Omit<ToolProblem, "status"> & { status: ToolStatus };

/**
 * Facts per turn of one session, from its records in order. Records outside human turns (a sub-agent's whole work) come
 * under the empty name.
 */
export function turnFacts(records: Iterable<LogRecord>): Map<string, TurnFacts> {
  const collector = new FactsCollector();
  for (const record of records) collector.take(record);
  return collector.finish();
}

/** The same, record by record, for a pass that somebody else makes. */
export class FactsCollector {
  readonly #byTurn = new Map<string, TurnFacts>();
  readonly #open = new Map<string, OpenCall>();
  readonly #calls: OpenCall[] = [];
  readonly #todos = new TodoBook();

  take(record: LogRecord): void {
    const line = record.origin.line ?? record.origin.row ?? 0;
    const turn = record.turn_id ?? "";
    if (record.type === "tool_started") {
      // Some agents state a call twice; the first statement is the call.
      if (this.#open.get(record.call_id)?.finished === false) return;
      const call = begin(record, line, this.#factsOf(turn));
      this.#open.set(record.call_id, call);
      this.#calls.push(call);
    } else if (record.type === "tool_finished") {
      const call = this.#open.get(record.call_id);
      if (call) finish(call, record, this.#todos);
    } else if (record.type === "assistant_finished" && record.text.trim() !== "") {
      this.#factsOf(turn).last_words = { text: record.text, line };
    }
  }

  finish(): Map<string, TurnFacts> {
    for (const call of this.#calls) settle(call);
    for (const facts of this.#byTurn.values()) facts.commits = distinct(facts.commits);
    return this.#byTurn;
  }

  #factsOf(turn: string): TurnFacts {
    let facts = this.#byTurn.get(turn);
    if (!facts) this.#byTurn.set(turn, (facts = noFacts()));
    return facts;
  }
}

export function noFacts(): TurnFacts {
  return { tool_problems: [], questions: [], todos: null, commits: [], last_words: null };
}

/** A patch is about its files. */
function aboutOf(input: unknown): string {
  const text = summary(input);
  if (!text.startsWith("*** Begin Patch")) return text;
  const files = [...text.matchAll(/^\*\*\* (?:Update|Add|Delete) File: (.{1,500})$/gm)].map((match) => match[1] ?? "");
  return files.length > 0 ? files.join(", ") : text;
}

function begin(record: ToolStartedBody, line: number, facts: TurnFacts): OpenCall {
  const { call_id, name, input } = record;
  const about = aboutOf(input);
  return {
    call_id,
    name,
    about: about.slice(0, KEEP),
    status: "pending",
    exit_code: null,
    error: null,
    line,
    input: keepsTodos(name) ? input : null,
    command: about.includes("commit") ? about : "",
    questions: QUESTION_TOOLS.test(name) ? questionsIn(name, input) : [],
    nested: Boolean(record.parent_call_id),
    facts,
    finished: false,
    commits: [],
  };
}

function finish(call: OpenCall, record: ToolFinishedBody, todos: TodoBook): void {
  const ok = record.status === "ok";
  const output = record.output ?? "";
  call.finished = true;
  call.status = record.status;
  call.exit_code = record.exit_code ?? call.exit_code;
  call.error = record.error?.slice(0, KEEP) ?? null;
  // A second statement of the end may leave the output out; it does not take a commit back.
  const commits = commitsOf(call.command, output, ok, call.line);
  if (commits.length > 0) call.commits = commits;
  const list = ok ? todos.after(call.name, call.input, output, call.line) : null;
  if (list) call.facts.todos = list;
}

function settle({ facts, questions, commits, nested, ...call }: OpenCall): void {
  const { call_id, name, about, status, exit_code, error, line } = call;
  for (const question of questions) facts.questions.push({ question, answered: status === "ok", line });
  facts.commits.push(...commits);
  if (status !== "ok" && !nested) facts.tool_problems.push({ call_id, name, about, status, exit_code, error, line });
}

function questionsIn(name: string, input: unknown): string[] {
  if (/plan/i.test(name)) return ["Approve the plan?"];
  const fields = typeof input === "object" && input !== null ? (input as Record<string, unknown>) : {};
  const list = Array.isArray(fields["questions"]) ? (fields["questions"] as unknown[]) : [fields];
  const found = list.flatMap((item) => {
    if (typeof item === "string") return [item];
    const asked = typeof item === "object" && item !== null ? (item as Record<string, unknown>) : {};
    const text = asked["question"] ?? asked["prompt"] ?? asked["message"] ?? asked["text"] ?? asked["header"];
    return typeof text === "string" ? [text] : [];
  });
  return found.length > 0 ? found : [name];
}

/** A script tool and the command inside it print the same commit. */
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
