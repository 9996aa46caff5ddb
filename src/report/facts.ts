import type { LogRecord, ToolFinishedBody, ToolStatus } from "../log/record.ts";
import { summary } from "../text/input-summary.ts";
import { commitsOf, type Commit } from "./commits.ts";
import { TodoBook, type TodoList } from "./todos.ts";

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

interface OpenCall {
  name: string;
  input: unknown;
  line: number;
  nested: boolean;
  facts: TurnFacts;
  end: ToolFinishedBody | null;
  endLine: number;
}

/**
 * Facts per turn of one session, from its records in order. Records outside human turns (a sub-agent's whole work) come
 * under the empty name.
 */
export function turnFacts(records: Iterable<LogRecord>): Map<string, TurnFacts> {
  const byTurn = new Map<string, TurnFacts>();
  const calls = new Map<string, OpenCall>();
  const todos = new TodoBook();
  for (const record of records) {
    const line = record.origin.line ?? record.origin.row ?? 0;
    const turn = record.turn_id ?? "";
    if (record.type === "tool_started") {
      // Some agents state a call twice; the first statement is the call.
      if (calls.get(record.call_id)?.end === null) continue;
      calls.set(record.call_id, {
        name: record.name,
        input: record.input,
        line,
        nested: Boolean(record.parent_call_id),
        facts: factsOf(byTurn, turn),
        end: null,
        endLine: line,
      });
    } else if (record.type === "tool_finished") {
      const call = calls.get(record.call_id);
      if (!call) continue;
      const output = record.output ?? call.end?.output ?? null;
      call.end = { ...record, output: output === null ? null : output };
      call.endLine = line;
      const list = record.status === "ok" ? todos.after(call.name, call.input, output ?? "", call.line) : null;
      if (list) call.facts.todos = list;
    } else if (record.type === "assistant_finished" && record.text.trim() !== "") {
      factsOf(byTurn, turn).last_words = { text: record.text, line };
    }
  }
  for (const [id, call] of calls) settle(id, call);
  for (const facts of byTurn.values()) facts.commits = distinct(facts.commits);
  return byTurn;
}

export function noFacts(): TurnFacts {
  return { tool_problems: [], questions: [], todos: null, commits: [], last_words: null };
}

function factsOf(byTurn: Map<string, TurnFacts>, turn: string): TurnFacts {
  let facts = byTurn.get(turn);
  if (!facts) byTurn.set(turn, (facts = noFacts()));
  return facts;
}

function settle(call_id: string, { name, input, line, nested, facts, end }: OpenCall): void {
  const status = end?.status ?? "pending";
  const about = summary(input);
  if (QUESTION_TOOLS.test(name)) {
    for (const question of questionsIn(name, input)) facts.questions.push({ question, answered: status === "ok", line });
  }
  facts.commits.push(...commitsOf(about, end?.output ?? "", status === "ok", line));
  if (status === "ok" || nested) return;
  facts.tool_problems.push({
    call_id,
    name,
    about: about.slice(0, KEEP),
    status,
    exit_code: end?.exit_code ?? null,
    error: end?.error?.slice(0, KEEP) ?? null,
    line,
  });
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
