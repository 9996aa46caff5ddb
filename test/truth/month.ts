import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Decision } from "../../src/turns/decisions/model.ts";
import type { TurnView } from "../../src/views/turn-view.ts";
import { brief } from "./expected.ts";
import type { Answers } from "./actual.ts";

/** Fixture: two weeks of sessions of an invented developer, with the true values of every turn in TRUTH.json. */
export const MONTH: string = fileURLToPath(new URL("../fixtures/month/", import.meta.url));

export interface MonthSession {
  session: string;
  source: string;
  project: string;
  cwd: string;
  turns: MonthTurn[];
}

interface MonthTurn {
  turn: string;
  time: string;
  text: string;
  kind: string;
  written_outcome: string;
  model: string;
  calls: MonthCall[];
  tokens: MonthTokens;
  subagent_tokens: MonthTokens | null;
  subagents: string[];
  files: string[];
  questions: { question: string; answer: string }[];
  final: string;
}

interface MonthCall {
  id: string;
  name: string;
  status: string;
  command?: string;
  /** Called by a sub-agent. */
  sub?: boolean;
}

interface MonthTokens {
  input: number;
  cache_read: number;
  cache_write: number;
  output: number;
  reasoning: number;
}

/** The values of a turn that are compared. */
interface Compared {
  ref: string;
  time: string | null;
  text: string;
  kind: string;
  outcome: string;
  final: string;
  own: string;
  with_children: string;
  models: string[];
  calls: Record<string, string>;
  files: string[];
  children: string[];
  questions: string[];
}

/** Calls that a permission rule denied without asking the human. */
const BY_RULE: ReadonlySet<string> = new Set(["toolu_01aeDLd5IzHKfE7Cb7CMAwec"]);

/** TRUTH.json calls every text with a leading slash a command, but this is a prompt about the path `/health`. */
const NO_COMMAND = "/health should check";

export function monthSessions(): MonthSession[] {
  return (JSON.parse(readFileSync(`${MONTH}TRUTH.json`, "utf8")) as { sessions: MonthSession[] }).sessions;
}

export function expectedTurns({ turns }: MonthSession): Compared[] {
  return turns.map((turn) => ({
    ref: turn.turn,
    time: turn.time,
    text: turn.text,
    kind: turn.text.startsWith(NO_COMMAND) ? "prompt" : turn.kind,
    outcome: turn.written_outcome,
    final: turn.final,
    own: brief(counts(turn.tokens)),
    with_children: brief(sum(counts(turn.tokens), counts(turn.subagent_tokens))),
    // The usage of a compaction is not stated, so neither is its model.
    models: turn.kind === "command" && turn.calls.length === 0 ? [] : [turn.model],
    // TRUTH.json lists the calls of sub-agents with the turn that started them.
    calls: Object.fromEntries(turn.calls.filter(({ sub }) => !sub).map(({ id, status }) => [id, status])),
    files: turn.files.toSorted(),
    children: turn.subagents,
    questions: [...turn.questions.map(questionText), ...turn.calls.flatMap(refusal)].toSorted(),
  }));
}

export function actualTurns({ turns, tools, decisions }: Answers, { session }: MonthSession): Compared[] {
  return turns
    .filter((turn) => turn.session_id === session)
    .map((turn) => ({
      ref: turn.turn_ref,
      time: turn.trigger.time,
      text: turn.trigger.text,
      kind: turn.trigger.kind,
      outcome: turn.outcome,
      final: turn.final_text,
      own: brief(turn.usage),
      with_children: brief(turn.usage_with_children),
      models: turn.usage.models,
      calls: Object.fromEntries(
        tools.filter((tool) => isIn(tool, turn)).map(({ call_id, status }) => [call_id, status]),
      ),
      files: turn.files.map(({ path }) => path).toSorted(),
      children: turn.children.map(({ session_id }) => session_id.replace(/^agent-/u, "")),
      // The truth lists what was asked by a tool; decisions in prose have a measure of their own.
      questions: decisions
        .filter((decision) => decision.tier !== "prose" && isIn(decision, turn))
        .map(decided)
        .toSorted(),
    }));
}

function questionText({ question, answer }: MonthTurn["questions"][number]): string {
  const [, refused] = /^rejected: (.*)$/u.exec(answer) ?? [];
  if (question !== "plan") return `${question}: ${answer}`;
  return `Approve the plan: Plan: ${refused === undefined ? "Approve" : `Keep planning, ${refused}`}`;
}

/** The decision in which the human denied a command. */
function refusal({ id, name, status, command }: MonthCall): string[] {
  if (status !== "denied" || command === undefined || BY_RULE.has(id)) return [];
  return [`Allow ${name}: ${command}: Deny${SAID[id] === undefined ? "" : `, ${SAID[id]}`}`];
}

/** What the human said when denying a call, by call id; TRUTH.json does not contain it. */
const SAID: Readonly<Record<string, string>> = {
  toolu_01DSx3sL11i5Ap7gJ5BGHhZj: "no not from here, i do that by hand on the vm",
};

function isIn(one: { session_id: string; turn_ref: string | null }, turn: TurnView): boolean {
  return one.session_id === turn.session_id && one.turn_ref === turn.turn_ref;
}

function decided({ title, choice, free_text }: Decision): string {
  return `${title}: ${[choice, free_text].filter((one) => one !== null).join(", ")}`;
}

function counts(tokens: MonthTokens | null): Parameters<typeof brief>[0] {
  return {
    input_tokens: tokens?.input ?? 0,
    cached_input_tokens: tokens?.cache_read ?? 0,
    cache_write_tokens: tokens?.cache_write ?? 0,
    output_tokens: tokens?.output ?? 0,
    reasoning_tokens: tokens?.reasoning ?? 0,
  };
}

function sum(a: ReturnType<typeof counts>, b: ReturnType<typeof counts>): ReturnType<typeof counts> {
  return {
    input_tokens: a.input_tokens + b.input_tokens,
    cached_input_tokens: a.cached_input_tokens + b.cached_input_tokens,
    cache_write_tokens: a.cache_write_tokens + b.cache_write_tokens,
    output_tokens: a.output_tokens + b.output_tokens,
    reasoning_tokens: a.reasoning_tokens + b.reasoning_tokens,
  };
}
