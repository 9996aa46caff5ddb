import { acceptLine, UNKNOWN_CHOICE, type QuestionLine } from "../turns/decisions/question-log.ts";
import { oneLine } from "../turns/decisions/brief.ts";
import { answersIn, type QuestionAnswer } from "../turns/decisions/result.ts";
import type { Question } from "../turns/decisions/structured.ts";
import { fieldsOf } from "../turns/decisions/values.ts";
import { appendCaptured } from "./append.ts";
import type { HookCall } from "./hook-call.ts";
import { readRegistry, type Registry } from "./registry.ts";
import { slugOf } from "./slug.ts";
import { stateFile, type State } from "./state.ts";

type Env = Readonly<Record<string, string | undefined>>;

/**
 * Writes questions and answers to the log, one line per question. Returns what could not be written, in messages that
 * quote nothing.
 */
export function captureAnswers(call: HookCall, state: State, env: Env, now: string, hide: Hide): string[] {
  const answers = answersIn(responseText(call.response), call.questions);
  const registry = readRegistry(state);
  const problems: string[] = [];
  const lines = call.questions.flatMap((question, i): QuestionLine[] => {
    const answer = answers[i] ?? "unknown";
    if (answer === "unanswered" || answer === "unasked" || question.kind !== "question") return [];
    if (answer === "unknown") problems.push(`the answer to question ${i + 1} has a form that is not known`);
    const accepted = acceptLine(hide(lineOf(call, question, answer, registry)), now);
    if ("line" in accepted) return [accepted.line];
    problems.push(`question ${i + 1} was not written: ${accepted.rejected}`);
    return [];
  });
  appendCaptured(stateFile.questionLog(state, slugOf(call.cwd, state, env)), lines);
  return problems;
}

/** Redacts secrets. */
export type Hide = <T>(value: T) => T;

/** The fields about a question that both hooks write. */
export function aboutQuestion(call: HookCall, question: Question, registry: Registry): Record<string, unknown> {
  const known = registry.get(question.question_id);
  return {
    skill: known?.skill ?? "unknown",
    question_id: question.question_id,
    question_summary: question.title,
    ...(known ? { door_type: known.door_type } : {}),
    ...(known?.category ? { category: known.category } : {}),
    options_count: Math.max(1, question.options.length),
    ...(question.recommended === null ? {} : { recommended: question.recommended }),
    ...(call.session_id === null ? {} : { session_id: call.session_id }),
    ...(call.tool_use_id === null ? {} : { tool_use_id: call.tool_use_id }),
  };
}

function lineOf(
  call: HookCall,
  question: Question,
  answer: Exclude<QuestionAnswer, "unanswered" | "unasked">,
  registry: Registry,
): Record<string, unknown> {
  const given = answer === "unknown" ? { choice: UNKNOWN_CHOICE, free_text: null } : answer;
  return {
    ...aboutQuestion(call, question, registry),
    user_choice: given.choice ?? "Other",
    ...(given.free_text === null ? {} : { free_text: oneLine(given.free_text, 300) }),
    source: given.free_text === null ? "hook" : "auq-other",
  };
}

/** Whether the question was never shown, or its answer was lost. */
export function isFailure(response: unknown): boolean {
  if (response === undefined || response === null || response === "") return true;
  if (typeof response === "string") return response.trim() === "" || MISSING.test(response);
  const { is_error: failed, isError, error } = fieldsOf(response);
  if (failed === true || isError === true || (typeof error === "string" && error !== "")) return true;
  return MISSING.test(textIn(response) ?? "");
}

/** Matches only at the beginning of a response: an answer may mention such a phrase. */
const MISSING = /^\s*\[?tool result missing/i;

function responseText(response: unknown): string {
  return typeof response === "string" ? response : (textIn(response) ?? JSON.stringify(response));
}

/** Tools of MCP servers return a list of texts. */
function textIn(response: unknown): string | null {
  const parts = Array.isArray(response) ? response : fieldsOf(response)["content"];
  if (!Array.isArray(parts)) return null;
  const texts = parts.flatMap((part: unknown) => fieldsOf(part)["text"] ?? []).filter((one) => typeof one === "string");
  return texts.length > 0 ? texts.join("\n") : null;
}
